"""Beams: forests with fewer edges, which score no document higher."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.decode.kbest import kbest
from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.ranking.forced.beam import within_beam
from crossbow.weights import TermWeights
from reference.decode import derivations, derivations_below
from reference.forests import Edge, edges_of, forest_of, forests, random_forest
from reference.ranking import forced_scores, random_collection, weights
from searching import search_forced

SOME = random_collection(4, 25)


def kept_edges(forest: Forest, beam: int, sort: bool) -> set[int]:
    """The first edges of each node, or those with the best derivations below; of equal ones the first."""
    below, edges = derivations_below(forest), edges_of(forest)
    best = [max(d.score for d in each) for each in below]
    kept = set()
    for v in range(forest.nodes):
        own = list(range(forest.first[v], forest.first[v + 1]))
        if sort:
            own.sort(key=lambda e: -round(edges[e].score + sum(best[u] for u in edges[e].tails), 9))
        kept |= set(own[:beam])
    return kept


@given(forest=forests(), beam=st.integers(1, 4), sort=st.booleans(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=150)
def test_derivations_that_are_left(forest: Forest, beam: int, sort: bool, seed: int) -> None:
    kept = kept_edges(forest, beam, sort)
    fewer = within_beam(forest, beam, sort)
    expected = [(round(d.score, 6), d.words) for d in derivations(forest) if kept.issuperset(d.edges)]
    assert sorted((round(d.score, 6), d.words) for d in derivations(fewer)) == sorted(expected)
    assert forest_line(parse_forest(forest_line(fewer))) == forest_line(fewer)  # a legal forest
    assert (fewer.id, fewer.source) == (forest.id, forest.source)


@given(forest=forests(), chosen=weights(), beam=st.integers(1, 3), sort=st.booleans())
@settings(deadline=None, max_examples=60)
def test_no_score_is_higher(forest: Forest, chosen: TermWeights, beam: int, sort: bool) -> None:
    all_scores = forced_scores(forest, SOME.texts, chosen)
    for hit in search_forced(within_beam(forest, beam, sort), SOME.index, chosen):
        assert hit.score <= all_scores[hit.doc] + 1.1e-6


@pytest.mark.parametrize("beam", [4, 10**6, 2**31, 2**63, 10**30])
def test_a_wide_beam_leaves_everything_in_reach(beam: int) -> None:
    """Nodes out of reach go in any case, and with them documents that have only terms of theirs."""
    for seed in range(20):
        forest = random_forest(seed)
        for sort in (True, False):
            fewer = within_beam(forest, beam, sort)
            assert len(derivations(fewer)) == len(derivations(forest))
            scores = {hit.doc: hit.score for hit in search_forced(forest, SOME.index)}
            assert {hit.doc: hit.score for hit in search_forced(fewer, SOME.index)}.items() <= scores.items()
            assert fewer.nodes < forest.nodes or forest_line(fewer) == forest_line(forest)


def test_a_sorted_beam_of_one_is_the_best_translation() -> None:
    for seed in range(30):
        forest = random_forest(seed, covering=False)
        (only,) = derivations(within_beam(forest, 1))
        assert only.score == pytest.approx(float(kbest(forest, 1).score[0]), abs=1e-9)


def test_unsorted_beams_take_the_first_edges() -> None:
    edges = [Edge(0, [], -5.0, ["a"]), Edge(0, [], -1.0, ["b"]), Edge(1, [0], -1.0, [0]), Edge(1, [], 0.0, ["c"])]
    forest = forest_of(edges, ["s"])
    assert [d.words for d in derivations(within_beam(forest, 1, sort=False))] == [("a",)]
    assert [d.words for d in derivations(within_beam(forest, 1))] == [("c",)]
    assert [d.words for d in derivations(within_beam(forest, 2, sort=False))] == [("c",), ("b",), ("a",)]


def test_features_stay_with_their_edges() -> None:
    forest = forest_of([Edge(0, [], 1.0, ["a"]), Edge(0, [], 2.0, ["b"]), Edge(1, [0], 0.0, [0])], ["s"])
    fields = {**forest.__dict__, "names": ("f",), "features": np.array([[1], [2], [0]], np.float32)}
    fewer = within_beam(Forest(**fields), 1)
    assert fewer.features.tolist() == [[2], [0]]
    assert fewer.reweighted({"f": 10.0}).score.tolist() == [20, 0]


@pytest.mark.parametrize("beam", [0, -3])
def test_no_beam_at_all(beam: int) -> None:
    with pytest.raises(ValueError, match="at least one edge"):
        within_beam(random_forest(1), beam)
