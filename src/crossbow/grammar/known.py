"""Rules that were extracted before, kept for the next sentence that has the same cores.

    known = KnownRules()
    rules = extract_rules(bitext, ids, config, known=known)        # the same as without it

The rules of a core depend on the text and the limits alone. Those of frequent words and phrases take longest, for many
occurrences are looked at, and almost every sentence has some. So rules of cores with many occurrences are kept, at most
some 100 MB; if there is no more room, all are forgotten. Threads may share them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32, I64, U64, Bools
from crossbow.grammar.cores import Cores
from crossbow.grammar.features import FEATURES
from crossbow.grammar.rules import PATTERNS, Rules, add_sizes, append, room_for
from crossbow.jit import kernel
from crossbow.structures.table import find, insert, mix, new_table

FEWEST = 16  # occurrences of a core whose rules are kept
ROOM = (1 << 18, 3 << 18, 1 << 20, 6 << 20, 4 << 20, 1 << 18)  # sizes of rules as rules.py has them, and cores

Extract = Callable[[Bools], tuple[Rules, I32]]  # rules of the wanted cores, and where the patterns of each begin


class Shelf(NamedTuple):
    """What is kept. Nothing that stands there is ever changed, so a shelf can be read without a lock."""

    keys: U64  # hash table of cores
    places: I32  # first and last pattern of each
    rules: Rules
    room: I64  # sizes of the rules at most, and how many cores
    used: I64  # and so far


def _empty_shelf(room: Sequence[int]) -> Shelf:
    sizes, keys = np.array(room), new_table(room[-1])
    return Shelf(keys, np.empty((len(keys), 2), np.int32), Rules(*room_for(sizes, len(FEATURES))), sizes,
                 np.zeros_like(sizes))


@kernel
def core_keys(lengths, words):
    """A hash of each core."""
    keys = np.empty(lengths.shape[0], np.uint64)
    for core in range(lengths.shape[0]):
        key = np.uint64(19)
        for chunk in range(3):
            key = mix(key, lengths[core, chunk])
        for k in range(lengths[core, 0] + lengths[core, 1] + lengths[core, 2]):
            key = mix(key, words[core, k])
        keys[core] = key
    return keys


@kernel
def _look_up(shelf, keys):
    """The first and last pattern of each core, -1 for those that are not kept."""
    places = np.full((keys.shape[0], 2), -1, np.int32)
    for core in range(keys.shape[0]):
        slot = find(shelf.keys, keys[core])
        if slot >= 0:
            places[core, 0], places[core, 1] = shelf.places[slot, 0], shelf.places[slot, 1]
    return places


@kernel
def _merge(kept, places, fresh, begins):
    """The rules of all cores in their order, as the fields of Rules."""
    sizes = np.zeros(5, np.int64)
    for core in range(places.shape[0]):
        if places[core, 0] >= 0:
            add_sizes(sizes, kept, places[core, 0], places[core, 1])
        else:
            add_sizes(sizes, fresh, begins[core], begins[core + 1])
    into = Rules(*room_for(sizes, fresh.features.shape[1]))
    sizes[:] = 0
    for core in range(places.shape[0]):
        if places[core, 0] >= 0:
            append(into, sizes, kept, places[core, 0], places[core, 1])
        else:
            append(into, sizes, fresh, begins[core], begins[core + 1])
    return into


@kernel
def _keep(shelf, keys, wanted, fresh, begins):
    """Put the wanted cores on the shelf; returns whether there was room."""
    need = np.empty_like(shelf.used)
    for core in range(keys.shape[0]):
        if not wanted[core] or find(shelf.keys, keys[core]) >= 0:
            continue
        need[:] = shelf.used
        need[-1] += 1
        add_sizes(need, fresh, begins[core], begins[core + 1])
        if (need > shelf.room).any():
            return False
        slot = insert(shelf.keys, keys[core])
        shelf.places[slot, 0], shelf.places[slot, 1] = shelf.used[PATTERNS], need[PATTERNS]
        append(shelf.rules, shelf.used, fresh, begins[core], begins[core + 1])
        shelf.used[-1] += 1
    return True


class KnownRules:
    """See the module's docstring."""

    def __init__(self, room: Sequence[int] = ROOM, fewest: int = FEWEST):
        self._room, self._fewest = room, fewest
        self._shelf = _empty_shelf(room)
        self._lock = threading.Lock()

    def completed(self, cores: Cores, extract: Extract) -> Rules:
        """The rules of all cores; those that are not known are extracted, and known from then on."""
        keys = core_keys(cores.lengths, cores.words)
        with self._lock:
            shelf = self._shelf
            places = _look_up(shelf, keys)
        unknown = places[:, 0] < 0
        fresh, begins = extract(unknown)
        rules: Rules = _merge(shelf.rules, places, fresh, begins)
        with self._lock:
            if not _keep(self._shelf, keys, unknown & (np.diff(cores.starts) >= self._fewest), fresh, begins):
                self._shelf = _empty_shelf(self._room)
        return rules
