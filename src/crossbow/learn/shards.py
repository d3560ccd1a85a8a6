"""Iterative parameter mixing: every shard of the queries learns weights of its own; after an epoch they are averaged.

    state = State([Shard(), Shard()])
    state.run(training, start, config, Hands(2), report, "epoch 1")          # state.weights are now the averages
    state.save(folder, meta); state = State.load(folder, 2)

What a shard did not touch counts as what it was before, which is v and not 0 for a term's weight. Adadelta's sums stay
with their shard. The number of shards is part of the setting; how many run at a time, and where, changes nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F64, U8
from crossbow.learn.config import LearnConfig
from crossbow.learn.examples import Example
from crossbow.learn.hands import Hands
from crossbow.learn.training import TrainingSet
from crossbow.learn.update import learn_pairs
from crossbow.pipeline import Report
from crossbow.vocab import Vocab

Weight = Callable[[str], float]  # of a feature, by its name
# Rows of a shard's table: weights before the epoch and now, Adadelta's sums, and whether the weight is to stay.
BEFORE, NOW, SQUARES, STEPS, FROZEN = range(5)
EPOCH, SHARD = "epoch", "shard"


class Table(NamedTuple):
    """Names of features, packed, and the numbers of each."""

    names: U8
    values: F64


class Counts(NamedTuple):
    """What happened in a shard or an epoch."""

    pairs: int
    violations: int
    loss: float


class Shard:
    """The features that some of the queries have, and their weights."""

    def __init__(self, names: Sequence[str] = (), table: F64 | None = None):
        self.vocab = Vocab(names)
        self.table = np.zeros((FROZEN + 1, len(names))) if table is None else table

    def learn(self, example: Example, weight: Weight, frozen: Callable[[str], bool]) -> Counts:
        """Go through the pairs of a query; features that are new to the shard have the weight that `weight` says."""
        known = len(self.vocab)
        ids = self.vocab.add_all(store.unpack_strings(example.names))
        if len(self.vocab) > self.table.shape[1]:
            self.table = np.pad(self.table, ((0, 0), (0, len(self.vocab))))  # at least twice the room
        new = self.vocab.words[known:]
        self.used[:SQUARES, known:] = [weight(name) for name in new]
        self.used[FROZEN, known:] = [frozen(name) for name in new]
        _, now, squares, steps, still = np.take(self.table, ids, axis=1)  # contiguous rows, as kernels want them
        violations, loss = learn_pairs(*example[:-1], still != 0.0, now, squares, steps)
        self.table[NOW:FROZEN, ids] = now, squares, steps
        return Counts(len(example.margin), violations, loss)

    def copy(self) -> Shard:
        """The same with a table of its own."""
        return Shard(self.vocab.words, self.used.copy())

    @property
    def used(self) -> F64:
        """The table without the room for more features."""
        return self.table[:, : len(self.vocab)]


class Round(NamedTuple):
    """What all shards learn from in an epoch, and with which weights it begins."""

    training: TrainingSet
    weights: dict[str, float]  # of the features that were touched before
    start: Weight  # of others
    config: LearnConfig

    def weight(self, name: str) -> float:
        """What a feature weighs at the beginning."""
        found = self.weights.get(name)
        return self.start(name) if found is None else found

    def learn(self, number: int, shard: Shard) -> Iterator[Counts]:
        """Let a shard go through its queries, one by one."""
        def present() -> dict[str, float]:
            index, values = shard.vocab.index, shard.table[NOW]
            return {name: float(values[index[name]]) if name in index else self.weight(name)
                    for name in self.training.model.decoder.names}

        for example in self.training.examples(number, present):
            yield shard.learn(example, self.weight, self.config.frozen)


def learn_shard(given: tuple[int, Shard], epoch: Round) -> tuple[Shard, list[Counts]]:
    """The same in a task elsewhere, whose copy of the shard cannot be written to."""
    number, shard = given
    own = shard.copy()
    return own, list(epoch.learn(number, own))


class State:
    """All that one epoch leaves to the next."""

    def __init__(self, shards: Sequence[Shard], weights: dict[str, float] | None = None):
        self.shards = list(shards)
        self.weights = weights or {}  # of the features that were touched

    def run(self, training: TrainingSet, start: Weight, config: LearnConfig, hands: Hands, report: Report,
            label: str) -> Counts:
        """One epoch over all queries."""
        epoch, queries = Round(training, self.weights, start, config), len(training.queries)
        if hands.spread:
            counts = self._elsewhere(epoch, hands, lambda done: report(label, done, queries))
        else:
            counts = self._in_threads(epoch, hands.workers, lambda done: report(label, done, queries))
        self._mix()
        return Counts(*map(sum, zip(Counts(0, 0, 0.0), *counts)))

    def _in_threads(self, epoch: Round, threads: int, each: Callable[[int], None]) -> list[Counts]:
        """What happened with each query. Threads do different shards."""
        done, stop = count(1), threading.Event()

        def work(number: int) -> list[Counts]:
            counts = []
            for one in epoch.learn(number, self.shards[number]):
                counts.append(one)
                each(next(done))
                if stop.is_set():
                    break
            return counts

        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(work, number) for number in range(len(self.shards))]
            try:
                return [counts for future in futures for counts in future.result()]
            except BaseException:
                stop.set()  # or leaving the pool would wait for the end of the epoch
                raise

    def _elsewhere(self, epoch: Round, hands: Hands, each: Callable[[int], None]) -> list[Counts]:
        counts: list[Counts] = []
        parts = list(enumerate(self.shards))
        for number, (shard, found) in enumerate(hands.elsewhere(learn_shard, parts, epoch, "learn")):
            self.shards[number] = shard.copy()
            counts += found
            each(len(counts))
        return counts

    def _mix(self) -> None:
        """Average the weights: each moves by the mean of what the shards moved it by."""
        before: dict[str, float] = {}
        moved: dict[str, float] = {}
        for shard in self.shards:
            for name, was, now, squares in zip(shard.vocab.words, *shard.used[:STEPS].tolist()):
                if squares:
                    before[name] = was
                    moved[name] = moved.get(name, 0.0) + (now - was)
        self.weights = {**self.weights,
                        **{name: before[name] + change / len(self.shards) for name, change in moved.items()}}
        for shard in self.shards:
            mixed = [self.weights.get(name, was) for name, was in zip(shard.vocab.words, shard.used[BEFORE].tolist())]
            shard.used[:SQUARES] = mixed

    def save(self, folder: Path, meta: dict[str, Any]) -> None:
        """Write the state into a new folder, with a folder for each shard below it."""
        for number, shard in enumerate(self.shards):
            store.save(folder / f"{number}", SHARD, Table(store.pack_strings(shard.vocab.words), shard.used), {})
        values = np.array(list(self.weights.values()), np.float64)
        store.save(folder, EPOCH, Table(store.pack_strings(list(self.weights)), values), meta)

    @classmethod
    def load(cls, folder: Path, shards: int) -> State:
        """Read what `save` wrote."""
        made = []
        for number in range(shards):
            table, _ = store.load(folder / f"{number}", SHARD, Table)
            made.append(Shard(store.unpack_strings(table.names), np.array(table.values)))
        mixed, _ = store.load(folder, EPOCH, Table)
        return cls(made, dict(zip(store.unpack_strings(mixed.names), mixed.values.tolist())))
