"""What the test queries say, once everything is decided: runs, values and tables as plain data.

    data, values = results(bench, dev, test, systems, decisions, config)
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from crossbow.evaluate.measures import Values, per_query, pres_curve, relevant_by_level
from crossbow.reproduce.bench import Bench, Split, StoredRun
from crossbow.reproduce.decide import Decisions
from crossbow.reproduce.learned import LTR
from crossbow.reproduce.prepare import ReproduceConfig
from crossbow.reproduce.systems import BOWFD, EXPERIMENT, WITHOUT_LM, System, Translation, by_translation
from crossbow.reproduce.tables import ALL_MEASURES, losses, table_one

WITHOUT = "BOW-FD −LM"
N_MAX = range(1000, 0, -100)  # of Figure 1


def run_all(
    bench: Bench, split: Split, systems: Sequence[System], decisions: Decisions
) -> dict[str, StoredRun]:
    """A run of each system."""
    runs: dict[str, StoredRun] = {}
    for translation, group in by_translation(systems):
        for system in group:
            bench.report(f"runs of {split.name}", len(runs), len(systems))
            runs[system.name] = bench.run(split, system.name, translation, decisions.search[system.name])
    bench.report(f"runs of {split.name}", len(runs), len(systems))
    return runs


def results(
    bench: Bench, dev: Split, test: Split, systems: Sequence[System], decisions: Decisions, config: ReproduceConfig
) -> tuple[dict[str, Any], dict[str, Values]]:
    """Everything that the report shows of dev's curve and of the test queries, and each system's values by query."""
    share = bench.share(test, Translation())  # first, as the forests of the first systems are the same
    runs = run_all(bench, test, systems, decisions)
    values: dict[str, Values] = {}
    levels: dict[str, dict[int, tuple[int, int]]] = {}
    for name, stored in runs.items():
        found = stored.read()
        values[name] = per_query(test.qrels, found, ALL_MEASURES)
        if name in (BOWFD, WITHOUT, LTR):
            levels[name] = relevant_by_level(test.qrels, found)
        bench.report("measuring runs", len(values), len(runs))
    asked = config.trials, config.seed, bench.report
    data: dict[str, Any] = {"table1": table_one(values, systems, *asked), "share": share}
    if WITHOUT in runs:
        data["table2"] = losses(values, systems, WITHOUT_LM, *asked)
        data["figure1"] = figure_one(bench, dev, systems, decisions)
    if any(system.kind == EXPERIMENT for system in systems):
        data["experiments"] = losses(values, systems, EXPERIMENT, *asked)
    data["levels"] = [{"system": name, "level": level, "retrieved": found, "of": known}
                      for name, counts in levels.items() for level, (found, known) in counts.items()]
    data["cost"] = {"threads": bench.threads, "peak MB": peak_megabytes(), "rows": [
        {"system": name, "decode ms": 1000 * stored.decode_seconds, "search ms": 1000 * stored.search_seconds}
        for name, stored in runs.items()]}
    return data, values


def figure_one(bench: Bench, dev: Split, systems: Sequence[System], decisions: Decisions) -> dict[str, Any]:
    """PRES with and without the language model on dev, for smaller and smaller N_max."""
    pair = [system for system in systems if system.name in (BOWFD, WITHOUT)]
    curves = {name: pres_curve(dev.qrels, stored.read(), N_MAX)
              for name, stored in run_all(bench, dev, pair, decisions).items()}
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
