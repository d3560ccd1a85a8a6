"""Judged queries with candidates: what training and tuning look at, read and searched once.

    pool = make_pool(judged, index, reader, depth=100)
    trees, scripts = trees_and_scripts(parser, pool)                    # endtoend.py
    scores = pool.base - alpha * scripts.distance
    ndcg(pool, scores).mean()

Candidates are the best documents by BM25. Relevant ones that BM25 does not find are not added: they share few words
with their query, so all that could be learned from them is to count words less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I64
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.jit import helper, kernel
from crossbow.parse.texts import Reader, Texts
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.weighted import search_terms
from crossbow.records import Doc, Hit
from crossbow.records.judged import JudgedQuery, relevant_in
from crossbow.threads import in_order

CUTOFF = 10  # of NDCG


class Pool(NamedTuple):
    """Query q has the candidates starts[q] to starts[q + 1], in the order of their base scores."""

    ids: tuple[str, ...]
    queries: Texts
    docs: Texts  # every document once
    names: tuple[str, ...]  # of the documents
    starts: I64
    doc: I64  # its place in docs
    base: F64
    gain: F64  # the level of relevance
    ideal: F64  # by query: DCG of the best ranking of all judged documents


def bm25_hits(text: str, index: Index, depth: int, bm25: Bm25 = Bm25()) -> list[Hit]:
    """The best documents for the words of a text."""
    return search_terms(Counter(index.analyzer.analyze(text)[0]), index, depth, bm25)


def make_pool(
    queries: Sequence[JudgedQuery], index: Index, reader: Reader, depth: int, bm25: Bm25 = Bm25(), threads: int = 1
) -> Pool:
    """Search the queries that have a relevant document for so many candidates each."""
    judged = [query for query in queries if query.has_relevant]
    if not judged:
        raise CrossbowError("no query has a relevant document; do queries and judgments belong together?")
    if not relevant_in(judged, index):
        raise CrossbowError("none of the relevant documents is in the index; do judgments and index belong together?")
    places: dict[str, int] = {}
    doc, base, gain, sizes = [], [], [], []
    for query, hits in in_order(lambda query: bm25_hits(query.text, index, depth, bm25), judged, threads):
        doc += [places.setdefault(hit.doc, len(places)) for hit in hits]
        base += [hit.score for hit in hits]
        gain += [max(0, query.levels.get(hit.doc, 0)) for hit in hits]
        sizes.append(len(hits))
    ideal = [best_dcg(query.levels.values()) for query in judged]
    openings = (opening(index.doc(index.number(name))) for name in places)
    return Pool(tuple(query.id for query in judged), reader.queries(query.text for query in judged),
                reader.documents(openings), tuple(places), np.concatenate([[0], np.cumsum(sizes)]),
                np.array(doc, np.int64), np.array(base), np.array(gain, np.float64), np.array(ideal))


def opening(doc: Doc) -> str:
    """What of a document is compared with a query: its title, or else its text (its first sentences are read)."""
    return doc.title or doc.text


def best_dcg(levels: Iterable[int]) -> float:
    """DCG of the best ranking of documents with these levels."""
    best = sorted((level for level in levels if level > 0), reverse=True)[:CUTOFF]
    return float(sum(level / np.log2(rank + 1) for rank, level in enumerate(best, 1)))


@helper
def _discount(rank):
    return 1.0 / np.log2(rank + 2.0) if rank < CUTOFF else 0.0


@kernel
def discounts(starts, score, found):
    """The discount of every candidate at its rank; of equal scores the earlier candidate comes first."""
    for q in range(starts.shape[0] - 1):
        begin, end = starts[q], starts[q + 1]
        for k in range(begin, end):
            rank = 0
            for other in range(begin, end):
                if score[other] > score[k] or (score[other] == score[k] and other < k):
                    rank += 1
            found[k] = _discount(rank)


def ndcg(pool: Pool, score: F64) -> F64:
    """NDCG@10 of every query when its candidates have these scores."""
    found = np.empty(len(score))
    discounts(pool.starts, score, found)
    sums = np.concatenate([[0.0], np.cumsum(found * pool.gain)])
    values: F64 = (sums[pool.starts[1:]] - sums[pool.starts[:-1]]) / pool.ideal
    return values
