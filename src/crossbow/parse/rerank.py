"""Hits of any search ranked again by the distance of parse trees, as a prepared query around another.

    searcher = Searcher(model, index, config, wrap=by_trees(Ranker(parser, index)))

The best `depth` documents are compared, each with the tree of its own translation of the query; the others keep their
order behind them. The distance is a part of the score and of the explanation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from crossbow.arrays import F64, I64, Bools
from crossbow.forest.hypergraph import Forest
from crossbow.parse.ranker import Ranker
from crossbow.ranking.explain.records import Explanation, Part
from crossbow.ranking.methods.contract import Prepared
from crossbow.ranking.topk import DIGITS, merged, top
from crossbow.records import Hit

STEP = 10.0**-DIGITS


def by_trees(ranker: Ranker) -> Callable[[Prepared, Sequence[Forest]], Prepared]:
    """What a Searcher wraps its prepared queries with."""
    return lambda prepared, forests: Reranked(prepared, ranker)


class Reranked(Prepared):
    """A prepared query whose best documents are ranked again."""

    _shared = 0  # how often shards have heard each other

    def __init__(self, prepared: Prepared, ranker: Ranker):
        self.inner, self.ranker, self.index, self.forests = prepared, ranker, ranker.index, prepared.forests
        self.alpha, self.depth = ranker.parser.config.alpha, ranker.parser.config.depth

    @cached_property
    def _compared(self) -> dict[int, float]:
        """What the distance takes from the score of each of the best documents, by number; of a shard, its own."""
        numbers = [self.index.number(hit.doc) for hit in self._first[: self.depth]]
        numbers = [number for number in numbers if number >= 0]
        return dict(zip(numbers, self._taken(numbers).tolist()))

    @cached_property
    def _first(self) -> list[Hit]:
        """The best documents of the inner search, and one more."""
        return self.inner.search(self.depth + 1)

    @cached_property
    def _lowered(self) -> float:
        """What the documents behind the best ones lose, so that they stay behind."""
        if len(self._first) <= self.depth:
            return 0.0
        return max(0.0, self._first[-1].score - self._least) + STEP

    @cached_property
    def _least(self) -> float:
        """The lowest score of those that were compared; on a shard, of its own until all have been heard."""
        numbers = np.array(list(self._compared), np.int64)
        return float((self.inner.score(numbers) - np.array(list(self._compared.values()))).min(initial=np.inf))

    def to_share(self) -> Any:
        """First what each shard finds, then the lowest score of those that were compared."""
        inner = self.inner.to_share()
        if inner is not None:
            return inner
        if self._shared == 0:
            return self._first
        return self._least if self._shared == 1 else None

    def with_shared(self, parts: Sequence[Any], own: int) -> Reranked:
        other = Reranked(self.inner, self.ranker)
        if self.inner.to_share() is not None:
            other.inner = self.inner.with_shared(parts, own)
            return other
        other._shared = self._shared + 1
        if self._shared == 0:
            other._first = merged(parts, self.depth + 1)
        else:
            other._first, other._least = self._first, min(parts)
        return other

    def _taken(self, numbers: Sequence[int]) -> F64:
        """α times the distance of each document's tree to that of its own translation of the query."""
        if not len(numbers):
            return np.empty(0)
        words = [[sentence.target for sentence in self.inner.explain(number).sentences] for number in numbers]
        texts, trees = self.ranker.parser.sentences(words)
        names = self.index.ids(np.array(numbers, np.int64))
        return self.alpha * self.ranker.distances_to(names, texts, trees)

    def search(self, k: int, wanted: Bools | None = None) -> list[Hit]:
        first = np.array([n for n in self._compared if wanted is None or wanted[n]], np.int64)
        found = self.inner.search(k + self.depth, wanted)
        rest = np.array([n for n in (self.index.number(hit.doc) for hit in found) if n not in self._compared], np.int64)
        numbers = np.concatenate([first, rest[: max(0, k - len(first))]])
        return top(self.index, numbers, self.score(numbers), k)

    def matching(self) -> Bools | None:
        return self.inner.matching()

    def score(self, docs: I64) -> F64:
        numbers = np.asarray(docs, np.int64).tolist()
        taken = [self._compared.get(number, self._lowered) for number in numbers]
        scores: F64 = self.inner.score(np.array(numbers, np.int64)) - np.array(taken)
        return scores

    def terms(self, doc: int) -> Mapping[str, float]:
        return self.inner.terms(doc)

    def explain(self, doc: int) -> Explanation:
        found = self.inner.explain(doc)
        note = "of its tree from the translation's" if doc in self._compared else "behind those that were compared"
        part = Part("trees", -self._compared.get(doc, self._lowered), note)
        score = round(float(self.score(np.array([doc]))[0]), DIGITS) + 0.0
        return replace(found, score=score, parts=[*found.parts, part])
