"""What is decided on the development queries: BM25's constants, the size of the vocabulary, α, when learning stops.

    decided = decide(task, ExperimentConfig(), Stages(work / "stages"))
    rank_test(task.test, decided.parsers)

The size is decided for each of the parsers on its own. The test queries of the task are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import store
from crossbow.experiments.core.split import Split
from crossbow.experiments.poster.alternatives import measure, with_field
from crossbow.experiments.poster.results import LEARNED, LIKELY, START
from crossbow.experiments.poster.task import Task
from crossbow.parse.endtoend import LearningConfig, Round
from crossbow.parse.parser import Parser, ParserConfig
from crossbow.parse.pool import make_pool, ndcg
from crossbow.parse.similarity import Pivot
from crossbow.parse.texts import Reader
from crossbow.parse.train import Trained, pool_of, train
from crossbow.pipeline import Report, Stages
from crossbow.ranking.bm25 import Bm25
from crossbow.records.judged import JudgedQuery
from crossbow.text.analyzer import Analyzer
from crossbow.vocab import Vocab

K1, B = (0.4, 0.6, 0.8, 1.2), (0.5, 0.75)
TRIALS = 1_000_000


@dataclass(frozen=True)
class ExperimentConfig:
    """What is tried, and from where."""

    parser: ParserConfig = field(default_factory=ParserConfig)
    learning: LearningConfig = field(default_factory=LearningConfig)
    words: tuple[int, ...] = (50, 150, 500)  # sizes of the vocabulary
    train_queries: int | None = None  # take only this many, the first ones; None: all
    alternatives: bool = True  # measure the choices that the poster leaves open
    folds: int | None = None  # test all queries once, in this many folds; None: do not
    trials: int = TRIALS


class Decisions(NamedTuple):
    """What was tried on dev, and what was best there."""

    training: Sequence[JudgedQuery]
    bm25: list[dict[str, float]]  # NDCG@10 of each pair of constants
    trained: dict[int, Trained]  # by size of the vocabulary
    sizes: list[dict[str, Any]]  # how both parsers of each size rank
    chosen: dict[str, int]  # the size of each system

    @property
    def likely(self) -> Parser:
        """The parser of maximum likelihood."""
        return self.trained[self.chosen[LIKELY]].likely

    @property
    def learned(self) -> Trained:
        """The parser that learned end to end, and how it did."""
        return self.trained[self.chosen[LEARNED]]

    @property
    def parsers(self) -> dict[str, Parser]:
        """The parsers that are tested."""
        return {LIKELY: self.likely, START: self.learned.likely, LEARNED: self.learned.parser}


def decide(
    task: Task, config: ExperimentConfig, stages: Stages, pivot: Pivot | None = None, threads: int = 1
) -> Decisions:
    """Train with each size of the vocabulary, unless an earlier run has done it, and choose."""
    training = task.train.queries[: config.train_queries]
    grid = tune_bm25(task.dev, threads, stages.report)
    best = max(grid, key=lambda row: row["ndcg"])
    settings = replace(config.parser, bm25=Bm25(best["k1"], best["b"]))
    trained = {words: _trained(stages, task, training, with_field(settings, "em.words", words), config.learning, pivot,
                               threads) for words in config.words}
    sizes = _sizes(trained, task.dev, threads)
    chosen = {system: max((row for row in sizes if row["system"] == system), key=lambda row: row["ndcg"])["words"]
              for system in (LIKELY, LEARNED)}
    return Decisions(training, grid, trained, sizes, chosen)


def tune_bm25(dev: Split, threads: int = 1, report: Report | None = None) -> list[dict[str, float]]:
    """NDCG@10 of BM25 with each pair of constants."""
    reader = Reader(Analyzer.from_json(dev.index.analyzer.to_json()), Vocab())
    rows = []
    for k1 in K1:
        for b in B:
            pool = make_pool(dev.queries, dev.index, reader, 10, Bm25(k1, b), threads)
            rows.append({"k1": k1, "b": b, "ndcg": float(ndcg(pool, pool.base).mean())})
            if report:
                report("BM25's constants", len(rows), len(K1) * len(B))
    return rows


def pivot_digest(pivot: Pivot | None) -> str:
    """The tables of a pivot in one word."""
    return store.digest(*pivot) if pivot is not None else ""


def _trained(
    stages: Stages, task: Task, training: Sequence[JudgedQuery], config: ParserConfig, learning: LearningConfig,
    pivot: Pivot | None, threads: int,
) -> Trained:
    """Train, unless an earlier run has done it."""
    key = [task.digest, len(training), asdict(config), asdict(learning), pivot_digest(pivot)]

    def make(folder: Path) -> None:
        made = train(task.train.index, training, task.dev.queries, config, learning, pivot, threads, stages.report,
                     development_index=task.dev.index)
        made.likely.save(folder / "likely", {})
        made.parser.write(folder, made.facts())

    place = stages.run(f"parser-{config.em.words}", key, make)
    parser = Parser.load(place)
    return Trained(Parser.load(place / "likely"), parser, parser.meta["likelihood"],
                   [Round(**one) for one in parser.meta["rounds"]], learning)


def _sizes(trained: dict[int, Trained], dev: Split, threads: int) -> list[dict[str, Any]]:
    """How both parsers of each vocabulary rank the development queries."""
    rows = []
    for words, learning in trained.items():
        pool = pool_of(dev.queries, learning.likely, dev.index, threads=threads)
        for system, parser in ((LIKELY, learning.likely), (LEARNED, learning.parser)):
            row = measure(parser, pool, "em.words", words, threads)
            rows.append({"words": words, "system": system, "alpha": row.alpha, "ndcg": row.ndcg, "long": row.long})
    return rows
