"""Collections laid out like the Kyoto articles (Japanese → English): the languages stand in the file names.

    queries.{train,dev,test}.ja.tsv   qrels.{train,dev,test}.txt   docs.en.tsv   parallel.ja-en.tsv

Any of them may end in .gz or .xz. There is no tuning text: hold some pairs out.
"""

from __future__ import annotations

import re
from pathlib import Path

from crossbow.datasets.collection import SPLITS, Collection, SplitFiles, one_file
from crossbow.datasets.registry import DATASETS, Dataset
from crossbow.records import ParallelText


def recognize(folder: Path) -> Collection | None:
    parallel = one_file(folder, r"parallel\.(\w+)-(\w+)\.tsv")
    if parallel is None:
        return None
    languages = re.match(r"parallel\.(\w+)-(\w+)\.", parallel.name)
    assert languages is not None
    source, target = languages.groups()
    docs = one_file(folder, rf"docs\.{target}\.tsv")
    splits = {}
    for split in SPLITS:
        queries = one_file(folder, rf"queries\.{split}\.{source}\.tsv")
        qrels = one_file(folder, rf"qrels\.{split}\.txt")
        if docs and queries and qrels:
            splits[split] = SplitFiles(docs, queries, qrels)
    return Collection(folder, folder.name, source, target, splits, ParallelText(parallel)) if splits else None


DATASETS.add("kyoto", Dataset("Japanese Wikipedia articles on Kyoto, and folders laid out like them.",
                              recognize=recognize))
