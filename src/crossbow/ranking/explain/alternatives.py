"""What a forest could put for each word of the query, and what each choice would cost.

    for word, choices in zip(forest.source, alternatives(forest)):
        word, choices[0].word, choices[0].cost            # the cheapest first; cost 0: some best translation has it

The cost of a choice is how much worse than the best translation the best one is in which the two words are linked. A
document makes forced decoding take that choice if it gains more by it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import edge_marginals, inside, outside

SHOWN = 8


class Choice(NamedTuple):
    """A word that may stand for a word of the query, and the least that this costs."""

    word: str
    cost: float


def alternatives(forest: Forest, count: int = SHOWN) -> list[list[Choice]]:
    """For each position of the source the words that are linked with it, at most so many; cheap ones first."""
    alpha = inside(forest)
    cost = alpha[-1] - edge_marginals(forest, alpha, outside(forest, alpha))
    edge = np.repeat(np.arange(forest.edges), np.diff(forest.align_starts))
    position = forest.align[:, 0]
    word = forest.target[forest.target_starts[edge] + forest.align[:, 1]]
    order = np.lexsort((cost[edge], word, position))
    pairs = np.stack((position, word), axis=1)[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    found: list[list[Choice]] = [[] for _ in forest.source]
    for (at, w), least in zip(pairs[first].tolist(), cost[edge[order[first]]].tolist()):
        if least < np.inf:  # else no derivation has the link
            found[at].append(Choice(forest.words[w], max(0.0, least)))
    return [sorted(choices, key=lambda choice: (choice.cost, choice.word))[:count] for choices in found]
