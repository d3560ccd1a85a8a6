"""Words as small integers, in both directions.

    vocab = Vocab()
    ids = vocab.add_all(["das", "haus"])       # int32, new words get the next number
    vocab.ids(["das", "unbekannt"])            # -1 for a word it does not have
    vocab.words[ids[1]] == "haus"
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32, I64


class Vocab:
    """A growing list of distinct words; a word's position in the list is its id."""

    def __init__(self, words: Iterable[str] = ()):
        self.words: list[str] = list(words)
        self.index: dict[str, int] = {word: i for i, word in enumerate(self.words)}
        if len(self.index) != len(self.words):
            raise ValueError("a vocabulary's words must be distinct")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def add(self, word: str) -> int:
        """The id of the word, added if new."""
        found = self.index.setdefault(word, len(self.words))
        if found == len(self.words):
            self.words.append(word)
        return found

    def add_all(self, words: Iterable[str]) -> I32:
        """The ids of the words, each added if new."""
        return np.fromiter(map(self.add, words), np.int32)

    def ids(self, words: Iterable[str]) -> I32:
        """The ids of the words, -1 for the unknown."""
        get = self.index.get
        return np.fromiter((get(word, -1) for word in words), np.int32)


class Corpus(NamedTuple):
    """Sentences as ids, one after another: sentence s is words[starts[s]:starts[s + 1]]."""

    words: I32
    starts: I64

    @classmethod
    def encode(cls, sentences: Iterable[list[str]], vocab: Vocab) -> Corpus:
        """Tokenized sentences as ids; new words join the vocabulary."""
        words, ends = array("i"), array("q", [0])  # four bytes per word: the text may have many millions of them
        for sentence in sentences:
            words.extend(map(vocab.add, sentence))
            ends.append(len(words))
        return cls(np.array(words, np.int32), np.array(ends, np.int64))
