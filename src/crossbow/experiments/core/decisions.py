"""Decisions, all of them made on the development queries: the settings of each system.

    decisions = Decisions()
    systems = decide_all(cache, dev, SYSTEMS, decisions)
    decisions.search["PSQ tuned"], decisions.grids["PSQ tuned"], decisions.digest

Systems that choose among translations do so first, with the settings they start from, for forests take long to make.
Then fields are tuned one after the other (learn/axes.py). Every system may measure as many settings as every other,
BUDGET of them in addition to the translations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crossbow import __version__, store
from crossbow.experiments.core.cache import Cache
from crossbow.experiments.core.split import Split
from crossbow.experiments.core.systems import Source, System, by_source
from crossbow.learn.axes import Axis, Point, shown, tune
from crossbow.ranking.config import SearchConfig
from crossbow.settings import value_at

CRITERION = "AP"
TRANSLATION = "translation"


@dataclass
class Decisions:
    """What was decided for each system, and all that was tried for it."""

    search: dict[str, SearchConfig] = field(default_factory=dict)
    source: dict[str, Source] = field(default_factory=dict)
    measure: dict[str, float] = field(default_factory=dict)
    grids: dict[str, list[Point]] = field(default_factory=dict)
    learned: dict[str, Any] = field(default_factory=dict)  # what learning says about itself, by system

    @property
    def digest(self) -> str:
        return store.digest({name: [search.signature, self.source[name].model]
                             for name, search in self.search.items()})

    def record(self, systems: Iterable[System]) -> dict[str, Any]:
        """The decisions as they are kept, before a test query is looked at. Learned weights stay in their models."""
        chosen = {system.name: {
            **({TRANSLATION: shown(system.source.translation)} if system.choosing else {}),
            **{axis.path: _chosen(axis, value_at(self.search[system.name], axis.path)) for axis in system.axes}}
            for system in systems}
        return {"crossbow": __version__, "criterion": f"{CRITERION} on dev", "digest": self.digest, "chosen": chosen,
                CRITERION: self.measure, "learned": self.learned}


def _chosen(axis: Axis, value: Any) -> str:
    return shown(value) + (" (end of the grid)" if axis.is_end(value) else "")


def decide_all(
    cache: Cache, dev: Split, systems: Sequence[System], decisions: Decisions,
    decided: Callable[[list[System]], object] = lambda group: None,
) -> list[System]:
    """Decide everything, and return the systems with their translations.

    Those without a choice of translations come first: the others may start from their settings. `decided` is called
    with every group of systems while their forests are there.
    """
    known = {system.name: system for system in systems}
    for choosing in (False, True):
        some = [system for system in systems if system.choosing == choosing]
        for _, group in by_source(choose_sources(cache, dev, some, decisions) if choosing else some):
            decide(cache, dev, group, decisions)
            decided(group)
            known |= {system.name: system for system in group}
    return list(known.values())


def choose_sources(cache: Cache, dev: Split, systems: Sequence[System], decisions: Decisions) -> list[System]:
    """The systems with the source that is best for the settings they start from; of equals, the first."""
    tried: dict[str, dict[Source, float]] = {system.name: {} for system in systems}
    choices = {system.name: cache.choices(system.source.model) for system in systems}
    for source in dict.fromkeys(choice for some in choices.values() for choice in some):
        for system in systems:
            if source in choices[system.name]:
                start = replace(system, source=source).start(decisions.search)
                value = _mean(cache, dev, source, start)
                tried[system.name][source] = value
                decisions.grids.setdefault(system.name, []).append(
                    Point(TRANSLATION, shown(source.translation), value))
    return [replace(system, source=max(tried[system.name], key=tried[system.name].__getitem__))
            for system in systems]


def decide(cache: Cache, dev: Split, systems: Iterable[System], decisions: Decisions) -> None:
    """Decide the settings of these systems; those that they start from come before them, or are decided already."""
    for system in systems:
        best, points = tune(lambda search, at=system.source: _mean(cache, dev, at, search),  # type: ignore[misc]
                            system.start(decisions.search), system.axes, f"tuning {system.name}", cache.report)
        decisions.search[system.name], decisions.source[system.name] = best, system.source
        if points:
            decisions.grids.setdefault(system.name, []).extend(points)
            decisions.measure[system.name] = max(point.measure for point in points)


def _mean(cache: Cache, dev: Split, source: Source, search: SearchConfig) -> float:
    return float(cache.values(dev, source, search, CRITERION).mean())
