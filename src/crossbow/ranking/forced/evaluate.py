"""Running a program for many documents at once: documents are columns, and every step is a loop over whole rows.

    run(*program, rows, active, total)        # inside a kernel; rows[t] holds the weights of term t

Rows are float32 where a bound is enough (`rounding_error` says how far off it can be) and float64 for scores.
"""

from __future__ import annotations

import numpy as np

from crossbow.arrays import F64
from crossbow.jit import helper, kernel
from crossbow.ranking.forced.program import Program
from crossbow.structures.growable import copy


@helper
def run(leaves, first, starts, operands, cost, rows, active, total):
    """Fill the rows of the nodes. A row that is not active is 0 in every column and is neither read nor written.

    `total` is a row to work in. Edges with one or two operands, as most are, have loops of their own, which pass
    over memory once less and so save a third of the time.
    """
    width = rows.shape[1]
    for v in range(first.shape[0] - 1):
        best = rows[leaves + v]
        empty, bare = True, False
        rest = cost[first[v]]  # the least cost of the edges that no active row adds to
        for e in range(first[v], first[v + 1]):
            c = cost[e]
            count, x, y = 0, 0, 0
            for k in range(starts[e], starts[e + 1]):
                if active[operands[k]]:
                    x, y = operands[k], x
                    count += 1
            if count == 0:
                rest = min(rest, c) if bare else c
                bare = True
            elif count == 1:
                a = rows[x]
                if empty:
                    for d in range(width):
                        best[d] = a[d] - c
                else:
                    for d in range(width):
                        best[d] = max(best[d], a[d] - c)
                empty = False
            elif count == 2:
                a, b = rows[x], rows[y]
                if empty:
                    for d in range(width):
                        best[d] = a[d] + b[d] - c
                else:
                    for d in range(width):
                        best[d] = max(best[d], a[d] + b[d] - c)
                empty = False
            else:
                for d in range(width):
                    total[d] = -c
                for k in range(starts[e], starts[e + 1]):
                    if active[operands[k]]:
                        a = rows[operands[k]]
                        for d in range(width):
                            total[d] += a[d]
                if empty:
                    copy(total, 0, width, best, 0)
                else:
                    for d in range(width):
                        best[d] = max(best[d], total[d])
                empty = False
        active[leaves + v] = not empty
        if bare and not empty:
            for d in range(width):
                best[d] = max(best[d], -rest)


@kernel
def _errors(leaves, first, starts, operands, cost, size, error, unit):
    """Bound every row's magnitude and absolute error, with one rounding per term, per cost and per addition."""
    for v in range(first.shape[0] - 1):
        row = leaves + v
        for e in range(first[v], first[v + 1]):
            magnitude, wrong = cost[e], 0.0
            for k in range(starts[e], starts[e + 1]):
                magnitude += size[operands[k]]
                wrong += error[operands[k]]
            size[row] = max(size[row], magnitude)
            error[row] = max(error[row], wrong + unit * magnitude * (2 + starts[e + 1] - starts[e]))


def rounding_error(program: Program, weight: F64) -> float:
    """How far the program's value in float32 can be from the true one, if a term weighs at most |weight|."""
    rows = program.leaves + program.nodes
    size, error = np.zeros(rows), np.zeros(rows)
    unit = float(np.finfo(np.float32).eps)  # twice the error of one rounding: room for the errors' own growth
    size[: program.leaves] = np.abs(weight)
    error[: program.leaves] = unit * np.abs(weight)
    _errors(*program, size, error, unit)
    return float(error[-1])
