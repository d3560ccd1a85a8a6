"""A retrieval task in one language: documents, and judged queries for training, development and test.

    task = open_task("debian:en", work)
    task = open_files("mine", ("docs.tsv", "topics.tsv", "qrels.txt"), work)        # splits the queries itself

Queries are split by a digest of their ids: half of them are for training, a sixth for development, a third for test.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from crossbow import store
from crossbow.errors import CrossbowError
from crossbow.experiments.core.prepare import NEEDED, ReproduceConfig, index_folder, open_collection, open_split
from crossbow.experiments.core.split import Split
from crossbow.index import Index, build
from crossbow.pipeline import Report, file_digest
from crossbow.records import read_docs
from crossbow.records.irds import is_irds
from crossbow.records.judged import JudgedQuery, read_judged
from crossbow.text.analyzer import Analyzer, Settings

SPLITS = ("train", *NEEDED)
SHARES = (3, 1, 2)  # of train, dev and test


class Task(NamedTuple):
    """All that is measured with; every split may have documents of its own."""

    name: str
    train: Split
    dev: Split
    test: Split

    @property
    def splits(self) -> tuple[Split, Split, Split]:
        return self.train, self.dev, self.test

    @property
    def digest(self) -> str:
        """All queries, judgments and documents in one word."""
        return store.digest([[[query.id, query.text, sorted(query.levels.items())] for query in split.queries]
                             for split in self.splits], [split.index.signature for split in self.splits])


def open_task(name: str, work: Path, threads: int = 2, report: Report | None = None) -> Task:
    """The task of a collection that has all three splits, by name or folder."""
    collection = open_collection(name, work, report)
    if collection.source != collection.target:
        raise CrossbowError(f"{collection.folder}: queries in {collection.source!r}, documents in "
                            f"{collection.target!r}; parse trees rank in one language (see `crossbow search --rerank`)")
    if "train" not in collection.splits:
        raise CrossbowError(f"{collection.folder}: there are no training queries; give --docs, --queries and --qrels "
                            "to have them split")
    config = ReproduceConfig()
    return Task(collection.name, *(
        open_split(collection, split, Index.load(index_folder(collection, split, work, config, threads, report)),
                   config) for split in SPLITS))


def open_files(
    name: str, files: tuple[str, str, str], work: Path, lang: str = "en", threads: int = 2, report: Report | None = None
) -> Task:
    """The task of documents, queries and TREC judgments."""
    docs, queries, qrels = files
    parts = split_queries([query for query in read_judged(queries, qrels) if query.has_relevant])
    analyzer = Analyzer(Settings(lang))
    place = work / f"index-{store.digest(docs if is_irds(docs) else file_digest(docs), analyzer.to_json())}"
    if not (place / store.HEADER).exists():
        build(place, read_docs(docs), analyzer, workers=threads, report=report)
    index = Index.load(place)
    return Task(name, *(Split(split, part, index) for split, part in zip(SPLITS, parts)))


def split_queries(queries: Sequence[JudgedQuery]) -> list[tuple[JudgedQuery, ...]]:
    """The queries of train, dev and test, in the order of digests."""
    if len(queries) < sum(SHARES):
        raise CrossbowError(f"only {len(queries)} queries have a relevant document; at least six are needed")
    order = sorted(queries, key=lambda query: hashlib.sha256(query.id.encode("utf8", "replace")).digest())
    ends = [len(order) * sum(SHARES[: at + 1]) // sum(SHARES) for at in range(len(SHARES))]
    return [tuple(order[begin:end]) for begin, end in zip([0, *ends], ends)]
