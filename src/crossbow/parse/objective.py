"""What end-to-end training makes small: RankNet's cross entropy over pairs of candidates, weighted by |ΔNDCG@10|.

    problem = Problem(pool, trees, scripts, alpha)
    loss = problem.loss(theta)                              # C(θ) = Σ |ΔNDCG| · log(1 + exp(−(S_h − S_s)))
    loss, gradient = problem.gradient(theta)

h and s are candidates of one query, h the more relevant; S = base − α · distance. Trees, scripts and the weights of the
pairs, which are those of the ranking that the problem was made with, are fixed: so distances are linear in θ.
"""

from __future__ import annotations

import math

import numpy as np

from crossbow.arrays import F64
from crossbow.jit import helper, kernel
from crossbow.parse.pool import Pool, discounts
from crossbow.parse.scripts import PoolTrees, Scripts


@helper
def _scores(begin, end, first, edge, scripts, scale, partner, base, alpha, theta, score):
    """The scores of a query's candidates."""
    for k in range(begin, end):
        total = 0.0
        for at in range(scripts[k], scripts[k + 1]):
            if scale[at] != 0.0:
                cost = theta[edge[first + at - scripts[k]]]
                if partner[at] >= 0:
                    cost += theta[partner[at]]
                total += scale[at] * cost
        score[k] = base[k] - alpha * total


@helper
def _pairs(begin, end, gain, discount, ideal, score, push):
    """The loss of a query's pairs, and by candidate its derivative by the score."""
    loss = 0.0
    for k in range(begin, end):
        push[k] = 0.0
    for h in range(begin, end):
        if gain[h] > 0.0:
            for s in range(begin, end):
                weight = abs((gain[h] - gain[s]) * (discount[h] - discount[s])) / ideal
                if gain[h] > gain[s] and weight > 0.0:
                    margin = score[h] - score[s]
                    if margin > 0.0:
                        small = math.exp(-margin)
                        loss += weight * math.log1p(small)
                        wrong = small / (1.0 + small)
                    else:
                        small = math.exp(margin)
                        loss += weight * (math.log1p(small) - margin)
                        wrong = 1.0 / (1.0 + small)
                    push[h] -= weight * wrong
                    push[s] += weight * wrong
    return loss


@kernel
def _loss(starts, gain, ideal, base, words, edge, scripts, scale, partner, discount, alpha, theta, score, push,
          gradient):
    """The loss; its gradient is added to `gradient`, unless that is empty."""
    loss = 0.0
    for q in range(starts.shape[0] - 1):
        begin, end = starts[q], starts[q + 1]
        _scores(begin, end, words[q], edge, scripts, scale, partner, base, alpha, theta, score)
        loss += _pairs(begin, end, gain, discount, ideal[q], score, push)
        if gradient.shape[0]:
            for k in range(begin, end):
                if push[k] != 0.0:
                    for at in range(scripts[k], scripts[k + 1]):
                        if scale[at] != 0.0:
                            amount = -alpha * push[k] * scale[at]
                            gradient[edge[words[q] + at - scripts[k]]] += amount
                            if partner[at] >= 0:
                                gradient[partner[at]] += amount
    return loss


class Problem:
    """The objective of one round."""

    def __init__(self, pool: Pool, trees: PoolTrees, scripts: Scripts, alpha: float):
        discount = np.empty(len(pool.base))
        discounts(pool.starts, pool.base - alpha * scripts.distance, discount)
        self._fixed = (pool.starts, pool.gain, pool.ideal, pool.base, pool.queries.starts, trees.queries.edge,
                       scripts.starts, scripts.scale, scripts.partner, discount, alpha)
        self._room = np.empty(len(pool.base)), np.empty(len(pool.base))

    def loss(self, theta: F64) -> float:
        return float(_loss(*self._fixed, theta, *self._room, np.empty(0)))

    def gradient(self, theta: F64) -> tuple[float, F64]:
        """The loss and its gradient."""
        gradient = np.zeros(len(theta))
        return float(_loss(*self._fixed, theta, *self._room, gradient)), gradient
