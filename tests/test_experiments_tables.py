"""Marks and losses on numbers made by hand; the report shows what its data says."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from crossbow.evaluation.measures import Values
from crossbow.evaluation.significance import randomization
from crossbow.experiments.bowfd.report import markdown, text
from crossbow.experiments.bowfd.systems import BASELINE, BOWFD, FORCED, LEARNED, WITHOUT_LM, System
from crossbow.experiments.bowfd.tables import ALL_MEASURES, TESTED, Compared, against, losses, marks, table_one
from crossbow.experiments.core.systems import Source

QUERIES = 60
TRIALS = 30_000


def values(level: float, wave: float = 0.0) -> Values:
    """All measures alike: a level, and a wave over the queries that does not change the mean."""
    row = level + wave * np.resize([1.0, -1.0], QUERIES)
    return Values(tuple(f"q{n:02}" for n in range(QUERIES)), dict.fromkeys(ALL_MEASURES, row), 0, 0)


SYSTEMS = [System("DT", BASELINE), System("DT tuned", BASELINE, "DT"), System("PSQ", BASELINE),
           System("PSQ tuned", BASELINE, "PSQ"), System(BOWFD, FORCED), System("BOW-FD tuned", FORCED, BOWFD),
           System("BOW-FD+LTR", LEARNED, BOWFD), System("BOW-FD −LM", WITHOUT_LM, BOWFD)]
VALUES = {"DT": values(0.3), "DT tuned": values(0.3), "PSQ": values(0.25), "PSQ tuned": values(0.32),
          BOWFD: values(0.4), "BOW-FD tuned": values(0.33, 0.2), "BOW-FD+LTR": values(0.5), "BOW-FD −LM": values(0.35)}


def test_marks_need_both_baselines_the_right_direction_and_the_level() -> None:
    def tests(dt: tuple[float, float], psq: tuple[float, float], plain: tuple[float, float] = (0, 1)) -> list[Compared]:
        return [Compared("X", other, "AP", *pair, "") for other, pair in
                (("DT tuned", dt), ("PSQ tuned", psq), (BOWFD, plain))]

    good, weak, worse = (0.1, 9e-5), (0.1, 1e-4), (-0.1, 1e-6)
    assert marks(tests(good, good), "X", "AP", None) == "∗"
    for dt, psq in ((good, weak), (weak, good), (good, worse), (worse, worse)):
        assert marks(tests(dt, psq), "X", "AP", None) == ""
    assert marks(tests(good, good, (0.1, 9e-7)), "X", "AP", BOWFD) == "∗†"
    assert marks(tests(good, weak, (0.1, 9e-7)), "X", "AP", BOWFD) == "†"
    assert marks(tests(good, good, (0.1, 9e-7)), "X", "AP", None) == "∗"  # only what was learned
    assert marks(tests(good, good, (0.1, 1e-6)), "X", "AP", BOWFD) == "∗"
    assert marks(tests(good, good), "X", "nDCG", None) == ""
    assert marks(tests(good, good), "Y", "AP", None) == ""


def test_table_one() -> None:
    table = table_one(VALUES, SYSTEMS, TRIALS, 1)
    rows = {row["system"]: row for row in table["rows"]}
    assert list(rows) == ["DT", "DT tuned", "PSQ", "PSQ tuned", BOWFD, "BOW-FD tuned", "BOW-FD+LTR"]
    assert rows[BOWFD]["AP"] == pytest.approx(0.4)
    assert rows[BOWFD]["NumRelRet"] == pytest.approx(0.4 * QUERIES)
    assert {name: row["marks"]["PRES"] for name, row in rows.items()} == {
        "DT": "", "DT tuned": "", "PSQ": "", "PSQ tuned": "", BOWFD: "∗", "BOW-FD tuned": "", "BOW-FD+LTR": "∗"}
    pairs = {(test["system"], test["other"]) for test in table["tests"]}
    assert (BOWFD, "DT") in pairs
    assert ("BOW-FD+LTR", BOWFD) in pairs
    assert (BOWFD, BOWFD) not in pairs
    one = next(test for test in table["tests"] if test["system"] == "BOW-FD tuned" and test["other"] == "PSQ")
    same = randomization(VALUES["BOW-FD tuned"].by_measure["AP"], VALUES["PSQ"].by_measure["AP"], TRIALS, 1)
    assert (one["difference"], one["p"]) == (same.difference, same.p)


def test_systems_with_other_models_have_no_marks() -> None:
    """The baselines that a mark speaks of are those of the first model."""
    other = System("BOW-FD, neural", FORCED, source=Source("neural"))
    rows = table_one({**VALUES, other.name: values(0.9)}, [*SYSTEMS, other], TRIALS, 1)["rows"]
    assert {row["system"]: row["marks"]["AP"] for row in rows if row["system"] in (BOWFD, other.name)} == {
        BOWFD: "∗", other.name: ""}


def test_gains_are_shown_in_percent() -> None:
    some = data()
    pairs = [(BOWFD, "DT"), (BOWFD, "nothing")]
    some["models"] = {**against(VALUES, pairs[:1], TRIALS, 1),
                      "own": against({**VALUES, "nothing": values(0.0)}, pairs, TRIALS, 1)}
    shown = markdown(some)
    assert "| BOW-FD | DT | 0.3000 | 0.4000 | +0.1000 | +33.3 % | " in shown
    assert "| BOW-FD | nothing | 0.0000 | 0.4000 | +0.4000 | – | " in shown
    assert text(some).endswith("(p < 0.0001); systems with other models have no marks")


def test_learning_has_to_be_better_than_what_it_started_from() -> None:
    rng = np.random.default_rng(1)

    def mark(gain: float) -> str:
        """That of a system that starts far above BOW-FD, and gains so much."""
        row = values(0.5 + gain)
        row.by_measure["AP"] = row.by_measure["AP"] + rng.uniform(-0.01, 0.01, QUERIES)
        systems = [*SYSTEMS, System("BOW-FD tuned+LTR", LEARNED, "strong")]
        table = table_one({**VALUES, "strong": values(0.5), "BOW-FD tuned+LTR": row}, systems, 2_000_000, 1)
        assert ("BOW-FD tuned+LTR", BOWFD) in {(test["system"], test["other"]) for test in table["tests"]}
        return str(table["rows"][-1]["marks"]["AP"])

    assert mark(0.0) == "∗"
    assert mark(0.1) == "∗†"


def test_losses_are_against_the_base_or_the_rival() -> None:
    table = losses(VALUES, SYSTEMS, WITHOUT_LM, TRIALS, 1)
    (row,) = table["rows"]
    assert (row["system"], row["against"]) == ("BOW-FD −LM", BOWFD)
    assert row["losses"] == pytest.approx(dict.fromkeys(TESTED, -0.05))
    assert [test["measure"] for test in table["tests"]] == list(TESTED)
    rivals = [System("BOW-FD −LM", WITHOUT_LM, BOWFD, rival="PSQ")]
    assert losses(VALUES, rivals, WITHOUT_LM, TRIALS, 1)["rows"][0]["losses"]["AP"] == pytest.approx(0.1)


def data() -> dict[str, Any]:
    return {
        "collection": {"name": "tiny", "splits": {"dev": {"docs": "d0", "queries": "d1", "qrels": "d2"}}},
        "command": "crossbow reproduce tiny -o x", "notes": ["A quick look."], "signature": "crossbow | tiny",
        "chance": "30,000 trials, seed 1", "queries": {"dev": 5, "test": QUERIES}, "share": 0.641,
        "budget": 40, "model": "m1", "training": {"pairs": 3000, "bleu": [10.5, 12.25]},
        "table1": table_one(VALUES, SYSTEMS, TRIALS, 1), "levels": [
            {"system": BOWFD, "level": 3, "retrieved": 1200, "of": 1300}],
        "table2": losses(VALUES, SYSTEMS, WITHOUT_LM, TRIALS, 1),
        "figure1": {"n_max": [1000, 100], "with": [0.9, 0.8], "without": [0.89, 0.7], "difference": [0.01, 0.1]},
        "cost": {"peak MB": 1234.5, "threads": 2, "rows": [{"system": BOWFD, "decode ms": 40.25, "search ms": 20.04}]},
        "decisions": {"digest": "abc", "AP": {BOWFD: 0.41}, "chosen": {BOWFD: {"weights.v": "0.8"}, "DT": {}},
                      "learned": {}},
        "config": {"queries": 60}, "again": {"index": "WORK/index-1", "queries": "WORK/collection/queries.test.tsv"},
        "systems": {BOWFD: {"config": "configs/bow-fd.json", "signature": "c1", "model": "m1", "folder": "WORK/model-1",
                            "command": "crossbow search …", "run": "r1"}},
        "grids": {BOWFD: [{"path": "weights.v", "value": "0.8", "AP": 0.41}]},
    }


def test_the_report_shows_the_data() -> None:
    shown = markdown(data())
    assert "| BOW-FD | 0.4000∗ | 0.4000∗ | 0.4000∗ |" in shown
    assert "| BOW-FD −LM | BOW-FD | 0.3500 (-0.0500) |" in shown
    assert "| 100 | 0.8000 | 0.7000 | 0.1000 |" in shown
    assert "| BOW-FD | 3 | 1,200 | 1,300 |" in shown
    assert "| BOW-FD | 40.2 | 20.0 |" in shown
    assert "scores 64.1 % of the documents" in shown
    assert "| BOW-FD | weights.v 0.8 | 0.4100 |" in shown
    assert "- A quick look." in shown
    assert "crossbow search MODEL INDEX --queries QUERIES --config configs/bow-fd.json -o run.txt" in shown
    assert "| BOW-FD | `WORK/model-1` | m1 | c1 | r1 |" in shown
    assert "figure1.png" not in shown
    tables = len(re.findall(r"^\| --- ", shown, re.M))
    signatures = re.findall(r"^`crossbow \| tiny \| (5 dev|60 test) queries \| 30,000 trials, seed 1`$", shown, re.M)
    assert len(signatures) == tables - 2  # those of the digests and of the model need none
    assert "| pairs | 3,000 |\n| bleu | 12.25 |" in shown


def test_only_marks_that_occur_are_explained() -> None:
    better = "∗ better than DT tuned and PSQ tuned (p < 0.0001)"
    learning = "† better than before learning (p < 1e-06)"

    def explained(*marks: str) -> list[str]:
        some = data()
        for row, mark in zip(some["table1"]["rows"], [*marks, *[""] * len(VALUES)]):
            row["marks"] = {"AP": "", "nDCG": mark, "PRES": ""}
        below = text(some).splitlines()[1 + len(some["table1"]["rows"]) :]
        assert all(line in markdown(some).splitlines() for line in below)
        assert any("better than" in line for line in markdown(some).splitlines()) == bool(below)
        return below

    assert explained("", "") == []
    assert explained("", "∗") == [better]
    assert explained("†") == [learning]
    assert explained("∗†", "∗") == explained("†", "∗") == [f"{better}, {learning}"]


def test_a_report_without_the_experiments() -> None:
    some = data()
    del some["table2"]
    shown = markdown(some, ["![bars](bars.png)"])
    assert "Table 2" not in shown
    assert "Figure 1" not in shown
    assert "![bars](bars.png)" in shown
    assert text(some).splitlines()[5].split() == ["BOW-FD", "0.4000∗", "0.4000∗", "0.4000∗"]
