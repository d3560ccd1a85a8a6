"""k-best lists: the same derivations as listing all of them and sorting, in the same order, with the same strings."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.decode.kbest import kbest
from crossbow.forest.infer import inside
from reference.decode import derivations
from reference.forests import Edge, forest_of, forests, random_forest


def listed(forest, best):
    """A k-best list as (score, edges, words)."""
    return [
        (
            float(best.score[h]),
            tuple(best.edges[best.edge_starts[h] : best.edge_starts[h + 1]].tolist()),
            tuple(forest.words[w] for w in best.words[best.word_starts[h] : best.word_starts[h + 1]]),
        )
        for h in range(len(best.score))
    ]  # fmt: skip


def chain(length, seed):
    """A node for each word, each with two edges that differ in score."""
    rng = np.random.default_rng(seed)
    edges = [
        Edge(v, [v - 1] if v else [], float(rng.normal()), [0, word] if v else [word])
        for v in range(length) for word in "ab"
    ]  # fmt: skip
    return forest_of(edges, ["x"])


@given(forests())
@settings(deadline=None, max_examples=200)
def test_all_derivations(forest):
    expected = derivations(forest)
    found = listed(forest, kbest(forest, len(expected) + 3))
    assert len(found) == len(expected)
    np.testing.assert_allclose([d[0] for d in found], [d.score for d in expected], atol=1e-9)
    assert Counter((edges, words) for _, edges, words in found) == Counter((d.edges, d.words) for d in expected)
    assert np.all(np.diff([d[0] for d in found]) <= 1e-9)


@given(forests(), st.integers(1, 20))
@settings(deadline=None, max_examples=100)
def test_fewer_than_all(forest, k):
    expected = derivations(forest)[:k]
    found = listed(forest, kbest(forest, k))
    np.testing.assert_allclose([d[0] for d in found], [d.score for d in expected], atol=1e-9)
    assert len({edges for _, edges, _ in found}) == len(found)


@given(forests(), st.integers(1, 400))
@settings(deadline=None, max_examples=200)
def test_distinct_strings(forest, k):
    best = {}
    for d in derivations(forest):
        best[d.words] = max(best.get(d.words, -np.inf), d.score)
    found = listed(forest, kbest(forest, k, unique=True))
    assert len(found) == min(k, len(best))
    assert len({words for _, _, words in found}) == len(found)
    np.testing.assert_allclose([d[0] for d in found], [best[words] for _, _, words in found], atol=1e-9)
    np.testing.assert_allclose([d[0] for d in found], sorted(best.values(), reverse=True)[:k], atol=1e-9)


@given(forests(), st.booleans())
@settings(deadline=None, max_examples=100)
def test_scores_belong_to_the_edges(forest, unique):
    by_edges = {d.edges: d for d in derivations(forest)}
    for score, edges, words in listed(forest, kbest(forest, 50, unique)):
        assert score == pytest.approx(forest.score[list(edges)].sum(), abs=1e-9)
        assert words == by_edges[edges].words


@given(forests(), st.booleans())
@settings(deadline=None, max_examples=60)
def test_first_is_viterbi(forest, unique):
    best = kbest(forest, 1, unique)
    assert len(best.score) == 1
    assert best.score[0] == inside(forest)[-1]


@given(forests(), st.booleans(), st.integers(0, 30))
@settings(deadline=None, max_examples=40)
def test_shorter_lists_are_prefixes_of_longer_ones(forest, unique, k):
    long, short = listed(forest, kbest(forest, 40, unique)), listed(forest, kbest(forest, k, unique))
    assert short == long[:k]


@pytest.mark.parametrize("unique", [False, True])
def test_deep_chain_grows_its_work_space(unique):
    forest = chain(1000, seed=1)
    gaps = np.sort(np.abs(forest.score[0::2] - forest.score[1::2]))
    best = kbest(forest, 1000, unique)
    assert len({words for _, _, words in listed(forest, best)}) == 1000
    assert best.score[0] == pytest.approx(forest.score.reshape(-1, 2).max(axis=1).sum())
    # Second: the cheapest exchange; third: the next cheapest, or both.
    np.testing.assert_allclose(best.score[0] - best.score[1], gaps[0], atol=1e-8)
    np.testing.assert_allclose(best.score[0] - best.score[2], gaps[1], atol=1e-8)
    lengths = np.diff(best.edge_starts)
    assert (lengths == 1000).all()
    sums = np.add.reduceat(forest.score[best.edges], best.edge_starts[:-1])
    np.testing.assert_allclose(best.score, sums, atol=1e-8)
    assert np.all(np.diff(best.score) <= 1e-9)


def test_chain_of_distinct_gaps_against_subset_sums():
    forest = chain(12, seed=4)
    gaps = np.abs(forest.score[0::2] - forest.score[1::2])
    bits = (np.arange(1 << 12)[:, None] >> np.arange(12)) & 1
    losses = np.sort(bits @ gaps)
    best = kbest(forest, 1 << 13)
    np.testing.assert_allclose(best.score, best.score[0] - losses, atol=1e-9)


def test_one_node_in_two_places():
    edges = [Edge(0, [], 1.0, ["a"]), Edge(0, [], 0.0, ["b"]), Edge(1, [0, 0], 0.5, [1, "und", 0])]
    found = listed(*(lambda f: (f, kbest(f, 10)))(forest_of(edges, ["x"])))
    assert [d[0] for d in found] == [2.5, 1.5, 1.5, 0.5]
    assert {d[2] for d in found} == {(x, "und", y) for x in "ab" for y in "ab"}


def test_same_string_by_two_routes_is_kept_once_with_the_better_score():
    edges = [
        Edge(0, [], 0.0, ["a"]), Edge(1, [], 0.0, ["b"]), Edge(2, [0, 1], 1.0, [0, 1]), Edge(2, [0], 3.0, [0, "b"]),
        Edge(2, [], 2.0, ["a", "b", "c"]),
    ]  # fmt: skip
    forest = forest_of(edges, ["x"])
    assert [d[0] for d in listed(forest, kbest(forest, 10))] == [3.0, 2.0, 1.0]
    assert [(d[0], " ".join(d[2])) for d in listed(forest, kbest(forest, 10, unique=True))] == [
        (3.0, "a b"), (2.0, "a b c"),
    ]  # fmt: skip


def test_empty_strings_are_strings():
    edges = [Edge(0, [], 0.0, []), Edge(0, [], -1.0, []), Edge(0, [], -2.0, ["a"])]
    forest = forest_of(edges, ["x"])
    assert [d[2] for d in listed(forest, kbest(forest, 5, unique=True))] == [(), ("a",)]
    assert len(kbest(forest, 5).score) == 3


def test_equal_scores_give_all_derivations_once():
    edges = [Edge(v, [], 0.0, [w]) for v in range(3) for w in "abc"] + [Edge(3, [2, 0, 1], 0.0, [0, 1, 2])]
    forest = forest_of(edges, ["x"])
    assert len({d[2] for d in listed(forest, kbest(forest, 100))}) == 27


def test_none_asked_for():
    best = kbest(random_forest(3), 0)
    assert len(best.score) == len(best.edges) == len(best.words) == 0
    assert best.edge_starts.tolist() == best.word_starts.tolist() == [0]


def test_never_rises():
    """Exactly, not only up to rounding: consumers may take the list as sorted."""
    forest = random_forest(562, nodes=9, edges_per_node=4, max_derivations=5000, covering=False)
    assert np.all(np.diff(kbest(forest, 2000).score) <= 0)
