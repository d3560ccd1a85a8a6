"""A retrieval task in one language: documents, and judged queries for training, development and test.

    task = open_task("debian:en", work)
    task = open_files("mine", ("docs.tsv", "topics.tsv", "qrels.txt"), work)        # splits the queries itself

Queries are split by a digest of their ids: half of them are for training, a sixth for development, a third for test.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crossbow import store
from crossbow.errors import CrossbowError
from crossbow.experiments.core.prepare import NEEDED, ReproduceConfig, open_collection, open_index
from crossbow.index import Index, build
from crossbow.parse.train import Judged
from crossbow.pipeline import Report, file_digest
from crossbow.records import Query, load_qrels, read_docs, read_queries
from crossbow.records.irds import is_irds
from crossbow.text.analyzer import Analyzer, Settings

SPLITS = ("train", *NEEDED)
SHARES = (3, 1, 2)  # of train, dev and test


@dataclass(frozen=True)
class Task:
    """All that is measured with; every split may have documents of its own."""

    name: str
    judged: dict[str, Judged]
    index: dict[str, Index]

    @property
    def digest(self) -> str:
        return store.digest([[[query.id, query.text, sorted(one.qrels.get(query.id, {}).items())]
                              for query in one.queries] for one in self.judged.values()],
                            [index.signature for index in self.index.values()])


def open_task(name: str, work: Path, threads: int = 2, report: Report | None = None) -> Task:
    """The task of a collection that has all three splits, by name or folder."""
    collection = open_collection(name, work, report)
    if collection.source != collection.target:
        raise CrossbowError(f"{collection.folder}: queries in {collection.source!r}, documents in "
                            f"{collection.target!r}; parse trees rank in one language (see `crossbow search --rerank`)")
    if "train" not in collection.splits:
        raise CrossbowError(f"{collection.folder}: there are no training queries; give --docs, --queries and --qrels "
                            "to have them split")
    judged = {split: Judged(list(collection.queries(split)), collection.qrels(split)) for split in SPLITS}
    index = {split: open_index(collection, split, work, ReproduceConfig(), threads, report) for split in SPLITS}
    return Task(collection.name, judged, index)


def open_files(
    name: str, files: tuple[str, str, str], work: Path, lang: str = "en", threads: int = 2, report: Report | None = None
) -> Task:
    """The task of documents, queries and TREC judgements."""
    docs, queries, qrels = files
    levels = load_qrels(qrels)
    relevant = [query for query in read_queries(queries) if any(v > 0 for v in levels.get(query.id, {}).values())]
    splits = split_queries(relevant)
    analyzer = Analyzer(Settings(lang))
    place = work / f"index-{store.digest(docs if is_irds(docs) else file_digest(docs), analyzer.to_json())}"
    if not (place / store.HEADER).exists():
        build(place, read_docs(docs), analyzer, workers=threads, report=report)
    index = Index.load(place)
    return Task(name, {split: Judged(chosen, levels) for split, chosen in splits.items()}, dict.fromkeys(SPLITS, index))


def split_queries(queries: Sequence[Query]) -> dict[str, list[Query]]:
    """Queries by split, in the order of digests."""
    if len(queries) < sum(SHARES):
        raise CrossbowError(f"only {len(queries)} queries have a relevant document; at least six are needed")
    order = sorted(queries, key=lambda query: hashlib.sha256(query.id.encode("utf8", "replace")).digest())
    ends = [len(order) * sum(SHARES[: at + 1]) // sum(SHARES) for at in range(len(SHARES))]
    return {split: order[begin:end] for split, begin, end in zip(SPLITS, [0, *ends], ends)}
