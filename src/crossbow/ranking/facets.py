"""Values of fields among the documents that match: counted, and sorted by.

    count_values(index, "lang", matching, best=10)      # [Count("en", 812), Count("de", 40)]
    Sort.parse("-year").best(prepared, index, matching, k=10)

Counts are exact: they are taken over all documents that match and pass the filter, not over the best ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, Bools
from crossbow.errors import CrossbowError
from crossbow.index import Index, Segment
from crossbow.index.fields import Column
from crossbow.index.strings import union
from crossbow.index.values import KEYWORD
from crossbow.ranking.conditions import field_kind
from crossbow.ranking.methods.contract import Prepared
from crossbow.ranking.topk import DIGITS
from crossbow.records import Hit


class Count(NamedTuple):
    """A value, and how many documents have it."""

    value: str
    documents: int


def count_values(index: Index, field: str, matching: Bools, best: int = 10) -> list[Count]:
    """The values that most documents have."""
    return most_frequent(value_counts(index, field, matching), best)


def value_counts(index: Index, field: str, matching: Bools) -> dict[bytes, int]:
    """All values of a field, and how many of the documents have each."""
    field_kind(index, field)
    total: dict[bytes, int] = {}
    for segment, column in _columns(index, field):
        here = matching[segment.base + column.docs]
        counts = np.bincount(column.ordinals[here], minlength=len(column.keys))
        values = column.values()
        for at in np.flatnonzero(counts).tolist():
            total[values[at]] = total.get(values[at], 0) + int(counts[at])
    return total


def most_frequent(total: Mapping[bytes, int], best: int) -> list[Count]:
    """The values that most documents have; of equally frequent ones the first in the order of their bytes."""
    heaviest = sorted(total, key=lambda value: (-total[value], value))[:best]
    return [Count(value.decode("utf8", "replace"), total[value]) for value in heaviest]


def matching(prepared: Prepared, index: Index, wanted: Bools | None) -> Bools:
    """The documents that match a query and pass a filter."""
    found = prepared.matching()
    if found is None:
        found = np.zeros(index.slots, np.bool_)
        found[[index.number(hit.doc) for hit in prepared.search(index.slots)]] = True
    return found if wanted is None else found & wanted


def page(
    prepared: Prepared, index: Index, k: int, wanted: Bools | None = None, offset: int = 0, sort: str | None = None
) -> list[Hit]:
    """The k hits that come after as many others as `offset` says; the best first, or those that `sort` puts first."""
    check_offset(offset)
    if sort is None:
        return prepared.search(offset + k, wanted)[offset:]
    return Sort.parse(sort).best(prepared, index, matching(prepared, index, wanted), offset + k)[offset:]


def check_offset(offset: object) -> None:
    """Raise an error unless this can be the number of hits to leave out."""
    if type(offset) is not int or offset < 0:
        raise CrossbowError(f"the offset is {offset!r}; it must be a whole number, and not below 0")


def _columns(index: Index, field: str) -> Iterator[tuple[Segment, Column]]:
    for segment in index.segments:
        column = segment.column(field)
        if column:
            yield segment, column


class Placed(NamedTuple):
    """A hit, and the value by which it has its place: a number, the bytes of a text, or none."""

    value: float | bytes | None
    hit: Hit


class Sort(NamedTuple):
    """By which field hits are sorted: its lowest values first, or its highest."""

    field: str
    descending: bool = False

    @classmethod
    def parse(cls, text: str) -> Sort:
        """`year` for the lowest first, `-year` for the highest."""
        name = text.removeprefix("-").strip()
        if not name:
            raise CrossbowError(f"{text!r:.80} is not a field to sort by; give the name of one, or -NAME for "
                                "the highest first")
        return cls(name, text.startswith("-"))

    def best(self, prepared: Prepared, index: Index, matching: Bools, k: int) -> list[Hit]:
        """The first k documents that match. Equal values are sorted by score; documents without any come last."""
        return [placed.hit for placed in self.placed(prepared, index, matching, k)]

    def placed(self, prepared: Prepared, index: Index, matching: Bools, k: int) -> list[Placed]:
        """The same with the values that they are sorted by."""
        docs = np.flatnonzero(matching)
        all_keys, names = self._keys(index)
        keys = all_keys[docs]
        if len(docs) > k:
            least = np.partition(keys, k - 1)[k - 1]
            docs, keys = docs[keys <= least], keys[keys <= least]
        if not len(docs):
            return []
        scores = (np.round(prepared.score(docs), DIGITS) + 0.0).tolist()
        sign = -1.0 if self.descending else 1.0
        values = [None if key == np.inf else names[int(sign * key)] if names else sign * key for key in keys.tolist()]
        return self.merged([[Placed(*row) for row in zip(values, map(Hit, index.ids(docs), scores, repeat(0)))]], k)

    def merged(self, lists: Sequence[Sequence[Placed]], k: int) -> list[Placed]:
        """The first k of documents that may be of different shards."""
        found = sorted((placed for one in lists for placed in one), key=lambda placed: placed.hit.doc, reverse=True)
        found.sort(key=lambda placed: -placed.hit.score)
        with_value = [placed for placed in found if placed.value is not None]
        with_value.sort(key=lambda placed: placed.value, reverse=self.descending)  # type: ignore[arg-type, return-value]
        without = [placed for placed in found if placed.value is None]
        return [placed._replace(hit=placed.hit._replace(rank=rank))
                for rank, placed in enumerate([*with_value, *without][:k], 1)]

    def _keys(self, index: Index) -> tuple[F64, list[bytes]]:
        """What to sort each document by, the lowest first: its lowest or highest value, or infinity if it has none.

        Values that are no numbers are sorted by their place in a list, which is given too.
        """
        kind = field_kind(index, self.field)
        keys = np.full(index.slots, np.inf)
        columns = list(_columns(index, self.field))
        names, ranks = union([column.values() for _, column in columns]) if kind == KEYWORD else ([], [])
        for at, (segment, column) in enumerate(columns):
            values = ranks[at].astype(np.float64) if kind == KEYWORD else column.keys
            np.minimum.at(keys, segment.base + column.docs, (-values if self.descending else values)[column.ordinals])
        return keys, names
