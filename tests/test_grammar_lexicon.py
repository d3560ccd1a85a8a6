"""The lexicon: every probability is the share of links that a count over the sentences finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.grammar.lexicon import Lexicon
from crossbow.vocab import Vocab
from reference.grammar import Pair, build
from reference.structured import lexical

SOURCE = Vocab([" ", "das", "haus", "am", "see", "nie"])
TARGET = Vocab(["<unk>", "the", "house", "home", "lake"])


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    source = draw(st.lists(st.integers(1, 4), min_size=1, max_size=8))
    target = draw(st.lists(st.integers(0, 4), min_size=1, max_size=8))
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return Pair(source, target, frozenset(draw(st.lists(link, max_size=10))))


def lexicon_of(training: list[Pair]) -> Lexicon:
    return Lexicon(build(training, len(SOURCE), len(TARGET)), SOURCE, TARGET)


@given(st.lists(pairs(), min_size=1, max_size=6))
@settings(deadline=None, max_examples=150)
def test_shares_of_links(training: list[Pair]) -> None:
    lexicon = lexicon_of(training)
    for word, name in enumerate(SOURCE.words):
        expected = sorted(lexical(training, word).items(), key=lambda item: (-item[1], item[0]))
        ids, probabilities = lexicon.of_id(word)
        assert (ids.dtype, probabilities.dtype) == (np.int32, np.float64)
        assert ids.tolist() == [t for t, _ in expected]
        np.testing.assert_allclose(probabilities, [float(p) for _, p in expected], rtol=1e-15)
        assert lexicon.translations(name) == list(zip((TARGET.words[t] for t in ids), probabilities.tolist()))


@pytest.fixture
def lexicon() -> Lexicon:
    return lexicon_of([
        Pair([1, 2, 2], [1, 2], frozenset({(0, 0), (1, 1)})),  # das haus haus – the house; the second has no link
        Pair([2, 4], [3, 3, 4], frozenset({(0, 0), (0, 1), (1, 2)})),  # haus see – home home lake
        Pair([3], [1], frozenset()),
    ])  # fmt: skip


def test_by_hand(lexicon: Lexicon) -> None:
    assert lexicon.translations("das") == [("the", 1.0)]
    assert lexicon.translations("haus") == [("home", 0.5), ("house", 0.25)]
    assert lexicon.translations("see") == [("lake", 1.0)]


@pytest.mark.parametrize("word", ["am", "nie", "unbekannt", "", " "])
def test_words_without_translations(lexicon: Lexicon, word: str) -> None:
    """Never linked, never seen, unknown, and the name that stands for the end of a sentence."""
    assert lexicon.translations(word) == []


@pytest.mark.parametrize("number", [-1, 0, 6, 1000])
def test_numbers_that_are_no_words(lexicon: Lexicon, number: int) -> None:
    ids, probabilities = lexicon.of_id(number)
    assert (len(ids), len(probabilities)) == (0, 0)
    assert (ids.dtype, probabilities.dtype) == (np.int32, np.float64)


def test_a_word_is_counted_once(lexicon: Lexicon) -> None:
    assert lexicon.of_id(2) is lexicon.of_id(2)
