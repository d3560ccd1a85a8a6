"""BoostCLIR (Japanese → English patents): three files per split as in WikiCLIR, recognized by their Japanese queries.

Queries are abstracts of several sentences; levels are 3 (same patent family), 2 (cited by the examiner) and 1 (cited by
the applicant). The release has patent numbers where the Japanese text was: you have to get it from the patent office.
Put it beside them as text.ja.tsv, `number TAB text`.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from crossbow.datasets.collection import Collection, one_file
from crossbow.datasets.registry import DATASETS, Dataset
from crossbow.datasets.wikiclir import split_triples
from crossbow.records import open_lines

JAPANESE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")  # kana, or kanji alone


def recognize(folder: Path) -> Collection | None:
    splits = split_triples(folder)
    if not splits:
        return None
    texts = one_file(folder, r"text\.ja\.tsv")
    some_queries = islice(open_lines(next(iter(splits.values())).queries), 10)
    if texts is None and not any(JAPANESE.search(line) for _, line in some_queries):
        return None
    return Collection(folder, "boostclir", "ja", "en", splits, texts=texts)


DATASETS.add("boostclir", Dataset("Japanese to English patents.", recognize=recognize))
