"""The development queries: how good settings and weights are, by exact search.

    development = Development(queries, model, index, config)
    development.prepare(stages, Hands(2))
    development.measure(SearchConfig(weights=TermWeights(v=0.8)), Hands(2))

Forests are made once and stored, unless the translation model's own weights are learned too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from crossbow.evaluation.measures import parse_measure, per_query
from crossbow.index import Index
from crossbow.learn.config import LearnConfig
from crossbow.learn.forests import Shelf
from crossbow.learn.hands import Hands
from crossbow.learn.rows import CHUNK
from crossbow.model import Model
from crossbow.pipeline import Stages
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.searcher import Asked, Searcher
from crossbow.records import Hit
from crossbow.records.judged import JudgedQuery, qrels_of


class Development:
    """The queries, their judgments, and their forests."""

    def __init__(self, queries: Sequence[JudgedQuery], model: Model, index: Index, config: LearnConfig):
        self.queries, self.model, self.index, self.config = queries, model, index, config
        self.shelf: Shelf | None = None
        parse_measure(config.measure)  # now, rather than after the forests were made

    def prepare(self, stages: Stages, hands: Hands) -> None:
        """Make the forests, unless they will change."""
        if not self.config.joint:
            self.shelf = Shelf(stages, self.queries, self.model, [-1] * len(self.queries))
            self.shelf.fill(hands)

    def measure(self, search: SearchConfig, hands: Hands, smt: dict[str, float] | None = None) -> float:
        """The mean over the queries, searched with these settings, and weights of the translation model if given."""
        searching, everything = Searching(self, search, smt), range(len(self.queries))
        if hands.spread:
            parts = [everything[at : at + CHUNK] for at in everything[::CHUNK]]
            found = [pair for part in hands.elsewhere(searched, parts, searching, "search") for pair in part]
        else:
            found = searched(everything, searching, hands.workers)
        values = per_query(qrels_of(self.queries), dict(found), [self.config.measure], self.config.depth)
        return values.total(*values.by_measure)  # its name there may be another: MAP is AP

    def asked(self, at: int) -> Asked:
        """A query as it is searched."""
        return self.shelf.forests(at) if self.shelf else self.queries[at].text


class Searching(NamedTuple):
    """What some of the queries are searched with."""

    development: Development
    search: SearchConfig
    smt: dict[str, float] | None


def searched(part: range, how: Searching, threads: int = 1) -> list[tuple[str, Sequence[Hit]]]:
    """The rankings of some of the queries, by number."""
    given = how.development
    model = given.model if how.smt is None else given.model.with_weights(how.smt)
    searcher = Searcher(model, given.index, replace(how.search, k=given.config.depth))
    asked: Iterable[tuple[str, Asked]] = ((given.queries[at].id, given.asked(at)) for at in part)
    return [(name, list(hits)) for name, hits in searcher.search_all(asked, threads)]
