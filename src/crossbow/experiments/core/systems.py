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
from crossbow.learn.axes import Axis
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.settings import changed


class Source(NamedTuple):
    """Which forests: those of a model, decoded with some settings."""

    model: str = ""  # its name: "" is the one that was trained
    translation: Translation = Translation()


@dataclass(frozen=True)
class System:
    """A row of a table."""

    name: str
    kind: str
    base: str | None = None  # the system from whose settings, as they were decided, it starts
    changes: Mapping[str, Any] = field(default_factory=dict)
    axes: tuple[Axis, ...] = ()
    source: Source = field(default_factory=Source)
    choosing: bool = False  # the translation is the best of those that the model's translator proposes
    rival: str | None = None  # the system that it is compared with in the tables of losses; else its base
    learned: str | None = None  # the model that has its learned weights, if that is not the one that translates

    @property
    def model(self) -> str:
        """The model with which its configuration is searched."""
        return self.learned or self.source.model

    def suits(self, models: Mapping[str, Model]) -> bool:
        """Whether its model is there, and can translate as it asks for."""
        return self.model in models and self.source.translation.suits(models[self.source.model].decoder)

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
