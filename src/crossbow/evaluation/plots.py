"""Plots of evaluations as PNG files; same input, same bytes. Needs matplotlib, the extra `crossbow-clir[plots]`.

    bars("bars.png", {"dt": values, "bowfd": values}, "Test queries")
    scatter("scatter.png", values_of_dt, values_of_bowfd, ("dt", "bowfd"), "AP")
    lines("lines.png", range(20), {"before": values, "after": values}, "round", "objective")
    curve("curve.png", range(1000, 0, -100), differences, "N_max", "PRES(+LM) − PRES(−LM)")
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crossbow.arrays import F64
from crossbow.errors import CrossbowError
from crossbow.evaluation.measures import Values, is_count
from crossbow.evaluation.significance import bootstrap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PathLike = str | os.PathLike[str]
Numbers = Sequence[float] | F64

# Okabe and Ito's, which people with any kind of color vision can tell apart.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
COLUMNS = 3  # of panels
DOTS = 150  # an inch


def bars(path: PathLike, runs: Mapping[str, Values], title: str) -> None:
    """A panel for each measure, in it a bar for each run: the mean over queries (counts: the sum), and the 95 %
    bootstrap interval."""
    measures = list(next(iter(runs.values())).by_measure)
    rows, columns = -(-len(measures) // COLUMNS), min(COLUMNS, len(measures))
    figure = _figure(max(4.0, 1.2 + (0.8 + 0.6 * len(runs)) * columns), 0.8 + 2.8 * rows)
    figure.suptitle(_plain(title))
    places = np.arange(len(runs))
    for at, measure in enumerate(measures):
        values = np.array([run.by_measure[measure] for run in runs.values()])
        scale = values.shape[1] if is_count(measure) else 1
        heights, bounds = scale * values.mean(axis=1), scale * bootstrap(values)
        axes = figure.add_subplot(rows, columns, at + 1)
        # The percentiles of resampled means need not enclose the mean of the sample itself.
        errors = np.maximum(0, [heights - bounds[:, 0], bounds[:, 1] - heights])
        axes.bar(places, heights, yerr=errors, capsize=4, color=[COLORS[n % len(COLORS)] for n in places])
        axes.set_ylabel(_plain(measure))
        axes.set_xticks(places, [_plain(name) for name in runs], rotation=30, ha="right", rotation_mode="anchor")
        _clean(axes)
    _save(figure, path)


def scatter(path: PathLike, a: Numbers, b: Numbers, names: tuple[str, str], measure: str) -> None:
    """A point for each query: its value in the first run to the right, in the second upwards."""
    first, second = np.asarray(a), np.asarray(b)
    figure = _figure(5.0, 5.0)
    axes = figure.add_subplot()
    top = max(first.max(), second.max()) or 1.0
    axes.axline((0, 0), (top, top), color="0.6", linewidth=1, zorder=0)
    axes.scatter(first, second, s=18, alpha=0.5, color=COLORS[0], edgecolors="none")
    axes.set_xlim(-0.03 * top, 1.03 * top)
    axes.set_ylim(-0.03 * top, 1.03 * top)
    axes.set_aspect("equal")
    axes.set_xlabel(_plain(f"{measure} of {names[0]}"))
    axes.set_ylabel(_plain(f"{measure} of {names[1]}"))
    better, worse = int((second > first).sum()), int((second < first).sum())
    axes.set_title(_plain(f"{names[1]}: {better} better, {first.size - better - worse} equal, {worse} worse"))
    _clean(axes)
    _save(figure, path)


def curve(path: PathLike, x: Numbers, y: Numbers, x_label: str, y_label: str, title: str = "") -> None:
    """A line through points, from the first x on the left to the last on the right, also if they fall."""
    figure = _figure(5.5, 4.0)
    axes = figure.add_subplot()
    axes.axhline(0, color="0.6", linewidth=1, zorder=0)
    axes.plot(x, y, marker="o", color=COLORS[0])
    if x[0] > x[-1]:
        axes.invert_xaxis()
    axes.set_xlabel(_plain(x_label))
    axes.set_ylabel(_plain(y_label))
    axes.set_title(_plain(title))
    _clean(axes)
    _save(figure, path)


def lines(
    path: PathLike, x: Numbers, series: Mapping[str, Numbers], x_label: str, y_label: str, title: str = ""
) -> None:
    """A line with a mark of its own for each series, over the same x; a legend names them."""
    figure = _figure(6.5, 4.0)
    axes = figure.add_subplot()
    for (name, y), color, mark in zip(series.items(), COLORS, "os^dvPX*"):
        axes.plot(x, y, marker=mark, color=color, label=_plain(name))
    axes.set_xlabel(_plain(x_label))
    axes.set_ylabel(_plain(y_label))
    axes.set_title(_plain(title))
    axes.legend(frameon=False)
    _clean(axes)
    _save(figure, path)


def _figure(width: float, height: float) -> Figure:
    """A figure of its own, outside pyplot, which keeps a list of all and wants a window."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise CrossbowError("plots need the package matplotlib; install crossbow-clir[plots]") from None
    return Figure(figsize=(width, height), dpi=DOTS, layout="constrained")


def _plain(text: str) -> str:
    """Matplotlib takes what stands between dollar signs for mathematics."""
    return text.replace("$", r"\$")


def _clean(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)


def _save(figure: Figure, path: PathLike) -> None:
    """All of the file or nothing; without the version of matplotlib in it."""
    image = io.BytesIO()
    figure.savefig(image, format="png", metadata={"Software": None})
    Path(path).write_bytes(image.getvalue())
