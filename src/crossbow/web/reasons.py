"""Why each hit was found: the terms to mark in it, and the query word by word with what stands for each word in it.

    for reason in reasons(hits, forests, index, lexicon, config):
        reason.terms, reason.sentences                  # units of each sentence of the query, see ranking/gloss.py

Each method has a reason of its own kind. Forced decoding: the derivation that this very document made it choose. DT:
the best translation, the same for all. PSQ: the translations of each word that the document has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from crossbow.forest.hypergraph import Forest
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index
from crossbow.ranking.explain.derivation import derivations, gains_of
from crossbow.ranking.explain.gloss import Unit, best_gloss, gloss, table_gloss
from crossbow.ranking.explain.snippet import spellings
from crossbow.ranking.marks import LIKELY, likely_terms, marked_terms
from crossbow.ranking.search import SearchConfig
from crossbow.ranking.structured.search import query_tables
from crossbow.records import Hit
from crossbow.weights import TermWeights


class Reason(NamedTuple):
    """What counts in a hit, and for each sentence of the query its units."""

    terms: Mapping[str, float]
    sentences: list[list[Unit]]


def reasons(
    hits: Sequence[Hit], forests: Sequence[Forest], index: Index, lexicon: Lexicon | None, config: SearchConfig
) -> Iterator[Reason]:
    """The reason of each hit, one after the other."""
    docs = [hit.doc for hit in hits]
    if config.method == "psq":
        tables = query_tables(forests, index, config.psq, lexicon)
        likely = likely_terms(tables)
        best = [(forest.source, best_gloss(forest)) for forest in forests]
        for doc in docs:
            present = spellings(index.doc(index.number(doc)), index.analyzer, likely)
            yield Reason(likely, [table_gloss(source, units, tables, present, LIKELY) for source, units in best])
    elif config.method == "bowfd":
        for sentences in derivations(forests, index, docs, config):
            yield Reason(gains_of(sentences), list(map(gloss, sentences)))
    else:
        marked = marked_terms(hits, forests, index, lexicon, config)
        if config.method == "dt":
            plain = replace(config, weights=TermWeights(v=0.0))  # no document gains anything: the best translation wins
            for terms, sentences in zip(marked, derivations(forests, index, docs, plain)):
                yield Reason(terms, list(map(gloss, sentences)))
        else:
            yield from (Reason(terms, []) for terms in marked)
