"""The paper's experiments on a collection, from its text to a report.

    data = reproduce("debian:de", Path("report"), ReproduceConfig(), work=Path("work"))
    print(text(compare_methods(collection, folder, index, work)))         # Table 1 alone, for a model that is there

Everything is kept in the work folder as it is made, so that an interrupted run goes on where it was: models, indexes,
every setting that was measured, every run. Decisions are made on the development queries, saved, and only then are the
test queries searched, once for each system. The report has every system as a configuration to search with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crossbow import __version__, store
from crossbow.datasets.collection import Collection
from crossbow.evaluation.folder import check_report, write_json, write_report
from crossbow.experiments.bowfd.experiment import NONE, Experiment, cannot_learn, prepare
from crossbow.experiments.bowfd.learned import VARIANTS, Learner, Variant, learn_all
from crossbow.experiments.bowfd.original import Originals
from crossbow.experiments.bowfd.report import markdown, plot
from crossbow.experiments.bowfd.results import WITHOUT, results, run_all
from crossbow.experiments.bowfd.saved import save_all, saved, searched_index, searched_queries
from crossbow.experiments.bowfd.sentences import LongQueries
from crossbow.experiments.bowfd.systems import (
    BOWFD,
    BRIEF,
    SYSTEMS,
    WITHOUT_LM,
    between_models,
    systems_with,
    translates_with_phrases,
    within_models,
)
from crossbow.experiments.bowfd.tables import against
from crossbow.experiments.core.cache import Cache
from crossbow.experiments.core.decisions import CRITERION, Decisions, decide, decide_all
from crossbow.experiments.core.prepare import NEEDED, ReproduceConfig, open_split
from crossbow.experiments.core.systems import System
from crossbow.index import Index
from crossbow.learn.axes import BUDGET
from crossbow.pipeline import Report


def reproduce(
    name: str, out: Path, config: ReproduceConfig, *, work: Path, model: Path | None = None,
    phrase_model: Path | None = None, threads: int = 2, report: Report | None = None, command: str = "",
    systems: Sequence[System] = SYSTEMS, variants: Sequence[Variant] = VARIANTS, also: Mapping[str, Path] = NONE,
) -> dict[str, Any]:
    """Do everything, write the report into the folder `out` and return its data.

    Models of `also`, by name, get rows beside those of the first model, and are compared with it and each other.
    """
    check_report(out)
    experiment = prepare(name, config, work, model, phrase_model, threads, report, also,
                         phrases=translates_with_phrases(systems))
    others = [system for known in also for system in systems_with(known)]
    decided = [*_decided(experiment, [*systems, *others]), *_learned(experiment, variants)]
    long = LongQueries.of(experiment) if any(system.kind == WITHOUT_LM for system in systems) else None
    if long:
        long.decide()
    originals = Originals.of(experiment)
    if originals:
        originals.decide()
    record = experiment.decisions.record([*decided, *(long.systems if long else ())])
    write_json(work / "decisions.json", record)  # before a test query is looked at
    data = _facts(experiment, command, record)
    found, values = results(experiment.cache, experiment.dev, experiment.test, decided, experiment.decisions, config)
    digests, kept = found.pop("digests"), saved(experiment, decided)
    if also:
        asked = config.trials, config.seed, report
        data["models"] = {**against(values, between_models(also), *asked),
                          "own": against(values, within_models(also), *asked)}
    if long:
        data["several"] = long.results()
    if originals:
        data["original"] = originals.results(values)
    data |= {**found, "systems": {name: {**one.facts, "run": digests[name]} for name, one in kept.items()}}
    write_report(out, data, lambda pictures: markdown(data, pictures), lambda folder: plot(folder, data, values),
                 lambda folder: save_all(folder, kept))
    return data


def compare_methods(
    collection: Collection, folder: Path, index: Index, work: Path, threads: int = 2, report: Report | None = None,
    config: ReproduceConfig | None = None,
) -> dict[str, Any]:
    """Table 1 for a model and an index that are there, without learning; `text` shows it.

    Systems whose feedback is tuned are left out: with a few queries, so many settings fit anything.
    """
    config = config or ReproduceConfig(learning=False)
    dev, test = (open_split(collection, name, index, config) for name in NEEDED)
    cache, decisions = Cache(work, {"": folder}, threads, report), Decisions()
    systems = decide_all(cache, dev, BRIEF, decisions)
    return results(cache, dev, test, systems, decisions, config)[0]


def _decided(experiment: Experiment, systems: Sequence[System]) -> list[System]:
    """The systems whose models are there, with the settings that are best on dev."""
    cache, dev, decisions = experiment.cache, experiment.dev, experiment.decisions
    possible = [system for system in systems if system.suits(cache.models)]
    return decide_all(cache, dev, possible, decisions, lambda group: run_all(
        cache, dev, [system for system in group if system.name in (BOWFD, WITHOUT)], decisions))  # for Figure 1


def _learned(experiment: Experiment, variants: Sequence[Variant]) -> list[System]:
    """The systems that learn from the training queries, if there are any."""
    lacking = cannot_learn(experiment.collection, experiment.config)
    if lacking:
        experiment.notes.append(f"Nothing was learned: {lacking}.")
        return []
    training, decisions = experiment.training(), experiment.decisions
    experiment.notes.append(f"Learning saw {len(training.queries):,} training queries.")
    learner = Learner(experiment.cache, training, experiment.development(), decisions)
    learned, decisions.learned = learn_all(learner, variants)
    decide(experiment.cache, experiment.dev, learned, decisions)
    return learned


def _facts(experiment: Experiment, command: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """What the report says in addition to results: what was measured with, and what was decided."""
    collection, config, model = experiment.collection, experiment.config, experiment.cache.models[""]
    splits = experiment.dev, experiment.test
    data = {
        "crossbow": __version__, "command": command, "config": asdict(config), "notes": experiment.notes,
        "budget": BUDGET, "collection": {
            "name": collection.name, "source": collection.source, "target": collection.target,
            "digest": store.digest(experiment.frozen), "splits": experiment.frozen},
        "model": model.signature, "training": model.meta.get("summary", {}),
        "index": {split.name: split.index.signature for split in splits},
        "queries": {split.name: len(split.queries) for split in splits}, "decisions": record,
        "grids": {system: [{"path": point.path, "value": point.value, CRITERION: point.measure} for point in points]
                  for system, points in experiment.decisions.grids.items()},
        "again": {"index": searched_index(experiment), "queries": searched_queries(experiment)},
        "chance": f"{config.trials:,} trials, seed {config.seed}",
    }
    indexes = " ".join(dict.fromkeys(split.index.signature for split in splits))
    data["signature"] = (f"crossbow {__version__} | {collection.name} {store.digest(experiment.frozen)} | model "
                         f"{model.signature} | index {indexes} | decisions {record['digest']}")
    return data
