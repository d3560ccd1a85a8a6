"""What a word counts that stands in a query several times.

    Repeats().of(counts)                # n: every time as much, as the paper has it
    Repeats(power=0.5).of(counts)       # √n; power=0: 1, however often
    Repeats(k3=2.0).of(counts)          # n(k3 + 1) / (k3 + n), as BM25 has it, and the original code
    damped(weights, forest, index, Repeats(power=0.5))         # the same for forced decoding

DT and PSQ know how often a word stands there. For forced decoding it depends on the derivation, and the search needs
weights that do not; so a term's weight is that of n occurrences divided by n, where n is how often a translation is
expected to have the term, and at least 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from crossbow.arrays import F64
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import edge_uses
from crossbow.index import Index
from crossbow.ranking.forced.lower import WordTerms
from crossbow.weights import TermWeights


@dataclass(frozen=True)
class Repeats:
    """A power of the number of times, or BM25's third constant instead."""

    power: float = 1.0
    k3: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.power <= 1 or (self.k3 is not None and not 0 <= self.k3 < float("inf")):
            raise CrossbowError(f"repeated words with power {self.power} and k3 {self.k3}: the power must lie between "
                                "0 and 1, k3 must be 0 or more")

    def of(self, counts: npt.NDArray[np.number]) -> F64:
        """The weight of each word that stands there so many times."""
        times = np.asarray(counts, np.float64)
        return times**self.power if self.k3 is None else times * (self.k3 + 1) / (self.k3 + times)


def damped(weights: TermWeights, forest: Forest, index: Index, repeats: Repeats) -> TermWeights:
    """The weights for forced decoding with a forest, those of terms that it is expected to repeat changed."""
    if repeats == Repeats():
        return weights
    terms = WordTerms.of(forest, index)
    counts = np.maximum(1.0, _expected_counts(forest, terms))
    factors = repeats.of(counts) / counts
    changed = [(terms.names[t], float(factors[t])) for t in np.flatnonzero(factors != 1).tolist()]
    own = weights.of([name for name, _ in changed]).tolist()
    return replace(weights, terms={**weights.terms,
                                   **{name: value * factor for (name, factor), value in zip(changed, own)}})


def _expected_counts(forest: Forest, terms: WordTerms) -> F64:
    """How often a translation of the forest has each term, over all derivations."""
    uses = edge_uses(forest)
    own = forest.target >= 0
    edge = np.repeat(np.arange(forest.edges), np.diff(forest.target_starts))[own]
    words = np.bincount(forest.target[own], uses[edge], len(forest.words))
    counts: F64 = np.bincount(
        terms.terms, np.repeat(words, np.diff(terms.starts)), len(terms.names)).astype(np.float64)
    return counts
