"""The posting lists of a query's terms as kernels read them, and BM25 by the paper's formula.

    lists = term_lists(index, ["hous", "lake"], Bm25())
    for part in lists.parts: ...                # one for each segment of the index
    lists.rsj[t] * part.saturation[k]           # the weight of term t in document part.docs[k] + part.base

The weight is rsj · tf / (k1((1 − b) + b · length / mean length) + tf) with rsj = log((N − df + ½) / (df + ½)), which
becomes 0 where it would be negative. The second factor, the saturation, lies below 1. It is computed when a list is
first read and kept, so that k1 and b can be chosen at search time and still cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from crossbow.arrays import F64, I32, I64, Bools
from crossbow.errors import CrossbowError
from crossbow.index import Index, Segment
from crossbow.jit import kernel

SETTINGS = 4  # of k1 and b, whose saturations are kept; a search over many would fill the memory


@dataclass(frozen=True)
class Bm25:
    """The two constants of BM25."""

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if not (0 < self.k1 < float("inf") and 0 <= self.b <= 1):
            raise CrossbowError(f"BM25 with k1 = {self.k1} and b = {self.b}: k1 must be above 0, b between 0 and 1")


class Part(NamedTuple):
    """One segment's share of the lists: those of term t are begin[t] to end[t]."""

    begin: I64
    end: I64
    docs: I32
    tfs: I32
    norm: F64  # k1((1 − b) + b · length / mean length) of each document
    alive: Bools  # whether a document can be found
    base: int
    saturation: F64  # tf / (norm + tf) of each posting; only those of this query's terms are filled in


class TermLists(NamedTuple):
    """The lists of a query's terms and what each term weighs at most."""

    parts: list[Part]
    rsj: F64


class _Saturations:
    """The saturations of a segment's postings, list by list as they are needed. Threads may compute one twice."""

    def __init__(self, segment: Segment, bm25: Bm25, mean_length: float):
        postings = segment.postings
        if postings.lengths.min(initial=0) < 0:
            raise segment.damaged("a document has a negative length")
        self.norm = bm25.k1 * ((1 - bm25.b) + bm25.b * (postings.lengths / (mean_length or 1.0)))
        self.values = np.empty(len(postings.docs))  # memory is taken page by page, when a list is filled in
        self.filled = np.zeros(len(postings.starts) - 1, np.bool_)

    def fill(self, segment: Segment, numbers: I64) -> None:
        docs, tfs, starts = segment.postings.docs, segment.postings.tfs, segment.postings.starts
        for t in numbers[~self.filled[numbers]].tolist():
            if not _saturate(docs, tfs, self.norm, starts[t], starts[t + 1], self.values):
                raise segment.damaged(f"the list of term {t} is impossible")
            self.filled[t] = True


@kernel
def _saturate(docs, tfs, norm, begin, end, values):
    """Fill in a list that is read for the first time; returns whether it can be true, for no kernel asks again."""
    if not 0 <= begin <= end <= docs.shape[0]:
        return False
    before = -1
    for k in range(begin, end):
        if not before < docs[k] < norm.shape[0] or tfs[k] < 1:
            return False
        before = docs[k]
        values[k] = tfs[k] / (norm[docs[k]] + tfs[k])
    return True


_KEPT: WeakKeyDictionary[Index, dict[Bm25, list[_Saturations]]] = WeakKeyDictionary()


def _saturations(index: Index, bm25: Bm25) -> list[_Saturations]:
    kept = _KEPT.setdefault(index.whole, {})
    found = kept.get(bm25)
    if found is None:
        found = kept[bm25] = [_Saturations(segment, bm25, index.mean_length) for segment in index.segments]
        for older in list(kept)[:-SETTINGS]:
            kept.pop(older, None)
    return found


def rsj_weight(documents: int, df: F64) -> F64:
    """How much the terms tell: log odds of not having them, at least 0."""
    return np.maximum(0.0, np.log((documents - df + 0.5) / (df + 0.5)))


def _findable(index: Index, segment: Segment) -> Bools:
    if index.wanted is None:
        return segment.alive
    return segment.alive & index.wanted[segment.base : segment.base + len(segment.alive)]


def term_lists(index: Index, terms: Sequence[str], bm25: Bm25) -> TermLists:
    """The lists of these terms in every segment; a term that a segment lacks has an empty one."""
    parts = []
    for segment, kept in zip(index.segments, _saturations(index, bm25)):
        postings = segment.postings
        numbers = np.array([segment.term(term) for term in terms], np.int64)
        kept.fill(segment, numbers[numbers >= 0])
        begin, end = (np.where(numbers < 0, 0, postings.starts[numbers + step]) for step in (0, 1))
        parts.append(Part(begin, end, postings.docs, postings.tfs, kept.norm, _findable(index, segment), segment.base,
                          kept.values))
    df = np.array([index.df(term) for term in terms], np.float64)
    return TermLists(parts, rsj_weight(len(index), df))
