"""The objective, its gradient against finite differences, and the projection onto simplices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.evaluation.measures import per_query
from crossbow.parse.model import parse
from crossbow.parse.objective import Problem
from crossbow.parse.pool import Pool, best_dcg, discounts, ndcg
from crossbow.parse.scripts import CostConfig, PoolTrees, Scripts, compare
from crossbow.parse.similarity import Similarity, SimilarityConfig
from crossbow.parse.simplex import project
from crossbow.parse.texts import Texts
from crossbow.records import Hit
from test_parse_model import random_model, some_texts


def one_sentence_texts(seed: int, count: int) -> Texts:
    """Random texts of one sentence of up to five words."""
    rng = np.random.default_rng(seed)
    ends = np.concatenate([[0], np.cumsum(rng.integers(1, 6, count))]).astype(np.int64)
    unit = rng.integers(0, 4, ends[-1]).astype(np.int32)
    form = rng.integers(0, 6, ends[-1])
    return Texts(ends, ends, form, form // 2, unit)  # two forms share a stem


def random_pool(seed: int, queries: int = 4, docs: int = 8, candidates: int = 5) -> Pool:
    rng = np.random.default_rng(seed)
    base = np.sort(rng.random((queries, candidates)), axis=1)[:, ::-1].ravel()
    gain = rng.integers(0, 4, (queries, candidates)).astype(np.float64)
    gain[:, 0], gain[:, 1] = 0, 2  # something is relevant, something else not
    return Pool(tuple(f"q{q}" for q in range(queries)), one_sentence_texts(seed, queries),
                some_texts(seed + 1, docs), tuple(f"d{d}" for d in range(docs)),
                np.arange(0, queries * candidates + 1, candidates), rng.integers(0, docs, queries * candidates), base,
                gain.ravel(), np.array([best_dcg(row.astype(int).tolist()) for row in gain]))


def prepared(seed: int, replace: str) -> tuple[Pool, PoolTrees, Scripts, np.ndarray]:
    pool, model = random_pool(seed), random_model(seed, "posterior")
    trees = PoolTrees(parse(model, pool.queries), parse(model, pool.docs))
    scripts = compare(pool, trees, model.table.value, Similarity(SimilarityConfig("stem", 0.7)), CostConfig(replace))
    return pool, trees, scripts, model.table.value


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["fraction", "difference"]))
def test_the_loss_by_its_formula(seed: int, replace: str) -> None:
    pool, trees, scripts, theta = prepared(seed, replace)
    alpha = 1.7
    score = pool.base - alpha * scripts.distance
    expected = 0.0
    for q in range(len(pool.ids)):
        here = range(pool.starts[q], pool.starts[q + 1])
        order = sorted(here, key=lambda k: (-score[k], k))
        rank = {k: order.index(k) + 1 for k in here}
        for h in here:
            for s in here:
                if pool.gain[h] > pool.gain[s]:
                    change = (pool.gain[h] - pool.gain[s]) * (1 / math.log2(rank[h] + 1) - 1 / math.log2(rank[s] + 1))
                    expected += abs(change) / pool.ideal[q] * math.log(1 + math.exp(score[s] - score[h]))
    assert Problem(pool, trees, scripts, alpha).loss(theta) == pytest.approx(expected)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["fraction", "difference"]))
def test_the_gradient_against_differences(seed: int, replace: str) -> None:
    """With parses and scripts fixed; a step is small beside the differences of scores."""
    pool, trees, scripts, theta = prepared(seed, replace)
    problem = Problem(pool, trees, scripts, 1.7)
    loss, gradient = problem.gradient(theta)
    assert loss == problem.loss(theta)
    step = 1e-6
    for at in range(len(theta)):
        up, down = theta.copy(), theta.copy()
        up[at] += step
        down[at] -= step
        assert gradient[at] == pytest.approx((problem.loss(up) - problem.loss(down)) / (2 * step), abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["fraction", "difference"]))
def test_distances_are_linear_and_their_gradient_is_that_of_the_best_script(seed: int, replace: str) -> None:
    """Parses fixed, scripts free: the derivative of a minimum is that of whatever attains it."""
    pool, trees, scripts, theta = prepared(seed, replace)
    similarity, costs = Similarity(SimilarityConfig("stem", 0.7)), CostConfig(replace)
    rng = np.random.default_rng(seed)
    theta = theta + rng.random(len(theta)) * 0.01  # no two scripts cost the same
    scripts = compare(pool, trees, theta, similarity, costs)
    direction = rng.normal(size=len(theta))
    for k in range(len(pool.doc)):
        q = np.searchsorted(pool.starts, k, "right") - 1
        edges = trees.queries.edge[pool.queries.starts[q] : pool.queries.starts[q + 1]]
        here = slice(scripts.starts[k], scripts.starts[k + 1])
        scale, partner = scripts.scale[here], scripts.partner[here]
        slope = np.zeros(len(theta))
        np.add.at(slope, edges, scale)
        np.add.at(slope, partner[partner >= 0], scale[partner >= 0])
        assert scripts.distance[k] == pytest.approx(slope @ theta)
        step = 1e-7
        up, down = (compare(pool, trees, theta + sign * step * direction, similarity, costs).distance[k]
                    for sign in (1, -1))
        assert (up - down) / (2 * step) == pytest.approx(slope @ direction, abs=1e-5)
        if k >= 3:
            break


def test_ndcg_is_that_of_the_measures() -> None:
    rng = np.random.default_rng(1)
    starts, score, gain = np.array([0, 15, 30]), rng.random(30), rng.integers(0, 4, 30).astype(np.float64)
    qrels = {f"q{q}": {f"d{k}": int(gain[15 * q + k]) for k in range(15)} | {"unseen": 3} for q in range(2)}
    ideal = np.array([best_dcg(levels.values()) for levels in qrels.values()])
    pool = random_pool(1)._replace(starts=starts, gain=gain, ideal=ideal)
    run = {f"q{q}": [Hit(f"d{k}", float(score[15 * q + k]), 0) for k in range(15)] for q in range(2)}
    np.testing.assert_allclose(ndcg(pool, score), per_query(qrels, run, ["nDCG@10"]).by_measure["nDCG@10"])


def test_equal_scores_stay_in_order() -> None:
    found = np.empty(3)
    discounts(np.array([0, 3]), np.array([1.0, 2.0, 1.0]), found)
    np.testing.assert_allclose(found, [1 / math.log2(3), 1.0, 0.5])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=8), st.lists(st.floats(-3, 3), min_size=1, max_size=8))
def test_projection(first: list[float], second: list[float]) -> None:
    """The nearest point is a distribution x with (y − x)·(z − x) ≤ 0 for every other distribution z."""
    starts = np.array([0, len(first), len(first) + len(second)])
    moved = np.array(first + second)
    value = moved.copy()
    project(starts, value, np.array([True, False]))
    x, y = value[: len(first)], moved[: len(first)]
    assert x.min() >= 0
    assert x.sum() == pytest.approx(1)
    for corner in np.eye(len(first)):
        assert (y - x) @ (corner - x) <= 1e-9
    np.testing.assert_array_equal(value[len(first) :], moved[len(first) :])
