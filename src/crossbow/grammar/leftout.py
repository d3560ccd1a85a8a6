"""The lexical counts of one group of sentences, to be subtracted when the group is left out.

    without = left_out(bitext, group)           # of no group: empty
    bitext.source_counts[f] - times(without, f, ANY)

A small hash table with the counts' margins: (f, e) linked words, (f, NULL) and (NULL, e) words without a link,
(f, ANY) and (ANY, e) all of a word's links, (ANY, NULL) and (NULL, ANY) all words without a link on either side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32, U64
from crossbow.grammar.bitext import Bitext, pair_key
from crossbow.jit import helper, kernel
from crossbow.structures.table import find, insert, new_table

ANY, NULL = -1, -2
_EMPTY = np.empty(0, np.uint64)


class LeftOut(NamedTuple):
    """Keys as of `pair_key`, and how often each was counted in the group."""

    keys: U64
    counts: I32


@helper
def times(without, f, e):
    """How often the group has it."""
    if without.keys.shape[0] == 0:
        return 0
    slot = find(without.keys, pair_key(f, e))
    return 0 if slot < 0 else without.counts[slot]


@kernel
def _count(bitext, sentences, keys, counts):
    """The same counts that the whole text has, of some sentences. The last position of each is the break."""
    for s in sentences:
        base = bitext.target_starts[s]
        for p in range(bitext.source_starts[s], bitext.source_starts[s + 1] - 1):
            f = bitext.source[p]
            links = bitext.link_starts[p + 1] - bitext.link_starts[p]
            for k in range(bitext.link_starts[p], bitext.link_starts[p + 1]):
                e = bitext.target[base + bitext.link_targets[k]]
                counts[insert(keys, pair_key(f, e))] += 1
                counts[insert(keys, pair_key(ANY, e))] += 1
            if links == 0:
                counts[insert(keys, pair_key(f, NULL))] += 1
                counts[insert(keys, pair_key(ANY, NULL))] += 1
            counts[insert(keys, pair_key(f, ANY))] += max(1, links)
        for t in range(base, bitext.target_starts[s + 1]):
            if bitext.target_low[t] < 0:
                e = bitext.target[t]
                counts[insert(keys, pair_key(NULL, e))] += 1
                counts[insert(keys, pair_key(NULL, ANY))] += 1
                counts[insert(keys, pair_key(ANY, e))] += 1


def left_out(bitext: Bitext, group: int) -> LeftOut:
    """What the sentences of a group add to the lexical counts; nothing for a group below 0."""
    if group < 0:
        return LeftOut(_EMPTY, np.empty(0, np.int32))
    sentences = np.flatnonzero(bitext.group == group)
    words = sum(int((starts[sentences + 1] - starts[sentences]).sum())
                for starts in (bitext.source_starts, bitext.target_starts))
    links = int((bitext.link_starts[bitext.source_starts[sentences + 1]]
                 - bitext.link_starts[bitext.source_starts[sentences]]).sum())
    keys = new_table(2 * links + 2 * words + 2)
    without = LeftOut(keys, np.zeros(len(keys), np.int32))
    _count(bitext, sentences, *without)
    return without
