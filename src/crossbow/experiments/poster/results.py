"""What the systems are worth on queries: NDCG@10 of each, and the poster's table by length.

    results = rank_test(task.test, {LIKELY: parser, START: …, LEARNED: …})
    results = joined([first, second])                                   # of different queries
    for row in by_length(results, trials=1_000_000): row["length"], row[LEARNED], row["tests"]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from crossbow.arrays import F64
from crossbow.evaluation.measures import per_query
from crossbow.evaluation.significance import Significance, randomizations, standard_error
from crossbow.experiments.core.split import Split
from crossbow.experiments.poster.alternatives import LONG
from crossbow.parse.parser import Parser
from crossbow.parse.pool import bm25_hits
from crossbow.parse.ranker import Ranker
from crossbow.pipeline import Report
from crossbow.records import Hit
from crossbow.threads import in_order

BASE, LIKELY, START, LEARNED = "BM25", "ML", "start", "end-to-end"  # START: ML with the vocabulary of LEARNED
SYSTEMS = (BASE, LIKELY, START, LEARNED)
COMPARED = ((LEARNED, LIKELY), (LEARNED, START), (LEARNED, BASE), (LIKELY, BASE))
MEASURE = "nDCG@10"
LENGTHS = (5, 6, 7, 8)  # the last is open; the first takes shorter queries too


class Results(NamedTuple):
    """Queries, each one's length, and NDCG@10 of each by system."""

    queries: tuple[str, ...]
    lengths: F64
    values: dict[str, F64]

    def where(self, chosen: np.ndarray) -> Results:
        """The results of some of the queries."""
        return Results(tuple(compress(self.queries, chosen)), self.lengths[chosen],
                       {system: values[chosen] for system, values in self.values.items()})


def joined(parts: Sequence[Results]) -> Results:
    """The results of all queries of the parts."""
    return Results(tuple(query for part in parts for query in part.queries),
                   np.concatenate([part.lengths for part in parts]),
                   {system: np.concatenate([part.values[system] for part in parts]) for system in parts[0].values})


def rank_test(test: Split, parsers: dict[str, Parser], threads: int = 1, report: Report | None = None) -> Results:
    """Rank the test queries by BM25 and with each of the parsers."""
    rankers = {name: Ranker(parser, test.index) for name, parser in parsers.items()}
    any_parser = next(iter(parsers.values()))  # all have the same settings of BM25, and read text alike
    runs: dict[str, dict[str, list[Hit]]] = {name: {} for name in (BASE, *rankers)}

    def work(text: str) -> list[list[Hit]]:
        return [bm25_hits(text, test.index, any_parser.config.depth, any_parser.config.bm25),
                *(ranker.rank(text) for ranker in rankers.values())]

    for done, (query, hits) in enumerate(in_order(lambda query: work(query.text), test.queries, threads), 1):
        for name, found in zip(runs, hits):
            runs[name][query.id] = found
        if report:
            report("test queries", done, len(test.queries))
    values = {name: per_query(test.qrels, run, [MEASURE]) for name, run in runs.items()}
    sizes = {query.id: len(any_parser.reader.words(query.text)) for query in test.queries}
    queries = values[BASE].queries
    return Results(queries, np.array([sizes[query] for query in queries], np.float64),
                   {name: found.by_measure[MEASURE] for name, found in values.items()})


def by_length(results: Results, trials: int) -> list[dict[str, Any]]:
    """The poster's table: a row for each length, and for the long queries and all of them together."""
    parts = {name: results.where(chosen) for name, chosen in _classes(results.lengths).items() if chosen.any()}
    pairs = [(part.values[a], part.values[b]) for part in parts.values() for a, b in COMPARED]
    tests = iter([_test(found, standard_error(*pair)) for pair, found in zip(pairs, randomizations(pairs, trials))])
    return [{"length": name, "queries": len(part.queries),
             **{system: float(values.mean()) for system, values in part.values.items()},
             "tests": [{"system": a, "other": b, **next(tests)} for a, b in COMPARED]} for name, part in parts.items()]


def _classes(lengths: F64) -> dict[str, np.ndarray]:
    """Which queries belong in each row."""
    short, *between, long = LENGTHS
    shortest = f"≤ {short}" if (lengths < short).any() else str(short)
    return {shortest: lengths <= short, **{str(length): lengths == length for length in between},
            f"≥ {long}": lengths >= long, f"≥ {LONG}": lengths >= LONG, "all": np.full(len(lengths), True)}


def _test(found: Significance, error: float | None) -> dict[str, Any]:
    return {"difference": found.difference, "error": error, "p": found.p, "shown": found.shown}
