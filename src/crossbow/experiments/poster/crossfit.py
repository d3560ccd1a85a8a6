"""Cross-fitting: every query of the task is tested once, by parsers that did not see it, and what that can show.

    data = cross_fit(task, 5, ExperimentConfig(), Stages(work / "stages"))
    data["table"], data["power"], data["each"]

How sure a difference is depends on how many queries are tested, not on how many are learned from. So each fold in turn
is tested, and everything that the plain experiment decides is decided again for it, on queries of the other folds. What
a fold gives is kept, so that an interrupted run goes on with the next one.

The standard error is that of the mean over queries, given the parsers; how much the parsers of other training queries
would differ is seen by comparing folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import __version__, store
from crossbow.arrays import F64, U8
from crossbow.evaluation.significance import SEED, detectable, margin, power, standard_error
from crossbow.experiments.poster.alternatives import LONG
from crossbow.experiments.poster.decisions import Decisions, ExperimentConfig, decide, pivot_digest
from crossbow.experiments.poster.folds import fold_tasks
from crossbow.experiments.poster.results import LEARNED, LIKELY, SYSTEMS, Results, by_length, joined, rank_test
from crossbow.experiments.poster.task import Task
from crossbow.parse.similarity import Pivot
from crossbow.pipeline import Stages

KIND = "fold"
# Of the poster's table: how many queries of each length it has, and what end-to-end learning gains on them.
POSTER = {"5": (211, 0.0011), "6": (92, 0.0028), "7": (51, 0.0051), "≥ 8": (56, 0.0066)}
JOINED = {f"≥ {LONG}": ("7", "≥ 8"), "all": tuple(POSTER)}  # rows that the poster does not have


def cross_fit(
    task: Task, count: int, config: ExperimentConfig, stages: Stages, pivot: Pivot | None = None, threads: int = 1
) -> dict[str, Any]:
    """Test all queries in so many folds; returns what the report says of it."""
    tested = [_tested(number, fold, config, stages, pivot, threads)
              for number, fold in enumerate(fold_tasks(task, count), 1)]
    results = joined([result for result, _ in tested])
    each = [{**facts, **_long_gain(result)} for result, facts in tested]
    table = by_length(results, config.trials)
    parsers = store.digest([facts["parsers"] for facts in each])
    return {"count": count, "seed": SEED, "queries": len(results.queries), "each": each, "table": table,
            "power": power_rows(table),
            "signature": f"crossbow {__version__} | {task.name} {task.digest} | {count} folds, seed {SEED} | parsers "
                         f"{parsers} | {config.trials:,} trials, seed {SEED}"}


def power_rows(table: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each row of the table what difference between end-to-end and ML could have been seen, beside the poster's."""
    rows = []
    for row in table:
        test = next(test for test in row["tests"] if (test["system"], test["other"]) == (LEARNED, LIKELY))
        if test["error"] is not None:
            difference, error, claimed = test["difference"], test["error"], poster_gain(row["length"])
            rows.append({"length": row["length"], "queries": row["queries"], "difference": difference, "error": error,
                         "shown": test["shown"], "interval": [difference - margin(error), difference + margin(error)],
                         "detectable": detectable(error), "poster": claimed,
                         "power": None if claimed is None else power(claimed, error)})
    return rows


def poster_gain(length: str) -> float | None:
    """What the poster gains on queries of this length; for rows that join some of its own, their mean over queries."""
    rows = [POSTER[name] for name in JOINED.get(length, (length,)) if name in POSTER]
    return sum(queries * gain for queries, gain in rows) / sum(queries for queries, _ in rows) if rows else None


class _Tested(NamedTuple):
    """The results of a fold as they are stored."""

    queries: U8
    lengths: F64
    values: F64  # a row for each of SYSTEMS


def _tested(
    number: int, fold: Task, config: ExperimentConfig, stages: Stages, pivot: Pivot | None, threads: int
) -> tuple[Results, dict[str, Any]]:
    """The results of a fold and what was decided for it, unless an earlier run has them."""
    def make(folder: Path) -> None:
        decided = decide(fold, config, stages, pivot, threads)
        found = rank_test(fold.test, decided.parsers, threads, stages.report)
        store.save(folder, KIND, _Tested(store.pack_strings(found.queries), found.lengths,
                                         np.array([found.values[system] for system in SYSTEMS])),
                   _facts(number, fold, decided))

    key = [fold.digest, asdict(config.parser), asdict(config.learning), config.words, config.train_queries,
           pivot_digest(pivot)]
    stored, facts = store.load(stages.run(f"{KIND}-{number}", key, make), KIND, _Tested)
    return Results(tuple(store.unpack_strings(stored.queries)), stored.lengths,
                   dict(zip(SYSTEMS, stored.values))), facts


def _facts(number: int, fold: Task, decided: Decisions) -> dict[str, Any]:
    best = max(decided.bm25, key=lambda row: row["ndcg"])
    kept = max(decided.learned.rounds, key=lambda one: (one.ndcg, -one.number))
    return {"fold": number, "queries": {"train": len(decided.training), "dev": len(fold.dev.queries),
                                        "test": len(fold.test.queries)},
            "bm25": {"k1": best["k1"], "b": best["b"]}, "chosen": decided.chosen, "sizes": decided.sizes,
            "alpha": {system: parser.config.alpha for system, parser in decided.parsers.items()},
            "round": kept.number, "rounds": len(decided.learned.rounds) - 1,
            "parsers": {system: parser.signature for system, parser in decided.parsers.items()}}


def _long_gain(result: Results) -> dict[str, Any]:
    """What end-to-end learning gains over ML on a fold's long queries."""
    long = result.where(result.lengths >= LONG).values
    if not len(long[LEARNED]):
        return {"long": None, "error": None}
    return {"long": float((long[LEARNED] - long[LIKELY]).mean()), "error": standard_error(long[LEARNED], long[LIKELY])}
