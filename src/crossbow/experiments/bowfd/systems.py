"""The systems that are compared: what each searches with, and what is chosen for it on the development queries.

    for system in SYSTEMS: system.start(decided), system.axes, system.translation
    changed(search, {"bm25.k1": 0.9, "weights.v": 1.6})

To add a variant, add a System: it may start from another system's settings, change some, and tune any field of
SearchConfig, which an axis names by its path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple

from crossbow.errors import CrossbowError
from crossbow.ranking.repeats import Repeats
from crossbow.ranking.search import SearchConfig

BASELINE, FORCED, LEARNED, WITHOUT_LM, EXPERIMENT = "baseline", "forced", "learned", "without LM", "experiment"


@dataclass(frozen=True)
class Translation:
    """Which forests: those of a model, decoded with other settings than its own if these are given."""

    model: str = ""  # its name: "" is the one that was trained, PHRASES is phrase-based, others were learned
    language_model: bool = True
    lm_scale: float = 1.0  # what the language model's weight, as it was tuned for translation, is multiplied by
    pop_limit: int | None = None


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
        if self.path == K1.path and search.method == "bowfd":
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
    translation: Translation = Translation()
    choices: tuple[Translation, ...] = ()  # the translation is the best of these, if there are any
    rival: str | None = None  # the system that it is compared with in the tables of losses; else its base

    def start(self, decided: Mapping[str, SearchConfig]) -> SearchConfig:
        """Its settings before it is tuned."""
        return changed(decided[self.base] if self.base else SearchConfig(), self.changes)


V = Axis("weights.v", (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0))
K1 = Axis("bm25.k1", (0.2, 0.4, 0.6, 0.9, 1.2, 1.6, 2.0, 3.0))
B = Axis("bm25.b", (0.2, 0.4, 0.6, 0.75, 0.9))
REPEATS = Axis("repeats", (Repeats(), Repeats(power=0.5), Repeats(power=0.0), Repeats(k3=2.0)))
NBEST = Axis("psq.nbest", (100, 300, 1000))
MIX = Axis("psq.mix", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), limits=(0.0, 1.0))
LOWEST = Axis("psq.lowest", (0.0, 0.001, 0.005, 0.01, 0.05), limits=(0.0,))
CUMULATIVE = Axis("psq.cumulative", (0.9, 0.95, 0.99, 1.0), limits=(1.0,))
JOIN = Axis("join", (False, True), limits=(False, True))
SHARE = Axis("weights.expected", (1.0, 2.0, 4.0, 8.0))
POWER = Axis("expected.power", (0.5, 0.7, 0.85, 1.0), limits=(1.0,))
EXPECTED_MIX = Axis("expected.tables.mix", (0.0, 0.25, 0.5, 0.75, 1.0), limits=(0.0, 1.0))
NO_LM = Translation(language_model=False)
LM_SCALES = tuple(Translation(lm_scale=scale) for scale in (1.0, 0.75, 0.5, 0.25))

PHRASES = "phrases"  # a model of the same text, trained and tuned alike, but without gaps
BY_PHRASES = Translation(PHRASES)

DT, PSQ, BOWFD, WITH_EXPECTED = "DT", "PSQ", "BOW-FD", "BOW-FD + expected terms"
STRONGEST = ("DT tuned", "PSQ tuned")  # the baselines that BOW-FD has to beat
SYSTEMS = (
    System(DT, BASELINE, changes={"method": "dt"}),
    System("DT tuned", BASELINE, DT, axes=(K1, B, REPEATS), choices=LM_SCALES),
    System(PSQ, BASELINE, changes={"method": "psq", "psq.lowest": 0.001},
           axes=(MIX, NBEST, LOWEST, CUMULATIVE)),
    System("PSQ tuned", BASELINE, PSQ, axes=(K1, B, REPEATS, MIX), choices=LM_SCALES),
    System("expected terms", BASELINE, changes={"method": "expected"}, axes=(EXPECTED_MIX, POWER, K1, B),
           choices=LM_SCALES),
    System(BOWFD, FORCED, axes=(V,)),
    System("BOW-FD tuned", FORCED, BOWFD, axes=(JOIN, V, K1, B, REPEATS), choices=LM_SCALES),
    System(WITH_EXPECTED, FORCED, BOWFD, {"weights.expected": 2.0},
           axes=(SHARE, K1, B, POWER, EXPECTED_MIX, JOIN, REPEATS, V), choices=LM_SCALES),
    System("DT −LM", WITHOUT_LM, DT, translation=NO_LM),
    System("PSQ −LM", WITHOUT_LM, PSQ, changes={"psq.mix": 1.0}, translation=NO_LM),
    System("BOW-FD −LM", WITHOUT_LM, BOWFD, translation=NO_LM),
    System("BOW-FD −LM, v tuned", WITHOUT_LM, BOWFD, axes=(V,), translation=NO_LM),
    System("BOW-FD, pop limit 30", EXPERIMENT, BOWFD, translation=Translation(pop_limit=30)),
    System("DT, phrase-based", EXPERIMENT, DT, translation=BY_PHRASES),
    System("BOW-FD, phrase-based", EXPERIMENT, BOWFD, axes=(V,), translation=BY_PHRASES, rival="DT, phrase-based"),
)


def by_translation(systems: Iterable[System]) -> list[tuple[Translation, list[System]]]:
    """Systems that search with the same forests together, so that these are made once."""
    first: dict[Translation, int] = {}
    for system in systems:
        first.setdefault(system.translation, len(first))
    ordered = sorted(systems, key=lambda system: first[system.translation])
    return [(translation, list(group)) for translation, group in groupby(ordered, lambda one: one.translation)]


def changed(settings: Any, changes: Mapping[str, Any]) -> Any:
    """Settings, dataclasses within dataclasses, with other values at these paths."""
    for path, value in changes.items():
        name, _, rest = path.partition(".")
        if name not in getattr(settings, "__dataclass_fields__", {}):
            raise CrossbowError(f"{type(settings).__name__} has no setting {name!r}")
        settings = replace(settings, **{name: changed(getattr(settings, name), {rest: value}) if rest else value})
    return settings


def value_at(settings: Any, path: str) -> Any:
    """The value at a path."""
    for name in path.split("."):
        settings = getattr(settings, name)
    return settings


def shown(value: Any) -> str:
    """A value of an axis as tables show it."""
    if isinstance(value, Repeats):
        return f"qtf^{value.power:g}" if value.k3 is None else f"qtf·{value.k3 + 1:g}/({value.k3:g}+qtf)"
    return f"{value:g}" if isinstance(value, float) else str(value)
