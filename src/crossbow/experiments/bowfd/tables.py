"""The numbers of the tables: means, marks of significance, losses. Plain values; report.py says how they look.

    first = table_one(values, systems, trials, seed)        # values: what per_query gave for each system's test run
    second = losses(values, systems, WITHOUT_LM, trials, seed)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from crossbow.evaluation.measures import Values
from crossbow.evaluation.significance import Significance, randomizations
from crossbow.experiments.bowfd.systems import BASELINE, BOWFD, FORCED, LEARNED, STRONGEST
from crossbow.experiments.core.systems import System
from crossbow.pipeline import Report

MEASURES = ("AP", "nDCG", "PRES")  # of Table 1
TESTED = (*MEASURES, "RR", "nDCG@10")
ALL_MEASURES = (*TESTED, "R@1000", "NumRelRet")
BETTER, LEARNING = "∗", "†"
BETTER_LEVEL, LEARNING_LEVEL = 1e-4, 1e-6  # as in the paper's captions


class Compared(NamedTuple):
    """Whether a system differs from another."""

    system: str
    other: str
    measure: str
    difference: float
    p: float
    shown: str


def table_one(
    values: Mapping[str, Values], systems: Sequence[System], trials: int, seed: int, report: Report | None = None
) -> dict[str, Any]:
    """All systems with the language model, and tests of forced decoding against every baseline and against BOW-FD.

    Learned systems are tested against each other too.

    ∗ better than the strongest DT and the strongest PSQ, † better than what it was before learning. Systems with other
    models have no marks, for these baselines are those of the first model.
    """
    shown = [system for system in systems if system.kind in (BASELINE, FORCED, LEARNED)]
    baselines = [system.name for system in shown if system.kind == BASELINE]
    learned = [system.name for system in shown if system.kind == LEARNED]
    before = {system.name: system.base for system in shown if system.kind == LEARNED}
    pairs = [(system.name, other) for system in shown if system.kind != BASELINE
             for other in dict.fromkeys([*baselines, BOWFD, before.get(system.name), *_until(learned, system.name)])
             if other and other != system.name]
    tests = compare(values, pairs, trials, seed, report)
    return {"rows": [{**_row(values, system.name), "marks": {
        measure: "" if system.source.model else marks(tests, system.name, measure, before.get(system.name))
        for measure in MEASURES}}
        for system in shown], "tests": [test._asdict() for test in tests]}


def _until(names: Sequence[str], last: str) -> Sequence[str]:
    """The items before a name; none if it is not there."""
    return names[: names.index(last)] if last in names else ()


def marks(tests: Sequence[Compared], name: str, measure: str, before: str | None) -> str:
    """The marks of a number in Table 1; `before` is the system that a learned one started from."""
    def better(other: str, level: float) -> bool:
        return any(test.p < level and test.difference > 0 for test in tests
                   if test[:3] == (name, other, measure))

    star = BETTER if all(better(other, BETTER_LEVEL) for other in STRONGEST) else ""
    return star + (LEARNING if before and better(before, LEARNING_LEVEL) else "")


def losses(
    values: Mapping[str, Values], systems: Sequence[System], kind: str, trials: int, seed: int,
    report: Report | None = None,
) -> dict[str, Any]:
    """Systems of a kind, each with its differences to the system it is compared with, and tests of these."""
    rivals = {system.name: system.rival or system.base for system in systems if system.kind == kind}
    return against(values, [(name, other) for name, other in rivals.items() if other is not None], trials, seed, report)


def against(
    values: Mapping[str, Values], pairs: Sequence[tuple[str, str]], trials: int, seed: int,
    report: Report | None = None,
) -> dict[str, Any]:
    """The first system of each pair, with its differences to the other one, and tests of these."""
    tests = compare(values, pairs, trials, seed, report)
    return {"rows": [{**_row(values, name), "against": other, "losses": {
        measure: values[name].total(measure) - values[other].total(measure) for measure in TESTED}}
        for name, other in pairs], "tests": [test._asdict() for test in tests]}


def compare(
    values: Mapping[str, Values], pairs: Sequence[tuple[str, str]], trials: int, seed: int,
    report: Report | None = None,
) -> list[Compared]:
    """The test of each pair of systems by each measure."""
    asked = [(name, other, measure) for name, other in pairs for measure in TESTED]
    found: list[Significance] = randomizations(
        [(values[name].by_measure[measure], values[other].by_measure[measure]) for name, other, measure in asked],
        trials, seed, report)
    return [Compared(*key, test.difference, test.p, test.shown) for key, test in zip(asked, found)]


def _row(values: Mapping[str, Values], name: str) -> dict[str, Any]:
    return {"system": name, **{measure: values[name].total(measure) for measure in ALL_MEASURES}}
