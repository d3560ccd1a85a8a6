"""Text to numbers, tokenized in several processes, once for all that is done with it.

    left, right, more = Words(), Words(), Words()
    for columns in tokenized(chunks, analyzers, workers):       # a chunk: [(SOURCE, lines), (TARGET, lines)]
        for column, piece in zip((left, right), columns): column.add(piece)
    split = left.replaced(splitter.split)                       # each word by its parts
    corpus = split.corpus(kept, vocab)                          # some of the sentences; new words join the vocabulary

Every process numbers the words of its chunks by itself, so that hardly any strings travel and none is kept twice.
Numbers come in the order in which words first occur, whatever the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from crossbow.arrays import I32, I64, Bools
from crossbow.processes import in_processes
from crossbow.text.analyzer import Analyzer
from crossbow.training.texts import plain
from crossbow.vocab import Corpus, Vocab

SOURCE, TARGET = 0, 1
CHUNK = 5000  # lines: a few seconds' work at the most

Column = tuple[int, list[str]]  # which side, and lines of it
Row = TypeVar("Row")


class Piece(NamedTuple):
    """Sentences of a chunk: its distinct words by first occurrence, the sentences as their numbers, and lengths."""

    words: list[str]
    ids: I32
    lengths: I32


class Words:
    """Sentences as numbers of words that they share."""

    def __init__(self) -> None:
        self.vocab = Vocab()
        self._ids: list[I32] = []
        self._lengths: list[I32] = []

    def add(self, piece: Piece) -> None:
        """More sentences."""
        self._ids.append(self.vocab.add_all(piece.words)[piece.ids])
        self._lengths.append(piece.lengths)

    @property
    def ids(self) -> I32:
        self._ids = [_joined(self._ids)]
        return self._ids[0]

    @property
    def lengths(self) -> I32:
        """Of the sentences, in words."""
        self._lengths = [_joined(self._lengths)]
        return self._lengths[0]

    def counts(self) -> dict[str, int]:
        """How often each word occurs."""
        return dict(zip(self.vocab.words, np.bincount(self.ids, minlength=len(self.vocab)).tolist()))

    def replaced(self, parts: Callable[[str], Sequence[str]]) -> Words:
        """The sentences with each word replaced by others, at least one."""
        made = Words()
        rows = [made.vocab.add_all(parts(word)) for word in self.vocab.words]
        if not rows:
            return self
        sizes = np.array([len(row) for row in rows], np.int64)
        table, starts = np.concatenate(rows), np.cumsum(sizes) - sizes
        width = sizes[self.ids]  # of each word
        ends = np.cumsum(width)
        inside = np.arange(int(width.sum()), dtype=np.int64) - np.repeat(ends - width, width)
        made._ids = [table[np.repeat(starts[self.ids], width) + inside]]
        before = np.concatenate(([0], ends))
        made._lengths = [np.diff(before[_starts(self.lengths)]).astype(np.int32)]
        return made

    def corpus(self, kept: Bools | None, vocab: Vocab) -> Corpus:
        """Sentences, all or some, numbered by a vocabulary, which new words join in the order of their occurrence."""
        ids, lengths = self.ids, self.lengths
        if kept is not None:
            ids, lengths = ids[np.repeat(kept, lengths)], lengths[kept]
        first = np.full(len(self.vocab), -1, np.int64)
        first[ids[::-1]] = np.arange(len(ids))[::-1]  # of several assignments the last one stays
        known = np.flatnonzero(first >= 0)
        order = known[np.argsort(first[known])]
        numbers = np.zeros(len(self.vocab), np.int32)
        numbers[order] = vocab.add_all(self.vocab.words[word] for word in order.tolist())
        return Corpus(numbers[ids], _starts(lengths))


def tokenized(
    chunks: Iterable[list[Column]], analyzers: Sequence[Analyzer], workers: int
) -> Generator[list[Piece], None, None]:
    """The columns of each chunk as pieces, in order. Close it when you stop before its end."""
    return in_processes(_pieces, chunks, analyzers, workers, "tokenize text")


def chunked(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows in chunks."""
    chunk: list[Row] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _pieces(columns: list[Column], analyzers: Sequence[Analyzer]) -> list[Piece]:
    return [_piece(side, lines, analyzers[side]) for side, lines in columns]


def _piece(side: int, lines: list[str], analyzer: Analyzer) -> Piece:
    sentences = (analyzer.tokens(line) for line in lines)
    vocab = Vocab()
    corpus = Corpus.encode(map(plain, sentences) if side == TARGET else sentences, vocab)
    return Piece(vocab.words, corpus.words, np.diff(corpus.starts).astype(np.int32))


def _joined(arrays: list[I32]) -> I32:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int32)


def _starts(lengths: I32) -> I64:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts
