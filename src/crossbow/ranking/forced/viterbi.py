"""The best derivation of a program for one document: the best edge of every node.

    value, choice = best_edges(program, leaf)       # leaf: what each term adds in the document
    choose(*program, leaf, value, choice)           # the same inside a kernel

Explanations and learning both take their derivations from here, so they are those that the search scores.
"""

from __future__ import annotations

import numpy as np

from crossbow.arrays import F64, I32
from crossbow.jit import helper, kernel
from crossbow.ranking.forced.program import Program


@helper
def choose(leaves, first, starts, operands, cost, leaf, value, choice):
    """Fill the value and the best edge of every node; of equally good edges the first."""
    for v in range(first.shape[0] - 1):
        best, edge = -np.inf, first[v]
        for e in range(first[v], first[v + 1]):
            total = -cost[e]
            for k in range(starts[e], starts[e + 1]):
                row = operands[k]
                total += leaf[row] if row < leaves else value[row - leaves]
            if total > best:
                best, edge = total, e
        value[v], choice[v] = best, edge


@kernel
def _choose(leaves, first, starts, operands, cost, leaf, value, choice):
    choose(leaves, first, starts, operands, cost, leaf, value, choice)


def best_edges(program: Program, leaf: F64) -> tuple[float, I32]:
    """The value of the best derivation and the best edge of every node, given what each leaf adds."""
    value, choice = np.empty(program.nodes), np.empty(program.nodes, np.int32)
    _choose(*program, leaf, value, choice)
    return float(value[-1]), choice
