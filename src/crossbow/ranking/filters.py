"""Which documents a search may find: those that have some words, lack others, and whose ids begin in a certain way.

    wanted = Filter(having=("water",), lacking=("roof",), id_prefix="ceiling-")
    hits = searcher.search(query, filter=wanted)

A filter takes documents out of the ranking and leaves the scores of the others as they are.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from crossbow.arrays import I32, Bools
from crossbow.index import Index, Segment
from crossbow.index.postings import encode


@dataclass(frozen=True)
class Filter:
    """Words are in the documents' language; those that no index keeps, as "the", ask for nothing."""

    having: tuple[str, ...] = ()  # a document must have all of these
    lacking: tuple[str, ...] = ()  # and none of these
    id_prefix: str = ""

    def passing(self, index: Index) -> Bools | None:
        """Which documents pass, by number; None if all do."""
        if self == Filter():
            return None
        having, lacking = ([term for word in words for term in index.analyzer.analyse(word)[0]]
                           for words in (self.having, self.lacking))
        wanted = [self._passing(segment, having, lacking) for segment in index.segments]
        return np.concatenate([np.empty(0, np.bool_), *wanted])

    def _passing(self, segment: Segment, having: list[str], lacking: list[str]) -> Bools:
        passing = _with_prefix(segment, encode(self.id_prefix))
        for term in having:
            passing &= _with_term(segment, term)
        for term in lacking:
            passing &= ~_with_term(segment, term)
        return passing


def _with_term(segment: Segment, term: str) -> Bools:
    number = segment.term(term)
    start, end = segment.postings.starts[number : number + 2].tolist() if number >= 0 else (0, 0)
    return _marked(segment, segment.postings.docs[start:end])


def _with_prefix(segment: Segment, prefix: bytes) -> Bools:
    """Ids are sorted, so those with a prefix stand together."""
    postings = segment.postings

    def head(number: int) -> bytes:
        start, end = postings.id_starts[number : number + 2].tolist()
        return postings.id_bytes[start : min(end, start + len(prefix))].tobytes()

    order = postings.id_order
    _marked(segment, order)  # no number of a damaged file may be looked up
    low = bisect_left(order, prefix, key=head)
    high = bisect_left(order, True, lo=low, key=lambda number: head(number) > prefix)
    return _marked(segment, order[low:high])


def _marked(segment: Segment, docs: I32) -> Bools:
    """Which documents of a segment these are."""
    if docs.min(initial=0) < 0 or docs.max(initial=0) >= len(segment.alive):
        raise segment.damaged("there is no document of such a number")
    found = np.zeros(len(segment.alive), np.bool_)
    found[docs] = True
    return found
