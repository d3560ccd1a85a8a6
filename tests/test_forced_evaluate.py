"""Programs run for many documents at once: the same values as one by one, and float32 no further off than said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.ranking.forced.evaluate import rounding_error, run
from crossbow.ranking.forced.program import Program
from reference.ranking import program_value, programs

WIDTH = 5


def columns(program: Program, leaf: np.ndarray, active: np.ndarray, kind: type) -> np.ndarray:
    """The values of all columns of leaves. What is not active may hold anything."""
    rows = np.full((program.leaves + program.nodes, leaf.shape[1]), np.nan, kind)
    rows[: program.leaves] = leaf
    rows[: program.leaves][~active] = np.nan
    flags = np.concatenate((active, np.zeros(program.nodes, np.bool_)))
    given = program._replace(cost=program.cost.astype(kind))
    run(*given, rows, flags, np.empty(leaf.shape[1], kind))
    return rows[-1] if flags[-1] else np.zeros(leaf.shape[1], kind)


def leaves_of(program: Program, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Values of both signs, many of them 0; a leaf that is 0 everywhere need not be active."""
    rng = np.random.default_rng(seed)
    leaf = rng.normal(0, 2, (program.leaves, WIDTH)) * (rng.random((program.leaves, WIDTH)) < 0.6)
    leaf[rng.random(program.leaves) < 0.3] = 0.0
    return leaf, (leaf != 0).any(axis=1) | (rng.random(program.leaves) < 0.2)


@given(program=programs(), seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=200)
def test_columns(program: Program, seed: int) -> None:
    leaf, active = leaves_of(program, seed)
    expected = [program_value(program, leaf[:, d]) for d in range(WIDTH)]
    assert columns(program, leaf, active, np.float64) == pytest.approx(expected, abs=1e-9)


@given(program=programs(), seed=st.integers(0, 10**6), size=st.sampled_from([1e-6, 1.0, 1e4, 1e9]),
       price=st.sampled_from([1.0, 1e6]))  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_rounding(program: Program, seed: int, size: float, price: float) -> None:
    program = program._replace(cost=program.cost * price)
    leaf, active = leaves_of(program, seed)
    leaf *= size
    true = columns(program, leaf, active, np.float64)
    error = np.abs(columns(program, leaf, active, np.float32).astype(np.float64) - true).max()
    largest = np.abs(leaf).max(axis=1) if program.leaves else np.zeros(0)
    limit = rounding_error(program, largest)
    assert error <= limit
    assert limit <= 1e-3 * (np.abs(leaf).max(initial=0) + program.cost.max()) * 4**program.nodes + 1e-30


def test_rounding_adds_up_along_chains() -> None:
    """A third is not a float32, and a sum of thousands of them is off by far more than one."""
    count = 3000
    chain = Program(1, np.arange(count + 1, dtype=np.int32), np.append(0, 2 * np.arange(count) + 1).astype(np.int32),
                    np.array([0] + [row for v in range(1, count) for row in (v, 0)], np.int32), np.zeros(count))
    leaf = np.full((1, 1), 1 / 3)
    error = abs(float(columns(chain, leaf, np.ones(1, np.bool_), np.float32)[0]) - count / 3)
    assert 1e-4 < error <= rounding_error(chain, np.array([1 / 3]))


def test_without_terms_nothing_can_be_off() -> None:
    assert rounding_error(Program(0, np.array([0, 1], np.int32), np.zeros(2, np.int32), np.zeros(0, np.int32),
                                  np.zeros(1)), np.zeros(0)) == 0  # fmt: skip
