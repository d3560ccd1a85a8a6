"""Collections whose file names tell the languages, as the Kyoto articles (Japanese → English) and the debates of
Europarl (German titles → English speeches) do.

    docs.en.tsv   queries.{train,dev,test}.ja.tsv   qrels.{train,dev,test}.txt   parallel.ja-en.tsv

Any of them may end in .gz or .xz. There may also be queries in the language of the documents: they show how well
one could search if one knew the language. Parallel text that several collections share may stand beside their
folders, under any name that ends in .de-en.tsv. There is no tuning text: hold some pairs out.
"""

from __future__ import annotations

import re
from pathlib import Path

from crossbow.datasets.collection import SPLITS, Collection, SplitFiles, one_file
from crossbow.datasets.registry import DATASETS, Dataset
from crossbow.records import ParallelText

ENDING = r"\.tsv(?:\.gz|\.xz)?"


def recognize(folder: Path) -> Collection | None:
    names = sorted(file.name for file in folder.iterdir())
    targets = {found[1] for name in names if (found := re.fullmatch(rf"docs\.(\w+){ENDING}", name))}
    asked = {found[1] for name in names if (found := re.fullmatch(rf"queries\.\w+\.(\w+){ENDING}", name))}
    if len(targets) != 1 or len(asked - targets) != 1:
        return None
    (target,), (source,) = targets, asked - targets
    splits = {split: files for split in SPLITS if (files := _split(folder, split, source, target))}
    parallel = (one_file(folder, rf"parallel\.{source}-{target}\.tsv")
                or one_file(folder.parent, rf".+\.{source}-{target}\.tsv"))
    return Collection(folder, folder.name, source, target, splits, ParallelText(parallel) if parallel else None) \
        if splits else None


def _split(folder: Path, split: str, source: str, target: str) -> SplitFiles | None:
    docs, queries, qrels, original = (one_file(folder, pattern) for pattern in (
        rf"docs\.{target}\.tsv", rf"queries\.{split}\.{source}\.tsv", rf"qrels\.{split}\.txt",
        rf"queries\.{split}\.{target}\.tsv"))
    return SplitFiles(docs, queries, qrels, original=original) if docs and queries and qrels else None


DATASETS.add("named", Dataset("Folders whose file names tell the languages: docs.en.tsv, queries.dev.de.tsv.",
                              recognize=recognize))
