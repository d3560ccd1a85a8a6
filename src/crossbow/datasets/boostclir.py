"""BoostCLIR (Japanese → English patents): the same three files a split as WikiCLIR, told apart by Japanese queries.

Queries are abstracts whose sentences end in 。; levels are 3 (same patent family), 2 (cited by the examiner) and 1
(cited by the applicant).
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from crossbow.datasets.collection import Collection
from crossbow.datasets.registry import DATASETS, Dataset
from crossbow.datasets.wikiclir import split_triples
from crossbow.records import open_lines

KANA = re.compile("[\u3040-\u30ff]")


def recognize(folder: Path) -> Collection | None:
    splits = split_triples(folder)
    if not splits:
        return None
    some_queries = islice(open_lines(next(iter(splits.values())).queries), 10)
    if not any(KANA.search(line) for _, line in some_queries):
        return None
    return Collection(folder, "boostclir", "ja", "en", splits, sentence_end="。")


DATASETS.add("boostclir", Dataset("Japanese to English patents.", recognize=recognize))
