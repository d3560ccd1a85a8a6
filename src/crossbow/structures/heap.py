"""A binary max-heap over two parallel arrays, for best-first search in kernels.

    size = push(scores, items, size, score, item)
    score, item = scores[0], items[0]; size = drop(scores, items, size)

Equal scores leave in order of rising item, so that results never depend on the order of insertion.
"""

from __future__ import annotations

from crossbow.arrays import F64, I64
from crossbow.jit import helper


@helper
def push(scores: F64, items: I64, size: int, score: float, item: int) -> int:
    """Add an item and return the new size; the caller's arrays must have room."""
    at = size
    while at > 0:
        up = (at - 1) >> 1
        if scores[up] > score or (scores[up] == score and items[up] < item):
            break
        scores[at] = scores[up]
        items[at] = items[up]
        at = up
    scores[at] = score
    items[at] = item
    return size + 1


@helper
def drop(scores: F64, items: I64, size: int) -> int:
    """Remove the best item, which stands at index 0, and return the new size."""
    size -= 1
    replace(scores, items, size, scores[size], items[size])
    return size


@helper
def replace(scores: F64, items: I64, size: int, score: float, item: int) -> None:
    """Put an item in the place of the best one, which is quicker than to drop and to push."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            scores[right] > scores[child] or (scores[right] == scores[child] and items[right] < items[child])
        ):
            child = right
        if score > scores[child] or (score == scores[child] and item < items[child]):
            break
        scores[at] = scores[child]
        items[at] = items[child]
        at = child
    scores[at] = score
    items[at] = item
