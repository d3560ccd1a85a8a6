"""Edit scripts of all candidates of a pool, in the form that makes distances linear in the parameters.

    trees = PoolTrees(parse(model, pool.queries), parse(model, pool.docs))
    scripts = compare(pool, trees, model.table.value, similarity, costs)
    scripts.distance[k]                                     # of candidate k

With parses and scripts fixed, the distance of candidate k is Σ over words i of its query of scale · (θ[edge of i] +
θ[partner]): scale is 1 for a word that is deleted (which has no partner), 0 for one that stays, and for one that is
replaced what its similarity makes of it; its partner is the arc of the word that takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I32, I64
from crossbow.errors import CrossbowError
from crossbow.jit import kernel
from crossbow.parse.distance import compare_all
from crossbow.parse.model import Trees
from crossbow.parse.pool import Pool
from crossbow.parse.similarity import Similarity
from crossbow.threads import in_order

COSTS = ("fraction", "difference")
BATCH = 50  # queries a thread takes at a time
ALONE = -1  # a word without a partner


@dataclass(frozen=True)
class CostConfig:
    """What it costs to replace a word: (θ + θ') / similarity, or (θ + θ') (1 − similarity)."""

    replace: str = "difference"

    def __post_init__(self) -> None:
        if self.replace not in COSTS:
            raise CrossbowError(f"the cost of replacing is {self.replace!r}; it must be one of {', '.join(COSTS)}")


class PoolTrees(NamedTuple):
    queries: Trees
    docs: Trees


class Scripts(NamedTuple):
    """Candidate k has the entries starts[k] to starts[k + 1], one for each word of its query."""

    distance: F64
    starts: I64
    scale: F64
    partner: I32


@kernel
def _fill(match, similar, starts, edge, fraction, scale, partner):
    """The entries of a query's candidates."""
    at = 0
    for d in range(match.shape[0]):
        for i in range(match.shape[1]):
            scale[at], partner[at] = 1.0, ALONE
            if match[d, i] >= 0:
                word = starts[d] + match[d, i]
                s = similar[i, word]
                if s >= 1.0:
                    scale[at] = 0.0
                else:
                    scale[at], partner[at] = (1.0 / s if fraction else 1.0 - s), edge[word]
            at += 1


def compare(
    pool: Pool, trees: PoolTrees, value: F64, similarity: Similarity, costs: CostConfig, threads: int = 1
) -> Scripts:
    """The scripts of all candidates under these parameters."""
    queries, docs = pool.queries, pool.docs
    words, sizes = np.diff(queries.starts), np.diff(pool.starts)
    starts = np.concatenate([[0], np.cumsum(np.repeat(words, sizes))])
    found = Scripts(np.empty(len(pool.doc)), starts, np.empty(starts[-1]), np.empty(starts[-1], np.int32))
    query_cost, doc_cost = value[trees.queries.edge], value[trees.docs.edge]
    fraction = costs.replace == "fraction"

    def work(first: int) -> None:
        for q in range(first, min(first + BATCH, len(words))):
            ours = slice(queries.starts[q], queries.starts[q + 1])
            here = slice(pool.starts[q], pool.starts[q + 1])
            places, ends = word_places(docs.starts, pool.doc[here])
            similar = similarity.matrix(queries.form[ours], queries.stem[ours], docs.form[places], docs.stem[places])
            match = np.empty((sizes[q], words[q]), np.int32)
            compare_all(trees.queries.head[ours], query_cost[ours], ends, trees.docs.head[places], doc_cost[places],
                        similar, fraction, found.distance[here], match)
            entries = slice(starts[here.start], starts[here.stop])
            _fill(match, similar, ends, trees.docs.edge[places], fraction, found.scale[entries],
                  found.partner[entries])

    for _ in in_order(work, range(0, len(words), BATCH), threads):
        pass
    return found


def word_places(starts: I64, chosen: I64) -> tuple[I64, I64]:
    """Where the words of chosen texts stand, one text after another, and where each text ends among them."""
    begin, lengths = starts[chosen], starts[chosen + 1] - starts[chosen]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    return np.arange(ends[-1]) + np.repeat(begin - ends[:-1], lengths), ends
