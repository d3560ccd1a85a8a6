"""Plots: what is in them, that they are pictures, and that the same input gives the same bytes."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from crossbow.errors import CrossbowError
from crossbow.evaluation import plots
from crossbow.evaluation.measures import Values
from crossbow.evaluation.plots import bars, curve, lines, scatter
from crossbow.evaluation.significance import bootstrap

QUERIES = tuple(f"q{n}" for n in range(30))
NAMES = ("dt", "bow_fd $\\frac{$")  # no formula, and as one it would be broken
Draw = Callable[[Path], None]


def values(seed: int) -> Values:
    rng = np.random.default_rng(seed)
    arrays = {"AP": rng.random(30), "nDCG": rng.random(30), "PRES": rng.random(30),
              "NumRelRet": rng.integers(0, 9, 30).astype(float)}  # fmt: skip
    return Values(QUERIES, arrays, 0, 0)


RUNS = dict(zip(NAMES, map(values, range(2))))
A, B = (run.by_measure["AP"] for run in RUNS.values())
DRAWINGS: dict[str, Draw] = {
    "bars": lambda path: bars(path, RUNS, "30 queries, $5"),
    "scatter": lambda path: scatter(path, A, B, NAMES, "AP"),
    "lines": lambda path: lines(path, range(5), {"before $": np.arange(5.0), "after": np.ones(5)}, "round", "loss"),
    "curve": lambda path: curve(path, range(1000, 0, -100), np.linspace(0.01, 0.05, 10), "N_max", "PRES", "Figure 1"),
}


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """What was drawn, instead of files."""
    kept: list[Figure] = []
    monkeypatch.setattr(plots, "_save", lambda figure, path: kept.append(figure))
    return kept


@pytest.mark.parametrize("name", DRAWINGS)
def test_pictures(name: str, tmp_path: Path) -> None:
    DRAWINGS[name](tmp_path / "one.png")
    DRAWINGS[name](tmp_path / "two.png")
    image = (tmp_path / "one.png").read_bytes()
    assert image == (tmp_path / "two.png").read_bytes()
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    assert 500 <= min(width, height) <= max(width, height) <= 3000
    assert 5_000 < len(image) < 500_000
    assert b"Software" not in image
    assert b"tIME" not in image


def test_bars_are_means_with_intervals(figures: list[Figure]) -> None:
    bars("", RUNS, "30 queries, $5")
    (figure,) = figures
    assert figure.get_suptitle() == r"30 queries, \$5"
    assert [axes.get_ylabel() for axes in figure.axes] == ["AP", "nDCG", "PRES", "NumRelRet"]
    for axes, measure, scale in zip(figure.axes, ("AP", "nDCG", "PRES", "NumRelRet"), (1, 1, 1, 30)):
        assert [bar.get_height() for bar in axes.patches] == pytest.approx(
            [run.total(measure) for run in RUNS.values()])
        assert len({bar.get_facecolor() for bar in axes.patches}) == 2
        (lines,) = axes.collections
        for segment, run in zip(lines.get_segments(), RUNS.values()):
            assert segment[:, 1].tolist() == pytest.approx((scale * bootstrap(run.by_measure[measure])).tolist())
        assert [label.get_text() for label in axes.get_xticklabels()] == ["dt", r"bow_fd \$\frac{\$"]
        assert axes.get_ylim()[0] == 0


def test_bars_of_a_skewed_measure(figures: list[Figure]) -> None:
    """The mean may lie outside its interval when the queries are few; that is no error."""
    bars("", {"a": Values(("q",), {"AP": np.array([0.5])}, 0, 0)}, "")
    assert figures[0].axes[0].patches[0].get_height() == 0.5


def test_scatter_has_a_point_a_query(figures: list[Figure]) -> None:
    first, second = np.array([0.1, 0.5, 0.2, 0.8]), np.array([0.2, 0.5, 0.1, 0.9])
    scatter("", first, second, ("dt", "bowfd"), "AP")
    (axes,) = figures[0].axes
    assert axes.collections[0].get_offsets().tolist() == np.transpose([first, second]).tolist()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("AP of dt", "AP of bowfd")
    assert axes.get_title() == "bowfd: 2 better, 1 equal, 1 worse"
    assert axes.get_xlim() == axes.get_ylim()
    assert axes.get_xlim()[1] > 0.9
    (diagonal,) = axes.lines
    assert (diagonal.get_xy1(), diagonal.get_xy2()) == ((0, 0), (0.9, 0.9))


def test_scatter_of_nothing_but_zeros(figures: list[Figure]) -> None:
    scatter("", np.zeros(3), np.zeros(3), ("a", "b"), "AP")
    assert figures[0].axes[0].get_xlim()[1] > 0.5


def test_a_curve_runs_as_its_points_do(figures: list[Figure]) -> None:
    falling, y = [1000, 600, 100], [0.1, 0.2, 0.3]
    curve("", falling, y, "N_max", "difference")
    curve("", falling[::-1], y, "N_max", "difference")
    for figure, x in zip(figures, (falling, falling[::-1])):
        (axes,) = figure.axes
        assert (axes.lines[-1].get_xdata().tolist(), axes.lines[-1].get_ydata().tolist()) == (x, y)
        left, right = axes.get_xlim()
        assert (left > right) == (x[0] > x[-1])
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("N_max", "difference")


@pytest.mark.parametrize("name", DRAWINGS)
def test_without_matplotlib(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(CrossbowError, match=r"plots need the package matplotlib; install crossbow-clir\[plots\]"):
        DRAWINGS[name](tmp_path / "one.png")
    assert list(tmp_path.iterdir()) == []
