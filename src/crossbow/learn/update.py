"""The learning step: pairs of a query that are ranked wrong, or too close, move the weights of their derivations.

    violations, loss = learn_pairs(*example[:-1], frozen, weights, squares, steps)

For each pair the best derivations of both documents are found under the current weights. If the first does not score
higher by the margin, weights move along the difference of the derivations' features, each coordinate with its own
Adadelta step: G ← ρG + (1 − ρ)g², u = g·√(X + ε)/√(G + ε), X ← ρX + (1 − ρ)u². `squares` is G and `steps` is X.
"""

from __future__ import annotations

import math

import numpy as np

from crossbow.jit import helper, kernel
from crossbow.ranking.forced.viterbi import choose

RHO = 0.95
EPSILON = 1e-6


@helper
def _edge_costs(score, dense, lex_starts, lex, weights, cost):
    for e in range(score.shape[0]):
        total = score[e]
        for k in range(dense.shape[1]):
            total += dense[e, k] * weights[k]
        for k in range(lex_starts[e], lex_starts[e + 1]):
            total += weights[lex[k]]
        cost[e] = -total


@helper
def _add_derivation(starts, operands, dense, lex_starts, lex, leaf, value, choice, sign, stack, gradient, seen, count):
    """Add the features of the derivation that takes these edges, and list which they are; returns how many.

    The edges of a derivation are different ones, so there is room for what all edges have.
    """
    leaves = leaf.shape[0]
    stack[0] = choice.shape[0] - 1
    size = 1
    while size:
        size -= 1
        e = choice[stack[size]]
        lexical, local = lex_starts[e + 1] - lex_starts[e], dense.shape[1]
        for i in range(lexical + local + starts[e + 1] - starts[e]):
            if i < lexical:
                f, amount = lex[lex_starts[e] + i], 1.0
            elif i < lexical + local:
                f, amount = np.int32(i - lexical), np.float64(dense[e, i - lexical])
            else:
                row = operands[starts[e] + i - lexical - local]
                if row >= leaves:
                    stack[size] = row - leaves
                    size += 1
                    continue
                f, amount = leaf[row], value[row]
            if amount != 0.0:
                if gradient[f] == 0.0:
                    seen[count] = f
                    count += 1
                gradient[f] += sign * amount
    return count


@helper
def _step(seen, count, frozen, gradient, weights, squares, steps):
    """Move the weights along the gradient, and clear it. For a feature that is listed twice it is then 0."""
    for i in range(count):
        f = seen[i]
        g = gradient[f]
        gradient[f] = 0.0
        if g != 0.0 and not frozen[f]:
            squares[f] = RHO * squares[f] + (1.0 - RHO) * g * g
            u = g * math.sqrt(steps[f] + EPSILON) / math.sqrt(squares[f] + EPSILON)
            steps[f] = RHO * steps[f] + (1.0 - RHO) * u * u
            weights[f] += u


@kernel
def learn_pairs(first, starts, operands, score, dense, lex_starts, lex, leaf, values, positive, pair_starts, negative,
                margin, frozen, weights, squares, steps):
    """Go through the pairs of one query; returns how many violate the margin and by how much in all."""
    leaves, nodes = leaf.shape[0], first.shape[0] - 1
    cost, gain, value = np.empty(score.shape[0]), np.empty(leaves), np.empty(nodes)
    choice, found = np.empty((2, nodes), np.int32), np.empty(2)
    gradient, stack = np.zeros(weights.shape[0]), np.empty(operands.shape[0] + 1, np.int32)
    seen = np.empty(2 * (operands.shape[0] + lex.shape[0] + dense.size), np.int32)
    varying = dense.shape[1] > 0 or lex.shape[0] > 0
    violations, loss = 0, 0.0
    _edge_costs(score, dense, lex_starts, lex, weights, cost)
    for p in range(positive.shape[0]):
        known = False  # the score of the relevant document: it changes when weights do
        for k in range(pair_starts[p], pair_starts[p + 1]):
            for side in range(2):
                if side == 1 or not known:
                    row = leaves * np.int64(positive[p] if side == 0 else negative[k])
                    for i in range(leaves):
                        gain[i] = weights[leaf[i]] * values[row + i]
                    choose(leaves, first, starts, operands, cost, gain, value, choice[side])
                    found[side] = value[-1]
            known = True
            lacking = margin[k] - (found[0] - found[1])
            if lacking <= 0.0:
                continue
            violations += 1
            loss += lacking
            count = 0
            for side in range(2):
                row = leaves * np.int64(positive[p] if side == 0 else negative[k])
                count = _add_derivation(starts, operands, dense, lex_starts, lex, leaf, values[row : row + leaves],
                                        choice[side], 1.0 - 2.0 * side, stack, gradient, seen, count)
            _step(seen, count, frozen, gradient, weights, squares, steps)
            known = False
            if varying:
                _edge_costs(score, dense, lex_starts, lex, weights, cost)
    return violations, loss
