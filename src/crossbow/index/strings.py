"""Many strings as two arrays, starts and bytes: packed, looked up, joined.

    starts, data = pack([b"a", b"bc"])
    string(starts, data, 1), find(starts, data, b"bc")
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np

from crossbow.arrays import I32, I64, U8, Bools


def pack(strings: Sequence[bytes]) -> tuple[I64, U8]:
    """Strings as starts and bytes."""
    starts = np.zeros(len(strings) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, strings), np.int64, len(strings)), out=starts[1:])
    return starts, np.frombuffer(b"".join(strings), np.uint8)


def unpack(starts: I64, data: U8) -> list[bytes]:
    """The strings that `pack` packed."""
    raw = data.tobytes()
    return [raw[start:end] for start, end in pairwise(starts.tolist())]


def encode(text: str) -> bytes:
    """A string to look up. Half a surrogate pair gives bytes that no stored string has."""
    return text.encode("utf8", "surrogatepass")


def string(starts: I64, data: U8, number: int) -> bytes:
    """One of the strings. Starts may come from a damaged file, so ones that lie outside are a ValueError."""
    if not 0 <= number < len(starts) - 1:
        raise ValueError(f"there is no string {number} of {len(starts) - 1}")
    start, end = starts[number:number + 2].tolist()
    if not 0 <= start <= end <= len(data):
        raise ValueError(f"string {number} has no place")
    return data[start:end].tobytes()


def find(starts: I64, data: U8, key: bytes, order: I32 | None = None) -> int:
    """The number of a string, or -1, by binary search: the strings are sorted, or `order` says how they would be."""
    low, high = 0, len(starts) - 1
    while low < high:
        middle = (low + high) // 2
        number = middle if order is None else int(order[middle])
        there = string(starts, data, number)
        if there == key:
            return number
        if there < key:
            low = middle + 1
        else:
            high = middle
    return -1


def union(lists: Sequence[list[bytes]]) -> tuple[list[bytes], list[I64]]:
    """All strings, sorted, and for each list where its strings stand among them."""
    names = sorted(set(chain.from_iterable(lists)))
    place = {name: n for n, name in enumerate(names)}
    return names, [np.fromiter(map(place.__getitem__, strings), np.int64, len(strings)) for strings in lists]


def join_strings(columns: Sequence[tuple[I64, U8]], kept: Sequence[Bools]) -> tuple[I64, U8]:
    """Packed strings one after another, those that are kept."""
    sizes, pieces = [np.zeros(1, np.int64)], [np.zeros(0, np.uint8)]
    for (starts, data), keep in zip(columns, kept):
        width = np.diff(starts)
        sizes.append(width[keep])
        pieces.append(data if keep.all() else data[np.repeat(keep, width)])
    return np.cumsum(np.concatenate(sizes)), np.concatenate(pieces)
