"""PRES, the patent retrieval evaluation score, as a measure that ir_measures knows by name.

    ir_measures.parse_measure("PRES@100")           # N_max = 100; plain PRES: 1,000
    pres([1, 4], relevant=3, n_max=100)

`ir_measures.define_byquery` would need pandas, leave ties as they fall, and not pass N_max on; hence a provider.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures.measures import registry


class Pres(ir_measures.Measure):
    """1 if all relevant documents come first, 0 if none is among the first N_max."""

    __name__ = NAME = "PRES"
    SUPPORTED_PARAMS = {"cutoff": ir_measures.ParamInfo(dtype=int, default=1000, desc="N_max")}  # noqa: RUF012


class PresProvider(ir_measures.Provider):
    NAME = "crossbow"

    def supports(self, measure: ir_measures.Measure) -> bool:
        measure.validate_params()
        return isinstance(measure, Pres)

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> ir_measures.Evaluator:
        return PresEvaluator(measures, qrels)


class PresEvaluator(ir_measures.Evaluator):
    """For judgements {query: {document: level}} and runs {query: {document: score}} without ties."""

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: dict[str, dict[str, int]]):
        super().__init__(measures, qrels.keys())
        self.qrels = qrels

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        for query in run.keys() & self.qrels.keys():
            scores = run[query]
            ranks = {doc: place for place, doc in enumerate(sorted(scores, key=scores.get, reverse=True), 1)}
            relevant = [doc for doc, level in self.qrels[query].items() if level > 0]
            found = [ranks[doc] for doc in relevant if doc in ranks]
            for measure in self.measures:
                yield ir_measures.Metric(query, measure, pres(found, len(relevant), measure["cutoff"]))


def pres(ranks: Iterable[int], relevant: int, n_max: int) -> float:
    """PRES of a query with so many relevant documents, of which those that were retrieved have these ranks.

    PRES = 1 − (Σ r_i / n − (n + 1) / 2) / N_max, where r_i is the rank of the i-th of n relevant documents, and
    N_max + i if it is not among the first N_max.
    """
    found = [rank for rank in ranks if rank <= n_max]
    missed = range(len(found) + 1, relevant + 1)
    total = sum(found) + sum(missed) + n_max * len(missed)
    return 1 - (2 * total - relevant * (relevant + 1)) / (2 * relevant * n_max)  # whole numbers: 0 and 1 are exact


registry[Pres.NAME] = Pres()
