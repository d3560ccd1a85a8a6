"""Words and terms by number: what the analyzer and the index say, whoever asks, in whatever order."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.index import Index, build
from crossbow.ranking.structured import numbering
from crossbow.ranking.structured.numbering import Numbering
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.threads import in_order
from crossbow.vocab import Vocab

WORDS = ["house", "houses", "the", ",", "unheard", "Text-Mode", "text", "lake-lakes", "text-unheard", "mode", "Lake"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = [Doc("d1", "a house by the lake"), Doc("d2", "text mode")]
    build(tmp_path / "index", docs, Analyzer(Settings("en")), workers=1)
    return tmp_path / "index"


def terms_of(numbering: Numbering, numbers: np.ndarray) -> list[tuple[int, str]]:
    at, terms = numbering.terms(numbers)
    return sorted((place, numbering.names[term]) for place, term in zip(at.tolist(), terms.tolist()))


def expected(index: Index, words: list[str]) -> list[tuple[int, str]]:
    return sorted({(place, term) for place, word in enumerate(words) for term in index.analyzer.terms(word)
                   if index.df(term)})


@given(asked=st.lists(st.lists(st.sampled_from(WORDS)), max_size=4))
@settings(deadline=None, max_examples=50)
def test_terms_are_those_of_the_index(tmp_path_factory: pytest.TempPathFactory, asked: list[list[str]]) -> None:
    folder = tmp_path_factory.getbasetemp() / "numbered"
    if not folder.exists():
        build(folder, [Doc("d1", "a house by the lake"), Doc("d2", "text mode")], Analyzer(Settings("en")), workers=1)
    index, vocab = Index.load(folder), Vocab(reversed(WORDS))
    numbering = Numbering.of(index)
    for words in asked:
        one_by_one = np.array([numbering.of_word(word) for word in words], np.int32)
        assert terms_of(numbering, one_by_one) == expected(index, words)
        assert numbering.of_ids(vocab, vocab.ids(words)).tolist() == one_by_one.tolist()
        assert [numbering.words[number] for number in one_by_one.tolist()] == words
    assert len(set(numbering.words)) == len(numbering.words)


def test_there_is_room_for_many_words_and_vocabularies_may_grow(folder: Path) -> None:
    index = Index.load(folder)
    numbering, vocab = Numbering.of(index), Vocab(["house"])
    assert numbering.of_ids(vocab, vocab.ids(["house"])).tolist() == [0]
    ids = vocab.add_all([f"word{number}" for number in range(3000)] + ["lake"])
    numbers = numbering.of_ids(vocab, ids)
    assert numbers.tolist() == list(range(1, 3002))
    assert terms_of(numbering, numbers) == [(3000, "lake")]
    assert terms_of(numbering, numbering.of_ids(vocab, vocab.ids(["house", "lake"]))) == [(0, "hous"), (1, "lake")]


def test_threads_give_a_word_one_number(folder: Path) -> None:
    index = Index.load(folder)
    words = [f"word{number % 500}" for number in range(4000)] + WORDS * 20
    numbers = [number for _, number in in_order(Numbering.of(index).of_word, words, 4)]
    assert [Numbering.of(index).words[number] for number in numbers] == words
    assert len(set(numbers)) == len(set(words)) == len(Numbering.of(index).words)


def test_words_without_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries may have any words, so a numbering that has grown large is left to whoever uses it."""
    monkeypatch.setattr(numbering, "MOST_WORDS", 10)
    index = Index.load(folder)
    first = Numbering.of(index)
    for number in range(11):
        assert Numbering.of(index).of_word(f"word{number}") == number
    assert Numbering.of(index) is not first
    assert Numbering.of(index).of_word("word5") == 0
    assert first.of_word("word5") == 5


def test_a_numbering_goes_with_its_index(folder: Path) -> None:
    index = Index.load(folder)
    assert Numbering.of(index) is Numbering.of(index) is not Numbering.of(Index.load(folder))
    gone = weakref.ref(index)
    del index
    gc.collect()
    assert gone() is None
