"""Settings chosen one after the other: what is tried, in which order, how much, and how it is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crossbow.learn.axes import BUDGET, Axis, shown, tune
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.repeats import Repeats
from crossbow.settings import changed


def test_one_field_after_the_other_until_nothing_changes() -> None:
    """The best b depends on k1 and the other way round, so that a second round is needed."""
    wanted = {(1.0, 0.5): 5, (2.0, 0.5): 6, (2.0, 0.1): 7, (3.0, 0.1): 8}

    def measure(search: SearchConfig) -> float:
        return wanted.get((search.bm25.k1, search.bm25.b), 0)

    axes = (Axis("bm25.k1", (1.0, 2.0, 3.0)), Axis("bm25.b", (0.1, 0.5)))
    start = changed(SearchConfig(), {"bm25.k1": 1.0, "bm25.b": 0.5})
    best, points = tune(measure, start, axes)
    assert (best.bm25.k1, best.bm25.b) == (3.0, 0.1)
    assert [(point.path, point.value, point.measure) for point in points] == [
        ("bm25.k1", "1", 5), ("bm25.k1", "2", 6), ("bm25.k1", "3", 0), ("bm25.b", "0.1", 7), ("bm25.k1", "1", 0),
        ("bm25.k1", "3", 8), ("bm25.b", "0.5", 0)][: len(points)]
    assert len(points) == 6  # the last is known from the first round


def test_v_follows_k1_in_forced_decoding() -> None:
    """Their product with the largest saturation, 1 / (k1 + 1) for a term that stands there once, stays."""
    k1, before = Axis("bm25.k1", (3.0,)), changed(SearchConfig(), {"weights.v": 0.8, "bm25.k1": 1.0})
    after = k1.put(before, 3.0)
    assert (after.bm25.k1, after.weights.v) == (3.0, pytest.approx(1.6))
    assert k1.put(changed(before, {"method": "dt"}), 3.0).weights.v == 0.8
    assert Axis("bm25.b", (0.4,)).put(before, 0.4) == changed(before, {"bm25.b": 0.4})


def test_ties_keep_what_came_first_and_the_budget_holds() -> None:
    calls: list[float] = []

    def measure(search: SearchConfig) -> float:
        calls.append(search.weights.v)
        return 1.0

    best, points = tune(measure, SearchConfig(), (Axis("weights.v", tuple(float(n) for n in range(1, 100))),))
    assert best == SearchConfig()
    assert len(calls) == len(points) == BUDGET


def test_nothing_is_measured_without_axes() -> None:
    best, points = tune(lambda search: pytest.fail("measured"), SearchConfig(), ())
    assert (best, points) == (SearchConfig(), [])


def test_values_are_shown_as_the_paper_writes_them() -> None:
    assert [shown(value) for value in (0.75, 1000, Repeats(0.5), Repeats(k3=2.0))] == [
        "0.75", "1000", "qtf^0.5", "qtf·3/(2+qtf)"]
    assert shown(replace(Repeats(), power=0)) == "qtf^0"
