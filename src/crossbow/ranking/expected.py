"""Expected terms: what a query's translations are probably about, whichever of them a document supports.

    terms = expected_terms(forests, index, Expected(), model.lexicon)      # {"hous": 0.95, "home": 0.24, …}

The tables of PSQ say how probably a source word becomes a term. Added up over the words of the query they are the
counts to expect of each term; the power makes the second occurrence of a term count less than the first, and an
improbable term more than its probability. BM25 for these terms is a method of its own, `expected`. Forced decoding adds
to the score of a document, sentence by sentence,

    share · Σ_t w_t · expected_t · BM25(t, d)

where the share is a weight (weights.py), 0 unless it was tuned. The best translation that a document supports uses one
of several synonyms, and one improbable word may buy a document its place; a document about the query's subject has many
of its expected terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index
from crossbow.ranking.structured.tables import PsqConfig, query_tables


@dataclass(frozen=True)
class Expected:
    """How terms are expected: by tables that are half the forest's, all its derivations, and half the lexicon's.

    The least probable translations are left out: a frequent word has thousands, which take time and do no good.
    """

    power: float = 0.7
    tables: PsqConfig = field(default_factory=lambda: PsqConfig(mix=0.5, forest=True, lowest=0.001))

    def __post_init__(self) -> None:
        if not 0 < self.power <= 1:
            raise CrossbowError(f"the power of expected terms is {self.power}; it must lie above 0 and be at most 1")


def expected_terms(
    forests: Sequence[Forest], index: Index, config: Expected, lexicon: Lexicon | None = None
) -> dict[str, float]:
    """The terms of the collection that translations of a query are expected to have, and how much of each."""
    tables = query_tables(forests, index, config.tables, lexicon)
    counts = tables.probability * tables.counts[tables.owners()]
    expected = np.bincount(tables.terms, counts, len(tables.names)) ** config.power
    return dict(zip(tables.names, expected.tolist()))
