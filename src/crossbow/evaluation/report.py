"""Several runs over the same judgments: their measures, which differences are more than chance, and what was measured.

    result = compare(qrels, {"dt": read_run("dt.txt"), "bowfd": read_run("bowfd.txt")}, ["AP", "nDCG"])
    print(result.text())
    result.markdown()
    result.to_json()

Every difference is that of a later run to an earlier one, so the baseline comes first. Under the tables stands a
signature: version, digests of judgments and runs, settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from crossbow import __version__, store
from crossbow.errors import CrossbowError
from crossbow.evaluation.measures import (
    DEFAULT_MEASURES,
    DEPTH,
    Qrels,
    Run,
    Values,
    is_count,
    judged_queries,
    measure_names,
    per_query,
)
from crossbow.evaluation.significance import SEED, TRIALS, Significance, randomizations
from crossbow.evaluation.tables import markdown_table, text_table
from crossbow.pipeline import Report
from crossbow.records.sources import as_qrels, as_run

PAIR_HEADERS = ["measure", "runs", "difference", "relative", "p"]


@dataclass(frozen=True)
class Pair:
    """How far the later of two runs is from the earlier by one measure."""

    later: str
    earlier: str
    measure: str
    difference: float  # of what the table of runs shows, so of sums for counts
    relative: float | None  # to the earlier; None if that is 0
    test: Significance


@dataclass(frozen=True)
class Comparison:
    """What `compare` found."""

    measures: tuple[str, ...]
    runs: dict[str, Values]
    pairs: tuple[Pair, ...]
    qrels_digest: str
    run_digests: dict[str, str]
    depth: int
    trials: int
    seed: int

    def __str__(self) -> str:
        return self.text()

    def __getitem__(self, run: str) -> dict[str, float]:
        """The measures of a run, by name."""
        return {measure: self.runs[run].total(measure) for measure in self.measures}

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text())}</pre>"

    @property
    def queries(self) -> tuple[str, ...]:
        return next(iter(self.runs.values())).queries

    @property
    def signature(self) -> str:
        parts = [f"crossbow {__version__}", f"qrels {self.qrels_digest}",
                 "runs " + " ".join(self.run_digests.values()), f"{len(self.queries):,} queries",
                 f"{' '.join(self.measures)} over the top {self.depth:,}"]
        if self.pairs:
            parts.append(f"{self.trials:,} trials, seed {self.seed}")
        return " | ".join(parts)

    def text(self) -> str:
        """For the terminal."""
        tables = [text_table(["run", *self.measures], self._run_rows())]
        if self.pairs:
            tables.append(text_table(PAIR_HEADERS, self._pair_rows(), labels=2))
        notes = ["\n".join(self._notes())] if self._notes() else []
        return "\n\n".join([*tables, *notes, self.signature])

    def markdown(self) -> str:
        """The same tables, each with its signature, as it may be copied alone."""
        tables = [markdown_table(["run", *self.measures], self._run_rows(), signature=self.signature)]
        if self.pairs:
            tables.append(markdown_table(PAIR_HEADERS, self._pair_rows(), labels=2, signature=self.signature))
        return "\n\n".join([*tables, *self._notes()])

    def to_json(self) -> dict[str, Any]:
        return {
            "crossbow": __version__, "signature": self.signature, "qrels": self.qrels_digest,
            "queries": len(self.queries), "measures": list(self.measures), "depth": self.depth,
            "trials": self.trials, "seed": self.seed,
            "runs": [{"name": name, "digest": self.run_digests[name], "missing": values.missing,
                      "ignored": values.ignored, "values": {m: values.total(m) for m in self.measures}}
                     for name, values in self.runs.items()],
            "pairs": [{"run": pair.later, "baseline": pair.earlier, "measure": pair.measure,
                       "difference": pair.difference, "relative": pair.relative, "p": pair.test.p}
                      for pair in self.pairs],
        }

    def per_query_lines(self) -> Iterator[str]:
        """Run, query and values, separated by tabs; the first line names the columns."""
        yield "\t".join(["run", "query", *self.measures])
        for name, values in self.runs.items():
            columns = [values.by_measure[measure].tolist() for measure in self.measures]
            for query, *row in zip(values.queries, *columns):
                yield "\t".join([name, query, *(f"{value:.10g}" for value in row)])

    def _run_rows(self) -> list[list[str]]:
        return [[name, *(_number(m, values.total(m)) for m in self.measures)] for name, values in self.runs.items()]

    def _pair_rows(self) -> list[list[str]]:
        return [[pair.measure, f"{pair.later} − {pair.earlier}", _number(pair.measure, pair.difference, "+"),
                 "–" if pair.relative is None else f"{100 * pair.relative:+.1f} %", pair.test.shown]
                for pair in self.pairs]

    def _notes(self) -> list[str]:
        """What a reader of the numbers must know."""
        notes = ["p values are not corrected for the number of comparisons"] if len(self.runs) > 2 else []
        for name, values in self.runs.items():
            if values.missing:
                notes.append(f"{name}: {values.missing:,} of {len(self.queries):,} judged queries are missing from "
                             "the run and count 0")
            if values.ignored:
                notes.append(f"{name}: {values.ignored:,} of its queries ignored: no relevant document is known")
        return notes


def compare(
    qrels: Qrels, runs: Mapping[str, Run], measures: Iterable[str] = DEFAULT_MEASURES, depth: int = DEPTH,
    trials: int = TRIALS, seed: int = SEED, report: Report | None = None,
) -> Comparison:
    """Measure all runs, and test each measure's difference for all pairs of them."""
    names = measure_names(measures)
    judged = judged_queries(qrels)
    values = {}
    for done, (run, hits) in enumerate(runs.items(), 1):
        if not hits.keys() & set(judged):
            raise CrossbowError(f"{run}: none of its queries ({_some(hits)}) has a relevant document; those of the "
                                f"judgments are {_some(judged)}: do the two belong together?")
        values[run] = per_query(qrels, hits, names, depth)
        if report:
            report("measuring runs", done, len(runs))
    asked = [(earlier, later, name) for name in names for earlier, later in combinations(values, 2)]
    tests = randomizations([(values[later].by_measure[name], values[earlier].by_measure[name])
                            for earlier, later, name in asked], trials, seed, report)
    pairs = []
    for (earlier, later, name), test in zip(asked, tests):
        base = values[earlier].total(name)
        difference = values[later].total(name) - base
        pairs.append(Pair(later, earlier, name, difference, difference / base if base else None, test))
    return Comparison(tuple(names), values, tuple(pairs), qrels_digest(qrels),
                      {name: run_digest(run) for name, run in runs.items()}, depth, trials, seed)


def qrels_digest(qrels: Qrels) -> str:
    """A signature of judgments, whatever order they came in."""
    return store.digest([[query, sorted(levels.items())] for query, levels in sorted(qrels.items())])


def run_digest(run: Run) -> str:
    """A signature of a run: its queries in any order, their documents in the run's."""
    parts: list[object] = []
    for query, hits in sorted(run.items()):
        parts += [[query, *(hit.doc for hit in hits)], np.array([hit.score for hit in hits])]
    return store.digest(*parts)


def _number(measure: str, value: float, sign: str = "") -> str:
    return format(value, f"{sign},.0f" if is_count(measure) else f"{sign}.4f")


def _some(queries: Iterable[str]) -> str:
    """A few names, for a message."""
    names = sorted(queries)
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def evaluate(
    qrels: Any, runs: Any, measures: Iterable[str] = DEFAULT_MEASURES, *, depth: int = DEPTH, trials: int = TRIALS,
    seed: int = SEED,
) -> Comparison:
    """Measure one run or several against judgments. Several runs are given by name, the baseline first.

    Judgments and runs may be TREC files, records by query, or DataFrames.
    """
    named = runs if isinstance(runs, Mapping) and not _is_run(runs) else {"run": runs}
    return compare(as_qrels(qrels), {str(name): as_run(run) for name, run in named.items()},
                   measures.split() if isinstance(measures, str) else measures, depth, trials, seed)


def _is_run(runs: Mapping[Any, Any]) -> bool:
    """Whether these are the hits or scores of queries rather than several runs."""
    first = next(iter(runs.values()), None)
    return isinstance(first, list) or (isinstance(first, Mapping) and isinstance(
        next(iter(first.values()), None), int | float))
