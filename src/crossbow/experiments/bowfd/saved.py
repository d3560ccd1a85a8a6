"""Decided systems as configuration files, and the commands that run them again.

    systems = saved(experiment, systems)
    save_all(report_folder, systems)            # configs/bow-fd.json and so on, for `crossbow search --config`
    systems["BOW-FD"].facts["command"]

The report must not depend on where things lie on a machine, so WORK stands for the work folder and COLLECTION for the
folder of a collection that somebody has brought.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crossbow.experiments.bowfd.experiment import Experiment
from crossbow.experiments.core.cache import slug
from crossbow.experiments.core.decisions import CRITERION
from crossbow.experiments.core.systems import System
from crossbow.ranking.config import SearchConfig

CONFIGS = "configs"
WORK, COLLECTION = "WORK", "COLLECTION"


class Saved(NamedTuple):
    """A system's configuration, and what the report says about it."""

    config: SearchConfig
    facts: dict[str, Any]


def saved(experiment: Experiment, systems: Sequence[System]) -> dict[str, Saved]:
    """The systems by name, with the settings that were decided for them."""
    note = f"{CRITERION} on {experiment.dev.name}, by crossbow reproduce {Path(experiment.name).name}"
    found = {}
    for system in systems:
        model, folder = experiment.cache.models[system.model], experiment.cache.folders[system.model]
        config = experiment.decisions.search[system.name].decided_for(model, experiment.dev.index, note)
        file, place = f"{CONFIGS}/{slug(system.name)}.json", shown_path(experiment, folder)
        command = ["crossbow", "search", place, searched_index(experiment), "--queries", searched_queries(experiment),
                   "--config", file, "-o", f"{slug(system.name)}.txt"]
        found[system.name] = Saved(config, {"config": file, "signature": config.signature, "model": model.signature,
                                            "folder": place, "command": shlex.join(command)})
    return found


def save_all(folder: Path, systems: Mapping[str, Saved]) -> None:
    """Write the configuration files below a folder."""
    for one in systems.values():
        one.config.save(folder / one.facts["config"])


def searched_index(experiment: Experiment) -> str:
    """Where the index of the test queries' documents is."""
    return shown_path(experiment, experiment.indexes[experiment.test.name])


def searched_queries(experiment: Experiment) -> str:
    """Where the test queries are."""
    return shown_path(experiment, experiment.collection.splits[experiment.test.name].queries)


def shown_path(experiment: Experiment, path: Path) -> str:
    """A path as the report shows it; one that somebody has given stays as it is."""
    for name, folder in ((WORK, experiment.cache.work), (COLLECTION, experiment.collection.folder)):
        if path.is_relative_to(folder):
            return (Path(name) / path.relative_to(folder)).as_posix()
    return path.as_posix()
