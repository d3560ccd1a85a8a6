"""The terms of a hit that are worth showing, and how much each counts: what a snippet is chosen by and marks.

    for hit, terms in zip(hits, marked_terms(hits, forests, index, lexicon, config)):
        snippet(index.doc(index.number(hit.doc)), index.analyzer, terms)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crossbow.forest.hypergraph import Forest
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index
from crossbow.ranking.expected import expected_terms
from crossbow.ranking.explain.derivation import matched_terms
from crossbow.ranking.search import SearchConfig
from crossbow.ranking.structured.search import Tables, query_tables
from crossbow.ranking.weighted import bag_of_words
from crossbow.records import Hit

LIKELY = 0.05  # less probable translations are not marked: a word has hundreds


def marked_terms(
    hits: Sequence[Hit], forests: Sequence[Forest], index: Index, lexicon: Lexicon | None, config: SearchConfig
) -> Sequence[Mapping[str, float]]:
    """For each hit its terms. In forced decoding every document has its own."""
    if config.method == "bowfd":
        return matched_terms(forests, index, [hit.doc for hit in hits], config)
    if config.method == "dt":
        return [bag_of_words(forests, index)] * len(hits)
    if config.method == "expected":
        expected = expected_terms(forests, index, config.expected, lexicon)
        return [{term: value for term, value in expected.items() if value >= LIKELY}] * len(hits)
    return [likely_terms(query_tables(forests, index, config.psq, lexicon))] * len(hits)


def likely_terms(tables: Tables) -> dict[str, float]:
    """The terms of all words of the query that are not improbable."""
    pairs = zip(tables.terms.tolist(), tables.probability.tolist())
    return {tables.names[t]: p for t, p in pairs if p >= LIKELY}
