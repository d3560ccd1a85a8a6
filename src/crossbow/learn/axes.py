"""Settings chosen on development queries: one after the other, each with the others at their best so far.

    best, points = tune(measure, start, (Axis("bm25.k1", (0.4, 0.9, 1.2)), Axis("bm25.b", (0.4, 0.75))))

An axis is a field of SearchConfig, named by its path, and the values that are tried for it. Rounds over all axes end
when one changes nothing, or when BUDGET settings have been measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from crossbow.decode.translation import Translation
from crossbow.pipeline import Report
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.repeats import Repeats
from crossbow.settings import changed, value_at

BUDGET = 60
K1 = "bm25.k1"


class Axis(NamedTuple):
    """A field of SearchConfig, and the values that are tried for it."""

    path: str
    values: tuple[Any, ...]
    limits: tuple[Any, ...] = ()  # those of the values that nothing can lie beyond

    def put(self, search: SearchConfig, value: Any) -> SearchConfig:
        """The settings with a value.

        A larger k1 makes every term weigh less. DT does not mind, but forced decoding weighs terms against
        translation scores, so v follows: tried one after the other, neither could leave where it is.
        """
        if self.path == K1 and search.method == "bowfd":
            search = changed(search, {"weights.v": search.weights.v * (value + 1) / (search.bm25.k1 + 1)})
        return changed(search, {self.path: value})

    def is_end(self, value: Any) -> bool:
        """Whether the value is the least or the largest that was tried, though there are others beyond it."""
        ends = isinstance(value, int | float) and value in (min(self.values), max(self.values))
        return ends and value not in self.limits


class Point(NamedTuple):
    """A setting that was tried: one field's value, with the other fields at their best so far."""

    path: str
    value: str
    measure: float


def tune(
    measure: Callable[[SearchConfig], float], start: SearchConfig, axes: tuple[Axis, ...], what: str = "",
    report: Report | None = None,
) -> tuple[SearchConfig, list[Point]]:
    """The best settings that were found, and every point that was tried. Of equally good ones the earlier stays."""
    known: dict[str, float] = {}
    points: list[Point] = []

    def look(search: SearchConfig, path: str) -> float:
        name = search.signature
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
                search = axis.put(best, option)
                found = look(search, axis.path)
                if found > value:
                    best, value = search, found
    if report:
        report(what, len(known), len(known))
    return best, points


def shown(value: Any) -> str:
    """A value of an axis as tables show it."""
    if isinstance(value, Repeats):
        return f"qtf^{value.power:g}" if value.k3 is None else f"qtf·{value.k3 + 1:g}/({value.k3:g}+qtf)"
    if isinstance(value, Translation):
        return ", ".join(f"{name} {shown(one)}" for name, one in value.changes.items()) or "the model's own"
    return f"{value:g}" if isinstance(value, float) else str(value)
