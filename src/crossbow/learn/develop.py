"""The development queries: how good settings and weights are, by exact search.

    development = Development(queries, model, index, config)
    development.prepare(stages, threads)
    development.measure(SearchConfig(weights=TermWeights(v=0.8)), threads)

Forests are made once and stored, unless the translation model's own weights are learned too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from crossbow.evaluation.measures import parse_measure, per_query
from crossbow.index import Index
from crossbow.learn.config import LearnConfig
from crossbow.learn.forests import Shelf
from crossbow.model import Model
from crossbow.pipeline import Stages
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.searcher import Asked, Searcher
from crossbow.records.judged import JudgedQuery, qrels_of


class Development:
    """The queries, their judgements, and their forests."""

    def __init__(self, queries: Sequence[JudgedQuery], model: Model, index: Index, config: LearnConfig):
        self.queries, self.model, self.index, self.config = queries, model, index, config
        self.shelf: Shelf | None = None
        parse_measure(config.measure)  # now, rather than after the forests were made

    def prepare(self, stages: Stages, threads: int) -> None:
        """Make the forests, unless they will change."""
        if not self.config.joint:
            self.shelf = Shelf(stages, self.queries, self.model, [-1] * len(self.queries))
            self.shelf.fill(threads)

    def measure(self, search: SearchConfig, threads: int, smt: dict[str, float] | None = None) -> float:
        """The mean over the queries, searched with these settings, and weights of the translation model if given."""
        model = self.model if smt is None else self.model.with_weights(smt)
        searcher = Searcher(model, self.index, replace(search, k=self.config.depth))
        asked: Iterable[tuple[str, Asked]] = (
            (query.id, self.shelf.forests(at) if self.shelf else query.text) for at, query in enumerate(self.queries))
        run = dict(searcher.search_all(asked, threads))
        found = per_query(qrels_of(self.queries), run, [self.config.measure], self.config.depth)
        return found.total(*found.by_measure)  # its name there may be another: MAP is AP
