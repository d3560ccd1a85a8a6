"""Lexical features: what they are called, which edges have them, and forests scored with their weights."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.forced.lexical import lex_features, rescored
from crossbow.weights import TermWeights
from reference.forests import Edge, edges_of, forest_of, forests
from reference.learn import lex_names
from reference.ranking import Collection, check_hits, collections, forced, forced_scores, random_collection, weights
from searching import everything, explain, search_forests, weighing, with_lex

SOME = random_collection(4, 30, segments=2)


def random_lex(forest: Forest, seed: int) -> dict[str, float]:
    """Weights of some of the forest's features, of any sign, and one that it does not have."""
    rng = random.Random(seed)
    names = sorted({name for edge in edges_of(forest) for name in lex_names(edge, forest.source)})
    return {"LEX:A:no:where": 5.0} | {name: rng.choice([-3.0, -0.5, 0.0, 0.7, 2.5]) for name in names
                                      if rng.random() < 0.6}  # fmt: skip


def by_hand(forest: Forest, lex: dict[str, float]) -> Forest:
    edges = [edge._replace(score=edge.score + sum(lex.get(name, 0.0) for name in lex_names(edge, forest.source)))
             for edge in edges_of(forest)]  # fmt: skip
    return forest_of(edges, forest.source, forest.id)


@given(forest=forests())
@settings(deadline=None, max_examples=150)
def test_names_of_all_edges(forest: Forest) -> None:
    found = lex_features(forest)
    assert len(set(found.names)) == len(found.names)
    for e, edge in enumerate(edges_of(forest)):
        own = found.features[found.starts[e] : found.starts[e + 1]].tolist()
        assert Counter(found.names[f] for f in own) == Counter(lex_names(edge, forest.source))
    assert set(found.features.tolist()) == set(range(len(found.names)))


def test_spelling_stays_unambiguous() -> None:
    """Words with the separator in them, with what stands for it, and the empty word."""
    edges = [Edge(0, [], 0.0, ["b:c", "d", ":", "%3A"], lex=(0, 1, 2, 3), align=((0, 0), (1, 1), (2, 1)))]
    found = lex_features(forest_of(edges, ["a", "a:b:c", "%3A", "x"]))
    assert found.names == ["LEX:A:a:b%3Ac", "LEX:A:a%3Ab%3Ac:d", "LEX:A:%253A:d", "LEX:I:%3A", "LEX:I:%253A", "LEX:D:x"]


def test_a_link_counts_each_time_and_a_word_twice_in_the_source_is_one_feature() -> None:
    edges = [Edge(0, [], 1.0, ["x", "x"], lex=(0, 1), align=((0, 0), (1, 1)))]
    forest = forest_of(edges, ["a", "a"])
    assert lex_features(forest).names == ["LEX:A:a:x"]
    assert rescored(forest, {"LEX:A:a:x": 0.25}).score.tolist() == [1.5]


def test_nothing_to_do() -> None:
    edges = [Edge(0, [], 1.0, []), Edge(1, [0], 0.0, [0])]
    forest = forest_of(edges, ["a"])
    assert rescored(forest, {}) is forest
    assert lex_features(forest).names == []
    assert rescored(forest, {"LEX:I:x": 1.0}).score.tolist() == [1.0, 0.0]


@given(forest=forests(), seed=st.integers(0, 999))
@settings(deadline=None, max_examples=100)
def test_rescored_forests(forest: Forest, seed: int) -> None:
    lex = random_lex(forest, seed)
    found = rescored(forest, lex)
    assert found.score == pytest.approx(by_hand(forest, lex).score)
    assert replace(found, score=forest.score) == replace(forest)


@given(forest=forests(), collection=collections(), chosen=weights(), seed=st.integers(0, 999),
       beam=st.sampled_from([None, None, 1, 2]))
@settings(deadline=None, max_examples=150)
def test_search_is_exact_with_any_lexical_weights(
    forest: Forest, collection: Collection, chosen: TermWeights, seed: int, beam: int | None
) -> None:
    index, texts = collection
    lex = random_lex(forest, seed)
    config = everything(weights=with_lex(chosen, lex), bm25=texts.bm25)
    check_hits(search_forests([forest], index, None, config), forced(by_hand(forest, lex), texts, chosen, 1000))
    beamed = search_forests([forest], index, None, replace(config, bowfd=replace(config.bowfd, beam=beam)))
    plain = everything(weights=chosen, bm25=texts.bm25, beam=beam)
    assert beamed == search_forests([by_hand(forest, lex)], index, None, plain)


@given(forest=forests(), chosen=weights(), seed=st.integers(0, 999))
@settings(deadline=None, max_examples=60)
def test_explanations_know_the_lexical_weights(forest: Forest, chosen: TermWeights, seed: int) -> None:
    lex = random_lex(forest, seed)
    scores = forced_scores(by_hand(forest, lex), SOME.texts, chosen)
    for doc in list(scores)[:3]:
        found = explain([forest], SOME.index, doc, SearchConfig(weights=with_lex(chosen, lex)))
        assert found.score == pytest.approx(scores[doc], abs=1.1e-6)


@pytest.mark.parametrize("method", ["dt", "psq"])
def test_the_other_methods_do_not_look_at_them(method: str) -> None:
    edges = [Edge(0, [], 0.0, ["a"], lex=(0,), align=((0, 0),)), Edge(0, [], -0.1, ["b"], lex=(0,), align=((0, 0),))]
    forest = forest_of(edges, ["s"])
    plain, other = (SearchConfig(method, weights=weighing(lex=lex)) for lex in ({}, {"LEX:A:s:b": 9.0}))
    assert search_forests([forest], SOME.index, None, plain) == search_forests([forest], SOME.index, None, other)
    assert np.array_equal(forest.score, [0.0, -0.1])
