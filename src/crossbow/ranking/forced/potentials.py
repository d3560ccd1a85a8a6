"""Where a program charges its costs: moving them between edges changes no derivation's total.

    exact, best = reduced(program)          # costs as losses against the best derivation, whose value is `best`
    tight = pushed_down(exact)              # the same, charged as far down as possible

A number added to all edges of a node and taken from all edges that use the node cancels out in every derivation.
`reduced` chooses these numbers so that every node has an edge of cost 0 and no cost is negative. But then a translation
that the language model dislikes costs nothing in its own edge: the price is paid further up, by an edge that only puts
phrases side by side. `pushed_down` moves the least that all users of a node charge into the node's own edges, where the
terms are; bounds that look at edges with terms only are loose before and tight after.
"""

from __future__ import annotations

import numpy as np

from crossbow.jit import kernel
from crossbow.ranking.forced.program import Program


@kernel
def _reduce(leaves, first, starts, operands, cost, value):
    """Replace costs by losses against the best edge of the node."""
    for v in range(first.shape[0] - 1):
        value[v] = -np.inf
        for e in range(first[v], first[v + 1]):
            total = -cost[e]
            for k in range(starts[e], starts[e + 1]):
                if operands[k] >= leaves:
                    total += value[operands[k] - leaves]
            cost[e] = total
            value[v] = max(value[v], total)
        for e in range(first[v], first[v + 1]):
            cost[e] = value[v] - cost[e]


@kernel
def _push_down(leaves, first, starts, operands, cost):
    """From the last node downwards, move what all users of a node charge into its edges; costs stay at least 0."""
    nodes = first.shape[0] - 1
    user_starts = np.zeros(nodes + 1, np.int32)
    for k in range(operands.shape[0]):
        if operands[k] >= leaves:
            user_starts[operands[k] - leaves + 1] += 1
    for v in range(nodes):
        user_starts[v + 1] += user_starts[v]
    users, at = np.empty(user_starts[-1], np.int32), user_starts[:-1].copy()
    for e in range(cost.shape[0]):
        for k in range(starts[e], starts[e + 1]):
            v = operands[k] - leaves
            if v >= 0:
                users[at[v]] = e
                at[v] += 1
    for v in range(nodes - 2, -1, -1):
        least = np.inf
        times = 0  # an edge that uses v n times stands here n times in a row; each time it can give an n-th part
        for i in range(user_starts[v], user_starts[v + 1]):
            times = times + 1 if i > user_starts[v] and users[i] == users[i - 1] else 1
            least = min(least, cost[users[i]] / times)
        if 0.0 < least < np.inf:
            for i in range(user_starts[v], user_starts[v + 1]):
                cost[users[i]] = max(0.0, cost[users[i]] - least)
            for e in range(first[v], first[v + 1]):
                cost[e] += least


def reduced(program: Program) -> tuple[Program, float]:
    """The program with costs as losses, at least one of a node's being 0, and its value when all leaves are 0."""
    cost, value = program.cost.copy(), np.empty(program.nodes)
    _reduce(*program[:4], cost, value)
    return program._replace(cost=cost), float(value[-1])


def pushed_down(program: Program) -> Program:
    """The program with the same totals, its costs moved toward the leaves."""
    cost = program.cost.copy()
    _push_down(*program[:4], cost)
    return program._replace(cost=cost)
