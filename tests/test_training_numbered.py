"""Text as numbers: what processes number by themselves is what one after the other would be."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training import numbered
from crossbow.training.numbered import SOURCE, TARGET, Words, chunked, tokenized
from crossbow.vocab import Corpus, Vocab

SENTENCES = st.lists(st.lists(st.sampled_from(["a", "b", "ab", "abc", "<s>", "d"]), max_size=5), max_size=12)
PARTS = {"ab": ["a", "b"], "abc": ["ab", "c", "a"]}


def words_of(sentences: list[list[str]], size: int) -> Words:
    """The sentences, so many in a piece, as workers would number them."""
    words = Words()
    plain = Analyzer(Settings("en", kind="tokens"))
    lines = [" ".join(sentence) for sentence in sentences]
    for at in range(0, len(lines), size):
        (piece,), = tokenized([[(SOURCE, lines[at : at + size])]], (plain, plain), 1)
        words.add(piece)
    return words


@given(SENTENCES, st.integers(1, 5), st.data())
def test_numbers_are_those_of_one_after_the_other(sentences: list[list[str]], size: int, data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(sentences), max_size=len(sentences)))
    words = words_of(sentences, size)
    assert words.counts() == {word: sum(s.count(word) for s in sentences) for s in sentences for word in s}
    split = words.replaced(lambda word: PARTS.get(word, [word]))
    expected = [[part for word in sentence for part in PARTS.get(word, [word])] for sentence in sentences]
    assert split.lengths.tolist() == list(map(len, expected))
    ours, theirs = Vocab(["b", "z"]), Vocab(["b", "z"])  # numbers go on from what is there
    found = split.corpus(np.array(kept, np.bool_), ours)
    oracle = Corpus.encode([sentence for sentence, ok in zip(expected, kept) if ok], theirs)
    assert ours.words == theirs.words
    assert found.words.tolist() == oracle.words.tolist()
    assert found.starts.tolist() == oracle.starts.tolist()
    assert words.corpus(None, Vocab()).words.tolist() == Corpus.encode(sentences, Vocab()).words.tolist()


def test_processes_change_nothing() -> None:
    analyzers = Analyzer(Settings("de")), Analyzer(Settings("en", kind="tokens"))
    chunks = [[(SOURCE, [f"Das Haus {n}.", ""]), (TARGET, [f"the house {n} .", "<s>"])] for n in range(5)]
    alone, together = (list(tokenized(chunks, analyzers, workers)) for workers in (1, 2))
    assert [[piece.words for piece in columns] for columns in alone] == [
        [piece.words for piece in columns] for columns in together]
    assert alone[3][0].words == ["das", "haus", "3", "."]
    assert alone[3][1].words == ["the", "house", "3", ".", "‹s>"]  # on this side such a word would end a sentence
    assert alone[3][1].lengths.tolist() == together[3][1].lengths.tolist() == [4, 1]
    assert alone[3][1].ids.tolist() == together[3][1].ids.tolist() == [0, 1, 2, 3, 4]


def test_chunks_have_all_rows() -> None:
    rows = range(numbered.CHUNK + 3)
    assert [len(chunk) for chunk in chunked(rows)] == [numbered.CHUNK, 3]
    assert [row for chunk in chunked(rows) for row in chunk] == list(rows)
    assert list(chunked([])) == []
