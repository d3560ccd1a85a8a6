"""A system of an experiment: what it searches with, and what is chosen for it on the development queries.

    System("DT tuned", BASELINE, "DT", axes=(Axis("bm25.k1", (0.4, 0.9, 1.2)),))
    system.start(decided), system.axes, system.source

A system may start from another system's settings, change some, and tune any field of SearchConfig, which an axis names
by its path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple

from crossbow.decode.translation import Translation
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.repeats import Repeats
from crossbow.settings import changed

K1 = "bm25.k1"


class Source(NamedTuple):
    """Which forests: those of a model, decoded with some settings."""

    model: str = ""  # its name: "" is the one that was trained
    translation: Translation = Translation()


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


@dataclass(frozen=True)
class System:
    """A row of a table."""

    name: str
    kind: str
    base: str | None = None  # the system from whose settings, as they were decided, it starts
    changes: Mapping[str, Any] = field(default_factory=dict)
    axes: tuple[Axis, ...] = ()
    source: Source = field(default_factory=Source)
    choices: tuple[Source, ...] = ()  # the source is the best of these, if there are any
    rival: str | None = None  # the system that it is compared with in the tables of losses; else its base
    learned: str | None = None  # the model that has its learned weights, if that is not the one that translates

    @property
    def model(self) -> str:
        """The model with which its configuration is searched."""
        return self.learned or self.source.model

    def start(self, decided: Mapping[str, SearchConfig]) -> SearchConfig:
        """Its settings before it is tuned."""
        start = changed(decided[self.base] if self.base else SearchConfig(), self.changes)
        return replace(start, translation=self.source.translation)


def by_source(systems: Iterable[System]) -> list[tuple[Source, list[System]]]:
    """Systems that search with the same forests together, so that these are made once."""
    first: dict[Source, int] = {}
    for system in systems:
        first.setdefault(system.source, len(first))
    ordered = sorted(systems, key=lambda system: first[system.source])
    return [(source, list(group)) for source, group in groupby(ordered, lambda one: one.source)]


def shown(value: Any) -> str:
    """A value of an axis as tables show it."""
    if isinstance(value, Repeats):
        return f"qtf^{value.power:g}" if value.k3 is None else f"qtf·{value.k3 + 1:g}/({value.k3:g}+qtf)"
    if isinstance(value, Translation):
        return f"lm_scale {value.lm_scale:g}, tuned {value.tuned:g}"
    return f"{value:g}" if isinstance(value, float) else str(value)
