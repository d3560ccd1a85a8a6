"""What can be asked about a query: to find documents, to show, score or explain given ones.

    asking = searcher.asking(forests)                   # over a whole index, or over shards
    found = asking.ask(Find(k=10, filter=Filter(where=("year>=2008",)), facets=("lang",)))
    asking.ask(Explain((found.hits[0].doc,)))

Something to ask has two halves. `here` answers it for one index, or for one shard of an index; `merged` makes one
answer of those of all shards.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from crossbow.errors import UnknownDocument
from crossbow.index import Index
from crossbow.index.manifest import shard_of
from crossbow.index.strings import encode
from crossbow.ranking.explain.records import Explanation
from crossbow.ranking.facets import Count, Placed, Sort, matching, most_frequent, value_counts
from crossbow.ranking.filters import Filter, both
from crossbow.ranking.hits import Pieces, shown
from crossbow.ranking.methods.contract import Prepared
from crossbow.ranking.syntax import Restriction
from crossbow.ranking.topk import merged, top
from crossbow.records import Doc, Hit

Value = TypeVar("Value")
PartOf = TypeVar("PartOf")
Result = TypeVar("Result")
EVERYTHING, UNLIMITED = Filter(), Restriction()
FACETS = 10  # values of a field that are counted for people


class Ask(ABC, Generic[PartOf, Result]):
    """Something to ask about a prepared query."""

    def homes(self, shards: int) -> Sequence[int]:
        """The shards that have a part in the answer."""
        return range(shards)

    @abstractmethod
    def here(self, prepared: Prepared, index: Index) -> PartOf:
        """A shard's part, as plain data."""

    @abstractmethod
    def merged(self, parts: Sequence[PartOf]) -> Result:
        """The answer."""


class Asking(ABC):
    """A query that was translated, about which several things may be asked."""

    missing: Mapping[int, str]  # shards that are not in the answers, and why

    @abstractmethod
    def ask(self, ask: Ask[Any, Result]) -> Result:
        """The answer."""

    def batches(self, ids: Sequence[str]) -> Iterator[Sequence[str]]:
        """Documents in groups that are best asked about at once."""
        yield ids


class AskingHere(Asking):
    """A query over a whole index."""

    def __init__(self, prepared: Prepared, index: Index):
        self.prepared, self.index, self.missing = prepared, index, {}

    def ask(self, ask: Ask[Any, Result]) -> Result:
        return ask.merged([ask.here(self.prepared, self.index)])

    def batches(self, ids: Sequence[str]) -> Iterator[Sequence[str]]:
        """One by one, so that the caller can stop in between."""
        return ((name,) for name in ids)


class FoundHere(NamedTuple):
    """What a shard found."""

    placed: list[Placed]
    total: int | None
    unfiltered: int | None
    counts: dict[str, dict[bytes, int]]
    ground: float


class Found(NamedTuple):
    """What all shards found: the hits, and if asked for, how many documents match and which values these have."""

    hits: list[Hit]
    total: int | None
    unfiltered: int | None  # how many would match without the filter, if none does with it
    counts: dict[str, list[Count]]
    ground: float


@dataclass(frozen=True)
class Find(Ask[FoundHere, Found]):
    """The k best documents behind the first ones; or those that a field puts first."""

    k: int
    filter: Filter = EVERYTHING
    limits: Restriction = UNLIMITED
    offset: int = 0
    sort: str | None = None
    counted: bool = False  # count the documents that match
    facets: tuple[str, ...] = ()  # fields whose values are counted among these
    best: int = FACETS

    def here(self, prepared: Prepared, index: Index) -> FoundHere:
        wanted = both(self.filter.passing(index), self.limits.passing(index))
        size = self.offset + self.k
        fits = matching(prepared, index, wanted) if self.sort or self.counted or self.facets else None
        if self.sort and fits is not None:
            placed = Sort.parse(self.sort).placed(prepared, index, fits, size)
        else:
            placed = [Placed(None, hit) for hit in prepared.search(size, wanted)] if size else []
        total = unfiltered = None
        counts = {}
        if fits is not None:
            total = unfiltered = int(fits.sum())
            if self.counted and not total and wanted is not None:
                unfiltered = int(matching(prepared, index, None).sum())
            counts = {field: value_counts(index, field, fits) for field in self.facets}
        return FoundHere(placed, total, unfiltered, counts, prepared.ground)

    def merged(self, parts: Sequence[FoundHere]) -> Found:
        size = self.offset + self.k
        if self.sort:
            hits = [placed.hit for placed in Sort.parse(self.sort).merged([part.placed for part in parts], size)]
        else:
            hits = merged(([placed.hit for placed in part.placed] for part in parts), size)
        counts = {}
        for field in self.facets:
            counted: Counter[bytes] = Counter()
            for part in parts:
                counted.update(part.counts[field])
            counts[field] = most_frequent(counted, self.best)
        total, unfiltered = _sum(part.total for part in parts), _sum(part.unfiltered for part in parts)
        return Found(hits[self.offset :], total, total or unfiltered, counts, parts[0].ground if parts else 0.0)


def _sum(numbers: Iterable[int | None]) -> int | None:
    found = [number for number in numbers if number is not None]
    return sum(found) if found else None


def owned(ids: Iterable[str], index: Index) -> dict[str, int]:
    """Which of the given documents belong to this shard, by number. One that is not there is an error."""
    own = {name: index.number(name) for name in ids
           if index.shard is None or shard_of(encode(name), index.shards) == index.shard}
    unknown = [name for name, number in own.items() if number < 0]
    if unknown:
        raise UnknownDocument(f"the index has no document {unknown[0]!r}; is the id spelled right?")
    return own


@dataclass(frozen=True)
class Rank(Ask[list[Hit], list[Hit]]):
    """The k best of given documents."""

    ids: tuple[str, ...]
    k: int

    def homes(self, shards: int) -> Sequence[int]:
        return homes_of(self.ids, shards)

    def here(self, prepared: Prepared, index: Index) -> list[Hit]:
        numbers = np.array(list(owned(self.ids, index).values()), np.int64)
        return top(index, numbers, prepared.score(numbers), self.k) if len(numbers) else []

    def merged(self, parts: Sequence[list[Hit]]) -> list[Hit]:
        return merged(parts, self.k)


@dataclass(frozen=True)
class About(Ask[dict[str, Value], dict[str, Value]], Generic[Value]):
    """Something about each of given documents, by id."""

    ids: tuple[str, ...]

    def homes(self, shards: int) -> Sequence[int]:
        return homes_of(self.ids, shards)

    def here(self, prepared: Prepared, index: Index) -> dict[str, Value]:
        return {name: self.of(prepared, index, number) for name, number in owned(self.ids, index).items()}

    def merged(self, parts: Sequence[dict[str, Value]]) -> dict[str, Value]:
        return {name: value for part in parts for name, value in part.items()}

    @abstractmethod
    def of(self, prepared: Prepared, index: Index, number: int) -> Value:
        """What is asked about one of them."""


@dataclass(frozen=True)
class Explain(About[Explanation]):
    """How documents get their scores."""

    def of(self, prepared: Prepared, index: Index, number: int) -> Explanation:
        return prepared.explain(number)


@dataclass(frozen=True)
class Show(About[tuple[Doc, Pieces, Pieces]]):
    """Documents with their titles and snippets, in which matching words are marked."""

    def of(self, prepared: Prepared, index: Index, number: int) -> tuple[Doc, Pieces, Pieces]:
        return shown(prepared, index, number)


@dataclass(frozen=True)
class Original(About[Doc]):
    """Documents as they were given."""

    def of(self, prepared: Prepared, index: Index, number: int) -> Doc:
        return index.doc(number)


def homes_of(ids: Iterable[str], shards: int) -> Sequence[int]:
    """The shards that documents belong to."""
    return sorted({shard_of(encode(name), shards) for name in ids})
