"""The training queries, decoded and compiled: once and stored, or again in every epoch if their forests change.

    training = TrainingSet(queries, model, index, config, search)
    training.prepare(stages, shelf_stages, key, Hands(2))
    for example in training.examples(shard=0, smt=weights): ...

A query's forest is made without the training text of its own group: otherwise it would be translated by rules that the
query's own translation gave, better than any new query ever will be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from crossbow.arrays import I64
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.learn.config import LearnConfig
from crossbow.learn.examples import Example, make_example
from crossbow.learn.forests import Shelf
from crossbow.learn.hands import Hands
from crossbow.learn.rows import load_rows, stored_chunks
from crossbow.learn.sampling import Pairs, alive_documents, sample
from crossbow.model import Model
from crossbow.pipeline import Stages
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.records.judged import JudgedQuery


class TrainingSet:
    """Examples of all queries in a fixed order, dealt out to the shards in turn."""

    def __init__(
        self, queries: Sequence[JudgedQuery], model: Model, index: Index, config: LearnConfig, search: SearchConfig
    ):
        self.queries, self.model, self.index, self.config, self.search = queries, model, index, config, search
        known = {name: number for number, name in enumerate(model.groups)}
        self.exclude = [known.get(query.group, -1) for query in queries]
        self.kind = "pairs" if config.joint else "examples"
        self.shelf: Shelf | None = None  # unless queries are decoded again in every epoch
        self.chunks: list[Path] = []

    @property
    def left_out(self) -> int:
        """How many queries have training text of their own that is left out."""
        return sum(group >= 0 for group in self.exclude)

    def prepare(self, stages: Stages, shelf_stages: Stages, key: object, hands: Hands) -> None:
        """Draw the pairs, and compile the forests unless they will change."""
        if self.config.hard or not self.config.joint:
            self.shelf = Shelf(shelf_stages, self.queries, self.model, self.exclude)
            self.shelf.fill(hands)
        self.chunks = stored_chunks(stages, self.kind, key, range(len(self.queries)), self.compiled, hands)

    def compiled(self, at: int) -> list[Any]:
        """The pairs of a query, in its forests unless these will change."""
        query = self.queries[at]
        forests = self.shelf.forests(at) if self.shelf else []
        pairs = sample(query.id, query.levels_in(self.index), self._alive, self._best(forests), self.config)
        return [pairs if self.config.joint else self._example(forests, pairs)]

    def examples(self, shard: int, smt: Callable[[], dict[str, float]]) -> Iterator[Example]:
        """The examples of a shard; `smt` gives the present weights of the translation model, if these are learned."""
        at = 0
        for chunk in self.chunks:
            rows: Sequence[Any] = load_rows(chunk, self.kind, Pairs if self.config.joint else Example)
            for row in rows:
                if at % self.config.shards == shard:
                    if self.config.joint:
                        yield self._example(self._forests(at, self.model.with_weights(smt())), row)
                    else:
                        yield row
                at += 1

    @cached_property
    def _alive(self) -> I64:
        return alive_documents(self.index)

    def _forests(self, at: int, model: Model) -> list[Forest]:
        return model.forests(self.queries[at].text, self.queries[at].id, self.exclude[at])

    def _example(self, forests: Sequence[Forest], pairs: Pairs) -> Example:
        return make_example(forests, self.index, pairs, self.search, self.config)

    def _best(self, forests: Sequence[Forest]) -> I64:
        """The documents at the top of the query's ranking under the weights that learning starts from."""
        if not self.config.hard:
            return np.empty(0, np.int64)
        hits = Searcher(None, self.index, self.search).search(forests, self.config.hard_depth)
        return np.array([self.index.number(hit.doc) for hit in hits], np.int64)
