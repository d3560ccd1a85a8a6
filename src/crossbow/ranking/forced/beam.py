"""Fewer edges per node: the beam of the original system, an approximation that forced decoding does not need here.

    forest = within_beam(forest, 10)                # the 10 edges of each node with the best derivations below them
    forest = within_beam(forest, 10, sort=False)    # the first 10 in the order of the forest
"""

from __future__ import annotations

import numpy as np

from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import inside
from crossbow.jit import kernel
from crossbow.ranking.forced.program import offsets


@kernel
def _keep(first, tail_starts, tails, score, alpha, beam, sort, kept):
    for v in range(first.shape[0] - 1):
        size = first[v + 1] - first[v]
        loss = np.zeros(size)
        if sort:
            for i in range(size):
                e = first[v] + i
                loss[i] = -score[e]
                for k in range(tail_starts[e], tail_starts[e + 1]):
                    loss[i] -= alpha[tails[k]]
        order = np.argsort(loss, kind="mergesort")  # stable: without sorting, the order stays
        for i in range(min(beam, size)):
            kept[first[v] + order[i]] = True


@kernel
def _reach(first, tail_starts, tails, kept, reached):
    """Mark the nodes that derivations of the goal have, and drop the edges of all others."""
    reached[-1] = True
    for v in range(first.shape[0] - 2, -1, -1):
        for e in range(first[v], first[v + 1]):
            kept[e] &= reached[v]
            if kept[e]:
                for k in range(tail_starts[e], tail_starts[e + 1]):
                    reached[tails[k]] = True


def within_beam(forest: Forest, beam: int, sort: bool = True) -> Forest:
    """The forest with at most `beam` edges for each node, and without nodes that are then out of reach."""
    if beam < 1:
        raise ValueError(f"the beam is {beam}; a node needs at least one edge")
    kept, reached = np.zeros(forest.edges, np.bool_), np.zeros(forest.nodes, np.bool_)
    widest = min(beam, forest.edges)
    _keep(forest.first, forest.tail_starts, forest.tails, forest.score, inside(forest), widest, sort, kept)
    _reach(forest.first, forest.tail_starts, forest.tails, kept, reached)
    columns = {}
    for name in ("tail", "target", "lex", "align"):
        flat = "tails" if name == "tail" else name
        widths = np.diff(getattr(forest, f"{name}_starts"))
        columns[f"{name}_starts"] = offsets(widths[kept])
        columns[flat] = getattr(forest, flat)[np.repeat(kept, widths)]
    columns["tails"] = (np.cumsum(reached) - 1).astype(np.int32)[columns["tails"]]
    before = offsets(kept)
    return Forest(**{
        **forest.__dict__, **columns, "first": before[np.append(forest.first[:-1][reached], forest.edges)],
        "score": forest.score[kept], "span": forest.span[kept],
        "features": forest.features[kept] if forest.names else forest.features,
    })
