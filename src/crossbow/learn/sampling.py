"""Pairs of documents of which the first should be ranked before the second.

    pairs = sample("q7", {12: 3, 40: 1}, alive_documents(index), ranking, config)

For every document of `min_level` or above some others are drawn, from the whole collection and, if hard ones are asked
for, from the top of the query's own ranking: of documents drawn at random almost all are ranked right already. One is
kept if its level is lower by at least `min_margin`, or by all that the relevant one has. What is drawn depends only on
the seed, the query's name, and the numbers that the documents have in the index.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I32, I64
from crossbow.index import Index
from crossbow.learn.config import LearnConfig
from crossbow.ranking.forced.program import offsets


class Pairs(NamedTuple):
    """The pairs of a query. Documents are rows of `docs`; those of positive[p] are starts[p] to starts[p + 1]."""

    docs: I64  # by number, ascending
    positive: I32
    starts: I32
    negative: I32
    margin: F64  # the difference of the levels


def alive_documents(index: Index) -> I64:
    """The numbers of all documents that were not deleted."""
    return np.flatnonzero(np.concatenate([np.empty(0, np.bool_), *(segment.alive for segment in index.segments)]))


def sample(name: str, levels: Mapping[int, int], alive: I64, ranking: I64, config: LearnConfig) -> Pairs:
    """Draw the pairs of a query from the levels of its judged documents, all documents, and its own best ones."""
    rng = np.random.default_rng([config.seed, zlib.crc32(name.encode())])
    relevant = sorted((-level, number) for number, level in levels.items() if level >= config.min_level)
    chosen: list[list[int]] = []
    margins: list[int] = []
    for minus_level, _ in relevant:
        level = -minus_level
        hard = _draw(rng, ranking[: config.hard_depth], config.hard)
        drawn = dict.fromkeys(hard + _draw(rng, alive, config.negatives - len(hard)))
        gaps = {number: level - max(0, levels.get(number, 0)) for number in drawn}
        chosen.append([number for number, gap in gaps.items() if gap >= min(config.min_margin, level)])
        margins += [gaps[number] for number in chosen[-1]]
    positive = np.array([number for _, number in relevant], np.int64)
    negative = np.array([number for row in chosen for number in row], np.int64)
    docs, places = np.unique(np.concatenate((positive, negative)), return_inverse=True)
    rows: I32 = places.astype(np.int32)
    return Pairs(docs, rows[: len(positive)], offsets([len(row) for row in chosen]), rows[len(positive) :],
                 np.array(margins, np.float64))


def _draw(rng: np.random.Generator, pool: I64, count: int) -> list[int]:
    """So many different ones, or all."""
    return pool[rng.choice(len(pool), min(count, len(pool)), replace=False)].tolist() if len(pool) else []
