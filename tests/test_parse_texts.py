"""Texts as numbers: what is read, cut and left out."""

from __future__ import annotations

import pytest

from crossbow.errors import CrossbowError
from crossbow.parse.texts import Reader, TextConfig, number_of
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.vocab import Vocab

ENGLISH = Analyzer(Settings("en"))


def reader(sentences: int = 1, words: int = 30) -> Reader:
    return Reader(ENGLISH, Vocab(["<unk>", "otters", "clams"]), TextConfig(sentences, words))


def test_queries_are_one_sentence_each() -> None:
    texts = reader().queries(["Otters open clams. With rocks!", "", "?!"])
    assert texts.starts.tolist() == [0, 5, 5, 5]
    assert texts.sentences.tolist() == [0, 5]
    assert texts.unit.tolist() == [1, 0, 2, 0, 0]
    assert texts.form[0] == number_of("otters")
    assert texts.stem[0] == number_of("otter")


def test_documents_are_their_first_sentences() -> None:
    text = "Otters open clams. ... They use rocks. Third one."
    assert reader(2).openings([text]) == [[["otters", "open", "clams"], []]]
    assert reader(3).openings([text])[0][2] == ["they", "use", "rocks"]
    texts = reader(3, 2).documents(["", text])
    assert texts.starts.tolist() == [0, 0, 4]
    assert texts.sentences.tolist() == [0, 2, 4]


def test_long_sentences_are_cut() -> None:
    texts = reader(words=7).documents(["word " * 10_000])
    assert texts.starts.tolist() == [0, 7]


def test_same_words_have_the_same_numbers_whoever_reads_them() -> None:
    other = Reader(ENGLISH, Vocab(["<unk>"]))
    assert other.queries(["some rare otters"]).form.tolist() == reader().queries(["some rare otters"]).form.tolist()
    assert number_of("\udcff") == number_of("?")  # what cannot be encoded is no reason to stop


def test_bad_settings() -> None:
    for wrong in ((0, 10), (1, 0), (1, 1000)):
        with pytest.raises(CrossbowError):
            TextConfig(*wrong)
