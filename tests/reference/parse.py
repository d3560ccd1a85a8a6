"""Slow, obvious versions of what the parser computes: trees by enumeration, edit distance by recursion."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

Heads = tuple[int, ...]  # by word its head, -1 for ROOT
Node = tuple[int, tuple["Node", ...]]  # a label and the children in order


def projective_trees(n: int) -> Iterator[Heads]:
    """All projective trees over n words in which ROOT has one child."""
    for heads in itertools.product(range(-1, n), repeat=n):
        if heads.count(-1) == 1 and _is_tree(heads) and _is_projective(heads):
            yield heads


def _is_tree(heads: Heads) -> bool:
    for word in range(len(heads)):
        seen = set()
        while word >= 0:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word]
    return True


def _is_projective(heads: Heads) -> bool:
    """Whether every word between a head and its child descends from the head."""
    def descends(word: int, top: int) -> bool:
        while word >= 0 and word != top:
            word = heads[word]
        return word == top

    return all(descends(between, head) for child, head in enumerate(heads) if head >= 0
               for between in range(min(child, head) + 1, max(child, head)))


def weight(heads: Heads, arcs: np.ndarray) -> float:
    """The product of a tree's arcs; ROOT's are the last row."""
    return math.prod(float(arcs[head, child]) for child, head in enumerate(heads))


def arc_posteriors(arcs: np.ndarray) -> tuple[float, np.ndarray]:
    """The sum over all trees, and the share of it that each arc has a part in."""
    found, total = np.zeros(arcs.shape), 0.0
    for heads in projective_trees(arcs.shape[1]):
        value = weight(heads, arcs)
        total += value
        for child, head in enumerate(heads):
            found[head, child] += value
    return total, found / total


def best_sum(arcs: np.ndarray) -> float:
    """The largest sum of arcs that a tree has."""
    return max(sum(float(arcs[head, child]) for child, head in enumerate(heads))
               for heads in projective_trees(arcs.shape[1]))


def as_node(heads: Sequence[int]) -> Node:
    """The tree under ROOT, which has the number of words as its label."""
    def node(label: int, number: int) -> Node:
        return number, tuple(node(child, child) for child, head in enumerate(heads) if head == label)

    return node(-1, len(heads))


def edit_distance(
    a: Node, b: Node, delete: Callable[[int], float], insert: Callable[[int], float],
    replace: Callable[[int, int], float],
) -> float:
    """By the recursion over forests: the last root is deleted, inserted, or replaced."""
    @cache
    def between(left: tuple[Node, ...], right: tuple[Node, ...]) -> float:
        if not left and not right:
            return 0.0
        found = []
        if left:
            label, children = left[-1]
            found.append(between((*left[:-1], *children), right) + delete(label))
        if right:
            label, children = right[-1]
            found.append(between(left, (*right[:-1], *children)) + insert(label))
        if left and right:
            (one, ours), (other, theirs) = left[-1], right[-1]
            found.append(between(left[:-1], right[:-1]) + between(ours, theirs) + replace(one, other))
        return min(found)

    return between((a,), (b,))
