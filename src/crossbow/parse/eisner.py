"""Projective dependency trees of one sentence: sums over all of them, and the best one, in cubic time (Eisner 1996).

    total = posteriors(arcs, posterior)         # arcs[h, c]: what the arc h → c multiplies a tree's weight by
    best = best_tree(arcs, head)                # arcs[h, c]: what it adds to a tree's score

A sentence of n words has n + 1 heads: its words, and ROOT as row n. ROOT has one child. A tree over words i … j is
built of halves: a complete half has its head at one end, an incomplete one is an arc between its two ends.
"""

from __future__ import annotations

import numpy as np

from crossbow.jit import helper, kernel, maker


@helper
def _inside(arcs, right, left, to_right, to_left):
    """Fill the sums of complete halves (head at the left end: right) and of arcs (to_right, to_left)."""
    n = arcs.shape[1]
    for i in range(n):
        right[i, i] = left[i, i] = 1.0
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            joined = 0.0
            for k in range(i, j):
                joined += right[i, k] * left[k + 1, j]
            to_right[i, j] = joined * arcs[i, j]
            to_left[i, j] = joined * arcs[j, i]
            total = 0.0
            for k in range(i + 1, j + 1):
                total += to_right[i, k] * right[k, j]
            right[i, j] = total
            total = 0.0
            for k in range(i, j):
                total += left[i, k] * to_left[k, j]
            left[i, j] = total


@helper
def _outside(arcs, right, left, to_right, to_left, out_right, out_left, out_to_right, out_to_left):
    """Fill the sums of what stands around each half, from the longest to the shortest."""
    n = arcs.shape[1]
    for r in range(n):
        out_left[0, r] += arcs[n, r] * right[r, n - 1]
        out_right[r, n - 1] += arcs[n, r] * left[0, r]
    for length in range(n - 1, 0, -1):
        for i in range(n - length):
            j = i + length
            around = out_right[i, j]
            for k in range(i + 1, j + 1):
                out_to_right[i, k] += around * right[k, j]
                out_right[k, j] += around * to_right[i, k]
            around = out_left[i, j]
            for k in range(i, j):
                out_to_left[k, j] += around * left[i, k]
                out_left[i, k] += around * to_left[k, j]
            around = out_to_right[i, j] * arcs[i, j] + out_to_left[i, j] * arcs[j, i]
            for k in range(i, j):
                out_right[i, k] += around * left[k + 1, j]
                out_left[k + 1, j] += around * right[i, k]


@maker
def fill_posteriors(arcs, posterior):
    """Fill the probability of every arc, and return the sum over all trees: 0 if none has a weight."""
    n = arcs.shape[1]
    halves = np.zeros((8, n, n))
    right, left, to_right, to_left = halves[0], halves[1], halves[2], halves[3]
    _inside(arcs, right, left, to_right, to_left)
    total = 0.0
    for r in range(n):
        total += arcs[n, r] * left[0, r] * right[r, n - 1]
    if not 0.0 < total < np.inf:
        return 0.0
    out_to_right, out_to_left = halves[6], halves[7]
    _outside(arcs, right, left, to_right, to_left, halves[4], halves[5], out_to_right, out_to_left)
    for i in range(n):
        posterior[i, i] = 0.0
        posterior[n, i] = arcs[n, i] * left[0, i] * right[i, n - 1] / total
        for j in range(i + 1, n):
            posterior[i, j] = out_to_right[i, j] * to_right[i, j] / total
            posterior[j, i] = out_to_left[i, j] * to_left[i, j] / total
    return total


@helper
def _push(stack, size, i, j, rightwards):
    stack[size, 0], stack[size, 1], stack[size, 2] = i, j, rightwards


@maker
def _heads(split, root, head):
    """Take the halves of the best tree apart, and note the head of each word."""
    n = head.shape[0]
    head[root] = -1
    stack = np.empty((2 * n + 2, 3), np.int32)  # from, to, and whether the head is at the left end
    _push(stack, 0, 0, root, 0)
    _push(stack, 1, root, n - 1, 1)
    size = 2
    while size:
        size -= 1
        i, j, rightwards = stack[size, 0], stack[size, 1], stack[size, 2]
        if i == j:
            continue
        if rightwards:
            k = split[1, i, j]
            head[k] = i
            _push(stack, size, k, j, 1)
            j = k
        else:
            k = split[2, i, j]
            head[k] = j
            _push(stack, size, i, k, 0)
            i = k
        middle = split[0, i, j]
        _push(stack, size + 1, i, middle, 1)
        _push(stack, size + 2, middle + 1, j, 0)
        size += 3


@maker
def fill_best(arcs, head):
    """Fill the head of every word in the best tree (-1 for ROOT) and return its score."""
    n = arcs.shape[1]
    right, left = np.zeros((n, n)), np.zeros((n, n))
    to_right, to_left = np.zeros((n, n)), np.zeros((n, n))
    split = np.zeros((3, n, n), np.int32)  # of an arc's span, of a right half, of a left half
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            best = -np.inf
            for k in range(i, j):
                value = right[i, k] + left[k + 1, j]
                if value > best:
                    best, split[0, i, j] = value, k
            to_right[i, j] = best + arcs[i, j]
            to_left[i, j] = best + arcs[j, i]
            best = -np.inf
            for k in range(i + 1, j + 1):
                value = to_right[i, k] + right[k, j]
                if value > best:
                    best, split[1, i, j] = value, k
            right[i, j] = best
            best = -np.inf
            for k in range(i, j):
                value = left[i, k] + to_left[k, j]
                if value > best:
                    best, split[2, i, j] = value, k
            left[i, j] = best
    best, root = -np.inf, 0
    for r in range(n):
        value = arcs[n, r] + left[0, r] + right[r, n - 1]
        if value > best:
            best, root = value, r
    _heads(split, root, head)
    return best


@kernel
def posteriors(arcs, posterior):
    """The probability of each arc, where a tree's weight is the product of its arcs; returns the sum of all weights."""
    return fill_posteriors(arcs, posterior)


@kernel
def best_tree(arcs, head):
    """The tree whose arcs have the largest sum."""
    return fill_best(arcs, head)
