"""What the test queries say, once everything is decided: runs, values and tables as plain data.

    data, values = results(cache, dev, test, systems, decisions, config)
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from crossbow.evaluation.measures import Values, per_query, pres_curve, relevant_by_level
from crossbow.evaluation.report import run_digest
from crossbow.experiments.bowfd.learned import LTR
from crossbow.experiments.bowfd.systems import BOWFD, EXPERIMENT, FULL, LACKING, WITHOUT_LM
from crossbow.experiments.bowfd.tables import ALL_MEASURES, against, losses, table_one
from crossbow.experiments.core.cache import Cache, StoredRun
from crossbow.experiments.core.decisions import Decisions
from crossbow.experiments.core.prepare import ReproduceConfig
from crossbow.experiments.core.split import Split
from crossbow.experiments.core.systems import Source, System, by_source

WITHOUT = "BOW-FD −LM"
N_MAX = range(1000, 0, -100)  # of Figure 1


def run_all(
    cache: Cache, split: Split, systems: Sequence[System], decisions: Decisions
) -> dict[str, StoredRun]:
    """A run of each system."""
    runs: dict[str, StoredRun] = {}
    for source, group in by_source(systems):
        for system in group:
            cache.report(f"runs of {split.name}", len(runs), len(systems))
            runs[system.name] = cache.run(split, system.name, source, decisions.search[system.name])
    cache.report(f"runs of {split.name}", len(runs), len(systems))
    return runs


def results(
    cache: Cache, dev: Split, test: Split, systems: Sequence[System], decisions: Decisions, config: ReproduceConfig
) -> tuple[dict[str, Any], dict[str, Values]]:
    """Everything that the report shows of dev's curve and of the test queries, and each system's values by query."""
    share = cache.share(test, Source())  # first, as the forests of the first systems are the same
    runs = run_all(cache, test, systems, decisions)
    values: dict[str, Values] = {}
    digests: dict[str, str] = {}
    levels: dict[str, dict[int, tuple[int, int]]] = {}
    for name, stored in runs.items():
        found = stored.read()
        values[name], digests[name] = per_query(test.qrels, found, ALL_MEASURES), run_digest(found)
        if name in (BOWFD, WITHOUT, LTR):
            levels[name] = relevant_by_level(test.qrels, found)
        cache.report("measuring runs", len(values), len(runs))
    asked = config.trials, config.seed, cache.report
    data: dict[str, Any] = {"table1": table_one(values, systems, *asked), "share": share, "digests": digests}
    if WITHOUT in runs:
        data["table2"] = losses(values, systems, WITHOUT_LM, *asked)
        data["figure1"] = figure_one(cache, dev, systems, decisions)
    if FULL in runs:
        data["ablation"] = against(values, [(name, FULL) for name in LACKING if name in runs], *asked)
    if any(system.kind == EXPERIMENT for system in systems):
        data["experiments"] = losses(values, systems, EXPERIMENT, *asked)
    data["levels"] = [{"system": name, "level": level, "retrieved": found, "of": known}
                      for name, counts in levels.items() for level, (found, known) in counts.items()]
    data["cost"] = {"threads": cache.threads, "peak MB": peak_megabytes(), "rows": [
        {"system": name, "decode ms": 1000 * stored.decode_seconds, "search ms": 1000 * stored.search_seconds}
        for name, stored in runs.items()]}
    return data, values


def figure_one(cache: Cache, dev: Split, systems: Sequence[System], decisions: Decisions) -> dict[str, Any]:
    """PRES with and without the language model on dev, for smaller and smaller N_max."""
    pair = [system for system in systems if system.name in (BOWFD, WITHOUT)]
    curves = {name: pres_curve(dev.qrels, stored.read(), N_MAX)
              for name, stored in run_all(cache, dev, pair, decisions).items()}
    return {"n_max": list(N_MAX), "with": curves[BOWFD].tolist(), "without": curves[WITHOUT].tolist(),
            "difference": (curves[BOWFD] - curves[WITHOUT]).tolist()}


def peak_megabytes() -> float | None:
    """The most memory that this process has had; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
