"""Edit distance of ordered trees (Zhang and Shasha 1989): the cheapest way to turn one tree into another, node by node.

    distance, match = edit_script(head_a, head_b, delete, insert, replace)

A tree is given by the heads of its words (-1: ROOT); children stand in the order of the words. `delete` is the cost of
each word of the first tree, `insert` of the second, `replace` of each pair; ROOT stays ROOT. `match` is the script: for
each word of the first tree the word that takes its place, or -1 if it is deleted; all other words of the second tree
are inserted. Of equally cheap scripts one that keeps more is taken, from the right.
"""

from __future__ import annotations

import numpy as np

from crossbow.arrays import F64, I32
from crossbow.jit import helper, kernel, maker


@helper
def _postorder(head, order, leftmost, keyroot, links):
    """Fill the words in postorder, ROOT (as n) last, the place of each one's leftmost leaf, and which are keyroots.

    Keyroots are ROOT and all nodes with a sibling to their left: the distances of their trees need a pass of their own.
    """
    n = head.shape[0]
    child, sibling, place = links[0], links[1], links[2]
    for v in range(n + 1):
        child[v] = -1
    for v in range(n - 1, -1, -1):
        h = head[v] if head[v] >= 0 else n
        sibling[v] = child[h]
        child[h] = v
    v, descend = n, True
    at = 0
    while at <= n:
        if descend and child[v] >= 0:
            v = child[v]
            continue
        order[at], place[v], keyroot[at], leftmost[at] = v, at, True, at
        if child[v] >= 0:
            first = place[child[v]]
            keyroot[first], leftmost[at] = False, leftmost[first]
        at += 1
        descend = v < n and sibling[v] >= 0
        if descend:
            v = sibling[v]
        else:
            v = head[v] if v < n and head[v] >= 0 else n


@helper
def _forests(x, y, left_a, left_b, delete, insert, replace, trees, forests, keep):
    """Distances between the forests that begin where the trees of x and y do and end at any node below these.

    With `keep` the distances of those trees are filled in; without, they are known, and x and y may be any nodes.
    """
    i0, j0 = left_a[x], left_b[y]
    forests[0, 0] = 0.0
    for i in range(i0, x + 1):
        forests[i - i0 + 1, 0] = forests[i - i0, 0] + delete[i]
    for j in range(j0, y + 1):
        forests[0, j - j0 + 1] = forests[0, j - j0] + insert[j]
    for i in range(i0, x + 1):
        above, here = forests[i - i0], forests[i - i0 + 1]
        li, cost = left_a[i], delete[i]
        before = forests[li - i0]
        for j in range(j0, y + 1):
            best = min(above[j - j0 + 1] + cost, here[j - j0] + insert[j])
            if li == i0 and left_b[j] == j0:
                best = min(best, above[j - j0] + replace[i, j])
                if keep:
                    trees[i, j] = best
            else:
                best = min(best, before[left_b[j] - j0] + trees[i, j])
            here[j - j0 + 1] = best


@helper
def _match(left_a, left_b, delete, insert, replace, trees, forests, stack, match):
    """Fill the script by going back through the distances; whole subtrees that face each other wait on the stack."""
    stack[0, 0], stack[0, 1] = left_a.shape[0] - 1, left_b.shape[0] - 1
    size = 1
    while size:
        size -= 1
        x, y = stack[size, 0], stack[size, 1]
        _forests(x, y, left_a, left_b, delete, insert, replace, trees, forests, False)
        i0, j0 = left_a[x], left_b[y]
        i, j = x, y
        while i >= i0:
            value = forests[i - i0 + 1, j - j0 + 1]
            if j >= j0:
                if left_a[i] == i0 and left_b[j] == j0:
                    if value == forests[i - i0, j - j0] + replace[i, j]:
                        match[i] = j
                        i -= 1
                        j -= 1
                        continue
                elif value == forests[left_a[i] - i0, left_b[j] - j0] + trees[i, j]:
                    stack[size, 0], stack[size, 1] = i, j
                    size += 1
                    i, j = left_a[i] - 1, left_b[j] - 1
                    continue
                if value == forests[i - i0 + 1, j - j0] + insert[j]:
                    j -= 1
                    continue
            match[i] = -1
            i -= 1


@helper
def _distance(left_a, key_a, left_b, key_b, delete, insert, replace, trees, forests):
    """The distance of two trees in postorder."""
    for x in range(left_a.shape[0]):
        if key_a[x]:
            for y in range(left_b.shape[0]):
                if key_b[y]:
                    _forests(x, y, left_a, left_b, delete, insert, replace, trees, forests, True)
    return trees[left_a.shape[0] - 1, left_b.shape[0] - 1]


@maker
def _compare(order_a, left_a, key_a, head_b, delete, insert, replace, work, match):
    """The distance of a tree in postorder to one given by its heads, and the script; costs are given by word."""
    n, m = order_a.shape[0] - 1, head_b.shape[0]
    order_b, left_b = np.empty(m + 1, np.int32), np.empty(m + 1, np.int32)
    key_b = np.empty(m + 1, np.bool_)
    _postorder(head_b, order_b, left_b, key_b, np.empty((3, m + 1), np.int32))
    removed, added = np.zeros(n + 1), np.zeros(m + 1)
    for i in range(n):
        removed[i] = delete[order_a[i]]
    for j in range(m):
        added[j] = insert[order_b[j]]
    replaced, trees, forests = work[0], work[1], work[2]
    for i in range(n + 1):
        for j in range(m + 1):
            if i < n and j < m:
                replaced[i, j] = replace[order_a[i], order_b[j]]
            else:
                replaced[i, j] = 0.0 if i == n and j == m else np.inf
    distance = _distance(left_a, key_a, left_b, key_b, removed, added, replaced, trees, forests)
    places, stack = np.empty(n + 1, np.int32), np.empty((n + 2, 2), np.int32)
    _match(left_a, left_b, removed, added, replaced, trees, forests, stack, places)
    for i in range(n):
        match[order_a[i]] = order_b[places[i]] if places[i] >= 0 else -1
    return distance


@kernel
def _edit_script(head_a, head_b, delete, insert, replace, match):
    n, m = head_a.shape[0], head_b.shape[0]
    order, left = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    key = np.empty(n + 1, np.bool_)
    _postorder(head_a, order, left, key, np.empty((3, n + 1), np.int32))
    return _compare(order, left, key, head_b, delete, insert, replace, np.empty((3, n + 2, m + 2)), match)


def edit_script(head_a: I32, head_b: I32, delete: F64, insert: F64, replace: F64) -> tuple[float, I32]:
    """The distance of two trees and the script that reaches it."""
    match = np.empty(len(head_a), np.int32)
    return float(_edit_script(head_a, head_b, delete, insert, replace, match)), match


@kernel
def compare_all(head_a, cost_a, starts, head, cost, similar, fraction, distance, match):
    """A query's tree against those of documents, which stand one after another: their distances and scripts.

    Costs are those of words under their heads. Deleting a word costs that much and inserting nothing. Replacing costs
    what both words do, the less the more similar they are: divided by the similarity or times what it lacks of 1.
    """
    n = head_a.shape[0]
    order, left = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32)
    key = np.empty(n + 1, np.bool_)
    _postorder(head_a, order, left, key, np.empty((3, n + 1), np.int32))
    longest = 0
    for d in range(starts.shape[0] - 1):
        longest = max(longest, starts[d + 1] - starts[d])
    work, replace, insert = np.empty((3, n + 2, longest + 2)), np.empty((n, longest)), np.zeros(longest)
    for d in range(starts.shape[0] - 1):
        begin, end = starts[d], starts[d + 1]
        for i in range(n):
            for j in range(end - begin):
                s = similar[i, begin + j]
                if s >= 1.0:
                    replace[i, j] = 0.0
                elif s <= 0.0:
                    replace[i, j] = np.inf
                else:
                    both = cost_a[i] + cost[begin + j]
                    replace[i, j] = both / s if fraction else both * (1.0 - s)
        distance[d] = _compare(order, left, key, head[begin:end], cost_a, insert, replace, work, match[d])
