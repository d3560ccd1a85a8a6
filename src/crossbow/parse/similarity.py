"""How similar two words are: 1 if they are the same, less if they share a stem or have translations in common.

    similarity = Similarity(SimilarityConfig("stem+pivot"), Pivot.of(model.lexicon))
    similarity.matrix(query_form, query_stem, form, stem)           # a row for each word of the query

Same words replace each other for nothing, words of similarity 0 never do. The pivot is a round trip through the lexical
translation tables of a model that translates into the documents' language: p(b | a) = Σ over f of p(b | f) p(f | a).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F64, I64
from crossbow.errors import CrossbowError
from crossbow.grammar.lexicon import Lexicon
from crossbow.jit import kernel
from crossbow.parse.texts import number_of
from crossbow.structures.growable import grown

KINDS = ("exact", "stem", "pivot")
LEAST = 0.01  # less probable round trips are not kept
MOST = 0.99  # two different words are never the same


@dataclass(frozen=True)
class SimilarityConfig:
    """Which words may replace each other."""

    kinds: str = "stem"  # exact, stem, pivot, or several joined by +
    stem: float = 0.9  # the similarity of words with the same stem

    def __post_init__(self) -> None:
        if not set(self.kinds.split("+")) <= set(KINDS):
            raise CrossbowError(f"similarity by {self.kinds!r}: it must be of {', '.join(KINDS)}, joined by +")
        if not 0 <= self.stem < 1:
            raise CrossbowError(f"the similarity of words with one stem is {self.stem}; it must be from 0 to below 1")

    @property
    def pivot(self) -> bool:
        return "pivot" in self.kinds.split("+")


@kernel
def _round_trips(order, rank, back_starts, back_source, back, starts, there, share):
    """For each target word in the given order, the words that round trips lead to, by rank, and how probable they are.

    Through each source word of back[…], the last one first, for sums depend on the order and parsers were trained with
    this one, to all its translations. A word's trips to itself and those below LEAST are left out.
    """
    words = len(order)
    sums, last, touched = np.zeros(words), np.full(words, -1), np.empty(words, np.int64)
    sizes, size = np.zeros(words, np.int64), 0
    columns, value = np.empty(1024, np.int64), np.empty(1024)
    for row in range(words):
        word, count = order[row], 0
        for b in range(back_starts[word + 1] - 1, back_starts[word] - 1, -1):
            for t in range(starts[back_source[b]], starts[back_source[b] + 1]):
                other = there[t]
                if last[other] != row:
                    last[other], sums[other] = row, 0.0
                    touched[count] = rank[other]
                    count += 1
                sums[other] += back[b] * share[t]
        columns, value = grown(columns, size, count), grown(value, size, count)
        for column in np.sort(touched[:count]):
            trip = sums[order[column]]
            if column != row and trip >= LEAST:
                columns[size], value[size] = column, trip
                size += 1
                sizes[row] += 1
    return sizes, columns[:size].copy(), value[:size].copy()


class Pivot(NamedTuple):
    """Round trips from word to word: row r, of the word with the digest words[r], has the columns of similar words."""

    words: I64  # sorted
    starts: I64
    columns: I64
    value: F64

    @classmethod
    def of(cls, lexicon: Lexicon) -> Pivot:
        """The round trips of a model's target words."""
        rows = [lexicon.of_id(word) for word in range(len(lexicon.source.words))]
        there = np.concatenate([ids for ids, _ in rows] or [np.empty(0, np.int32)]).astype(np.int64)
        share = np.concatenate([probability for _, probability in rows] or [np.empty(0)])
        source = np.repeat(np.arange(len(rows)), [len(ids) for ids, _ in rows])
        starts = np.searchsorted(source, np.arange(len(rows) + 1))
        words = len(lexicon.target.words)
        totals = np.maximum(1.0, lexicon.bitext.target_counts[:words].astype(np.float64))
        by_target = np.argsort(there, kind="stable")
        back = 1.0 / totals[there] * (lexicon.bitext.source_counts[source].astype(np.float64) * share)
        digests = np.array([number_of(word) for word in lexicon.target.words], np.int64)
        order = np.argsort(digests)
        rank = np.empty(words, np.int64)
        rank[order] = np.arange(words)
        sizes, columns, value = _round_trips(
            order, rank, np.searchsorted(there[by_target], np.arange(words + 1)), source[by_target], back[by_target],
            starts, there, share)
        return cls(digests[order], np.concatenate([[0], np.cumsum(sizes)]), columns, np.minimum(value, MOST))

    def save(self, folder: Path) -> None:
        store.save(folder, "pivot", self, {})

    @classmethod
    def load(cls, folder: Path) -> Pivot:
        pivot, _ = store.load(folder, "pivot", cls)
        store.check_fit(folder, pivot, {"starts": (len(pivot.words), len(pivot.columns))},
                        {"value": len(pivot.columns)})
        return pivot

    def matrix(self, query: I64, form: I64) -> F64:
        found = np.zeros((len(query), len(form)))
        if not len(self.words):
            return found
        there = self._rows(form)
        for at, row in enumerate(self._rows(query).tolist()):
            if row >= 0 and self.starts[row] < self.starts[row + 1]:
                columns = self.columns[self.starts[row] : self.starts[row + 1]]
                place = np.minimum(np.searchsorted(columns, there), len(columns) - 1)
                found[at] = np.where(columns[place] == there, self.value[self.starts[row] + place], 0.0)
        return found

    def _rows(self, form: I64) -> I64:
        """The row of each word, or -1."""
        place = np.minimum(np.searchsorted(self.words, form), len(self.words) - 1)
        return np.where(self.words[place] == form, place, -1)


class Similarity:
    """The similarity that is configured."""

    def __init__(self, config: SimilarityConfig = SimilarityConfig(), pivot: Pivot | None = None):
        if config.pivot and pivot is None:
            raise CrossbowError("similarity by pivot needs the translation tables of a model; give one with --pivot")
        self.config, self.pivot = config, pivot if config.pivot else None

    def matrix(self, query: I64, query_stem: I64, form: I64, stem: I64) -> F64:
        """The similarity of each word of a query with each of other words."""
        found = np.zeros((len(query), len(form)))
        if "stem" in self.config.kinds:
            found[query_stem[:, None] == stem[None, :]] = self.config.stem
        if self.pivot is not None:
            np.maximum(found, self.pivot.matrix(query, form), out=found)
        found[query[:, None] == form[None, :]] = 1.0
        return found
