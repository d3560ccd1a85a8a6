"""Direct translation (DT): BM25 for the bag of words of the best translation; sentences are joined into one bag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from crossbow.forest.compose import with_edges
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.explain.derivation import best_derivation
from crossbow.ranking.explain.readings import reader
from crossbow.ranking.methods.contract import METHODS, Method
from crossbow.ranking.methods.weighted import WeightedTerms

if TYPE_CHECKING:
    from crossbow.ranking.config import SearchConfig


class DirectTranslation(Method):
    """The first baseline of the paper."""

    name = "dt"
    label = "One translation"
    help = "Direct translation (DT): BM25 with the best translation."
    reads = ("bm25", "repeats", "translation")

    def prepare(
        self, forests: Sequence[Forest], index: Index, model: Model | None, config: SearchConfig
    ) -> WeightedTerms:
        bag = bag_of_words(forests, index)
        weights = dict(zip(bag, config.repeats.of(np.array(list(bag.values()))).tolist()))
        return WeightedTerms(self.name, weights, forests, index, config.bm25, read=reader(model, config))

    def needed(self, forest: Forest) -> Forest:
        return with_edges(forest, best_derivation(forest)[0])


def bag_of_words(forests: Iterable[Forest], index: Index) -> Counter[str]:
    """The index terms of the best translations of a query's sentences."""
    bag: Counter[str] = Counter()
    for forest in forests:
        for word in best_derivation(forest)[1]:
            bag.update(index.analyzer.terms(word))
    return bag


METHODS.add(DirectTranslation.name, DirectTranslation())
