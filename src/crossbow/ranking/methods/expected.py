"""Expected terms: BM25 with the terms that translations of the query are expected to have (ranking/expected.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.expected import expected_by
from crossbow.ranking.explain.gloss import table_gloss
from crossbow.ranking.explain.readings import reader
from crossbow.ranking.explain.records import Match, Unit
from crossbow.ranking.explain.snippet import spellings
from crossbow.ranking.methods.contract import METHODS, Method
from crossbow.ranking.methods.weighted import WeightedTerms
from crossbow.ranking.structured.tables import LIKELY, Tables, query_tables

if TYPE_CHECKING:
    from crossbow.ranking.config import SearchConfig


class ExpectedTerms(Method):
    """What the query is probably about, whichever translation a document supports."""

    name = "expected"
    label = "Likely words"
    help = "Expected terms: BM25 with the terms that translations are expected to have."
    reads = ("bm25", "expected", "translation")

    def prepare(
        self, forests: Sequence[Forest], index: Index, model: Model | None, config: SearchConfig
    ) -> WeightedTerms:
        bag = expected_by(forests, index, config.expected, [one.lexicon for one in model.systems] if model else [])
        return _Expected(self.name, bag, forests, index, config, model)


class _Expected(WeightedTerms):
    """Word by word, the translations that the document has."""

    def __init__(self, method: str, bag: Mapping[str, float], forests: Sequence[Forest], index: Index,
                 config: SearchConfig, model: Model | None):
        super().__init__(method, bag, forests, index, config.bm25, LIKELY, reader(model, config))
        self.config, self.model = config, model

    @cached_property
    def tables(self) -> Tables:
        """What stands for each word, which only explanations ask."""
        return query_tables(self.forests, self.index, self.config.expected.tables,
                            self.model.lexicon if self.model else None)

    def units(self, forest: Forest, best: Sequence[Unit], doc: int, matches: Sequence[Match]) -> list[Unit]:
        present = spellings(self.index.shown(doc), self.index.analyzer, {match.term for match in matches})
        return table_gloss(forest.source, best, self.tables.likely(forest.source), present)


METHODS.add(ExpectedTerms.name, ExpectedTerms())
