"""Texts as the parser takes them: the words of their first sentences, as numbers.

    reader = Reader(Analyzer(Settings("en")), vocab, TextConfig())
    texts = reader.read(["Tool for otters. It opens clams.", …])        # one text after another

A word has three numbers: its form and its stem (digests, so that words can be compared across readers, and whether the
model knows them or not), and its unit, the row of the model's parameters: 0, UNK, for a word that the model does not
know.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32, I64
from crossbow.errors import CrossbowError
from crossbow.text.analyzer import Analyzer
from crossbow.text.languages import language
from crossbow.text.memo import Memo
from crossbow.text.sentences import split_sentences
from crossbow.vocab import Vocab

UNK, UNKNOWN = 0, "<unk>"
CHARACTERS = 40  # per word of text, at most, on average: what lies far behind the last word is not looked at


@dataclass(frozen=True)
class TextConfig:
    """How much of a text is parsed."""

    sentences: int = 1  # of a document; a query is parsed as a whole
    words: int = 30  # of a sentence; what follows is left out, for parsing takes cubic time

    def __post_init__(self) -> None:
        if self.sentences < 1 or not 1 <= self.words <= 60:
            raise CrossbowError(f"{self.sentences} sentences of {self.words} words: there must be at least one "
                                "sentence of 1 to 60 words")


class Texts(NamedTuple):
    """Text t has the words starts[t] to starts[t + 1]; sentences are ranges of words too, none spans two texts."""

    starts: I64
    sentences: I64
    form: I64
    stem: I64
    unit: I32

    @property
    def size(self) -> int:
        return len(self.starts) - 1


class Reader:
    """Turns text into words, under a vocabulary."""

    def __init__(self, analyzer: Analyzer, vocab: Vocab, config: TextConfig = TextConfig()):
        self.analyzer, self.vocab, self.config = analyzer, vocab, config
        self._stem = language(analyzer.settings.lang).stemmer()
        self._numbers: Memo[tuple[int, int, int]] = Memo(self._numbers_of)

    def documents(self, texts: Iterable[str]) -> Texts:
        """The first sentences of each text."""
        return self.pack(self.openings(texts))

    def queries(self, texts: Iterable[str]) -> Texts:
        """Each text as one sentence."""
        return self.pack([[self.words(text)] for text in texts])

    def words(self, text: str) -> list[str]:
        """The words of a sentence, lower-cased, without punctuation; not more than the parser takes."""
        return self.cut(self.analyzer.tokens(text))

    def openings(self, texts: Iterable[str]) -> list[list[list[str]]]:
        """The words of the first sentences of each text."""
        return [self._opening(text) for text in texts]

    def pack(self, texts: Sequence[Sequence[Sequence[str]]]) -> Texts:
        """Words of sentences of texts as numbers. A sentence without words is left out."""
        numbers = self._numbers
        words = [numbers[word] for text in texts for sentence in text for word in sentence]
        form, stem, unit = zip(*words) if words else ((), (), ())
        lengths = [len(sentence) for text in texts for sentence in text if sentence]
        sizes = [sum(map(len, text)) for text in texts]
        return Texts(_ends(sizes), _ends(lengths), np.array(form, np.int64), np.array(stem, np.int64),
                     np.array(unit, np.int32))

    def _opening(self, text: str) -> list[list[str]]:
        longest = self.config.sentences * self.config.words * CHARACTERS
        sentences = split_sentences(text[:longest], self.analyzer.settings.lang)[: self.config.sentences]
        return [self.words(sentence) for sentence in sentences]

    def cut(self, tokens: Iterable[str]) -> list[str]:
        """The tokens that are words, as many as are parsed."""
        return [token for token in tokens if any(map(str.isalnum, token))][: self.config.words]

    def _numbers_of(self, word: str) -> tuple[int, int, int]:
        return number_of(word), number_of(self._stem(word)), self.vocab.index.get(word, UNK)


def number_of(word: str) -> int:
    """A digest of a word: two words with the same one are not to be expected in any collection."""
    return int.from_bytes(hashlib.blake2b(word.encode("utf8", "replace"), digest_size=8).digest(), "big", signed=True)


def _ends(lengths: Sequence[int]) -> I64:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
