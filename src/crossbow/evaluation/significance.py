"""Whether two runs differ by more than chance, and how sure a mean is.

    result = randomization(a, b)            # values of one measure for the same queries, by two runs
    print(result.difference, result)        # 0.0202 p = 0.0123
    low, high = bootstrap(a)                # of the mean of a
    error = standard_error(a, b)            # of result.difference
    detectable(error)                       # a true difference that would have been found, four times out of five

The paired randomization test: if the runs were alike, each query's two values could as well be swapped. p is the share
of random swaps whose difference is at least as large as the observed one, in either direction; the observed one counts
as one of them, so p is never 0.

What could have been found at all is decided by the standard error, before any p is looked at. There the mean of the
differences counts as normally distributed, which that of hundreds of queries is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from statistics import NormalDist

import numpy as np

from crossbow.arrays import F64
from crossbow.pipeline import Report

TRIALS, SEED = 100_000, 1
LEVEL, POWER = 0.05, 0.8  # a difference is found if p is below this level; one should be found with this probability
NORMAL = NormalDist()
BLOCK = 1 << 14  # trials at once, so that their sums stay in the cache
SLACK = 1e-10  # of the sum of all differences: sums that differ by less are equal but for rounding
CELLS = 1 << 22  # of the bootstrap's matrix


@dataclass(frozen=True)
class Significance:
    """The difference of two means, and the probability of one as large if the runs were alike."""

    difference: float
    p: float
    trials: int

    @property
    def shown(self) -> str:
        """0.0123, 4.2e-04, or < 1.0e-05 if no trial reached the difference."""
        if self.p * (self.trials + 1) < 1.5:
            bound = Context(prec=2, rounding=ROUND_CEILING).divide(Decimal(1), Decimal(self.trials))
            return f"< {float(bound):.1e}"
        return f"{self.p:.4f}" if self.p >= 0.001 else f"{self.p:.1e}"

    def __str__(self) -> str:
        if self.shown.startswith("<"):
            return f"p {self.shown} ({self.trials:,} trials)"
        return f"p = {self.shown}"


def randomization(a: F64, b: F64, trials: int = TRIALS, seed: int = SEED) -> Significance:
    """The paired randomization test, two-sided, of mean(a) − mean(b)."""
    return randomizations([(a, b)], trials, seed)[0]


def randomizations(
    pairs: Sequence[tuple[F64, F64]], trials: int = TRIALS, seed: int = SEED, report: Report | None = None
) -> list[Significance]:
    """The test for many pairs. Each result is what the pair alone would give; the random bits are made only once."""
    if not pairs:
        return []
    differences = [np.asarray(a, np.float64) - np.asarray(b, np.float64) for a, b in pairs]
    tables = [_subset_sums(difference[difference != 0]) for difference in differences]
    observed = [table[:, -1].sum() for table in tables]
    least = [abs(total) - SLACK * np.abs(d).sum() for total, d in zip(observed, differences)]
    reached = np.zeros(len(pairs), np.int64)
    widest = max(map(len, tables))
    for block, start in enumerate(range(0, trials, BLOCK)):
        # Bits of the first queries come first: how many there are for others does not matter.
        drawn = np.random.default_rng((seed, block)).bytes(widest * BLOCK)
        swaps = np.frombuffer(drawn, np.uint8).reshape(widest, BLOCK)[:, : trials - start]
        for at, table in enumerate(tables):
            swapped = np.zeros(swaps.shape[1])
            for sums, bits in zip(table, swaps):
                swapped += sums[bits]
            reached[at] += np.count_nonzero(np.abs(observed[at] - 2 * swapped) >= least[at])
        if report:
            report("testing differences", min(start + BLOCK, trials), trials)
    return [Significance(float(difference.mean()), (int(count) + 1) / (trials + 1), trials)
            for difference, count in zip(differences, reached)]


def standard_error(a: F64, b: F64) -> float | None:
    """The standard error of mean(a) − mean(b), by how the differences vary between queries; a single query has none."""
    return float(np.std(a - b, ddof=1) / np.sqrt(len(a))) if len(a) > 1 else None


def margin(error: float, level: float = LEVEL) -> float:
    """How far from 0 a difference must be to be found; as far from it reaches its confidence interval."""
    return NORMAL.inv_cdf(1 - level / 2) * error


def power(difference: float, error: float, level: float = LEVEL) -> float:
    """The probability that a two-sided test finds a true difference, in either direction."""
    if not error:
        return float(difference != 0)
    limit, shift = margin(1.0, level), difference / error
    return NORMAL.cdf(shift - limit) + NORMAL.cdf(-shift - limit)


def detectable(error: float, probability: float = POWER, level: float = LEVEL) -> float:
    """The smallest true difference that a two-sided test finds with this probability; 2.8 standard errors."""
    return margin(error, level) + NORMAL.inv_cdf(probability) * error


def _subset_sums(values: F64) -> F64:
    """A row for every eight values: the sum of each of their 256 subsets, by the byte whose bits are the subset."""
    eights = np.zeros((-(-len(values) // 8), 8))
    eights.ravel()[: len(values)] = values
    sums = np.zeros((len(eights), 1))
    for place in range(8):
        sums = np.hstack([sums, sums + eights[:, place, None]])
    return sums


def bootstrap(values: F64, level: float = 0.95, samples: int = 10_000, seed: int = SEED) -> F64:
    """The bounds, low and high, of the percentile interval of the mean; of each row, if there are several."""
    queries = values.shape[-1]
    rng = np.random.default_rng(seed)
    means = []
    for start in range(0, samples, rows := max(1, CELLS // queries)):
        size = min(rows, samples - start)
        drawn = rng.integers(queries, size=(size, queries)) + queries * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * queries).reshape(size, queries)
        means.append(counts @ values.T / queries)
    bounds: F64 = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return bounds.T
