"""Queries of several sentences: each ranked by itself and the rankings multiplied, as in the paper, or all joined.

    long = LongQueries.of(experiment)               # None if the collection has no such queries
    long.decide(); data = long.results()

Both are tried with and without the language model. The paper multiplies because its sentences' lists hardly overlap;
how much ours do is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crossbow.evaluation.measures import per_query
from crossbow.experiments.bowfd.experiment import Experiment
from crossbow.experiments.bowfd.results import run_all
from crossbow.experiments.bowfd.systems import BOWFD, DT, NO_LM
from crossbow.experiments.bowfd.tables import ALL_MEASURES, losses
from crossbow.experiments.core.decisions import decide
from crossbow.experiments.core.prepare import NEEDED
from crossbow.experiments.core.split import Split
from crossbow.experiments.core.systems import Source, System
from crossbow.forest.hypergraph import Forest
from crossbow.learn.choose import V
from crossbow.ranking.methods.bowfd import ForcedDecoding
from crossbow.threads import in_order

SEVERAL = "several sentences"  # a kind of systems
PRODUCT, JOINED = "product of experts", "sentences joined"
SYSTEMS = (
    System("DT, long queries", SEVERAL, DT),
    System(PRODUCT, SEVERAL, BOWFD, axes=(V,), rival="DT, long queries"),
    System(JOINED, SEVERAL, BOWFD, {"bowfd.join": True}, axes=(V,), rival=PRODUCT),
    System(f"{PRODUCT} −LM", SEVERAL, BOWFD, axes=(V,), source=NO_LM, rival=PRODUCT),
    System(f"{JOINED} −LM", SEVERAL, BOWFD, {"bowfd.join": True}, axes=(V,), source=NO_LM, rival=JOINED),
)


@dataclass(frozen=True)
class LongQueries:
    """The experiment with the long variants of the development and test queries."""

    experiment: Experiment
    dev: Split
    test: Split
    systems: list[System]  # that can be tried with the model

    @classmethod
    def of(cls, experiment: Experiment) -> LongQueries | None:
        """The long queries of the collection, as many as there are short ones; None if it has none."""
        collection = experiment.collection
        if any(collection.splits[name].long is None for name in NEEDED):
            return None
        dev, test = (Split(f"{short.name}-long", tuple(collection.judged(short.name, long=True))[: len(short.queries)],
                           short.index) for short in (experiment.dev, experiment.test))
        return cls(experiment, dev, test, [one for one in SYSTEMS if one.suits(experiment.cache.models)])

    def decide(self) -> None:
        """Choose v for each system, on the development queries."""
        for source in (Source(), NO_LM):  # forests of one are in memory at a time
            some = [system for system in self.systems if system.source == source]
            decide(self.experiment.cache, self.dev, some, self.experiment.decisions)

    def results(self) -> dict[str, Any]:
        """What the test queries say."""
        experiment, config = self.experiment, self.experiment.config
        runs = run_all(experiment.cache, self.test, self.systems, experiment.decisions)
        values = {name: per_query(self.test.qrels, run.read(), ALL_MEASURES) for name, run in runs.items()}
        compared = losses(values, self.systems[1:], SEVERAL, config.trials, config.seed, experiment.cache.report)
        return {**compared, **self._overlap(), "queries": len(self.test.queries)}

    def _overlap(self) -> dict[str, Any]:
        """How many sentences a query has, and what share of the documents of their lists only one of these has."""
        cache, search = self.experiment.cache, self.experiment.decisions.search[PRODUCT]
        forests = cache.forests(self.test, Source())
        index, model = self.test.index, cache.model(Source())

        def alone(row: list[Forest]) -> float:
            lists = ForcedDecoding().prepare(row, index, model, search).lists
            counts = np.unique(np.concatenate([ranked.docs for ranked in lists]), return_counts=True)[1]
            return float((counts == 1).mean()) if len(counts) else 1.0

        several = [row for row in forests if len(row) > 1]
        found = [value for _, value in in_order(alone, several, cache.threads)]
        return {"sentences": float(np.mean([len(row) for row in forests])), "several": len(several),
                "alone": float(np.mean(found)) if found else None}
