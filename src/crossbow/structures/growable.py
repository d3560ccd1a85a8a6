"""Arrays that grow, and copies inside kernels.

    entries = grown(entries, used, need)            # of one dimension; the same array if there is room
    rows = grown_rows(rows, used, need)             # of two
    copy(source, begin, size, target, at)

Kernels copy in loops: Numba needs a second to compile each `a[:n] = b[:n]`, most of it for the error message about
shapes that do not fit. And what rarely runs is compiled once, not inlined wherever it is called.
"""

from __future__ import annotations

import numpy as np

from crossbow.jit import helper, kernel, maker


@helper
def copy(source, begin, size, target, at):
    """Copy entries; both arrays have one dimension."""
    for k in range(size):
        target[at + k] = source[begin + k]


@kernel
def enlarged(array, used, size):
    """A longer array that begins with the entries in use, and goes on with zeros."""
    larger = np.zeros(size, array.dtype)
    copy(array, 0, used, larger, 0)
    return larger


@kernel
def enlarged_rows(array, used, size):
    """A longer array that begins with the rows in use, and goes on with zeros."""
    larger = np.zeros((size, array.shape[1]), array.dtype)
    for k in range(used):
        copy(array[k], 0, array.shape[1], larger[k], 0)
    return larger


@maker
def grown(array, used, need):
    """The array, or a copy with room for `need` more entries after the `used` ones."""
    return array if used + need <= array.shape[0] else enlarged(array, used, 2 * (used + need))


@maker
def grown_rows(array, used, need):
    """The array, or a copy with room for `need` more rows after the `used` ones."""
    return array if used + need <= array.shape[0] else enlarged_rows(array, used, 2 * (used + need))
