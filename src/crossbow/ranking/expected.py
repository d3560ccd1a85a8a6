"""Expected terms: what a query's translations are probably about, whichever of them a document supports.

    tables = query_tables(forests, index, PsqConfig(), model.lexicon)
    expected_terms(tables, power=0.7)               # {"hous": 0.95, "home": 0.24, …}
    counted_terms(forests, index, power=0.7)        # without a lexicon: of n-best lists, lattices, neural models

The tables of PSQ say how probably a source word becomes a term. Added up over the words of the query they are the
counts to expect of each term. Where nothing is known of words in general, it is how often the translations themselves
have the term, each as probable as its score says. The power makes the second occurrence of a term count less than the
first, and an improbable term more than its probability. BM25 for these terms is a method of its own, `expected`. Forced
decoding adds to the score of a document, sentence by sentence,

    share · Σ_t w_t · expected_t · BM25(t, d)

where the share is a weight (weights.py), 0 in the paper. The best translation that a document supports uses one of
several synonyms, and one improbable word may bring a document to the top; a document about the query's subject has many
of its expected terms. A word whose translations are mostly function words is one itself: the few of its translations
that are terms say nothing about the query, and are not expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crossbow.forest.compose import systems_of
from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import edge_uses
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index
from crossbow.ranking.structured.tables import PsqConfig, Tables, query_tables
from crossbow.settings import Settings, section, setting

MOST_BLANK = 0.8  # of a word's translations may be no terms; of articles, "and" or "for" it is .9 to 1, of nouns .01


@dataclass(frozen=True)
class Expected(Settings):
    """How terms are expected: by tables that are half the forest's, all its derivations, and half the lexicon's.

    The least probable translations are left out: a frequent word has thousands, which take time and do no good.
    """

    power: float = setting(0.7, "Expected counts are raised to this power.", above=0, most=1)
    tables: PsqConfig = section(lambda: PsqConfig(mix=0.5, forest=True, lowest=0.001))


def expected_terms(tables: Tables, power: float) -> dict[str, float]:
    """The terms of the collection that translations of a query are expected to have, and how much of each."""
    counts = tables.probability * np.where(tables.blank <= MOST_BLANK, tables.counts, 0)[tables.owners()]
    expected = np.bincount(tables.terms, counts, len(tables.names)) ** power
    return {term: count for term, count in zip(tables.names, expected.tolist()) if count > 0.0}


def expected_by(
    forests: Sequence[Forest], index: Index, config: Expected, lexicons: Sequence[Lexicon | None]
) -> dict[str, float]:
    """What is expected of a query's sentences, given the lexicon of their system; of several systems, on average."""
    systems = [systems_of(forest, len(lexicons)) for forest in forests] if len(lexicons) > 1 else []
    if not systems or not all(systems):
        lexicon = next(filter(None, lexicons), None)
        return (expected_terms(query_tables(forests, index, config.tables, lexicon), config.power) if lexicon
                else counted_terms(forests, index, config.power))
    mean: dict[str, float] = {}
    for row, lexicon in zip(zip(*systems), lexicons):
        for term, weight in expected_by(row, index, config, [lexicon]).items():
            mean[term] = mean.get(term, 0.0) + weight / len(lexicons)
    return mean


def counted_terms(forests: Sequence[Forest], index: Index, power: float) -> dict[str, float]:
    """The terms of the collection that derivations of the forests have on average, and how much of each."""
    counts: dict[str, float] = {}
    for forest in forests:
        is_word = forest.target >= 0
        uses = np.repeat(edge_uses(forest), np.diff(forest.target_starts))
        amounts = np.bincount(forest.target[is_word], uses[is_word], len(forest.words))
        for word, amount in zip(forest.words, amounts.tolist()):
            for term in index.analyzer.terms(word):
                counts[term] = counts.get(term, 0.0) + amount
    return {term: count**power for term, count in counts.items() if count > 0.0 and index.df(term)}
