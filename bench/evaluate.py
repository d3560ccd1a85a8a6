"""How long evaluation takes: measures of a large run beside pytrec_eval alone, and the randomization test.

    python bench/evaluate.py [--queries 1000] [--hits 1000] [--trials 1000000]

Made-up judgments (30 documents per query, levels 0 to 3) and runs. CPU time, the best of three. pytrec_eval gets the
run as the dictionaries it wants and computes the same measures but PRES.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pytrec_eval

from crossbow.evaluation.measures import DEFAULT_MEASURES, per_query, pres_curve
from crossbow.evaluation.significance import bootstrap, randomizations
from crossbow.records import Hit, rank

DOCS, JUDGED = 20_000, 30
SAME = {"map", "ndcg", "recip_rank", "recall_1000", "num_rel_ret"}


def row(name: str, work: Callable[[], object]) -> None:
    spent = []
    for _ in range(3):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    print(f"| {name} | {min(spent):.2f} |", flush=True)


def made_up(queries: int, hits: int) -> tuple[dict[str, dict[str, int]], dict[str, list[Hit]]]:
    rng = np.random.default_rng(1)
    names = np.array([f"d{n}" for n in range(DOCS)])
    qrels, run = {}, {}
    for query in (f"q{n}" for n in range(queries)):
        judged = rng.choice(names, JUDGED, replace=False).tolist()
        qrels[query] = dict(zip(judged, rng.integers(0, 4, JUDGED).tolist()))
        found = rng.choice(names, hits, replace=False).tolist()
        run[query] = rank(dict(zip(found, np.round(rng.normal(-20, 5, hits), 6).tolist())))
    return qrels, run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--hits", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=10**6)
    options = parser.parse_args()
    qrels, run = made_up(options.queries, options.hits)
    scores = {query: {hit.doc: hit.score for hit in hits} for query, hits in run.items()}
    print(f"{options.queries:,} queries of {options.hits:,} hits\n\n| seconds, one core | |\n|---|---|")
    row(" ".join(DEFAULT_MEASURES), lambda: per_query(qrels, run))
    row("pytrec_eval, the same without PRES", lambda: pytrec_eval.RelevanceEvaluator(qrels, SAME).evaluate(scores))
    row("PRES for N_max = 1000, 900, …, 100", lambda: pres_curve(qrels, run, range(1000, 0, -100)))
    values = np.random.default_rng(2).random((4, options.queries))
    for pairs in (1, 18):
        data = [(values[n % 3], values[n % 3 + 1]) for n in range(pairs)]
        row(f"{options.trials:,} randomization trials, {pairs} pairs of value lists",
            lambda data=data: randomizations(data, options.trials))
    row("bootstrap interval, 10,000 samples, 4 means", lambda: bootstrap(values))


if __name__ == "__main__":
    main()
