"""How good a run is: the measures of ir_measures by name, and PRES.

    values = per_query(load_qrels("qrels.txt"), read_run("run.txt"), ["AP", "nDCG@10", "PRES@100"])
    values.by_measure["AP"]         # a number for each of values.queries
    values.total("AP")              # the mean over queries; what counts documents, such as NumRelRet, is summed

The numbers are those of trec_eval with its option -c: a judged query that the run lacks counts 0. Judged queries are
those with at least one relevant document, a level above 0.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count

import ir_measures
import numpy as np
from ir_measures.measures import registry
from ir_measures.providers import FallbackProvider

from crossbow.arrays import F64
from crossbow.errors import CrossbowError
from crossbow.evaluation.pres import PresProvider
from crossbow.records import Hit

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Sequence[Hit]]

DEPTH = 1000
DEFAULT_MEASURES = ("AP", "nDCG", "PRES", "RR", "R@1000", "NumRelRet")
LARGEST = 10**9  # cutoff or level: trec_eval ends the whole process if it is 0, and counts wrongly far beyond this

# gdeval is a Perl script that fails on most queries' names.
_PROVIDER = FallbackProvider(
    [PresProvider(), *(known for known in ir_measures.DefaultPipeline.providers if known.NAME != "gdeval")])


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
    judged = {query: dict(qrels[query]) for query in judged_queries(qrels)}
    places = {query: place for place, query in enumerate(judged)}
    # Providers differ in what they do with equal scores, so they get the order as scores without any.
    cut = {query: dict(zip(ranking(run[query], depth), count(0.0, -1.0))) for query in judged if run.get(query)}
    values = {measure: np.zeros(len(judged)) for measure in parsed.values()}
    for metric in _PROVIDER.iter_calc(parsed.values(), judged, cut):
        values[metric.measure][places[metric.query_id]] = metric.value
    return Values(tuple(judged), {name: values[measure] for name, measure in parsed.items()},
                  missing=len(judged) - len(cut), ignored=len(run.keys() - judged.keys()))


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
        raise CrossbowError("the judgements name no relevant document (none has a level above 0)")
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


def measure_names(measures: Iterable[str]) -> list[str]:
    """The names that results carry, each once: AP for MAP, nDCG for NDCG, RR for MRR."""
    # ir_measures calls NumRelRet by what it is short for.
    names = [str(parse_measure(name)).replace("NumRet(rel=1)", "NumRelRet") for name in measures]
    if not names:
        raise CrossbowError("no measure was given; try AP")
    return list(dict.fromkeys(names))


def is_count(measure: str) -> bool:
    """Whether a measure counts, so that it is summed over queries."""
    return isinstance(parse_measure(measure).aggregator(), ir_measures.SumAgg)


@cache
def parse_measure(name: str) -> ir_measures.Measure:
    """The measure of this name; a readable error if there is none, or none that can be computed."""
    bare = name.partition("@")[0].partition("(")[0]
    try:
        measure = ir_measures.parse_measure(name)
        if "cutoff" not in measure.params and getattr(measure.SUPPORTED_PARAMS.get("cutoff"), "required", False):
            raise CrossbowError(f"the measure {name} needs a cutoff: {name}@10")
        measure.validate_params()
        numbers = [measure.params[key] for key in ("cutoff", "rel") if key in measure.params]
        if not all(type(number) is int and 1 <= number <= LARGEST for number in numbers):
            raise ValueError(numbers)
    except NameError:
        folded = {known.casefold(): known for known in registry}
        near = difflib.get_close_matches(bare.casefold(), folded, 1)
        hint = f" (did you mean {folded[near[0]]}?)" if near else ""
        raise CrossbowError(f"no measure {bare!r}{hint}; known are AP, nDCG, PRES, RR, P@10, R@1000, NumRelRet and "
                            "more of ir_measures") from None
    except (ValueError, AssertionError):
        raise CrossbowError(f"the measure {name!r} is not well formed; write it like AP, nDCG@10 or AP(rel=2)@100"
                            ) from None
    if not _PROVIDER.supports(measure):
        raise CrossbowError(f"nothing that is installed can compute the measure {name}; ir_measures lists what can")
    return measure
