"""The prior of alignment: words stand at about the same relative place in a sentence and in its translation.

The word at j of m is linked to the word at i of n (both counted from 1) with probability
(1 - null) exp(-tension |i/n - j/m|) / Z. Z, and the expected distance under this distribution, are two geometric
series, one to each side of the diagonal, and are summed in closed form.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from crossbow.jit import helper, kernel
from crossbow.vocab import Corpus

RATE = 20.0
LEAST_TENSION, MOST_TENSION = 0.1, 14.0


@helper
def _one_side(tension: float, nearest: float, step: float, count: int) -> tuple[float, float]:
    """Sums of exp(-tension d) and of d exp(-tension d) over d = nearest, nearest + step, … (count terms)."""
    ratio = math.exp(-tension * step)
    last = math.exp(-tension * step * count)
    geometric = (1.0 - last) / (1.0 - ratio)
    weighted = (geometric - 1.0 - (count - 1) * last) / (1.0 - ratio)
    weight = math.exp(-tension * nearest)
    return weight * geometric, weight * (nearest * geometric + step * weighted)


@helper
def sums(tension: float, n: int, m: int, j: int) -> tuple[float, float]:
    """Z for the word at j of m, and the sum that, divided by Z, is the expected distance |i/n - j/m|."""
    below = j * n // m
    z, distance = 0.0, 0.0
    if below > 0:
        z, distance = _one_side(tension, j / m - below / n, 1.0 / n, below)
    if below < n:
        more_z, more_distance = _one_side(tension, (below + 1) / n - j / m, 1.0 / n, n - below)
        z, distance = z + more_z, distance + more_distance
    return z, distance


@kernel
def expected_distance(tension: float, shapes: Any) -> float:
    """Mean expected distance of a word; a row of `shapes` is (n, m, how many sentence pairs have these lengths)."""
    total, words = 0.0, 0
    for row in range(shapes.shape[0]):
        n, m, times = shapes[row, 0], shapes[row, 1], shapes[row, 2]
        for j in range(1, m + 1):
            z, distance = sums(tension, n, m, j)
            total += times * distance / z
        words += times * m
    return total / words


def shapes_of(given: Corpus, made: Corpus, used: Any) -> Any:
    """The distinct (length given, length made) of the used sentence pairs, and how often each occurs."""
    lengths = np.stack([np.diff(given.starts)[used], np.diff(made.starts)[used]], axis=1)
    distinct, times = np.unique(lengths, axis=0, return_counts=True)
    return np.concatenate([distinct, times[:, None]], axis=1)


def fit_tension(tension: float, shapes: Any, observed: float, steps: int) -> float:
    """Gradient steps that bring the expected distance nearer to the observed mean distance of the links.

    Both are means over words that have an origin: the others say nothing about the diagonal.
    """
    for _ in range(steps):
        tension += RATE * (expected_distance(tension, shapes) - observed)
        tension = min(max(tension, LEAST_TENSION), MOST_TENSION)
    return tension
