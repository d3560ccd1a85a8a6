"""Which documents a search may find: by their words, their ids and their fields.

    wanted = Filter(having=("water",), lacking=("roof",), id_prefix="ceiling-", where=("year>=2008", "lang:en,de"))
    hits = searcher.search(query, filter=wanted)

How conditions on fields are written: conditions.py. A filter takes documents out of the ranking and leaves the scores
of the others as they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from crossbow.arrays import I32, Bools
from crossbow.index import Index, Segment
from crossbow.index.strings import encode
from crossbow.ranking.conditions import Condition


@dataclass(frozen=True)
class Filter:
    """Conditions on documents. Words are in the documents' language; function words such as "the" are ignored."""

    having: tuple[str, ...] = ()  # a document must have all of these
    lacking: tuple[str, ...] = ()  # and none of these
    id_prefix: str = ""
    where: tuple[str, ...] = ()  # conditions on its fields, all of which must hold

    def passing(self, index: Index) -> Bools | None:
        """Which documents pass, by number; None if all do."""
        if self == Filter():
            return None
        having, lacking = ([term for word in words for term in index.analyzer.analyze(word)[0]]
                           for words in (self.having, self.lacking))
        wanted = [self._passing(segment, having, lacking) for segment in index.segments]
        passing: Bools = np.concatenate([np.empty(0, np.bool_), *wanted])
        for condition in self.where:
            passing &= Condition.parse(condition).passing(index)
        return passing

    def _passing(self, segment: Segment, having: list[str], lacking: list[str]) -> Bools:
        passing = _with_prefix(segment, encode(self.id_prefix))
        for term in having:
            passing &= _with_term(segment, term)
        for term in lacking:
            passing &= ~_with_term(segment, term)
        return passing


def both(one: Bools | None, other: Bools | None) -> Bools | None:
    """What passes two filters; None stands for all documents."""
    return other if one is None else one if other is None else one & other


def having_any(index: Index, terms: Iterable[str]) -> Bools:
    """Which documents have one of these terms, by number."""
    found = [np.zeros(len(segment.alive), np.bool_) for segment in index.segments]
    for term in terms:
        for segment, here in zip(index.segments, found):
            here |= _with_term(segment, term)
    return np.concatenate([np.empty(0, np.bool_), *found])


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
