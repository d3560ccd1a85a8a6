"""A suffix array over the training text: all places where a phrase occurs stand side by side in it.

    order, starts = suffix_array(text, words)    # order: positions sorted by the words that follow them
    low, high = narrow(text, order, low, high, depth, word)

Rules have at most five source symbols, so positions are sorted by their first eight words only (three doublings of the
prefix), then by position. That is the same for every look-up we make and much cheaper than a full sort.
"""

from __future__ import annotations

import numpy as np

from crossbow.arrays import I32, I64
from crossbow.jit import helper

DEPTH = 8


def suffix_array(text: I32, words: int) -> tuple[I32, I64]:
    """Positions sorted by their next DEPTH words, and for each word id where its range begins (words + 1 entries)."""
    size = len(text)
    counts = np.bincount(text, minlength=words)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    order = np.argsort(text, kind="stable").astype(np.int32)
    rank = text.astype(np.int64) + 1
    reach = 1
    while reach < DEPTH and size > 1:
        # The rank of the second half; past the end of the text counts as smallest.
        after = np.zeros(size, np.int64)
        after[:-reach] = rank[reach:]
        key = rank * (int(rank.max()) + 1) + after
        order = np.argsort(key, kind="stable").astype(np.int32)
        ordered = key[order]
        rank = np.empty(size, np.int64)
        rank[order] = np.cumsum(np.concatenate(([1], ordered[1:] != ordered[:-1])))
        reach *= 2
    return order, starts


@helper
def narrow(text: I32, order: I32, low: int, high: int, depth: int, word: int) -> tuple[int, int]:
    """The part of order[low:high], whose suffixes agree on `depth` words, where the next word is `word`."""
    size = text.shape[0]
    left, right = low, high
    while left < right:
        middle = (left + right) >> 1
        at = order[middle] + depth
        if at < size and text[at] >= word:
            right = middle
        else:
            left = middle + 1
    first = left
    right = high
    while left < right:
        middle = (left + right) >> 1
        at = order[middle] + depth
        if at < size and text[at] > word:
            right = middle
        else:
            left = middle + 1
    return first, left
