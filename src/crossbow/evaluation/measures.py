"""How good a run is: measures by the names of ir_measures, and PRES.

    values = per_query(load_qrels("qrels.txt"), read_run("run.txt"), ["AP", "nDCG@10", "PRES@100"])
    values.by_measure["AP"]         # a number for each of values.queries
    values.total("AP")              # the mean over queries; what counts documents, such as NumRelRet, is summed

The numbers are those of trec_eval with its option -c: a judged query that the run lacks counts 0. Judged queries are
those with at least one relevant document, a level above 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crossbow.arrays import F64
from crossbow.errors import CrossbowError
from crossbow.evaluation import others
from crossbow.evaluation.formulas import FORMULAS
from crossbow.evaluation.names import Measure, is_count, measure_names, parse_measure
from crossbow.records import Hit

__all__ = ["DEFAULT_MEASURES", "DEPTH", "Qrels", "Run", "Values", "is_count", "judged_queries", "measure_names",
           "parse_measure", "per_query", "pres_curve", "ranking", "relevant_by_level"]

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Sequence[Hit]]

DEPTH = 1000
DEFAULT_MEASURES = ("AP", "nDCG", "PRES", "RR", "R@1000", "NumRelRet")


@dataclass(frozen=True)
class Values:
    """What a run is worth on each judged query, by measure."""

    queries: tuple[str, ...]  # sorted
    by_measure: dict[str, F64]
    missing: int  # judged queries for which the run has nothing
    ignored: int  # queries of the run for which no relevant document is known

    def total(self, measure: str) -> float:
        """The mean over queries, or for counts the sum."""
        values = self.by_measure[measure]
        return float(values.sum() if is_count(measure) else values.mean())


def per_query(
    qrels: Qrels, run: Run, measures: Iterable[str] = DEFAULT_MEASURES, depth: int = DEPTH
) -> Values:
    """The value of each measure for each judged query, over the first `depth` documents that the run has for it."""
    parsed = {name: parse_measure(name) for name in measure_names(measures)}
    judged = {query: qrels[query] for query in judged_queries(qrels)}
    places = {query: place for place, query in enumerate(judged)}
    found = {query: ranking(run[query], depth) for query in judged if run.get(query)}
    values = {measure: np.zeros(len(judged)) for measure in parsed.values()}
    ours = [measure for measure in parsed.values() if isinstance(measure, Measure)]
    theirs = [measure for measure in parsed.values() if isinstance(measure, others.Other)]
    for query, own, value in _computed(ours, judged, found):
        values[own][places[query]] = value
    for query, other, value in others.values(theirs, judged, found):
        values[other][places[query]] = value
    return Values(tuple(judged), {name: values[measure] for name, measure in parsed.items()},
                  missing=len(judged) - len(found), ignored=len(run.keys() - judged.keys()))


def _computed(
    measures: Sequence[Measure], judged: Qrels, found: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Measure, float]]:
    """What our own formulas say of each query that has a ranking."""
    for query, docs in found.items():
        levels, known = [judged[query].get(doc) for doc in docs], list(judged[query].values())
        seen = [level for level in levels if level is not None]
        for measure in measures:
            value = FORMULAS[measure.kind].value
            yield query, measure, value(seen if measure.judged_only else levels, known, measure.rel, measure.cutoff)


def relevant_by_level(qrels: Qrels, run: Run, depth: int = DEPTH) -> dict[int, tuple[int, int]]:
    """For each level of relevance, highest first, how many of its documents were retrieved, and of how many."""
    counts: dict[int, tuple[int, int]] = {}
    for query in judged_queries(qrels):
        retrieved = set(ranking(run.get(query, ()), depth))
        for doc, level in qrels[query].items():
            if level > 0:
                found, known = counts.get(level, (0, 0))
                counts[level] = found + (doc in retrieved), known + 1
    return dict(sorted(counts.items(), reverse=True))


def pres_curve(qrels: Qrels, run: Run, n_max: Sequence[int]) -> F64:
    """The mean PRES for each of these N_max."""
    names = [f"PRES@{size}" for size in n_max]
    values = per_query(qrels, run, names, depth=max(n_max))
    return np.array([values.total(name) for name in names])


def judged_queries(qrels: Qrels) -> list[str]:
    """The queries with a relevant document, sorted."""
    judged = sorted(query for query, levels in qrels.items() if any(level > 0 for level in levels.values()))
    if not judged:
        raise CrossbowError("the judgments name no relevant document (none has a level above 0)")
    return judged


def ranking(hits: Sequence[Hit], depth: int) -> list[str]:
    """The first documents in trec_eval's order: by score, equal ones by descending id.

    trec_eval holds scores in single precision, so to it some are equal that differ in the file.
    """
    docs, scores, _ = zip(*hits) if hits else ((), (), ())
    with np.errstate(over="ignore"):
        single = np.array(scores, np.float32)
    ordered = sorted(zip(single.tolist(), docs), reverse=True)
    return [doc for _, doc in ordered[:depth]]
