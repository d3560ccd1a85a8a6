"""Probabilistic structured queries (PSQ): a word of the query matches as if all its translations were one term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from crossbow.arrays import F64, I64, Bools
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.bm25 import documents_with
from crossbow.ranking.explain.derivation import best_derivation
from crossbow.ranking.explain.gloss import best_gloss, table_gloss
from crossbow.ranking.explain.readings import Reader, reader
from crossbow.ranking.explain.records import Explanation, Part, Sentence, Unit
from crossbow.ranking.explain.snippet import spellings
from crossbow.ranking.methods.contract import ADDED, METHODS, Method, Prepared
from crossbow.ranking.structured.search import StructuredQuery
from crossbow.ranking.structured.tables import ADDED as ADDED_WORD
from crossbow.ranking.structured.tables import query_tables, with_added
from crossbow.ranking.topk import DIGITS
from crossbow.records import Hit

if TYPE_CHECKING:
    from crossbow.ranking.config import SearchConfig


class StructuredQueries(Method):
    """The second baseline of the paper."""

    name = "psq"
    label = "All translations"
    help = "Probabilistic structured queries (PSQ): all translations of a word at once."
    reads = ("bm25", "repeats", "psq", "translation")

    def prepare(
        self, forests: Sequence[Forest], index: Index, model: Model | None, config: SearchConfig
    ) -> Prepared:
        tables = query_tables(forests, index, config.psq, model.lexicon if model else None)
        counts = config.repeats.of(tables.counts)
        return _Structured(forests, index, StructuredQuery(tables, index, config.bm25, counts), reader(model, config))

    def needs_links(self, config: SearchConfig) -> bool:
        return True


class _Structured(Prepared):
    def __init__(self, forests: Sequence[Forest], index: Index, query: StructuredQuery, read: Reader):
        self.forests, self.index, self.query, self.read = forests, index, query, read

    def search(self, k: int, wanted: Bools | None = None) -> list[Hit]:
        return self.query.search(k, wanted)

    def score(self, docs: I64) -> F64:
        return self.query.score(docs)

    def matching(self) -> Bools:
        return documents_with([one.part for one in self.query.lists])

    def terms(self, doc: int) -> Mapping[str, float]:
        return self.query.terms(doc)

    def weights(self) -> Mapping[str, float]:
        return self.query.weights()

    def with_added(self, added: Mapping[str, float]) -> Prepared:
        query = self.query
        tables, counts = with_added(query.tables, query.counts, added, self.index)
        return _Structured(self.forests, self.index, StructuredQuery(tables, self.index, query.bm25, counts), self.read)

    def explain(self, doc: int) -> Explanation:
        matches = self.query.matches(doc)
        own = [match for match in matches if not match.word.startswith(ADDED_WORD)]
        more = [replace(match, word=match.term) for match in matches if match.word.startswith(ADDED_WORD)]
        parts = [Part("words", sum(match.gain for match in own), "of the query's words that the document matches", own)]
        if more:
            parts.append(Part(ADDED, sum(match.gain for match in more), "of added terms", more))
        score = round(float(self.query.score(np.array([doc]))[0]), DIGITS) + 0.0
        present = spellings(self.index.shown(doc), self.index.analyzer, self.query.terms(doc))
        return Explanation(self.index.id(doc), StructuredQueries.name, score, parts,
                           [Sentence(forest.source, best, best, table_gloss(forest.source, units, likely, present),
                                     read=read)
                            for forest, (best, units, likely, read) in zip(self.forests, self._best)])

    @cached_property
    def _best(self) -> list[tuple[list[str], list[Unit], dict[str, list[str]], dict[str, str]]]:
        """Of each sentence the best translation, the same word by word, the likely translations of its words, and what
        unknown words are read as."""
        found = ((forest, *best_derivation(forest)) for forest in self.forests)
        return [(words, best_gloss(forest), self.query.tables.likely(forest.source), self.read(forest, edges))
                for forest, edges, words in found]


METHODS.add(StructuredQueries.name, StructuredQueries())
