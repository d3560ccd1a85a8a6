"""The forests of queries, made once and stored: decoding takes longer than anything that learning does with them.

    shelf = Shelf(stages, queries, model, exclude=[-1] * len(queries))
    shelf.fill(Hands(2))
    shelf.forests(at=7)                    # of the sentences of the eighth query

With stages in a folder of their own, runs that learn in different ways from the same queries share them. A shelf can be
pickled, for work elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F64, I32, U8
from crossbow.forest.hypergraph import Forest
from crossbow.learn.hands import Hands
from crossbow.learn.rows import CHUNK, load_rows, stored_chunks
from crossbow.model import Model
from crossbow.pipeline import Stages
from crossbow.records.judged import JudgedQuery

KIND = "forests"


class ForestRow(NamedTuple):
    """A forest as arrays, without its features, and which query's it is."""

    query: I32
    source: U8
    words: U8
    first: I32
    tail_starts: I32
    tails: I32
    score: F64
    span: I32
    target_starts: I32
    target: I32
    lex_starts: I32
    lex: I32
    align_starts: I32
    align: I32

    @classmethod
    def of(cls, forest: Forest, query: int) -> ForestRow:
        return cls(np.array([query], np.int32), store.pack_strings(forest.source), store.pack_strings(forest.words),
                   *(getattr(forest, name) for name in cls._fields[3:]))

    def forest(self) -> Forest:
        return Forest("", store.unpack_strings(self.source), store.unpack_strings(self.words), *self[3:])


class Shelf:
    """The forests of some queries; each is made without the training text of its own group, if it has one."""

    def __init__(self, stages: Stages, queries: Sequence[JudgedQuery], model: Model, exclude: Sequence[int]):
        self.stages, self.queries, self.model, self.exclude = stages, queries, model, exclude
        self.chunks: list[Path] = []
        self.size = CHUNK  # queries of a chunk

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("stages", "_loaded")}

    def fill(self, hands: Hands) -> None:
        """Make the forests, as far as an earlier run has not."""
        decoder = self.model.decoder
        key = store.digest(self.model.signature, decoder.weights, asdict(decoder.config),
                           [query.text for query in self.queries], list(self.exclude))
        self.chunks = stored_chunks(self.stages, KIND, key, range(len(self.queries)), self.made, hands)

    def made(self, at: int) -> list[ForestRow]:
        """The forests of a query, made again."""
        found = self.model.forests(self.queries[at].text, "", self.exclude[at])
        return [ForestRow.of(forest, at) for forest in found]

    def forests(self, at: int) -> list[Forest]:
        """The forests of the sentences of a query."""
        return self._loaded(at // self.size)[at]

    @cached_property
    def _loaded(self) -> Callable[[int], dict[int, list[Forest]]]:
        return lru_cache(maxsize=4)(self._load)  # queries come in their order

    def _load(self, chunk: int) -> dict[int, list[Forest]]:
        rows = load_rows(self.chunks[chunk], KIND, ForestRow)
        return {at: [row.forest() for row in group] for at, group in groupby(rows, lambda row: int(row.query[0]))}
