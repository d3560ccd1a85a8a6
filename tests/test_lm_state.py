"""Scores and chart states against backoff by its definition, for every bracketing."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.jit import kernel
from crossbow.lm.estimate import Smoothing, estimate
from crossbow.lm.model import LanguageModel
from crossbow.lm.ngrams import NGrams
from crossbow.lm.state import add_state, add_word, begin_sentence, clear_state, score_sequence, state_size
from crossbow.lm.words import BEGIN, END, UNK
from reference.lm import corpus_of, kneser_ney, log_score, random_text, state

EMPTY, START, WORD, JOIN = range(4)


@kernel
def run(lm, program, stack):
    """Build hypotheses on a stack: open an empty one or one with <s>, append a word, append the top to the next."""
    order = stack.shape[1] // 2
    total, top = 0.0, -1
    for i in range(program.shape[0]):
        if program[i, 0] == EMPTY:
            top += 1
            clear_state(stack[top], order)
        elif program[i, 0] == START:
            top += 1
            begin_sentence(stack[top], order)
        elif program[i, 0] == WORD:
            total += add_word(lm, stack[top], program[i, 1])
        else:
            top -= 1
            total += add_state(lm, stack[top], stack[top + 1])
    return total


def bracketing(words, begin, rng):
    """A random program for the words: appended word by word or as parts, built in the same way; some are empty."""
    program = [(START if begin else EMPTY, 0)]
    at = 0
    while at < len(words):
        n = int(rng.integers(0, len(words) - at + 1))
        if n == 1 and rng.random() < 0.7:
            program.append((WORD, words[at]))
        elif n < len(words) or begin:
            program += [*bracketing(words[at : at + n], False, rng), (JOIN, 0)]
        else:
            program += [(WORD, word) for word in words]
        at += n
    return program


def evaluate(model, words, begin, rng):
    program = np.array(bracketing(words, begin, rng), np.int64)
    stack = np.full((len(program) + 1, state_size(model.order)), 77, np.int32)
    return run(model.tables, program, stack), stack[0].tolist()


@lru_cache
def models(order, size, pruned=False):
    """The same model twice: hashed, and as a dictionary; from few or many sentences."""
    sentences = random_text(order, size, 12, 6)
    cuts = (0, 1, 2)[:order] if pruned else ()
    fast = LanguageModel.from_ngrams(estimate(corpus_of(sentences), 12, Smoothing(order, cuts)))
    return fast, kneser_ney(sentences, 12, order, cuts)


MODELS = st.tuples(st.sampled_from([2, 60]), st.booleans())
WORDS = st.lists(st.sampled_from([-1, 99, UNK, BEGIN, *range(3, 12)]), max_size=9)


@settings(max_examples=300, deadline=None)
@given(WORDS, st.booleans(), st.booleans(), st.integers(1, 6), MODELS, st.integers(0, 9**9))
def test_any_bracketing_gives_score_and_state_of_reading_left_to_right(words, begin, end, order, kind, seed):
    fast, slow = models(order, *kind)
    expected = log_score(slow, order, words, begin, end)
    assert score_sequence(fast.tables, np.array(words, np.int32), begin, end) == pytest.approx(expected, abs=1e-4)
    all_words = words + [END] * end
    rng = np.random.default_rng(seed)
    for _ in range(4):
        score, row = evaluate(fast, all_words, begin, rng)
        assert score == pytest.approx(expected, abs=1e-4)
        assert row == state(slow, order, all_words, begin)


@pytest.mark.parametrize("order", range(1, 7))
def test_sentences_of_the_text_itself(order):
    fast, slow = models(order, 60)
    rng = np.random.default_rng(order)
    for words in random_text(order, 60, 12, 6):
        expected = log_score(slow, order, words, True, True)
        assert fast.score(np.array(words, np.int32)) == pytest.approx(expected, abs=1e-4)
        score, row = evaluate(fast, [*words, END], True, rng)
        assert score == pytest.approx(expected, abs=1e-4)
        assert row == state(slow, order, [*words, END], True)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_equal_states_have_equal_futures(order):
    """Recombination is safe: whatever stands around them, two hypotheses of one state gain the same."""
    fast, _ = models(order, 60)
    rng = np.random.default_rng(order)
    by_state = {}
    for _ in range(3000):
        words = rng.integers(3, 12, rng.integers(1, 6)).tolist()
        _, row = evaluate(fast, words, False, rng)
        by_state.setdefault(tuple(row), {}).setdefault(tuple(words), None)
    shared = [list(group)[:2] for group in by_state.values() if len(group) > 1]
    assert len(shared) > 20
    for group in shared:
        before, after = rng.integers(3, 12, 4).tolist(), rng.integers(3, 12, 4).tolist()
        gains = [
            score_sequence(fast.tables, np.array([*before, *words, *after], np.int32), True, True)
            - score_sequence(fast.tables, np.array(words, np.int32), False, False)
            for words in group
        ]
        assert gains[0] == pytest.approx(gains[1], abs=1e-4)


def test_states_are_fewer_than_boundary_words():
    """The point of minimal states: hypotheses that differ in words the model never asks for fall together."""
    fast, _ = models(4, 60)
    rng = np.random.default_rng(0)
    hypotheses = {tuple(rng.integers(3, 12, rng.integers(4, 8)).tolist()) for _ in range(2000)}
    boundaries = {(words[:3], words[-3:]) for words in hypotheses}
    states = {tuple(evaluate(fast, list(words), False, rng)[1]) for words in hypotheses}
    assert len(states) < 0.8 * len(boundaries)


def test_a_context_that_only_has_a_backoff_is_still_charged():
    # Pruned foreign models: "3 4" and "5 3 4" have backoffs though no longer n-gram starts with them.
    words = (np.array([[UNK], [BEGIN], [END], [3], [4], [5]], np.int32), np.array([[3, 4], [5, 3]], np.int32),
             np.array([[5, 3, 4]], np.int32), np.zeros((0, 4), np.int32))  # fmt: skip
    probs = tuple(np.full(len(rows), -0.5 - 0.1 * n, np.float32) for n, rows in enumerate(words))
    backoffs = (np.float32([0, -0.1, 0, 0, 0, 0]), np.float32([0, 0]), np.float32([-0.25]), np.float32([]))
    fast = LanguageModel.from_ngrams(NGrams(words, probs, backoffs, 6))
    slow = {tuple(g): (p, b) for gs, ps, bs in zip(words, probs, backoffs) for g, p, b in zip(gs.tolist(), ps, bs)}
    rng = np.random.default_rng(3)
    sentence = [4, 5, 3, 4, 3, 5, 3, 4, 99, 3]
    for begin in (False, True):
        for n in range(len(sentence) + 1):
            score, row = evaluate(fast, sentence[:n], begin, rng)
            assert score == pytest.approx(log_score(slow, 4, sentence[:n], begin, False), abs=1e-5)
            assert row == state(slow, 4, sentence[:n], begin)
