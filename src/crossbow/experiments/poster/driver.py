"""The poster's experiment on a task: BM25, trees of maximum likelihood, trees learned end to end; by length of query.

    data = reproduce("debian:en", Path("report"), work=Path("work"))

Everything is decided on the development queries (decisions.py). Then the test queries are ranked, once by each system
(results.py). If folds are asked for, all queries are also tested, fold by fold (crossfit.py). What is made on the
way is kept in the work folder, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import __version__, store
from crossbow.evaluation.folder import check_report, write_report
from crossbow.evaluation.significance import SEED
from crossbow.experiments.poster.alternatives import alternatives
from crossbow.experiments.poster.crossfit import cross_fit
from crossbow.experiments.poster.decisions import Decisions, ExperimentConfig, decide, pivot_digest
from crossbow.experiments.poster.folds import fold_tasks
from crossbow.experiments.poster.report import markdown, plot
from crossbow.experiments.poster.results import LEARNED, LIKELY, by_length, rank_test
from crossbow.experiments.poster.task import Task, open_files, open_task
from crossbow.parse.similarity import Pivot
from crossbow.pipeline import Report, Stages


def reproduce(
    name: str, out: Path, config: ExperimentConfig = ExperimentConfig(), *, work: Path,
    files: tuple[str, str, str] | None = None, lang: str = "en", pivot: Pivot | None = None, threads: int = 2,
    report: Report | None = None, command: str = "",
) -> dict[str, Any]:
    """Do everything, write the report into the folder `out` and return its data; `lang` is the language of `files`."""
    check_report(out)
    task = (open_files(name, files, work, lang, threads, report) if files
            else open_task(name, work, threads, report))
    if config.folds:
        fold_tasks(task, config.folds)  # now, rather than after hours: the task may have no folds
    stages = Stages(work / "stages", report)
    decided = decide(task, config, stages, pivot, threads)
    rows = _alternatives(stages, task, decided, pivot, threads) if config.alternatives else []
    results = rank_test(task.test, decided.parsers, threads, report)
    likely, learned = decided.likely, decided.learned
    data = {
        "crossbow": __version__, "command": command, "task": task.name, "digest": task.digest,
        "index": {split.name: split.index.signature for split in task.splits},
        "queries": {"train": len(decided.training),
                    **{split.name: len(split.queries) for split in (task.dev, task.test)}},
        "config": asdict(learned.parser.config), "learning": asdict(config.learning), "bm25": decided.bm25,
        "sizes": decided.sizes, "parsers": {LIKELY: likely.signature, LEARNED: learned.parser.signature},
        "chosen": decided.chosen,
        "parameters": {words: len(one.parser.model.table.value) for words, one in decided.trained.items()},
        "likelihood": learned.likelihood, "rounds": [one._asdict() for one in learned.rounds],
        "alternatives": rows, "table": by_length(results, config.trials), "trials": config.trials, "seed": SEED,
        "folds": cross_fit(task, config.folds, config, stages, pivot, threads) if config.folds else None,
    }
    data["signature"] = (f"crossbow {__version__} | {task.name} {task.digest} | parsers {likely.signature} "
                         f"{learned.parser.signature} | {config.trials:,} trials, seed {SEED}")
    write_report(out, data, lambda pictures: markdown(data, pictures), lambda folder: plot(folder, data))
    return data


def _alternatives(
    stages: Stages, task: Task, decided: Decisions, pivot: Pivot | None, threads: int
) -> list[dict[str, Any]]:
    """Measure the alternatives, unless an earlier run has done it."""
    def make(folder: Path) -> None:
        rows = alternatives(decided.likely, [query.text for query in decided.training], task.dev.queries,
                            task.train.index, pivot, threads, stages.report, development_index=task.dev.index)
        store.save(folder, "alternatives", _Nothing(), {"rows": [row._asdict() for row in rows]})

    key = [task.digest, decided.likely.signature, len(decided.training), pivot_digest(pivot)]
    rows: list[dict[str, Any]] = store.header(stages.run("alternatives", key, make))["meta"]["rows"]
    return rows


class _Nothing(NamedTuple):
    """No arrays: all that is stored is in the header."""
