"""BM25, in one place: the formula, its bound, its variants of idf, and the posting lists that kernels read.

    lists = term_lists(index, ["hous", "lake"], Bm25(idf="lucene"))
    for part in lists.parts: ...                # one for each segment of the index
    lists.idf[t] * part.saturation[k]           # the weight of term t in document part.docs[k] + part.base

The weight of a term in a document is idf · saturation(tf, norm), where saturation = tf / (norm + tf) lies below 1 and
norm = k1((1 − b) + b · length / mean length). Saturations are computed when a list is first read and kept, so that k1
and b can be chosen at search time and still cost nothing.

A variant of idf is a function of the number of documents and of the document frequencies:

    @idf_variant("plain", "log(N / df)")
    def plain(documents, df): return np.log(documents / np.maximum(df, 1))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from crossbow.arrays import F64, I32, I64, Bools
from crossbow.index import Index, Segment
from crossbow.jit import helper, kernel, loop
from crossbow.registry import Registry
from crossbow.settings import Settings, setting

KEPT_SETTINGS = 4  # of k1 and b, whose saturations are kept; a search over many would fill the memory


class Idf(NamedTuple):
    """A variant of idf: what it is, and the function itself. Its values must not be negative: bounds rely on that."""

    help: str
    of: Callable[[int, F64], F64]


IDF: Registry[Idf] = Registry("variant of idf")


def idf_variant(name: str, help: str) -> Callable[[Callable[[int, F64], F64]], Callable[[int, F64], F64]]:
    """Register a function as a variant of idf."""
    def add(function: Callable[[int, F64], F64]) -> Callable[[int, F64], F64]:
        IDF.add(name, Idf(help, function))
        return function

    return add


@idf_variant("rsj", "The paper's: log((N − df + ½) / (df + ½)), and 0 for a term that half of the documents have.")
def rsj(documents: int, df: F64) -> F64:
    return np.maximum(0.0, np.log((documents - df + 0.5) / (df + 0.5)))


@idf_variant("lucene", "Lucene's: log(1 + (N − df + ½) / (df + ½)), above 0 for every term.")
def lucene(documents: int, df: F64) -> F64:
    found: F64 = np.log1p((documents - df + 0.5) / (df + 0.5))
    return found


@dataclass(frozen=True)
class Bm25(Settings):
    """The constants of BM25, and how much a rare term counts."""

    k1: float = setting(1.2, "How many occurrences of a term it takes until more of them matter little.", above=0)
    b: float = setting(0.75, "How much long documents are penalized: 0 not at all, 1 in full.", least=0, most=1)
    idf: str = setting("rsj", "How much a rare term counts: the paper's `rsj`, or `lucene`.",
                       choices=IDF)

    def norms(self, lengths: I32, index: Index) -> F64:
        """The norm of documents of these lengths. Those of an index are multiplied by its scale, and so is tf there."""
        norms: F64 = self.k1 * index.scale * ((1 - self.b) + self.b * (lengths / (index.mean_length or 1.0)))
        return norms

    def idfs(self, documents: int, df: F64) -> F64:
        """What terms with these document frequencies weigh at most."""
        return IDF[self.idf].of(documents, df)


@helper
def saturation(tf, norm):
    """How near a document with this tf comes to the most that a term can weigh."""
    return tf / (norm + tf)


@helper
def saturation_bound(tf, norm):
    """Never less than the saturation. It is linear in tf, so that it can be taken once of a sum of several tf."""
    return tf / norm


class Part(NamedTuple):
    """One segment's share of the lists: those of term t are begin[t] to end[t]."""

    begin: I64
    end: I64
    docs: I32
    tfs: I32
    norm: F64  # of each document
    alive: Bools  # whether a document was not deleted
    base: int
    saturation: F64  # of each posting; only those of this query's terms are filled in


class TermLists(NamedTuple):
    """The lists of a query's terms and what each term weighs at most."""

    parts: list[Part]
    idf: F64


class _Saturations:
    """The saturations of a segment's postings, list by list as they are needed. Threads may compute one twice."""

    def __init__(self, segment: Segment, bm25: Bm25, index: Index):
        postings = segment.postings
        if postings.lengths.min(initial=0) < 0:
            raise segment.damaged("a document has a negative length")
        self.norm = bm25.norms(postings.lengths, index)
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
        values[k] = saturation(tfs[k], norm[docs[k]])
    return True


_KEPT: WeakKeyDictionary[Index, dict[tuple[float, float], list[_Saturations]]] = WeakKeyDictionary()


def _saturations(index: Index, bm25: Bm25) -> list[_Saturations]:
    kept, key = _KEPT.setdefault(index, {}), (bm25.k1, bm25.b)
    found = kept.get(key)
    if found is None:
        found = kept[key] = [_Saturations(segment, bm25, index) for segment in index.segments]
        for older in list(kept)[:-KEPT_SETTINGS]:
            kept.pop(older, None)
    return found


def term_lists(index: Index, terms: Sequence[str], bm25: Bm25) -> TermLists:
    """The lists of these terms in every segment; a term that a segment lacks has an empty one."""
    parts = []
    for segment, kept in zip(index.segments, _saturations(index, bm25)):
        postings = segment.postings
        numbers = np.array([segment.term(term) for term in terms], np.int64)
        kept.fill(segment, numbers[numbers >= 0])
        begin, end = (np.where(numbers < 0, 0, postings.starts[numbers + step]) for step in (0, 1))
        parts.append(Part(begin, end, postings.docs, postings.tfs, kept.norm, segment.alive, segment.base, kept.values))
    df = np.array([index.df(term) for term in terms], np.float64)
    return TermLists(parts, bm25.idfs(len(index), df))


@kernel
def _mark(begin, end, docs, found):
    """Mark all documents of these lists."""
    for t in range(begin.shape[0]):
        for k in range(begin[t], end[t]):
            found[docs[k]] = True


def documents_with(parts: Sequence[Part]) -> Bools:
    """Which documents that were not deleted have any of the terms, by number."""
    found = [np.zeros(len(part.alive), np.bool_) for part in parts]
    for part, here in zip(parts, found):
        _mark(part.begin, part.end, part.docs, here)
        here &= part.alive
    return np.concatenate([np.empty(0, np.bool_), *found])


@loop
def _find(begin, end, docs, tfs, saturation, wanted, found, times):
    """Look a document up in every list, which are in ascending order."""
    for t in range(begin.shape[0]):
        low, high = begin[t], end[t]
        while low < high:
            middle = (low + high) // 2
            if docs[middle] < wanted:
                low = middle + 1
            else:
                high = middle
        if low < end[t] and docs[low] == wanted:
            found[t], times[t] = saturation[low], tfs[low]


def times(tf: int, index: Index) -> float:
    """The tf of a term, given the number that is stored, which is tf times the scale of the index."""
    return int(tf) if index.scale == 1 else int(tf) / index.scale


def in_document(parts: Sequence[Part], number: int) -> tuple[F64, I32]:
    """The saturation and the tf of every term in one document; 0 where it does not have the term."""
    terms = len(parts[0].begin) if parts else 0
    saturations, tfs = np.zeros(terms), np.zeros(terms, np.int32)
    for part in parts:
        if 0 <= number - part.base < len(part.norm):
            _find(part.begin, part.end, part.docs, part.tfs, part.saturation, number - part.base, saturations, tfs)
    return saturations, tfs
