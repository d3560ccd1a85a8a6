"""Vocabularies and encoded text, against plain dictionaries and lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.vocab import Corpus, Vocab

WORDS = st.text("abß漢", max_size=2)


@given(st.lists(WORDS), st.lists(WORDS))
def test_ids_are_positions_of_first_occurrence(known: list[str], asked: list[str]) -> None:
    order = list(dict.fromkeys(known))
    vocab = Vocab()
    ids = vocab.add_all(known)
    assert ids.dtype == np.int32
    assert ids.tolist() == [order.index(word) for word in known]
    assert vocab.words == order
    assert len(vocab) == len(order)
    found = vocab.ids(asked)
    assert found.dtype == np.int32
    assert found.tolist() == [order.index(word) if word in order else -1 for word in asked]
    assert all((word in vocab) == (word in order) for word in asked)
    assert vocab.words == order, "asking must not add words"


def test_a_vocabulary_goes_on_where_its_words_end() -> None:
    words = ["a", "b"]
    vocab = Vocab(words)
    assert vocab.add("b") == 1
    assert vocab.add("c") == 2
    assert vocab.add_all(iter("ca")).tolist() == [2, 0]
    assert words == ["a", "b"], "the list that was given is not ours to change"


def test_words_must_be_distinct() -> None:
    with pytest.raises(ValueError, match="distinct"):
        Vocab(["a", "b", "a"])


@given(st.lists(st.lists(WORDS)))
def test_corpus(sentences: list[list[str]]) -> None:
    vocab = Vocab(["ß"])
    corpus = Corpus.encode(iter(sentences), vocab)
    assert corpus.words.dtype == np.int32
    assert corpus.starts.dtype == np.int64
    assert len(corpus.starts) == len(sentences) + 1
    read = [[vocab.words[i] for i in corpus.words[a:b]] for a, b in zip(corpus.starts[:-1], corpus.starts[1:])]
    assert read == sentences
    assert vocab.words == list(dict.fromkeys(["ß", *(word for sentence in sentences for word in sentence)]))
