"""What a word counts that stands in a query several times.

    Repeats().of(counts)                # n: every time as much, as the paper has it
    Repeats(power=0.5).of(counts)       # √n; power=0: 1, however often
    Repeats(k3=2.0).of(counts)          # n(k3 + 1) / (k3 + n), as BM25 has it, and the original code
    factors(forest, terms, Repeats(power=0.5))         # the same for forced decoding, per term

DT and PSQ know how often a word stands there. For forced decoding it depends on the derivation, and the search needs
weights that do not; so a term's weight is that of n occurrences divided by n, where n is how often a translation is
expected to have the term, and at least 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossbow.arrays import F64
from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import edge_uses
from crossbow.ranking.forced.lower import WordTerms
from crossbow.settings import Settings, setting


@dataclass(frozen=True)
class Repeats(Settings):
    """A power of the number of times, or BM25's third constant instead."""

    power: float = setting(1.0, "A word that the query has n times counts n to this power.", least=0, most=1)
    k3: float | None = setting(None, "If given, a word that the query has n times counts n(k3 + 1) / (k3 + n) "
                                     "instead.", least=0)

    def of(self, counts: npt.NDArray[np.number]) -> F64:
        """The weight of each word that stands there so many times."""
        times = np.asarray(counts, np.float64)
        return times**self.power if self.k3 is None else times * (self.k3 + 1) / (self.k3 + times)


def factors(forest: Forest, terms: WordTerms, repeats: Repeats) -> F64:
    """What the weights of a forest's terms are multiplied by, because translations are expected to repeat them."""
    if repeats == Repeats():
        return np.ones(len(terms.names))
    counts = np.maximum(1.0, _expected_counts(forest, terms))
    return repeats.of(counts) / counts


def _expected_counts(forest: Forest, terms: WordTerms) -> F64:
    """How often a translation of the forest has each term, over all derivations."""
    uses = edge_uses(forest)
    own = forest.target >= 0
    edge = np.repeat(np.arange(forest.edges), np.diff(forest.target_starts))[own]
    words = np.bincount(forest.target[own], uses[edge], len(forest.words))
    counts: F64 = np.bincount(
        terms.terms, np.repeat(words, np.diff(terms.starts)), len(terms.names)).astype(np.float64)
    return counts
