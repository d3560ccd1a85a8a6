"""What a shard must know of the others to score as the whole index does: how many documents have each term.

    save(folder, sum_up((segment.postings, segment.alive) for segment in segments), kinds)
    known = Statistics.load(folder)
    known.df("hous"), known.kinds["year"]

They are summed up when a commit is published, so that a search asks no other shard for them. Terms are sorted and
found by binary search in mapped arrays, as those of a segment are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import I64, U8, Bools
from crossbow.errors import InputError
from crossbow.index.postings import Postings, document_counts
from crossbow.index.strings import encode, find, pack, union, unpack
from crossbow.text.memo import Memo

KIND = "statistics"


class Counts(NamedTuple):
    """Terms, sorted by their bytes, and how many documents that are not deleted have each."""

    term_starts: I64
    term_bytes: U8
    df: I64


class Statistics:
    """The statistics of a whole index, mapped. Safe to share between threads."""

    def __init__(self, counts: Counts, kinds: Mapping[str, str]):
        self.counts, self.kinds = counts, dict(kinds)  # kinds of fields, as Index.kinds has them
        self._places: Memo[int] = Memo(lambda term: find(counts.term_starts, counts.term_bytes, encode(term)))

    @classmethod
    def load(cls, folder: Path) -> Statistics:
        """Map what `save` wrote, and check that its arrays fit together."""
        counts, meta = store.load(folder, KIND, Counts)
        store.check_fit(folder, counts, {"term_starts": (len(counts.df), len(counts.term_bytes))}, {})
        if not isinstance(meta.get("kinds"), dict):
            raise InputError(folder / store.HEADER, None, "its fields are not those of an index",
                             "build the index again")
        return cls(counts, meta["kinds"])

    def df(self, term: str) -> int:
        """How many documents of all shards have the term."""
        place = self._places[term]
        return int(self.counts.df[place]) if place >= 0 else 0


def sum_up(segments: Iterable[tuple[Postings, Bools]]) -> Counts:
    """The counts of all segments together, without deleted documents; one after another, for terms may be many."""
    total = Counts(*pack([]), np.empty(0, np.int64))
    for postings, alive in segments:
        total = _added(total, Counts(postings.term_starts, postings.term_bytes, document_counts(postings, alive)))
    return total


def _added(one: Counts, other: Counts) -> Counts:
    names, places = union([unpack(counts.term_starts, counts.term_bytes) for counts in (one, other)])
    df = np.zeros(len(names), np.int64)
    for counts, here in zip((one, other), places):
        df[here] += counts.df  # each has a term once
    used = np.flatnonzero(df)
    return Counts(*pack([names[n] for n in used.tolist()]), df[used])


def save(folder: Path, counts: Counts, kinds: Mapping[str, str]) -> None:
    """Write the statistics into a new folder, safe on the disk."""
    store.save(folder, KIND, counts, {"terms": len(counts.df), "kinds": dict(kinds)})
    store.sync(folder)
