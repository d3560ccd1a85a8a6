"""The choices that the poster leaves open, measured on the development queries one at a time.

    rows = alternatives(parser, training_texts, dev, index, pivot)      # the index that the parser was estimated from

Every row is the parser of maximum likelihood with one setting changed and α chosen again. Settings that change what is
read or estimated need a new estimate; the others only new trees or scripts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from crossbow.index import Index
from crossbow.parse.em import STARTS
from crossbow.parse.endtoend import trees_and_scripts, tune_alpha
from crossbow.parse.model import METHODS
from crossbow.parse.parser import Parser, ParserConfig
from crossbow.parse.pool import Pool, ndcg
from crossbow.parse.scripts import COSTS, compare
from crossbow.parse.similarity import Pivot
from crossbow.parse.train import estimate, pool_of
from crossbow.pipeline import Report
from crossbow.records.judged import JudgedQuery

LONG = 7  # words from which the poster finds a gain


class Row(NamedTuple):
    """One setting, the α that is best with it, and NDCG@10 of all development queries and of the long ones."""

    field: str
    value: str
    alpha: float
    ndcg: float
    long: float


def measure(parser: Parser, pool: Pool, field: str, value: object, threads: int = 1) -> Row:
    """The row of a parser."""
    distance = trees_and_scripts(parser, pool, threads)[1].distance
    alpha, found = tune_alpha(pool, distance)
    return Row(field, str(value), alpha, found, long_mean(pool, ndcg(pool, pool.base - alpha * distance)))


def long_mean(pool: Pool, values: np.ndarray) -> float:
    """The mean over queries of LONG words or more; 0 if there are none."""
    long = np.diff(pool.queries.starts) >= LONG
    return float(values[long].mean()) if long.any() else 0.0


def alternatives(
    parser: Parser, training: Sequence[str], development: Sequence[JudgedQuery], index: Index, pivot: Pivot | None,
    threads: int = 1, report: Report | None = None, development_index: Index | None = None,
) -> list[Row]:
    """All rows; the first is the parser as it is. The development queries may have documents of their own."""
    searched = development_index or index
    pool = pool_of(development, parser, searched, threads=threads)
    config = parser.config
    rows = [measure(parser, pool, "as chosen", "", threads)]
    for path, values in _cheap(config, pivot).items():
        rows += [measure(Parser(parser.model, parser.analyzer, with_field(config, path, value), pivot), pool, path,
                         value, threads) for value in values if value != of_field(config, path)]
    constant = parser.replace(np.full(len(parser.model.table.value), float(parser.model.table.value.mean())))
    rows.append(_fixed_trees(parser, constant, pool, threads))
    for path, values in (("text.sentences", (1, 2, 3)), ("em.start", STARTS), ("em.least_pairs", (1, 2)),
                         ("em.rounds", (0, config.em.rounds))):
        for value in values:
            if value != of_field(config, path):
                other, _ = estimate(index, training, with_field(config, path, value), pivot, threads, report)
                pool = pool_of(development, other, searched, threads=threads)
                rows.append(measure(other, pool, path, value, threads))
    return rows


def _cheap(config: ParserConfig, pivot: Pivot | None) -> dict[str, Sequence[object]]:
    kinds = ["exact", "stem"] + (["pivot", "stem+pivot"] if pivot is not None else [])
    return {"parsing.method": METHODS, "costs.replace": COSTS, "similarity.kinds": kinds}


def _fixed_trees(parser: Parser, constant: Parser, pool: Pool, threads: int) -> Row:
    """The same trees, but every word costs the same: what the parameters say about words is not used."""
    trees, _ = trees_and_scripts(parser, pool, threads)
    value = constant.model.table.value
    distance = compare(pool, trees, value, parser.similarity, parser.config.costs, threads).distance
    scaled = distance / max(1e-12, float(distance.mean()))
    alpha, found = tune_alpha(pool, scaled)
    return Row("every word costs the same", "", alpha, found, long_mean(pool, ndcg(pool, pool.base - alpha * scaled)))


def of_field(config: ParserConfig, path: str) -> Any:
    """The value of a field, as em.start."""
    part, _, name = path.partition(".")
    return getattr(getattr(config, part), name)


def with_field(config: ParserConfig, path: str, value: object) -> ParserConfig:
    """The settings with one of them changed."""
    part, _, name = path.partition(".")
    return replace(config, **{part: replace(getattr(config, part), **{name: value})})
