"""The randomization test against all swaps, listed; the bootstrap and power against one sample after another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.arrays import F64
from crossbow.evaluation import significance as module
from crossbow.evaluation.significance import (
    Significance,
    bootstrap,
    detectable,
    margin,
    power,
    randomization,
    randomizations,
    standard_error,
)
from reference.evaluate import exact_p

MANY = 20_000  # trials: more than one block


def near(p: float, expected: float, trials: int) -> bool:
    """Within five standard deviations of what chance gives."""
    return abs(p - expected) <= 5 * math.sqrt(expected * (1 - expected) / trials) + 2 / trials


def values(tenths: list[int]) -> tuple[F64, F64]:
    """Two runs that differ by so many tenths."""
    base = np.random.default_rng(3).random(len(tenths))
    return base + np.array(tenths) / 10, base


@given(tenths=st.integers(1, 12).flatmap(lambda size: st.lists(st.integers(-4, 4), min_size=size, max_size=size)),
       seed=st.integers(0, 99))  # fmt: skip
@settings(deadline=None, max_examples=100, derandomize=True)  # chance decides once, not in every run
def test_against_all_swaps(tenths: list[int], seed: int) -> None:
    """Tenths are not exact in floating point and add up to many ties."""
    result = randomization(*values(tenths), trials=MANY, seed=seed)
    assert near(result.p, exact_p(tenths), MANY)
    assert result.difference == pytest.approx(sum(tenths) / 10 / len(tenths))
    assert result.trials == MANY


def test_many_queries() -> None:
    """Against a plain simulation, with a number of queries that fills no byte."""
    rng = np.random.default_rng(8)
    a, b = rng.random(203), rng.random(203) - 0.04
    signs = np.random.default_rng(9).choice([-1, 1], (MANY, 203))
    expected = float((np.abs(signs @ (a - b)) >= abs((a - b).sum())).mean())
    assert 0.01 < expected < 0.9
    assert abs(randomization(a, b, MANY).p - expected) < 7 * math.sqrt(expected / MANY)


def test_ties_count() -> None:
    """One query differs, so every swap gives the same difference; of three equal ones a quarter of the swaps do."""
    assert randomization(np.array([0.3, 0.1]), np.array([0.1, 0.1]), 1000).p == 1
    a = np.array([0.1 + 0.2, 0.7, 0.8])
    assert near(randomization(a, a - np.array([0.3, 0.1 + 0.2, 0.8 - 0.5]), MANY).p, 0.25, MANY)


def test_identical_runs() -> None:
    a = np.random.default_rng(1).random(100)
    assert randomization(a, a.copy()) == Significance(0.0, 1.0, 100_000)


def test_p_is_the_share_that_counts_the_observed_one() -> None:
    """No trial reaches a difference that only two of 2^40 swaps have: p = 1 / (trials + 1), never 0."""
    result = randomization(np.ones(40), np.zeros(40), trials=999)
    assert (result.difference, result.p) == (1.0, 1 / 1000)


def test_both_directions_count() -> None:
    a, b = np.random.default_rng(4).random((2, 60))
    one, other = randomization(a, b, MANY), randomization(b, a, MANY)
    assert 0.005 < one.p < 0.9
    assert (one.p, one.difference) == (other.p, -other.difference)


def test_only_seed_and_trials_decide() -> None:
    a, b = np.random.default_rng(5).random((2, 30))
    assert randomization(a, b, 5000, seed=7) == randomization(a, b, 5000, seed=7)
    assert len({randomization(a, b, 5000, seed=seed).p for seed in range(5)}) > 1
    blocks = [randomization(a, b, trials).p * (trials + 1) - 1 for trials in (module.BLOCK, 2 * module.BLOCK)]
    assert blocks[1] != pytest.approx(2 * blocks[0])  # the second block is not the first again


def test_pairs_do_not_influence_each_other() -> None:
    """Also if they differ in how many queries they differ on."""
    rng = np.random.default_rng(6)
    pairs = []
    for share in (0.0, 0.1, 0.5, 1.0):
        b = rng.random(50)
        pairs.append((np.where(rng.random(50) < share, rng.random(50), b), b))
    together = randomizations(pairs, MANY)
    assert together == [randomization(a, b, MANY) for a, b in pairs]
    assert len({result.p for result in together}) == 4
    assert randomizations([]) == []


def test_queries_without_a_difference_do_not_matter() -> None:
    a, b = np.random.default_rng(7).random((2, 25))
    more = np.insert(np.array([a, b]), [0, 5, 5, 25], 0.5, axis=1)
    assert randomization(more[0], more[1], MANY).p == randomization(a, b, MANY).p


@pytest.mark.parametrize(("p", "trials", "text"), [
    (0.0123, 10**5, "p = 0.0123"), (1.0, 10**5, "p = 1.0000"), (0.001, 10**5, "p = 0.0010"),
    (0.00042, 10**5, "p = 4.2e-04"), (2 / (10**6 + 1), 10**6, "p = 2.0e-06"),
    (1 / (10**6 + 1), 10**6, "p < 1.0e-06 (1,000,000 trials)"), (1 / 100_001, 10**5, "p < 1.0e-05 (100,000 trials)"),
    (1 / 30_001, 30_000, "p < 3.4e-05 (30,000 trials)"),
])  # fmt: skip
def test_how_p_is_shown(p: float, trials: int, text: str) -> None:
    assert str(Significance(0.1, p, trials)) == text


def test_bootstrap_of_a_coin() -> None:
    """The mean of 100 throws has a standard deviation of 0.05."""
    low, high = bootstrap(np.repeat([0.0, 1.0], 50))
    assert (low, high) == (pytest.approx(0.5 - 1.96 * 0.05, abs=0.011), pytest.approx(0.5 + 1.96 * 0.05, abs=0.011))
    inner = bootstrap(np.repeat([0.0, 1.0], 50), level=0.5)
    assert inner.tolist() == pytest.approx([0.5 - 0.6745 * 0.05, 0.5 + 0.6745 * 0.05], abs=0.011)


def test_bootstrap_sample_by_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    skewed = rng.exponential(1, 37)
    drawn = np.random.default_rng(1)
    means = [skewed[drawn.integers(37, size=37)].mean() for _ in range(500)]
    expected = np.quantile(means, [0.05, 0.95])
    assert bootstrap(skewed, 0.9, 500).tolist() == pytest.approx(expected.tolist())
    assert expected[0] < skewed.mean() < expected[1]
    monkeypatch.setattr(module, "CELLS", 100)  # in pieces
    assert bootstrap(skewed, 0.9, 500).tolist() == pytest.approx(expected.tolist())


def test_bootstrap_of_rows() -> None:
    table = np.random.default_rng(3).random((3, 20))
    bounds = bootstrap(table, samples=300)
    assert bounds.shape == (3, 2)
    assert all(row.tolist() == pytest.approx(bootstrap(one, samples=300).tolist()) for row, one in zip(bounds, table))
    assert bootstrap(np.full(7, 0.3)).tolist() == pytest.approx([0.3, 0.3])


def samples(difference: float, queries: int = 60, count: int = 4000) -> tuple[F64, F64]:
    """Many pairs of runs, a row each, whose values differ by this much and by noise of 1."""
    rng = np.random.default_rng(11)
    b = rng.random((count, queries))
    return b + rng.normal(difference, 1, b.shape), b


def test_the_standard_error_is_the_spread_of_differences() -> None:
    a, b = samples(0.3)
    spread = float((a - b).mean(axis=1).std())
    errors = [error for pair in zip(a, b) if (error := standard_error(*pair)) is not None]
    assert len(errors) == len(a)
    assert np.mean(errors) == pytest.approx(spread, rel=0.03)
    assert standard_error(np.array([0.5, 0.2, 0.9]), np.array([0.1, 0.2, 0.1])) == pytest.approx(
        math.sqrt((0.4**2 + 0.8**2 - 1.2**2 / 3) / 2 / 3))
    assert standard_error(np.ones(1), np.zeros(1)) is None


@pytest.mark.parametrize("probability", [0.5, 0.8, 0.95])
def test_what_is_detectable_is_found_as_often_as_that(probability: float) -> None:
    error = 1 / math.sqrt(60)
    true = detectable(error, probability)
    a, b = samples(true)
    found = float((np.abs((a - b).mean(axis=1)) > margin(error)).mean())
    assert found == pytest.approx(probability, abs=0.02)
    assert power(true, error) == pytest.approx(probability, abs=1e-4)
    assert power(-true, error) == power(true, error)


def test_power_at_its_ends() -> None:
    assert detectable(0.01) == pytest.approx(0.028016, abs=1e-6)
    assert power(0.0, 0.01) == pytest.approx(0.05)
    assert power(margin(0.01), 0.01) == pytest.approx(0.5, abs=1e-4)  # an estimate falls short of it half of the time
    assert (power(0.1, 0.0), power(0.0, 0.0)) == (1.0, 0.0)
