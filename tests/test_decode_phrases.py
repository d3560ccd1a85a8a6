"""Phrase-based decoding: the forest holds exactly the permitted orders of phrases, each with the score of its features.

The oracle lists them by recursion and reads the language model from left to right (see reference.phrases).
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.decode.phrases import PhraseConfig, PhraseDecoder, decoder_for
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import forest_line, parse_forest
from crossbow.forest.infer import inside
from reference.decode import derivations, feature_vector, random_toy, toy_of, toy_pairs
from reference.forests import edges_of
from reference.phrases import ExhaustivePhrases
from test_decode import SENTENCES, assert_identical, by_string, decoded

MOST = 3000  # derivations that the oracle may list in a test


@cache
def toy(seed, order=3, pop_limit=0, limit=6, max_span=7, language_model=True):
    config = PhraseConfig(pop_limit=pop_limit, max_span=max_span, distortion_limit=limit, language_model=language_model)
    return random_toy(seed, order, config)


def exhaustive(model, tokens):
    """All derivations, of a beginning of the sentence if the whole has too many."""
    while (found := ExhaustivePhrases(model, tokens).translations(MOST)) is None:
        tokens = tokens[:-1]
    return found, tokens


def assert_same_derivations(model, tokens):
    expected, tokens = exhaustive(model, tokens)
    forest = model.decoder.decode(tokens)
    scores, features = by_string(expected)
    found, found_features = by_string(decoded(forest))
    assert set(found) == set(scores)
    for words in scores:
        np.testing.assert_allclose(found[words], scores[words], atol=1e-6, rtol=1e-6)
        np.testing.assert_allclose(found_features[words], features[words], atol=1e-3, rtol=1e-5)


@pytest.mark.parametrize("order", [1, 3])
@given(seed=st.integers(0, 11), tokens=SENTENCES)
@settings(deadline=None, max_examples=40)
def test_all_derivations(order, seed, tokens):
    assert_same_derivations(toy(seed, order), tokens)


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
@given(seed=st.integers(0, 11), tokens=SENTENCES)
@settings(deadline=None, max_examples=25)
def test_distortion_limit(limit, seed, tokens):
    assert_same_derivations(toy(seed, limit=limit), tokens)


@given(seed=st.integers(0, 11), tokens=SENTENCES)
@settings(deadline=None, max_examples=25)
def test_without_language_model(seed, tokens):
    model = toy(seed, language_model=False)
    assert_same_derivations(model, tokens)
    forest = model.decoder.decode(tokens)
    assert not forest.features[:, forest.names.index("LanguageModel")].any()


def test_phrase_length():
    for seed in range(6):
        assert_same_derivations(toy(seed, max_span=1), ["eins", "zwei", "drei", "vier"])


def test_the_toys_are_not_trivial():
    """Orders other than the source's, phrases of several words, and several routes to one string."""
    found, strings, jumps, long = 0, 0, 0, 0
    for seed in range(12):
        oracle = ExhaustivePhrases(toy(seed), ["eins", "drei", "zwei", "vier"])
        translations = oracle.translations(10 * MOST)
        found, strings = found + len(translations), strings + len({words for words, _, _ in translations})
        jumps += sum(features[oracle.toy.decoder.names.index("Distortion")] > 0 for _, features, _ in translations)
        long += sum(len(rule.source) > 1 for rule in oracle.rules)
    assert jumps > 1000
    assert found > 1.1 * strings
    assert long > 10


@pytest.mark.parametrize("pop_limit", [1, 5, 40])
@given(seed=st.integers(0, 11), tokens=SENTENCES)
@settings(deadline=None, max_examples=20)
def test_pruned_derivations_are_some_of_all(pop_limit, seed, tokens):
    model = toy(seed, 3, pop_limit)
    expected, tokens = exhaustive(model, tokens)
    scores, _ = by_string(expected)
    found, _ = by_string(decoded(model.decoder.decode(tokens)))
    assert found
    for words, values in found.items():
        left = list(scores[words])
        for value in values:
            nearest = min(left, key=lambda x: abs(x - value))
            assert nearest == pytest.approx(value, abs=1e-6)
            left.remove(nearest)


def test_a_moderate_limit_finds_the_best():
    compared = 0
    for seed in range(12):
        for tokens in (["eins", "drei", "zwei", "vier"], ["fünf", "eins", "xyz", "zwei"], ["drei", "drei", "eins"]):
            expected, tokens = exhaustive(toy(seed), tokens)
            (best,) = decoded(toy(seed, 3, 100).decoder.decode(tokens), 1)
            assert best[2] == pytest.approx(expected[0][2], abs=1e-6)
            compared += len(expected) > 200
    assert compared > 10


def test_a_limit_beyond_all_candidates_is_no_limit():
    tokens = ["eins", "zwei", "drei", "vier"]
    assert_identical(toy(2, 3, 1_000_000).decoder.decode(tokens), toy(2).decoder.decode(tokens))


def test_no_pruning_of_long_sentences_gets_stuck():
    """Every hypothesis can be completed, so one pop for each number of words is enough."""
    for seed in range(6):
        tokens = ["eins", "drei", "zwei", "xyz", "vier", "fünf"] * 12
        (best,) = decoded(toy(seed, 3, 1, limit=4).decoder.decode(tokens), 1)
        assert best[0]


@given(seed=st.integers(0, 11), pop_limit=st.sampled_from([0, 3, 30]), tokens=SENTENCES)
@settings(deadline=None, max_examples=50)
def test_what_a_forest_must_be_like(seed, pop_limit, tokens):
    """Each node is one set of translated words; each edge adds a phrase, with its features, links and place."""
    model = toy(seed, 3, pop_limit, limit=3)
    tokens = tokens[:5]
    oracle = ExhaustivePhrases(model, tokens)
    forest = model.decoder.decode(tokens)
    names = forest.names
    below = {}
    edges = edges_of(forest)
    for number, edge in enumerate(edges):
        before = below[edge.tails[0]] if edge.tails else (frozenset(), 0)
        own = set(edge.lex)
        assert not own & before[0]
        features = forest.features[number].astype(float)
        features[names.index("LanguageModel")] = 0.0
        expected = np.zeros(len(names))
        if own:
            assert (edge.target[0], sorted(own)) == (0, list(range(min(own), max(own) + 1)))
            assert oracle.may_follow(*before, min(own), max(own) + 1)
            source, target = tuple(tokens[p] for p in edge.lex), tuple(edge.target[1:])
            rules = oracle.rule_at(min(own), source, target)
            expected[names.index("PhrasePenalty")] = 1
            expected[names.index("Distortion")] = abs(min(own) - before[1])
            links = frozenset((i - min(own), j - 1) for i, j in edge.align)
            assert any(np.allclose(expected + feature_vector(model, rule), features, atol=1e-6) and rule.align == links
                       for rule in rules)
            state = before[0] | own, max(own) + 1
        else:
            assert edge.target == ([0] if edge.tails else [])
            assert not features.any()
            state = before
        assert edge.span == (0, max(state[0], default=-1) + 1)
        assert below.setdefault(edge.head, state) == state or edge.head == forest.nodes - 1
    assert below[forest.nodes - 1][0] == set(range(len(tokens)))
    assert {tail for edge in edges for tail in edge.tails} == set(range(forest.nodes - 1))
    weights = np.array([model.decoder.weights[name] for name in names])
    np.testing.assert_allclose(forest.features.astype(float) @ weights, forest.score, atol=1e-5)


def test_forests_survive_the_exchange_format():
    forest = toy(3).decoder.decode(["eins", "zwei", "xyz"], name="q")
    read = parse_forest(forest_line(forest))
    assert edges_of(read) == edges_of(forest)
    assert derivations(read)[0].score == pytest.approx(inside(forest)[-1])


def test_unknown_words_pass_through():
    forest = toy(0).decoder.decode(["xyz", "<s>", "xyz"], name="q")
    assert {words for words, _, _ in decoded(forest)} == {("xyz", "<s>", "xyz"), ("xyz", "xyz", "<s>"),
                                                          ("<s>", "xyz", "xyz")}


def test_leaving_out_a_group():
    pairs = toy_pairs(1, 1)
    model = toy_of(pairs, [["one"]], 2, dict(PhraseDecoder.start_weights), PhraseConfig(distortion_limit=0))
    tokens = pairs[0][0]
    assert len(model.decoder.rules(tokens).counts) > 0
    ((words, _, _),) = decoded(model.decoder.decode(tokens, exclude=0))
    assert words == tuple(tokens)


def test_settings():
    assert decoder_for(PhraseConfig()) is PhraseDecoder
    assert set(PhraseDecoder.start_weights) == set(PhraseDecoder.names)
    for limit in (-1, 11):
        with pytest.raises(CrossbowError, match="between 0 and 10"):
            PhraseConfig(distortion_limit=limit)
    with pytest.raises(CrossbowError, match="empty sentence"):
        toy(0).decoder.decode([])
