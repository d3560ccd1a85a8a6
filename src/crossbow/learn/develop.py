"""The development queries: how good a set of weights is, by exact search.

    development = Development(tasks, model, index, config)
    development.prepare(stages, key, threads)
    development.measure(TermWeights(v=0.8), threads)

Forests are made once and stored, unless the translation model's own weights are learned too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossbow import store
from crossbow.evaluate.measures import parse_measure, per_query
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.learn.config import LearnConfig
from crossbow.learn.rows import load_rows, stored_chunks
from crossbow.learn.tasks import Task
from crossbow.model import Model
from crossbow.pipeline import Stages
from crossbow.ranking.lists import Floats, Ints
from crossbow.ranking.search import Asked, SearchConfig, search_all
from crossbow.weights import TermWeights

KIND = "development"


class ForestRow(NamedTuple):
    """A forest as arrays, without its features, and which query's it is."""

    query: Ints
    source: npt.NDArray[np.uint8]
    words: npt.NDArray[np.uint8]
    first: Ints
    tail_starts: Ints
    tails: Ints
    score: Floats
    span: Ints
    target_starts: Ints
    target: Ints
    lex_starts: Ints
    lex: Ints
    align_starts: Ints
    align: Ints

    @classmethod
    def of(cls, forest: Forest, query: int) -> ForestRow:
        return cls(np.array([query], np.int32), store.pack_strings(forest.source), store.pack_strings(forest.words),
                   *(getattr(forest, name) for name in cls._fields[3:]))

    def forest(self) -> Forest:
        return Forest("", store.unpack_strings(self.source), store.unpack_strings(self.words), *self[3:])


class Development:
    """The queries, their judgements, and their forests."""

    def __init__(self, tasks: Sequence[Task], model: Model, index: Index, config: LearnConfig):
        self.tasks, self.model, self.index, self.config = tasks, model, index, config
        self.chunks: list[Path] = []
        parse_measure(config.measure)  # now, rather than after the forests were made

    def prepare(self, stages: Stages, key: object, threads: int) -> None:
        """Make the forests, unless they will change."""
        def work(at: int) -> list[ForestRow]:
            return [ForestRow.of(forest, at) for forest in self.model.forests(self.tasks[at].text)]

        if not self.config.joint:
            self.chunks = stored_chunks(stages, KIND, key, range(len(self.tasks)), work, threads)

    def measure(self, weights: TermWeights, threads: int, smt: dict[str, float] | None = None) -> float:
        """The mean over the queries, searched with these weights, and those of the translation model if given."""
        search = SearchConfig(k=self.config.depth, weights=weights, bm25=self.config.bm25)
        model = self.model if smt is None else self.model.with_weights(smt)
        asked: Iterable[tuple[str, Asked]] = self._forests() if self.chunks else (
            (task.id, task.text) for task in self.tasks)
        run = dict(search_all(asked, self.index, model, search, threads))
        qrels = {task.id: task.judged for task in self.tasks}
        found = per_query(qrels, run, [self.config.measure], self.config.depth)
        return found.total(*found.by_measure)  # its name there may be another: MAP is AP

    def _forests(self) -> Iterator[tuple[str, list[Forest]]]:
        for chunk in self.chunks:
            for at, rows in groupby(load_rows(chunk, KIND, ForestRow), lambda row: int(row.query[0])):
                yield self.tasks[at].id, [row.forest() for row in rows]
