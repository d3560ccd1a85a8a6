"""Max-plus programs: what is left of a forest when only a document's term weights still have to be filled in.

    program = undominated(program, nonnegative)
    program.edges

A program has *rows*: first one per term (the leaves), then one per node, in topological order. An edge is a cost and
a list of operands, which are rows. The value of a node is the maximum over its edges of Σ operands − cost, and the
value of the program is that of its last node. Costs are reduced costs: every node has an edge of cost 0, so a
document without any of the terms has the value 0, and all values are gains over the best translation's score.

A document's exact score and every upper bound on it are programs, so one evaluator serves all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossbow.arrays import F64, I32, Bools
from crossbow.jit import helper, kernel

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_LOW = np.uint64(63)


class Program(NamedTuple):
    """Node v has the edges first[v] to first[v + 1], edge e the operands starts[e] to starts[e + 1]."""

    leaves: int
    first: I32
    starts: I32
    operands: I32
    cost: F64

    @property
    def nodes(self) -> int:
        return len(self.first) - 1

    @property
    def edges(self) -> int:
        return len(self.cost)


@helper
def _covers(operands, a, a_end, b, b_end, nonnegative):
    """Whether the operands a are the operands b and perhaps more that are never negative. Both are sorted."""
    while a < a_end:
        if b < b_end and operands[a] == operands[b]:
            b += 1
        elif not nonnegative[operands[a]]:
            return False
        a += 1
    return b == b_end


@kernel
def _sort_operands(leaves, first, starts, operands, nonnegative, masks):
    """Sort the operands of every edge, note which there are (modulo 64), and whether a node can be negative."""
    for v in range(first.shape[0] - 1):
        for e in range(first[v], first[v + 1]):
            harmless = True
            for k in range(starts[e], starts[e + 1]):
                row, at = operands[k], k
                while at > starts[e] and operands[at - 1] > row:
                    operands[at] = operands[at - 1]
                    at -= 1
                operands[at] = row
                masks[e] |= _ONE << (np.uint64(row) & _LOW)
                harmless &= nonnegative[row]
            nonnegative[leaves + v] &= harmless


@kernel
def _mark_dominated(first, starts, operands, cost, nonnegative, masks, kept):
    """Keep an edge unless an edge of the same node has all of its operands at no higher cost."""
    for v in range(first.shape[0] - 1):
        order = first[v] + np.argsort(cost[first[v] : first[v + 1]])
        count = 0  # of those kept, at the front of order
        for place in range(order.shape[0]):
            e = order[place]
            kept[e] = True
            for i in range(count):
                f = order[i]
                if masks[e] & ~masks[f] == _NONE and _covers(
                    operands, starts[f], starts[f + 1], starts[e], starts[e + 1], nonnegative
                ):
                    kept[e] = False
                    break
            if kept[e]:
                order[count] = e
                count += 1


def undominated(program: Program, nonnegative: Bools) -> Program:
    """The same values with fewer edges; `nonnegative` says of each leaf whether it is at least 0 in every document."""
    operands, masks = program.operands.copy(), np.zeros(program.edges, np.uint64)
    flags = np.concatenate((nonnegative, np.ones(program.nodes, np.bool_)))
    _sort_operands(program.leaves, program.first, program.starts, operands, flags, masks)
    kept = np.empty(program.edges, np.bool_)
    _mark_dominated(program.first, program.starts, operands, program.cost, flags, masks, kept)
    heads = np.repeat(np.arange(program.nodes), np.diff(program.first))
    widths = np.diff(program.starts)
    return Program(
        program.leaves, offsets(np.bincount(heads[kept], minlength=program.nodes)), offsets(widths[kept]),
        operands[np.repeat(kept, widths)], program.cost[kept],
    )


def sliced(program: Program, begin: int, end: int) -> Program:
    """The part of a program between two nodes, which uses no other node."""
    edges = slice(int(program.first[begin]), int(program.first[end + 1]))
    starts = program.starts[edges.start : edges.stop + 1]
    operands = program.operands[starts[0] : starts[-1]]
    return Program(program.leaves, program.first[begin : end + 2] - program.first[begin], starts - starts[0],
                   np.where(operands >= program.leaves, operands - begin, operands).astype(np.int32),
                   program.cost[edges])


def composed(parts: Sequence[Program], top: Sequence[Sequence[int]], cost: F64) -> Program:
    """One program of several over the same leaves, and a last node: each of its edges adds some of them up."""
    leaves, nodes = parts[0].leaves, np.cumsum([part.nodes for part in parts])
    moved = [np.where(part.operands >= leaves, part.operands + (total - part.nodes), part.operands)
             for part, total in zip(parts, nodes)]
    used = [leaves + nodes[at] - 1 for row in top for at in row]
    return Program(
        leaves, offsets(np.concatenate([*(np.diff(part.first) for part in parts), [len(top)]])),
        offsets(np.concatenate([*(np.diff(part.starts) for part in parts), list(map(len, top))])),
        np.concatenate([*moved, used]).astype(np.int32), np.concatenate([*(part.cost for part in parts), cost]))


def offsets(counts: npt.ArrayLike) -> I32:
    """Where each group starts, and where the last ends, given the groups' sizes."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
