"""Fusing runs: sums done by hand, what may not change them, and `crossbow fuse` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossbow
from commands import Run, failure, good, runner
from crossbow.errors import CrossbowError
from crossbow.ranking.fusion import FUSIONS
from crossbow.records import Hit, rank, read_run, write_run

DENSE = {"q1": {"a": 0.9, "b": 0.8, "c": 0.4}, "q2": {"a": 0.1}}
OURS = {"q1": {"c": 30.0, "a": 20.0, "d": 10.0}}
RANKINGS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-9, 9).map(float), min_size=1)


def scores(hits: list[Hit]) -> dict[str, float]:
    return {hit.doc: hit.score for hit in hits}


def test_scores_are_mapped_and_added() -> None:
    fused = crossbow.fuse([DENSE, OURS], method="combsum")
    assert scores(fused["q1"]) == pytest.approx({"a": 1 + 0.5, "c": 0 + 1, "b": 0.8, "d": 0})
    assert [hit.doc for hit in fused["q1"]] == ["a", "c", "b", "d"]
    assert [hit.rank for hit in fused["q1"]] == [1, 2, 3, 4]
    assert fused["q2"] == [Hit("a", 1.0, 1)]  # the only one of a ranking is its best, and its last


def test_places_are_added() -> None:
    fused = crossbow.fuse([DENSE, OURS], method="rrf", weights=[1, 2])
    assert scores(fused["q1"]) == pytest.approx({"a": 1 / 61 + 2 / 62, "b": 1 / 62, "c": 1 / 63 + 2 / 61, "d": 2 / 63})


@given(RANKINGS, RANKINGS, st.sampled_from(sorted(FUSIONS)))
def test_the_order_of_runs_and_the_unit_of_weights_do_not_matter(
    one: dict[str, float], other: dict[str, float], method: str
) -> None:
    fused = crossbow.fuse([{"q": one}, {"q": other}], method=method, weights=[1, 4])["q"]
    again = crossbow.fuse([{"q": other}, {"q": one}], method=method, weights=[8, 2])["q"]
    assert scores(again) == pytest.approx({hit.doc: 2 * hit.score for hit in fused})


@given(RANKINGS, RANKINGS)
def test_units_of_scores_do_not_matter(one: dict[str, float], other: dict[str, float]) -> None:
    """Sums may ignore a score's unit and zero, places whatever keeps the order."""
    moved = {doc: 8 * score - 5 for doc, score in other.items()}
    cubed = {doc: score**3 for doc, score in other.items()}
    for method, changed in (("combsum", moved), ("rrf", moved), ("rrf", cubed)):
        fused = crossbow.fuse([{"q": one}, {"q": other}], method=method)["q"]
        assert scores(crossbow.fuse([{"q": one}, {"q": changed}], method=method)["q"]) == pytest.approx(scores(fused))


def test_a_query_without_hits_stays_one() -> None:
    assert crossbow.fuse([{"q": []}, {"q": []}]) == {"q": []}


@pytest.mark.parametrize(("arguments", "problem"), [
    ({"method": "borda"}, "'borda' is not a way to fuse runs; there are combsum, rrf"),
    ({"weights": [1]}, "1 weights for 2 runs"),
    ({"weights": [1, 0]}, "weights are numbers above 0"),
    ({"weights": [1, float("nan")]}, "weights are numbers above 0"),
])
def test_problems(arguments: dict[str, object], problem: str) -> None:
    with pytest.raises(CrossbowError, match=problem):
        crossbow.fuse([DENSE, OURS], **arguments)  # type: ignore[arg-type]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, in a folder with two runs."""
    for name, content in (("dense", DENSE), ("ours", OURS)):
        write_run(tmp_path / f"{name}.txt", {query: rank(found) for query, found in content.items()})
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys, "fuse")


def test_command(run: Run) -> None:
    assert good(run("dense.txt", "ours.txt", "-o", "both.txt.gz", "--quiet")) == ""
    assert read_run("both.txt.gz") == crossbow.fuse([DENSE, OURS])
    shown = good(run("dense.txt", "ours.txt", "--method", "rrf", "--weights", "1, .5", "-k", "2", "--tag", "x",
                     "--quiet"))  # fmt: skip
    Path("shown.txt").write_text(shown)
    assert read_run("shown.txt") == crossbow.fuse([DENSE, OURS], "rrf", [1, 0.5], 2)
    assert {line.split()[-1] for line in shown.splitlines()} == {"x"}


@pytest.mark.parametrize(("arguments", "problem"), [
    (["ours.txt"], "two runs or more"),
    (["ours.txt", "none.txt"], "none.txt"),
    (["ours.txt", "empty.txt"], "empty.txt: the run is empty"),
    (["ours.txt", "dense.txt", "--weights", "much little"], "--weights 'much little': expected numbers"),
    (["ours.txt", "dense.txt", "--method", "mix"], "'mix' is not a way to fuse runs"),
])
def test_problems_of_the_command(run: Run, arguments: list[str], problem: str) -> None:
    Path("empty.txt").write_text("")
    assert problem in failure(run(*arguments, "--quiet", "-o", "both.txt"))
    assert not Path("both.txt").exists()
