"""WikiCLIR (German → English Wikipedia): for each split `*.queries`, `*.docs` and `*.qrels`, named after the split.

Queries are first sentences without the title, documents the first 200 words, levels 3 (the same article) and 2 (linked
both ways). Each split has documents of its own. ir_datasets calls another data set `wikiclir`, one of English queries.
"""

from __future__ import annotations

from pathlib import Path

from crossbow.datasets.collection import SPLITS, Collection, SplitFiles, one_file
from crossbow.datasets.registry import DATASETS, Dataset


def recognize(folder: Path) -> Collection | None:
    splits = split_triples(folder)
    return Collection(folder, "wikiclir", "de", "en", splits) if splits else None


def split_triples(folder: Path) -> dict[str, SplitFiles]:
    """The splits whose three files are all there."""
    splits = {}
    for split in SPLITS:
        docs, queries, qrels = (one_file(folder, rf"(?:.*[._-])?{split}(?:[._-].*)?\.{kind}")
                                for kind in ("docs", "queries", "qrels"))
        if docs and queries and qrels:
            splits[split] = SplitFiles(docs, queries, qrels)
    return splits


DATASETS.add("wikiclir", Dataset("German to English Wikipedia articles.", recognize=recognize))
