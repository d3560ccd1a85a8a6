"""The paper's experiments on a collection, from its text to a report.

    data = reproduce("debian:de", Path("report"), ReproduceConfig(), work=Path("work"))
    print(text(compare_methods(collection, folder, index, work)))         # Table 1 alone, for a model that is there

Everything is kept in the work folder as it is made, so that an interrupted run goes on where it was: models, indexes,
every setting that was measured, every run. Decisions are made on the development queries, saved, and only then are the
test queries searched, once for each system.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from crossbow import __version__, store
from crossbow.datasets.collection import Collection
from crossbow.errors import CrossbowError
from crossbow.evaluation.measures import Values
from crossbow.experiments.bowfd.learned import VARIANTS, Learner, Variant, learn_all
from crossbow.experiments.bowfd.report import markdown, plot
from crossbow.experiments.bowfd.results import WITHOUT, results, run_all
from crossbow.experiments.bowfd.systems import BASELINE, BOWFD, FORCED, PHRASES, SYSTEMS
from crossbow.experiments.core.cache import Cache, Split
from crossbow.experiments.core.decisions import BUDGET, CRITERION, Decisions, decide, decide_all
from crossbow.experiments.core.prepare import (
    NEEDED,
    ReproduceConfig,
    freeze,
    model_folder,
    open_collection,
    open_index,
    open_split,
)
from crossbow.experiments.core.systems import System
from crossbow.index import Index
from crossbow.learn.tasks import Task, read_tasks
from crossbow.model import Model
from crossbow.pipeline import Report
from crossbow.store import REPORT
from crossbow.training.parallel import PHRASE


def reproduce(
    name: str, out: Path, config: ReproduceConfig, *, work: Path, model: Path | None = None,
    phrase_model: Path | None = None, threads: int = 2, report: Report | None = None, command: str = "",
    systems: Sequence[System] = SYSTEMS, variants: Sequence[Variant] = VARIANTS,
) -> dict[str, Any]:
    """Do everything, write the report into the folder `out` and return its data."""
    store.check_replaceable(out, REPORT)
    collection = open_collection(name, work, report)
    frozen = freeze(collection)
    folder = model_folder(collection, work, model, threads, report)
    lacking = _cannot_learn(collection, config)
    index = {split: open_index(collection, split, work, config, threads, report)
             for split in (NEEDED if lacking else (*NEEDED, "train"))}
    dev, test = (open_split(collection, split, index[split], config) for split in NEEDED)
    cache = Cache(work, {"": Model.load(folder)}, threads, report)
    notes = _notes(config)
    if model is None or phrase_model is not None:
        place = model_folder(collection, work, phrase_model, threads, report, PHRASE)
        cache.models[PHRASES] = Model.load(place)
        notes.append(f"The phrase-based systems translate with the model {cache.models[PHRASES].signature}.")
    else:
        systems = [system for system in systems if system.source.model != PHRASES]
        notes.append("A model was given, but no phrase-based one beside it, so there are no phrase-based systems.")
    decisions = Decisions()
    systems = decide_all(cache, dev, systems, decisions, lambda group: run_all(
        cache, dev, [system for system in group if system.name in (BOWFD, WITHOUT)], decisions))  # for Figure 1
    if lacking:
        notes.append(f"Nothing was learned: {lacking}.")
    else:
        training = _training(collection, cache.models[""], index["train"], config)
        notes.append(f"Learning saw {len(training):,} training queries.")
        learner = Learner(cache, folder, index["train"], training, dev.index, _tasks(dev, cache.models[""]),
                        decisions)
        learned, decisions.learned = learn_all(learner, variants)
        systems = [*systems, *learned]
        decide(cache, dev, learned, decisions)
    record = decisions.record(systems)
    store_json(work / "decisions.json", record)

    data = {
        "crossbow": __version__, "command": command, "config": asdict(config), "notes": notes, "budget": BUDGET,
        "collection": {"name": collection.name, "source": collection.source, "target": collection.target,
                       "digest": store.digest(frozen), "splits": frozen},
        "model": cache.models[""].signature, "training": cache.models[""].meta.get("summary", {}),
        "index": {split.name: split.index.signature for split in (dev, test)},
        "queries": {split.name: len(split.queries) for split in (dev, test)}, "decisions": record,
        "grids": {system: [{"path": point.path, "value": point.value, CRITERION: point.measure} for point in points]
                  for system, points in decisions.grids.items()},
        "chance": f"{config.trials:,} trials, seed {config.seed}",
    }
    data["signature"] = _signature(data)
    found, values = results(cache, dev, test, systems, decisions, config)
    data |= found
    write(out, data, values)
    return data


def compare_methods(
    collection: Collection, folder: Path, index: Index, work: Path, threads: int = 2, report: Report | None = None,
    config: ReproduceConfig | None = None,
) -> dict[str, Any]:
    """Table 1 for a model and an index that are there, without learning; `text` shows it."""
    config = config or ReproduceConfig(learning=False)
    systems = [system for system in SYSTEMS if system.kind in (BASELINE, FORCED)]
    dev, test = (open_split(collection, name, index, config) for name in NEEDED)
    cache = Cache(work, {"": Model.load(folder)}, threads, report)
    decisions = Decisions()
    systems = decide_all(cache, dev, systems, decisions)
    return results(cache, dev, test, systems, decisions, config)[0]


def write(out: Path, data: dict[str, Any], values: Mapping[str, Values]) -> None:
    """The report as a folder."""
    with store.replacing(out, REPORT) as fresh:
        try:
            pictures = plot(fresh, data, values)
        except CrossbowError as error:
            print(f"crossbow: the report has no plots: {error}", file=sys.stderr)
            pictures = []
        data["plots"] = bool(pictures)
        (fresh / "report.md").write_text(markdown(data, pictures), encoding="utf8")
        store_json(fresh / REPORT, data)


def store_json(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf8")


def _signature(data: dict[str, Any]) -> str:
    indexes = " ".join(dict.fromkeys(data["index"].values()))
    return (f"crossbow {__version__} | {data['collection']['name']} {data['collection']['digest']} | model "
            f"{data['model']} | index {indexes} | decisions {data['decisions']['digest']}")


def _notes(config: ReproduceConfig) -> list[str]:
    """What makes the numbers differ from those of the whole collection."""
    notes = []
    if config.queries is not None:
        notes.append(f"A quick look: only the first {config.queries:,} queries of dev and test.")
    if config.dev_queries is not None:
        notes.append(f"Settings were chosen on the first {config.dev_queries:,} queries of dev.")
    if config.doc_words is not None:
        notes.append(f"Documents are cut to their first {config.doc_words:,} words.")
    return notes


def _cannot_learn(collection: Collection, config: ReproduceConfig) -> str:
    """Why nothing can be learned, or an empty string."""
    if not config.learning:
        return "it was not asked for"
    return "" if "train" in collection.splits else "the collection has no training queries"


def _training(collection: Collection, model: Model, index: Index, config: ReproduceConfig) -> list[Task]:
    files = collection.splits["train"]
    return read_tasks(files.queries, files.qrels, model, index, config.train_queries, files.groups)


def _tasks(split: Split, model: Model) -> list[Task]:
    """The queries of a split that have words and a relevant document, as learning wants them."""
    tasks = [Task(query.id, query.text, dict(split.qrels.get(query.id, {})), query.id) for query in split.queries]
    return [task for task in tasks if any(level > 0 for level in task.judged.values())
            and any(map(model.pieces, model.sentences(task.text)))]
