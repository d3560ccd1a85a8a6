"""Dynamic programs over a forest: inside and outside scores and max-marginals.

    alpha = inside(forest)                  # best derivation below each node; log=True sums over derivations instead
    beta = outside(forest, alpha)           # best (or sum) of what lies around each node
    marginal = edge_marginals(forest, alpha, beta)   # score of the best derivation through each edge (or the sum)
    uses = edge_uses(forest)                # how often a derivation has each edge, on average
"""

from __future__ import annotations

import math

import numpy as np

from crossbow.arrays import F64
from crossbow.forest.hypergraph import Forest
from crossbow.jit import helper, kernel


@helper
def _plus(a, b, log):
    """The semiring's addition: max, or log-add."""
    if not log:
        return max(a, b)
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + math.log1p(math.exp(low - high))


@kernel
def inside_scores(first, tail_starts, tails, score, log, alpha):
    """alpha[v] = ⊕ over the edges of v of score + Σ alpha of the tails."""
    for v in range(first.shape[0] - 1):
        total = -np.inf
        for e in range(first[v], first[v + 1]):
            s = score[e]
            for k in range(tail_starts[e], tail_starts[e + 1]):
                s += alpha[tails[k]]
            total = _plus(total, s, log)
        alpha[v] = total


@kernel
def _outside_scores(first, tail_starts, tails, score, log, alpha, beta):
    beta[:] = -np.inf
    beta[-1] = 0.0
    for v in range(first.shape[0] - 2, -1, -1):
        if beta[v] == -np.inf:
            continue
        for e in range(first[v], first[v + 1]):
            below = 0.0
            for k in range(tail_starts[e], tail_starts[e + 1]):
                below += alpha[tails[k]]
            for k in range(tail_starts[e], tail_starts[e + 1]):
                t = tails[k]
                beta[t] = _plus(beta[t], beta[v] + score[e] + below - alpha[t], log)


@kernel
def _through_edges(first, tail_starts, tails, score, alpha, beta, through):
    for v in range(first.shape[0] - 1):
        for e in range(first[v], first[v + 1]):
            total = beta[v] + score[e]
            for k in range(tail_starts[e], tail_starts[e + 1]):
                total += alpha[tails[k]]
            through[e] = total


def inside(forest: Forest, log: bool = False) -> F64:
    """The score of the best derivation below each node, or with `log` the log of the sum over all."""
    alpha = np.empty(forest.nodes)
    inside_scores(forest.first, forest.tail_starts, forest.tails, forest.score, log, alpha)
    return alpha


def outside(forest: Forest, alpha: F64, log: bool = False) -> F64:
    """The score of the best completion around each node, or with `log` the log of the sum; -inf where unreachable."""
    beta = np.empty(forest.nodes)
    _outside_scores(forest.first, forest.tail_starts, forest.tails, forest.score, log, alpha, beta)
    return beta


def edge_marginals(forest: Forest, alpha: F64, beta: F64) -> F64:
    """For each edge the score of the best derivation that uses it (or the log of the sum, as alpha and beta are)."""
    through = np.empty(forest.edges)
    _through_edges(forest.first, forest.tail_starts, forest.tails, forest.score, alpha, beta, through)
    return through


def edge_uses(forest: Forest) -> F64:
    """The expected number of times that a derivation uses each edge; above 1 if it may use one several times."""
    alpha = inside(forest, log=True)
    through = edge_marginals(forest, alpha, outside(forest, alpha, log=True))
    uses: F64 = np.exp(through - alpha[-1])
    return uses
