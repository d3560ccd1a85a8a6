"""The systems that the paper's tables compare. To add a variant, add a System.

    for system in SYSTEMS: system.start(decided), system.axes, system.source
    systems_with("neural")                # the main ones, with the forests of another model
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from crossbow.decode.translation import Translation
from crossbow.experiments.core.systems import Source, System
from crossbow.learn.axes import Axis
from crossbow.learn.choose import AXES, BM25_K1, FEEDBACK, POWER, SHARE, B, V
from crossbow.ranking.config import STANDARD
from crossbow.ranking.repeats import Repeats

BASELINE, FORCED, LEARNED, WITHOUT_LM, EXPERIMENT = "baseline", "forced", "learned", "without LM", "experiment"

REPEATS = Axis("repeats", (Repeats(), Repeats(power=0.5), Repeats(power=0.0), Repeats(k3=2.0)))
NBEST = Axis("psq.nbest", (100, 300, 1000))
MIX = Axis("psq.mix", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), limits=(0.0, 1.0))
LOWEST = Axis("psq.lowest", (0.0, 0.001, 0.005, 0.01, 0.05), limits=(0.0,))
CUMULATIVE = Axis("psq.cumulative", (0.9, 0.95, 0.99, 1.0), limits=(1.0,))
JOIN = Axis("bowfd.join", (False, True), limits=(False, True))
EXPECTED_MIX = Axis("expected.tables.mix", (0.0, 0.25, 0.5, 0.75, 1.0), limits=(0.0, 1.0))
NO_LM = Source("", Translation(language_model=False))
TWICE = {"feedback.documents": 10}  # searched a second time

PHRASES = "phrases"  # a model of the same text, trained and tuned alike, but without gaps
BY_PHRASES = Source(PHRASES)

DT, PSQ, BOWFD, EXPECTED, WITH_EXPECTED = "DT", "PSQ", "BOW-FD", "expected terms", "BOW-FD + expected terms"
STANDARD_SETTINGS = "BOW-FD + expected terms + feedback, standard settings"
FULL = "BOW-FD + expected terms + feedback"
STRONGEST = ("DT tuned", "PSQ tuned")  # the baselines that BOW-FD has to beat
SYSTEMS = (
    System(DT, BASELINE, changes={"method": "dt"}),
    System("DT tuned", BASELINE, DT, axes=(BM25_K1, B, REPEATS), choosing=True),
    System(PSQ, BASELINE, changes={"method": "psq", "psq.lowest": 0.001},
           axes=(MIX, NBEST, LOWEST, CUMULATIVE)),
    System("PSQ tuned", BASELINE, PSQ, axes=(BM25_K1, B, REPEATS, MIX), choosing=True),
    System(EXPECTED, BASELINE, changes={"method": "expected"}, axes=(EXPECTED_MIX, POWER, BM25_K1, B),
           choosing=True),
    System("DT + feedback", BASELINE, DT, TWICE, (*FEEDBACK, BM25_K1, B, REPEATS), choosing=True),
    System("PSQ + feedback", BASELINE, PSQ, TWICE, (*FEEDBACK, BM25_K1, B, MIX), choosing=True),
    System("expected terms + feedback", BASELINE, changes={"method": "expected", **TWICE},
           axes=(*FEEDBACK, EXPECTED_MIX, POWER, BM25_K1, B), choosing=True),
    System(BOWFD, FORCED, axes=(V,)),
    System("BOW-FD tuned", FORCED, BOWFD, axes=(JOIN, V, BM25_K1, B, REPEATS), choosing=True),
    System(WITH_EXPECTED, FORCED, BOWFD, {"weights.expected": 2.0},
           axes=(SHARE, BM25_K1, B, POWER, EXPECTED_MIX, JOIN, REPEATS, V), choosing=True),
    System("BOW-FD + feedback", FORCED, BOWFD, {**TWICE, "bowfd.join": True}, (*FEEDBACK, BM25_K1, B, V),
           choosing=True),
    System(STANDARD_SETTINGS, FORCED, changes=STANDARD),
    System(FULL, FORCED, changes=STANDARD, axes=AXES, choosing=True),
    System("DT −LM", WITHOUT_LM, DT, source=NO_LM),
    System("PSQ −LM", WITHOUT_LM, PSQ, changes={"psq.mix": 1.0}, source=NO_LM),
    System("BOW-FD −LM", WITHOUT_LM, BOWFD, source=NO_LM),
    System("BOW-FD −LM, v tuned", WITHOUT_LM, BOWFD, axes=(V,), source=NO_LM),
    System("BOW-FD, pop limit 30", EXPERIMENT, BOWFD, source=Source("", Translation(pop_limit=30))),
    System("DT, phrase-based", EXPERIMENT, DT, source=BY_PHRASES),
    System("BOW-FD, phrase-based", EXPERIMENT, BOWFD, axes=(V,), source=BY_PHRASES, rival="DT, phrase-based"),
)
BRIEF = tuple(system for system in SYSTEMS if system.kind in (BASELINE, FORCED)  # of a quick comparison
              and not any(axis.path.startswith("feedback.") for axis in system.axes))
BESIDE = (DT, "DT tuned", EXPECTED, BOWFD, WITH_EXPECTED, STANDARD_SETTINGS)  # what is measured of other models too
LACKING = {  # what each of these lacks of the full system
    WITH_EXPECTED: "feedback", "BOW-FD + feedback": "expected terms", "expected terms + feedback": "forced decoding",
    STANDARD_SETTINGS: "tuning"}


def translates_with_phrases(systems: Iterable[System]) -> bool:
    """Whether one of the systems needs the phrase-based model."""
    return any(system.source.model == PHRASES for system in systems)


def systems_with(model: str) -> list[System]:
    """The main systems with the forests of another model, which is known by this name.

    The standard settings say nothing of scales and priors, which no two models share, so these are chosen for them too.
    """
    return [replace(system, name=beside(system.name, model), base=beside(system.base, model) if system.base else None,
                    source=Source(model), choosing=system.choosing or system.name == STANDARD_SETTINGS)
            for system in SYSTEMS if system.name in BESIDE]


def between_models(models: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of the same system with two models, the later one first."""
    return [(beside(system, later), beside(system, earlier)) for earlier, later in combinations(["", *models], 2)
            for system in BESIDE]


def within_models(models: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of forced decoding and direct translation with the same model, for the first model and each other one."""
    return [(beside(system, model), beside(baseline, model)) for model in ("", *models)
            for system in (WITH_EXPECTED, STANDARD_SETTINGS) for baseline in (DT, "DT tuned")]


def beside(system: str, model: str) -> str:
    """What a system is called with a model; the first model has no name."""
    return f"{system}, {model}" if model else system
