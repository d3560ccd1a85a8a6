"""An open-addressing hash table inside a uint64 array: the caller owns the keys and any arrays parallel to them.

    keys = new_table(expected)          # a power of two, at most half full
    slot = insert(keys, key)            # of the key, added if absent; parallel arrays hold what belongs to it
    slot = find(keys, key)              # -1 if absent

The key 0 means "empty", so callers hash with `mix`, which never returns it. All arithmetic is uint64: mixing with
int64 would silently become float64.
"""

from __future__ import annotations

import numpy as np

from crossbow.arrays import U64
from crossbow.jit import helper

_M1 = np.uint64(0x9E3779B97F4A7C15)
_M2 = np.uint64(0xBF58476D1CE4E5B9)
_M3 = np.uint64(0x94D049BB133111EB)
_S1 = np.uint64(30)
_S2 = np.uint64(27)
_S3 = np.uint64(31)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@helper
def mix(h: np.uint64, value: int) -> np.uint64:
    """Extend the hash h by one non-negative or negative integer (the finalizer of splitmix64); never 0."""
    z = (h ^ np.uint64(value)) * _M1 + _M3
    z = (z ^ (z >> _S1)) * _M2
    z = (z ^ (z >> _S2)) * _M3
    z = z ^ (z >> _S3)
    return _ONE if z == _ZERO else z


@helper
def fold(h: np.uint64, value: int) -> np.uint64:
    """Extend a number by one integer, more quickly than `mix` does, which has to be the last step."""
    return h * _M1 + np.uint64(value)


@helper
def find(keys: U64, key: np.uint64) -> np.int64:
    """The slot of the key, or -1."""
    mask = np.uint64(keys.shape[0] - 1)
    slot = (key ^ (key >> _S3)) & mask
    while True:
        there = keys[slot]
        if there == key:
            return np.int64(slot)
        if there == _ZERO:
            return np.int64(-1)
        slot = (slot + _ONE) & mask


@helper
def insert(keys: U64, key: np.uint64) -> np.int64:
    """The slot of the key, which is added if absent. The caller sees to it that the table never fills up."""
    mask = np.uint64(keys.shape[0] - 1)
    slot = (key ^ (key >> _S3)) & mask
    while keys[slot] != key:
        if keys[slot] == _ZERO:
            keys[slot] = key
            break
        slot = (slot + _ONE) & mask
    return np.int64(slot)


def table_size(entries: int) -> int:
    """Slots for so many entries: a power of two, at most half full."""
    return 1 << max(4, int(2 * entries - 1).bit_length())


def new_table(entries: int) -> U64:
    """An empty table for so many entries."""
    return np.zeros(table_size(entries), np.uint64)
