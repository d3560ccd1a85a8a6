"""The poster's experiment on a task: BM25, trees of maximum likelihood, trees learned end to end; by length of query.

    data = reproduce("debian:en", Path("report"), work=Path("work"))

BM25's constants, the size of the vocabulary (for each of the parsers on its own), α, and when learning stops are
decided on the development queries. Then the test queries are ranked, once by each system. What is made on the way is
kept in the work folder, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import __version__, store
from crossbow.arrays import F64
from crossbow.evaluation.measures import per_query
from crossbow.evaluation.significance import SEED, Significance, randomizations
from crossbow.experiments.poster.alternatives import LONG, alternatives, measure, with_field
from crossbow.experiments.poster.report import BASE, LEARNED, LIKELY, START, write
from crossbow.experiments.poster.task import Task, open_files, open_task
from crossbow.index import Index
from crossbow.parse.endtoend import LearningConfig, Round
from crossbow.parse.parser import Parser, ParserConfig
from crossbow.parse.pool import bm25_hits, make_pool, ndcg
from crossbow.parse.ranker import Ranker
from crossbow.parse.similarity import Pivot
from crossbow.parse.texts import Reader
from crossbow.parse.train import Judged, Trained, pool_of, train
from crossbow.pipeline import Report, Stages
from crossbow.ranking.bm25 import Bm25
from crossbow.records import Hit
from crossbow.store import REPORT
from crossbow.text.analyzer import Analyzer
from crossbow.threads import in_order
from crossbow.vocab import Vocab

MEASURE = "nDCG@10"
LENGTHS = (5, 6, 7, 8)  # the last is open; the first takes shorter queries too
K1, B = (0.4, 0.6, 0.8, 1.2), (0.5, 0.75)
TRIALS = 1_000_000


@dataclass(frozen=True)
class ExperimentConfig:
    """What is tried, and from where."""

    parser: ParserConfig = field(default_factory=ParserConfig)
    learning: LearningConfig = field(default_factory=LearningConfig)
    words: tuple[int, ...] = (50, 150, 500)  # sizes of the vocabulary
    train_queries: int | None = None  # the first so many; None: all
    alternatives: bool = True  # measure the choices that the poster leaves open
    trials: int = TRIALS


class Results(NamedTuple):
    """NDCG@10 of each test query by system, and each query's length."""

    lengths: F64
    values: dict[str, F64]


def reproduce(
    name: str, out: Path, config: ExperimentConfig = ExperimentConfig(), *, work: Path,
    files: tuple[str, str, str] | None = None, lang: str = "en", pivot: Pivot | None = None, threads: int = 2,
    report: Report | None = None, command: str = "",
) -> dict[str, Any]:
    """Do everything, write the report into the folder `out` and return its data; `lang` is the language of `files`."""
    store.check_replaceable(out, REPORT)
    task = (open_files(name, files, work, lang, threads, report) if files
            else open_task(name, work, threads, report))
    training = task.judged["train"]
    training = training._replace(queries=training.queries[: config.train_queries])
    stages = Stages(work / "stages", report)
    grid = tune_bm25(task.judged["dev"], task.index["dev"], threads, report)
    best = max(grid, key=lambda row: row["ndcg"])
    settings = replace(config.parser, bm25=Bm25(best["k1"], best["b"]))
    trained = {words: _trained(stages, task, training, with_field(settings, "em.words", words), config.learning, pivot,
                               threads) for words in config.words}
    sizes = _sizes(trained, task, threads)
    chosen = {system: max((row for row in sizes if row["system"] == system), key=lambda row: row["ndcg"])["words"]
              for system in (LIKELY, LEARNED)}
    likely, learned = trained[chosen[LIKELY]].likely, trained[chosen[LEARNED]]
    rows = _alternatives(stages, task, training, likely, pivot, threads) if config.alternatives else []
    results = rank_test(task, {LIKELY: likely, START: learned.likely, LEARNED: learned.parser}, threads, report)
    data = {
        "crossbow": __version__, "command": command, "task": task.name, "digest": task.digest,
        "index": {split: index.signature for split, index in task.index.items()},
        "queries": {"train": len(training.queries), **{split: len(task.judged[split].queries)
                                                       for split in ("dev", "test")}},
        "config": asdict(learned.parser.config), "learning": asdict(config.learning), "bm25": grid, "sizes": sizes,
        "parsers": {LIKELY: likely.signature, LEARNED: learned.parser.signature}, "chosen": chosen,
        "parameters": {words: len(one.parser.model.table.value) for words, one in trained.items()},
        "likelihood": learned.likelihood, "rounds": [one._asdict() for one in learned.rounds],
        "alternatives": rows, "table": by_length(results, config.trials), "trials": config.trials, "seed": SEED,
    }
    data["signature"] = (f"crossbow {__version__} | {task.name} {task.digest} | parsers {likely.signature} "
                         f"{learned.parser.signature} | {config.trials:,} trials, seed {SEED}")
    write(out, data)
    return data


def tune_bm25(judged: Judged, index: Index, threads: int = 1, report: Report | None = None) -> list[dict[str, float]]:
    """NDCG@10 of BM25 with each pair of constants."""
    reader = Reader(Analyzer.from_json(index.analyzer.to_json()), Vocab())
    rows = []
    for k1 in K1:
        for b in B:
            pool = make_pool(judged.queries, judged.qrels, index, reader, 10, Bm25(k1, b), threads)
            rows.append({"k1": k1, "b": b, "ndcg": float(ndcg(pool, pool.base).mean())})
            if report:
                report("BM25's constants", len(rows), len(K1) * len(B))
    return rows


def rank_test(
    task: Task, parsers: dict[str, Parser], threads: int = 1, report: Report | None = None
) -> Results:
    """Rank the test queries by BM25 and with each of the parsers."""
    judged, index = task.judged["test"], task.index["test"]
    rankers = {name: Ranker(parser, index) for name, parser in parsers.items()}
    any_parser = next(iter(parsers.values()))  # all have the same settings of BM25, and read text alike
    runs: dict[str, dict[str, list[Hit]]] = {name: {} for name in (BASE, *rankers)}

    def work(text: str) -> list[list[Hit]]:
        return [bm25_hits(text, index, any_parser.config.depth, any_parser.config.bm25),
                *(ranker.rank(text) for ranker in rankers.values())]

    for done, (query, hits) in enumerate(in_order(lambda query: work(query.text), judged.queries, threads), 1):
        for name, found in zip(runs, hits):
            runs[name][query.id] = found
        if report:
            report("test queries", done, len(judged.queries))
    qrels = {query.id: judged.qrels[query.id] for query in judged.queries if query.id in judged.qrels}
    values = {name: per_query(qrels, run, [MEASURE]) for name, run in runs.items()}
    sizes = {query.id: len(any_parser.reader.words(query.text)) for query in judged.queries}
    lengths = np.array([sizes[query] for query in values[BASE].queries], np.float64)
    return Results(lengths, {name: found.by_measure[MEASURE] for name, found in values.items()})


def by_length(results: Results, trials: int) -> list[dict[str, Any]]:
    """The poster's table: a row for each length, and for the long queries and all of them together."""
    lengths = np.maximum(results.lengths, LENGTHS[0])
    shortest = f"≤ {LENGTHS[0]}" if (results.lengths < LENGTHS[0]).any() else str(LENGTHS[0])
    groups = {shortest: lengths == LENGTHS[0], **{str(length): lengths == length for length in LENGTHS[1:-1]}}
    groups |= {f"≥ {LENGTHS[-1]}": lengths >= LENGTHS[-1], f"≥ {LONG}": lengths >= LONG, "all": lengths > 0}
    groups = {name: chosen for name, chosen in groups.items() if chosen.any()}
    compared = [(LEARNED, LIKELY), (LEARNED, START), (LEARNED, BASE), (LIKELY, BASE)]
    tests = iter(randomizations([(results.values[a][chosen], results.values[b][chosen])
                                 for chosen in groups.values() for a, b in compared], trials))
    return [{"length": name, "queries": int(chosen.sum()),
             **{system: float(values[chosen].mean()) for system, values in results.values.items()},
             "tests": [_test(a, b, next(tests)) for a, b in compared]} for name, chosen in groups.items()]


def _test(system: str, other: str, test: Significance) -> dict[str, Any]:
    return {"system": system, "other": other, "difference": test.difference, "p": test.p, "shown": test.shown}


def _sizes(trained: dict[int, Trained], task: Task, threads: int) -> list[dict[str, Any]]:
    """How both parsers of each vocabulary rank the development queries."""
    rows = []
    for words, learning in trained.items():
        pool = pool_of(task.judged["dev"], learning.likely, task.index["dev"], threads=threads)
        for system, parser in ((LIKELY, learning.likely), (LEARNED, learning.parser)):
            row = measure(parser, pool, "em.words", words, threads)
            rows.append({"words": words, "system": system, "alpha": row.alpha, "ndcg": row.ndcg, "long": row.long})
    return rows


def _trained(
    stages: Stages, task: Task, training: Judged, config: ParserConfig, learning: LearningConfig, pivot: Pivot | None,
    threads: int,
) -> Trained:
    """Train, unless an earlier run has done it."""
    key = [task.digest, len(training.queries), asdict(config), asdict(learning), _digest(pivot)]

    def make(folder: Path) -> None:
        made = train(task.index["train"], training, task.judged["dev"], config, learning, pivot, threads, stages.report,
                     development_index=task.index["dev"])
        made.likely.save(folder / "likely", {})
        made.parser.write(folder, made.facts())

    place = stages.run(f"parser-{config.em.words}", key, make)
    parser = Parser.load(place)
    return Trained(Parser.load(place / "likely"), parser, parser.meta["likelihood"],
                   [Round(**one) for one in parser.meta["rounds"]], learning)


def _alternatives(
    stages: Stages, task: Task, training: Judged, likely: Parser, pivot: Pivot | None, threads: int
) -> list[dict[str, Any]]:
    """Measure the alternatives, unless an earlier run has done it."""
    def make(folder: Path) -> None:
        rows = alternatives(likely, [query.text for query in training.queries], task.judged["dev"],
                            task.index["train"], pivot, threads, stages.report, development_index=task.index["dev"])
        store.save(folder, "alternatives", _Nothing(), {"rows": [row._asdict() for row in rows]})

    place = stages.run("alternatives", [task.digest, likely.signature, len(training.queries), _digest(pivot)], make)
    rows: list[dict[str, Any]] = store.header(place)["meta"]["rows"]
    return rows


class _Nothing(NamedTuple):
    """No arrays: all that is stored is in the header."""


def _digest(pivot: Pivot | None) -> str:
    return store.digest(*pivot) if pivot is not None else ""
