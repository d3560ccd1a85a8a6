"""Compound words taken apart where it pays, after Koehn and Knight (2003), for languages whose record has compounds.

    splitter = Splitter.learn(counts, "de")               # word counts of the training text
    splitter.split("textdarstellung")  ==  ["text", "darstellung"]
    splitter.save(folder); Splitter.load(folder)

A word is split when the geometric mean of its parts' counts is above its own count, so frequent words (which are
translated as a whole) stay. Every part is a known content word: long enough, seen often enough, and neither a function
word nor an affix. Inside a word a part may carry a linking element or lack its last vowel (`schul|buch` is schule,
buch); the known word is returned. Parts of a split word never split again.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from math import inf, log
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import I64, U8
from crossbow.text.languages import Compounds, language
from crossbow.text.memo import LONGEST_KEY, Memo

MOST_PARTS = 6


class Tables(NamedTuple):
    """A splitter on disk: the words it knows, one per line, and how often each was seen."""

    words: U8
    counts: I64


class Splitter:
    """Splits the compounds of one language by the counts of its words."""

    def __init__(self, counts: Mapping[str, int], lang: str, min_length: int, min_count: int):
        self.counts, self.lang, self.min_length, self.min_count = counts, lang, min_length, min_count
        record = language(lang)
        joined = record.compounds or Compounds((), ())
        never = record.function_words | frozenset(joined.affixes.split())
        self._logs = {word: log(count) for word, count in counts.items() if count >= min_count and word not in never}
        self.links, self._lost = joined.links, joined.lost
        self._memo = Memo(self._split)

    @classmethod
    def learn(cls, counts: Mapping[str, int], lang: str, min_length: int = 4, min_count: int = 3) -> Splitter:
        """A splitter from the word counts of a text; parts have at least `min_length` letters and `min_count` uses."""
        known: Counter[str] = Counter()
        for word, count in counts.items():
            if min_length <= len(word) <= LONGEST_KEY and word.isalpha():
                known[word.lower()] += count
        return cls(known, lang, min_length, max(1, min_count))

    def split(self, word: str) -> list[str]:
        """The parts of a word, in lower case, or the word itself, unchanged, when it is not to be split."""
        if not 2 * self.min_length <= len(word) <= LONGEST_KEY or not word.isalpha():
            return [word]
        parts = self._memo[word.lower()]
        return list(parts) if len(parts) > 1 else [word]

    def digest(self) -> str:
        """A short name for what this splitter does."""
        return store.digest(*self._tables(), self._meta())

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the splitter into a new folder."""
        store.save(Path(folder), "compounds", self._tables(), self._meta())

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Splitter:
        """Read a splitter that `save` wrote."""
        tables, meta = store.load(folder, "compounds", Tables)
        words = store.unpack_strings(tables.words)
        return cls(dict(zip(words, tables.counts.tolist())), meta["lang"], meta["min_length"], meta["min_count"])

    def _tables(self) -> Tables:
        words = sorted(self.counts)
        return Tables(store.pack_strings(words), np.array([self.counts[word] for word in words], np.int64))

    def _meta(self) -> store.Meta:
        return {"lang": self.lang, "min_length": self.min_length, "min_count": self.min_count}

    def _split(self, word: str) -> tuple[str, ...]:
        """The best split of a word, its parts split in turn, so that a part never splits further."""
        parts = self._best(word)
        if len(parts) == 1:
            return (word,)
        return tuple(piece for part in parts for piece in self._memo[part])

    def _best(self, word: str) -> tuple[str, ...]:
        """The parts with the highest geometric mean of counts, or the word itself when that is not above its count.

        ways[i] holds, for each number of parts, the best sum of log counts over the first i letters and its parts: the
        mean depends on the number of parts, so each number is kept apart.
        """
        size, least = len(word), self.min_length
        ways: list[dict[int, tuple[float, tuple[str, ...]]]] = [{} for _ in range(size + 1)]
        ways[0][0] = (0.0, ())
        for start in range(size - least + 1):
            before = ways[start]
            for end in range(start + least, size + 1) if before else ():
                part = self.part(word[start:end], last=end == size)
                if part is None:
                    continue
                gain = self._logs[part]
                for n, (total, parts) in before.items():
                    if n < MOST_PARTS and total + gain > ways[end].get(n + 1, (-inf,))[0]:
                        ways[end][n + 1] = (total + gain, (*parts, part))
        means = [(total / n, parts) for n, (total, parts) in sorted(ways[size].items()) if n > 1]
        top, parts = max(means, default=(-inf, ()), key=lambda mean: mean[0])
        whole = self.counts.get(word, 0)
        return parts if parts and (whole == 0 or top > log(whole)) else (word,)

    def part(self, piece: str, last: bool) -> str | None:
        """The known word that a piece of a compound stands for, the most frequent if there are several."""
        if last:
            return piece if piece in self._logs else None
        forms = [piece] + [piece[:-len(link)] for link in self.links if piece.endswith(link)]
        found = self._likeliest(forms)
        if found is None:
            changed = [piece.removesuffix(gone) + came for gone, came in self._lost if piece.endswith(gone)]
            found = self._likeliest(changed)
        return found

    def _likeliest(self, forms: list[str]) -> str | None:
        known = [form for form in forms if len(form) >= self.min_length and form in self._logs]
        return max(known, key=self._logs.__getitem__, default=None)
