"""Folds of a task: all its queries, each in the test of one fold and in training or development of the others.

    for fold in fold_tasks(task, 5):
        fold.train, fold.dev, fold.test

Queries of one group are never parted, neither by folds nor by training and development: nothing of a tested query's
package or article has been seen. The order of groups is drawn from the seed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

from crossbow.errors import CrossbowError
from crossbow.evaluation.significance import SEED
from crossbow.experiments.core.split import Split
from crossbow.experiments.poster.task import Task
from crossbow.records.judged import JudgedQuery

DEVELOPMENT = 8  # one in this many of the queries that a fold does not test is for development


def fold_tasks(task: Task, count: int, seed: int = SEED) -> list[Task]:
    """A task for each fold; the queries are those of all splits that have a relevant document."""
    parts = _parts(sorted(_pooled(task), key=lambda query: _draw(seed, query.group)), count)
    tasks = []
    for number, test in enumerate(parts):
        others = [query for part in (*parts[number + 1 :], *parts[:number]) for query in part]
        dev, *rest = _parts(others, DEVELOPMENT)
        train = [query for part in rest for query in part]
        splits = zip(task.splits, (train, dev, test))
        tasks.append(Task(f"{task.name}, fold {number + 1}",
                          *(Split(split.name, tuple(queries), split.index) for split, queries in splits)))
    return tasks


def _pooled(task: Task) -> list[JudgedQuery]:
    """All queries that have a relevant document."""
    if len({split.index.signature for split in task.splits}) > 1:
        raise CrossbowError(f"{task.name}: its splits have documents of their own, so a query can be tested in its own "
                            "split only; leave --folds out")
    queries = [query for split in task.splits for query in split.queries if query.has_relevant]
    twice = [name for name, times in Counter(query.id for query in queries).items() if times > 1]
    if twice:
        raise CrossbowError(f"{task.name}: several queries have the id {twice[0]!r}; to test each once, in folds, they "
                            "must have different ones")
    return queries


def _draw(seed: int, group: str) -> bytes:
    return hashlib.sha256(f"{seed} {group}".encode("utf8", "replace")).digest()


def _parts(ordered: Sequence[JudgedQuery], count: int) -> list[list[JudgedQuery]]:
    """Cut into parts of nearly the same size; a group goes where its first query goes."""
    parts: list[list[JudgedQuery]] = [[] for _ in range(count)]
    first: dict[str, int] = {}
    for place, query in enumerate(ordered):
        parts[first.setdefault(query.group, place) * count // len(ordered)].append(query)
    if not all(parts):
        raise CrossbowError(f"{len(ordered)} queries in {len(first)} groups are too few for {count} parts; take fewer "
                            "folds, or more queries")
    return parts
