"""Decisions, all of them made on the development queries: the settings of each system.

    decisions = decide(bench, dev, SYSTEMS)
    decisions.search["PSQ tuned"], decisions.grids["PSQ tuned"], decisions.digest

Fields are tuned one after the other, each with the others at their best so far, in rounds until a round changes
nothing. Every system may measure as many settings as every other, BUDGET of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from crossbow import __version__, store
from crossbow.pipeline import Report
from crossbow.ranking.search import SearchConfig
from crossbow.reproduce.bench import Bench, Split
from crossbow.reproduce.systems import Axis, System, Translation, changed, shown, value_at

BUDGET = 40
CRITERION = "AP"


class Point(NamedTuple):
    """A setting that was tried: one field's value, with the other fields at their best so far."""

    path: str
    value: str
    measure: float


@dataclass
class Decisions:
    """What was decided for each system, and all that was tried for it."""

    search: dict[str, SearchConfig] = field(default_factory=dict)
    measure: dict[str, float] = field(default_factory=dict)
    grids: dict[str, list[Point]] = field(default_factory=dict)
    learned: dict[str, Any] = field(default_factory=dict)  # what learning says about itself, by system

    @property
    def digest(self) -> str:
        return store.digest({name: asdict(search) for name, search in self.search.items()})

    def record(self, systems: Iterable[System]) -> dict[str, Any]:
        """The decisions as they are kept, before a test query is looked at. Learned weights stay in their models."""
        chosen = {system.name: {axis.path: _chosen(axis, value_at(self.search[system.name], axis.path))
                                for axis in system.axes} for system in systems}
        return {"crossbow": __version__, "criterion": f"{CRITERION} on dev", "digest": self.digest, "chosen": chosen,
                CRITERION: self.measure, "learned": self.learned}


def _chosen(axis: Axis, value: Any) -> str:
    return shown(value) + (" (end of the grid)" if axis.is_end(value) else "")


def decide(bench: Bench, dev: Split, systems: Iterable[System], decisions: Decisions | None = None) -> Decisions:
    """Decide the settings of these systems; those that they start from come before them, or are decided already."""
    decisions = decisions or Decisions()
    for system in systems:
        def measure(search: SearchConfig, translation: Translation = system.translation) -> float:
            return float(bench.values(dev, translation, search, CRITERION).mean())

        best, points = tune(measure, system.start(decisions.search), system.axes, f"tuning {system.name}", bench.report)
        decisions.search[system.name] = best
        if points:
            decisions.grids[system.name] = points
            decisions.measure[system.name] = max(point.measure for point in points)
    return decisions


def tune(
    measure: Callable[[SearchConfig], float], start: SearchConfig, axes: tuple[Axis, ...], what: str = "",
    report: Report | None = None,
) -> tuple[SearchConfig, list[Point]]:
    """The best settings that were found, and every point that was tried. Of equally good ones the earlier stays."""
    known: dict[str, float] = {}
    points: list[Point] = []

    def look(search: SearchConfig, path: str) -> float:
        name = store.digest(asdict(search))
        if name not in known:
            if len(known) >= BUDGET:
                return float("-inf")
            known[name] = measure(search)
            points.append(Point(path, shown(value_at(search, path)), known[name]))
            if report:
                report(what, len(known), 0)
        return known[name]

    if not axes:
        return start, []
    best, value = start, look(start, axes[0].path)
    before = None
    while best != before:
        before = best
        for axis in axes:
            for option in axis.values:
                search = changed(best, {axis.path: option})
                found = look(search, axis.path)
                if found > value:
                    best, value = search, found
    return best, points
