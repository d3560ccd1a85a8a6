"""k-best derivations of a forest by lazy enumeration (Huang and Chiang 2005, algorithm 3), or k-best strings.

    best = kbest(forest, 10, unique=True)
    best.score[0], best.edges[best.edge_starts[0] : best.edge_starts[1]]

Every node keeps a list of its derivations found so far and a heap of candidates for the next. Asking the goal for its
next best asks its tails for theirs, and so on down, only as far as needed; a stack of requests takes the place of the
recursion. With `unique` a node forgets a derivation whose string it has already: what is above cannot tell them apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I32, U64, Bools
from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import inside
from crossbow.jit import helper, loop
from crossbow.structures.table import find, insert, mix

NONE = -1


class _Derivations(NamedTuple):
    """All derivations met so far by number: candidates, linked into skew heaps, and found ones, linked into lists.

    The derivations chosen for the tails of number d are child[child_start[d]:]; NONE stands for the tail's best.
    """

    score: F64
    edge: I32
    child_start: I32
    left: I32
    right: I32
    following: I32
    child: I32
    used: I32  # how many entries of the arrays above, and of `child`
    hashes: U64  # of the strings, and the factor by which to shift what stands before them
    shifts: U64


class _Nodes(NamedTuple):
    """For every node its heap of candidates, its found derivations, and the one whose successors are still to come."""

    heap: I32
    found: I32
    last: I32
    pending: I32
    opened: Bools


@helper
def _merge(d, a, b, path):
    """Merge two skew heaps, best score on top, equal ones by number; returns the root."""
    depth = 0
    while a != NONE and b != NONE:
        if d.score[b] > d.score[a] or (d.score[b] == d.score[a] and b < a):
            a, b = b, a
        path[depth] = a
        depth += 1
        a = d.right[a]
    root = a if b == NONE else b
    for k in range(depth - 1, -1, -1):
        node = path[k]
        d.right[node] = d.left[node]
        d.left[node] = root
        root = node
    return root


@helper
def _candidate(d, score, edge, arity):
    """A new candidate whose tails all have their best derivation, to be adjusted by the caller; returns its number."""
    number, at = d.used[0], d.used[1]
    d.score[number], d.edge[number], d.child_start[number] = score, edge, at
    d.left[number], d.right[number], d.following[number] = NONE, NONE, NONE
    for k in range(arity):
        d.child[at + k] = NONE
    d.used[0], d.used[1] = number + 1, at + arity
    return number


@helper
def _exhausted(nodes, v):
    return nodes.opened[v] and nodes.heap[v] == NONE and nodes.pending[v] == NONE


@loop
def _open(forest, alpha, d, nodes, v, path):
    """The first candidates of a node: its edges, each with the best derivations of its tails."""
    nodes.opened[v] = True
    for e in range(forest.first[v], forest.first[v + 1]):
        total = forest.score[e]
        for t in range(forest.tail_starts[e], forest.tail_starts[e + 1]):
            total += alpha[forest.tails[t]]
        number = _candidate(d, total, e, forest.tail_starts[e + 1] - forest.tail_starts[e])
        nodes.heap[v] = _merge(d, nodes.heap[v], number, path)


@loop
def _succeed(forest, d, nodes, v, path):
    """Put the successors of the pending derivation on the heap: the last tails, up to the last one not at its best,
    each moved on by one. Returns a tail and its derivation that must be followed up first, or NONE twice."""
    number = nodes.pending[v]
    e, at = d.edge[number], d.child_start[number]
    arity = forest.tail_starts[e + 1] - forest.tail_starts[e]
    for t in range(arity - 1, -1, -1):
        tail, chosen = forest.tails[forest.tail_starts[e] + t], d.child[at + t]
        if d.following[chosen] == NONE and not _exhausted(nodes, tail):
            return tail, chosen
        if chosen != nodes.found[tail]:
            break
    for t in range(arity - 1, -1, -1):
        tail, chosen = forest.tails[forest.tail_starts[e] + t], d.child[at + t]
        following = d.following[chosen]
        if following != NONE:
            new = _candidate(d, forest.score[e], e, arity)
            for k in range(arity):
                child = following if k == t else d.child[at + k]
                d.child[d.child_start[new] + k] = child
                d.score[new] += d.score[child]  # in the order of `_open`, so that rounding never lifts a successor
            nodes.heap[v] = _merge(d, nodes.heap[v], new, path)
        if chosen != nodes.found[tail]:
            break
    nodes.pending[v] = NONE
    return NONE, NONE


@loop
def _hash_string(forest, d, number):
    """Hash a derivation's string from those of its tails' derivations: h(xy) = h(x) · shift(y) + h(y)."""
    base = np.uint64(0x9E3779B97F4A7C15)
    h, shift = np.uint64(0), np.uint64(1)
    e = d.edge[number]
    for k in range(forest.target_starts[e], forest.target_starts[e + 1]):
        symbol = forest.target[k]
        if symbol >= 0:
            h, shift = h * base + mix(np.uint64(1), symbol), shift * base
        else:
            child = d.child[d.child_start[number] - 1 - symbol]
            h, shift = h * d.shifts[child] + d.hashes[child], shift * d.shifts[child]
    d.hashes[number], d.shifts[number] = h, shift


@loop
def _advance(forest, d, nodes, v, unique, seen, path):
    """Move the best candidate of a node to its found derivations. Returns a tail that needs its best found first, or
    NONE; and whether a derivation was found (not so if its string was there already)."""
    number = nodes.heap[v]
    e, at = d.edge[number], d.child_start[number]
    for k in range(forest.tail_starts[e + 1] - forest.tail_starts[e]):
        tail = forest.tails[forest.tail_starts[e] + k]
        if nodes.found[tail] == NONE:
            return tail, False
        if d.child[at + k] == NONE:
            d.child[at + k] = nodes.found[tail]
    nodes.heap[v] = _merge(d, d.left[number], d.right[number], path)
    nodes.pending[v] = number
    if unique:
        _hash_string(forest, d, number)
        key = mix(d.hashes[number], v)
        if find(seen, key) >= 0:
            return NONE, False
        insert(seen, key)
    if nodes.last[v] == NONE:
        nodes.found[v] = number
    else:
        d.following[nodes.last[v]] = number
    nodes.last[v] = number
    return NONE, True


@loop
def _find_kbest(forest, alpha, d, nodes, k, unique, seen, path, stack):
    """Find the k best derivations of the goal. False if the space that the caller provided does not suffice."""
    goal = forest.first.shape[0] - 2
    count = 0
    while count < k and not _exhausted(nodes, goal):
        before = nodes.last[goal]
        stack[0, 0], stack[0, 1] = goal, before
        depth = 1
        while depth > 0:
            # What is asked for: a derivation of v after the given one (its best, if NONE is given).
            v, after = stack[depth - 1]
            have = nodes.found[v] if after == NONE else d.following[after]
            if have != NONE or _exhausted(nodes, v):
                depth -= 1
                continue
            room = forest.first[v + 1] - forest.first[v] + forest.arity
            if (d.used[0] + room >= d.score.shape[0] or d.used[1] + forest.arity * room >= d.child.shape[0]
                    or depth == stack.shape[0]):
                return False
            if not nodes.opened[v]:
                _open(forest, alpha, d, nodes, v, path)
            if nodes.pending[v] != NONE:
                tail, chosen = _succeed(forest, d, nodes, v, path)
            else:
                chosen = NONE
                tail, _ = _advance(forest, d, nodes, v, unique, seen, path)
            if tail != NONE:
                stack[depth, 0], stack[depth, 1] = tail, chosen
                depth += 1
        if nodes.last[goal] != before:
            count += 1
    return True


class _Arrays(NamedTuple):
    """The part of a Forest that enumeration reads."""

    first: I32
    tail_starts: I32
    tails: I32
    score: F64
    target_starts: I32
    target: I32
    arity: int


@loop
def _unroll(forest, d, number, count, stack, edge_starts, edges, word_starts, words, filling):
    """Edges (in pre-order) and words of found derivations, from `number` on; without `filling` only their starts."""
    edge_at, word_at = 0, 0
    for h in range(count):
        stack[0] = number
        depth = 1
        while depth > 0:
            depth -= 1
            item = stack[depth]
            if item < 0:  # a word, as -1 - word
                if filling:
                    words[word_at] = -1 - item
                word_at += 1
                continue
            e = d.edge[item]
            if filling:
                edges[edge_at] = e
            edge_at += 1
            for k in range(forest.target_starts[e + 1] - 1, forest.target_starts[e] - 1, -1):
                symbol = forest.target[k]
                stack[depth] = -1 - symbol if symbol >= 0 else d.child[d.child_start[item] - 1 - symbol]
                depth += 1
        edge_starts[h + 1], word_starts[h + 1] = edge_at, word_at
        number = d.following[number]


class KBest(NamedTuple):
    """Derivations, best first: edges of number h are edges[edge_starts[h]:edge_starts[h + 1]], in pre-order."""

    score: F64
    edge_starts: I32
    edges: I32
    word_starts: I32
    words: I32  # indices into the forest's words


def kbest(forest: Forest, k: int, unique: bool = False) -> KBest:
    """The k best derivations (fewer if there are fewer), best first; with `unique` the best one for each string."""
    arity = int(np.diff(forest.tail_starts).max(initial=1))
    arrays = _Arrays(forest.first, forest.tail_starts, forest.tails, forest.score, forest.target_starts, forest.target,
                     max(1, arity))
    alpha = inside(forest)
    size = forest.edges + 64 * k + 1024
    while True:
        edge, child_start, left, right, following = np.empty((5, size), np.int32)
        d = _Derivations(np.empty(size), edge, child_start, left, right, following,
                         np.empty(arrays.arity * size, np.int32), np.zeros(2, np.int32),
                         np.empty(size, np.uint64), np.empty(size, np.uint64))
        heap, found, last, pending = np.full((4, forest.nodes), NONE, np.int32)
        nodes = _Nodes(heap, found, last, pending, np.zeros(forest.nodes, np.bool_))
        seen = np.zeros(1 << int(2 * size).bit_length(), np.uint64)
        path, stack = np.empty(size, np.int32), np.empty((forest.nodes * 2 + 64, 2), np.int32)
        if _find_kbest(arrays, alpha, d, nodes, k, unique, seen, path, stack):
            break
        size *= 2
    first, scores = int(nodes.found[-1]), list[float]()
    number = first
    while number != NONE and len(scores) < k:
        scores.append(float(d.score[number]))
        number = int(d.following[number])
    work = np.empty(forest.nodes + len(forest.target) + 64, np.int32)
    starts = np.zeros((2, len(scores) + 1), np.int32)
    _unroll(arrays, d, first, len(scores), work, starts[0], work, starts[1], work, False)
    edges, words = np.empty(starts[0, -1], np.int32), np.empty(starts[1, -1], np.int32)
    _unroll(arrays, d, first, len(scores), work, starts[0], edges, starts[1], words, True)
    return KBest(np.array(scores), starts[0], edges, starts[1], words)
