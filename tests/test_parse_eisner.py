"""Sums over trees and the best tree, against the enumeration of all trees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.parse.eisner import best_tree, posteriors
from reference.parse import arc_posteriors, best_sum, projective_trees


def random_arcs(seed: int, n: int, sparse: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    arcs = rng.random((n + 1, n)) ** 3
    return np.where(rng.random(arcs.shape) < 0.3, 0.0, arcs) if sparse else arcs


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 7), (4, 30), (5, 143)])
def test_all_trees_are_counted_once(n: int, count: int) -> None:
    """The numbers of projective trees are known: C(3n − 2, n − 1) / n."""
    assert len(set(projective_trees(n))) == count
    assert posteriors(np.ones((n + 1, n)), np.empty((n + 1, n))) == pytest.approx(count)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.booleans())
def test_posteriors(seed: int, n: int, sparse: bool) -> None:
    arcs = random_arcs(seed, n, sparse)
    found = np.empty((n + 1, n))
    total = posteriors(arcs, found)
    if total == 0.0:
        with np.errstate(invalid="ignore"):
            assert sum(np.prod([arcs[h, c] for c, h in enumerate(heads)]) for heads in projective_trees(n)) == 0.0
        return
    expected, shares = arc_posteriors(arcs)
    assert total == pytest.approx(expected)
    np.testing.assert_allclose(found, shares, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=0), 1.0)
    assert found[n].sum() == pytest.approx(1.0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_best_tree(seed: int, n: int) -> None:
    arcs = np.random.default_rng(seed).normal(size=(n + 1, n))
    head = np.empty(n, np.int32)
    score = best_tree(arcs, head)
    assert tuple(head) in set(projective_trees(n))
    assert score == pytest.approx(best_sum(arcs))
    assert score == pytest.approx(sum(arcs[h, c] for c, h in enumerate(head)))


def test_a_long_sentence() -> None:
    """Sixty words: probabilities still add up, and the best tree is a tree."""
    arcs = random_arcs(1, 60)
    found, head = np.empty(arcs.shape), np.empty(60, np.int32)
    assert posteriors(arcs, found) > 0
    np.testing.assert_allclose(found.sum(axis=0), 1.0)
    best_tree(np.log(arcs + 1e-12), head)
    assert (head == -1).sum() == 1


def test_nothing_but_impossible_trees() -> None:
    assert posteriors(np.zeros((4, 3)), np.empty((4, 3))) == 0.0
