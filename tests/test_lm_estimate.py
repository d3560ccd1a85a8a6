"""Estimation against hand-computed numbers, the slow oracle and the laws of probability."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.lm.estimate import FALLBACK_DISCOUNTS, Smoothing, discounts_of, estimate
from crossbow.lm.words import BEGIN, END, UNK, new_vocab
from crossbow.vocab import Corpus
from reference.lm import adjusted_counts, corpus_of, discounts, kneser_ney, log_prob, random_text

SENTENCES = st.lists(st.lists(st.integers(-1, 9), max_size=7), min_size=1, max_size=12)


def as_dict(ngrams):
    return {
        tuple(row): (float(p), float(b))
        for rows, probs, backoffs in zip(ngrams.words, ngrams.probs, ngrams.backoffs)
        for row, p, b in zip(rows.tolist(), probs, backoffs)
    }


def assert_same_model(found, expected):
    assert found.keys() == expected.keys()
    for gram in expected:
        assert found[gram] == pytest.approx(expected[gram], abs=2e-6), gram


def test_two_sentences_worked_out_by_hand():
    # <s> a b </s> and <s> a </s>. Words, by distinct predecessors: a 1, b 1, </s> 2, sum 4; fallback discounts free
    # .5 + .5 + 1 = 2, half of it, spread over <unk> </s> a b: .125 each. After <s>: a twice, 1 of 2 freed.
    # After a: b and </s> once each, 1 of 2 freed. After b: </s> once, .5 of 1 freed.
    vocab = new_vocab()
    ngrams = estimate(Corpus.encode([["a", "b"], ["a"]], vocab), len(vocab), Smoothing(order=2))
    a, b = vocab.ids(["a", "b"])
    expected = {
        (UNK,): (0.125, 1), (BEGIN,): (1, 0.5), (END,): (0.375, 1), (a,): (0.25, 0.5), (b,): (0.25, 0.5),
        (BEGIN, a): (0.625, 1), (a, b): (0.375, 1), (a, END): (0.4375, 1), (b, END): (0.6875, 1),
    }  # fmt: skip
    assert_same_model(as_dict(ngrams), {g: (math.log10(p), math.log10(bo)) for g, (p, bo) in expected.items()})


@settings(max_examples=80, deadline=None)
@given(SENTENCES, st.integers(1, 6))
def test_small_texts_give_the_oracles_model(sentences, order):
    assert_same_model(
        as_dict(estimate(corpus_of(sentences), 9, Smoothing(order))), kneser_ney(sentences, 9, order)
    )


@pytest.mark.parametrize("order", range(1, 7))
def test_a_text_with_proper_discounts_gives_the_oracles_model(order):
    sentences = random_text(order, 600, 120, 12)
    assert_same_model(as_dict(estimate(corpus_of(sentences), 120, Smoothing(order))), kneser_ney(sentences, 120, order))


def test_hash_table_grows_while_counting():
    # Few distinct words, no n-gram of order 3 or more twice: more n-grams than the table first has room for.
    words = np.random.default_rng(5).integers(3, 300, 3000).tolist()
    assert_same_model(as_dict(estimate(corpus_of([words]), 300, Smoothing(6))), kneser_ney([words], 300, 6))


@pytest.mark.parametrize("prune", [(0, 0, 1), (0, 1), (0, 1, 1, 3), (0, 0, 0, 2)])
def test_pruned_models_are_the_oracles(prune):
    sentences = random_text(9, 500, 50, 10)
    found = as_dict(estimate(corpus_of(sentences), 50, Smoothing(4, prune)))
    expected = kneser_ney(sentences, 50, 4, prune)
    assert len(expected) < len(kneser_ney(sentences, 50, 4))
    assert_same_model(found, expected)


@settings(max_examples=30, deadline=None)
@given(SENTENCES, st.integers(1, 6), st.sampled_from([(), (0, 1), (0, 0, 1)]), st.data())
def test_probabilities_sum_to_one(sentences, order, prune, data):
    model = as_dict(estimate(corpus_of(sentences), 9, Smoothing(order, prune[:order])))
    words = sorted(g[0] for g in model if len(g) == 1 and g[0] != BEGIN)
    context = data.draw(st.sampled_from(sorted(model)))[-(order - 1) :] if order > 1 else ()
    assert sum(10 ** log_prob(model, context, word) for word in words) == pytest.approx(1, abs=1e-5)


def test_discounts_fall_back_when_undefined_or_out_of_range():
    assert discounts_of(np.array([0, 5, 0, 1, 1])) == FALLBACK_DISCOUNTS
    assert discounts_of(np.array([0, 100, 1, 50, 900])) == FALLBACK_DISCOUNTS
    d = discounts_of(np.array([0, 100, 40, 20, 12]))
    y = 100 / 180
    assert d == pytest.approx((1 - 2 * y * 40 / 100, 2 - 3 * y * 20 / 40, 3 - 4 * y * 12 / 20))


def test_the_larger_texts_do_use_proper_discounts():
    marked = [[BEGIN, *s, END] for s in random_text(4, 600, 120, 12)]
    assert discounts(adjusted_counts(marked, 4)[2]) != [0.0, *FALLBACK_DISCOUNTS]


def test_words_that_do_not_occur_are_left_to_unk():
    ngrams = estimate(corpus_of([[5, 5, 7]]), 1000, Smoothing(2))
    assert ngrams.words[0][:, 0].tolist() == [UNK, BEGIN, END, 5, 7]
    assert ngrams.vocab_size == 1000


def test_only_empty_sentences_still_make_a_model():
    model = as_dict(estimate(corpus_of([[], []]), 3, Smoothing(3)))
    assert_same_model(model, kneser_ney([[], []], 3, 3))


def test_a_part_of_a_corpus_is_a_corpus():
    whole = corpus_of([[3, 4], [5, 3], [4]])
    part = Corpus(whole.words, whole.starts[1:])
    assert as_dict(estimate(part, 6, Smoothing(3))) == as_dict(estimate(corpus_of([[5, 3], [4]]), 6, Smoothing(3)))


def test_bad_requests_are_explained():
    with pytest.raises(CrossbowError, match="no sentences"):
        estimate(corpus_of([]), 3)
    with pytest.raises(CrossbowError, match="new_vocab"):
        estimate(corpus_of([[1]]), 2)
    with pytest.raises(CrossbowError, match="order from 1 to 6, not 7"):
        Smoothing(7)
    for prune in [(1,), (0, 2, 1), (0, 0, 0)]:
        with pytest.raises(CrossbowError, match="never fall"):
            Smoothing(2, prune)
