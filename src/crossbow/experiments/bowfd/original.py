"""The yardstick: the queries in the language of the documents, if the collection has them, searched by BM25.

    originals = Originals.of(experiment)            # None if there are none
    originals.decide(); data = originals.results(values)

They say how far a perfect translation would come, and so which share of it a system reaches. The same settings are
tuned as for the translated queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crossbow.evaluation.measures import Values, per_query
from crossbow.experiments.bowfd.experiment import Experiment
from crossbow.experiments.bowfd.systems import FULL, STANDARD_SETTINGS, STRONGEST, SYSTEMS
from crossbow.experiments.bowfd.tables import ALL_MEASURES, against
from crossbow.experiments.core.decisions import CRITERION
from crossbow.experiments.core.prepare import NEEDED
from crossbow.experiments.core.split import Split
from crossbow.forest.hypergraph import Forest
from crossbow.forest.nbest import nbest_forest
from crossbow.learn.axes import tune
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.records import Query
from crossbow.records.trec import Run

ORIGINAL = "the original queries, "
TUNED = tuple(system for system in SYSTEMS if system.name in ("DT tuned", "DT + feedback"))
COMPARED = (*STRONGEST[:1], STANDARD_SETTINGS, FULL)  # with the originals


@dataclass(frozen=True)
class Originals:
    """The experiment with the original queries."""

    experiment: Experiment
    queries: Mapping[str, list[Query]]  # by split
    decided: dict[str, SearchConfig] = field(default_factory=dict)

    @classmethod
    def of(cls, experiment: Experiment) -> Originals | None:
        """The original queries of the collection that have a translation too; None if there are none."""
        splits = {split.name: split for split in (experiment.dev, experiment.test)}
        queries = {name: experiment.collection.originals(name) for name in NEEDED}
        asked = {name: {query.id for query in split.queries} for name, split in splits.items()}
        found = {name: [query for query in queries[name] if query.id in asked[name]] for name in NEEDED}
        return cls(experiment, found) if all(found.values()) else None

    def decide(self) -> None:
        """Choose the settings on the development queries."""
        dev = self.experiment.dev
        for system in TUNED:
            start = system.start({"DT": SearchConfig("dt")})
            self.decided[ORIGINAL + system.name], _ = tune(
                lambda search: self._values(dev, search).total(CRITERION), start, system.axes,
                f"tuning {ORIGINAL}{system.name}", self.experiment.cache.report)

    def results(self, values: Mapping[str, Values]) -> dict[str, Any]:
        """What the test queries say, against systems that translate, whose values are given."""
        config, report = self.experiment.config, self.experiment.cache.report
        found = {name: self._values(self.experiment.test, search) for name, search in self.decided.items()}
        pairs = [(name, original) for original in found for name in COMPARED if name in values]
        return against({**values, **found}, pairs, config.trials, config.seed, report) | {
            "originals": [{"system": name, **{measure: one.total(measure) for measure in ALL_MEASURES}}
                          for name, one in found.items()]}

    def _values(self, split: Split, search: SearchConfig) -> Values:
        return per_query(split.qrels, self._run(split, search), ALL_MEASURES)

    def _run(self, split: Split, search: SearchConfig) -> Run:
        def forest(query: Query) -> Forest:
            return nbest_forest(query.id, [(split.index.analyzer.tokens(query.text), 0.0)])

        searcher = Searcher(None, split.index, search)
        return dict(searcher.search_all(((query.id, forest(query)) for query in self.queries[split.name]),
                                        self.experiment.cache.threads))
