"""Words that a model does not know, read as words that it knows: other endings and spellings, and typing errors.

    spelling = Spelling(vocab.words, counts, analyzer)
    spelling.candidates("bibliotek", 2)                 # [Known(("bibliothek",), 1.0, …)]
    spelling.readings(["die", "bibliotek"], 2)          # [Reading(["die", "bibliothek"], [0, 1], prior)]

A known word with the same stem is nearest (Strasse and Straße, Häusern and Häuser). Others are one edit away, or two if
the word is long; an edit is a letter more, less or other, or two that changed places. Of equally near words the more
frequent one is likelier. A compound may have one part with an error (kiefernohlz is kiefer, holz). Function words are
never corrections: they say nothing about what is looked for.

A reading is a sentence of its own. The decoder translates it, and its forest is laid beside that of the sentence as it
was typed (forest/compose.py), at a cost: so documents decide which one was meant, and an explanation shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import log
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from crossbow.arrays import I64
from crossbow.text.analyzer import Analyzer
from crossbow.text.memo import LONGEST_KEY, Memo

SHORTEST, LONG = 4, 8  # letters of a word that is looked at, and of one that may have two errors
SAME_STEM = 0.5  # how far a word with the same stem is, in edits
SPLIT = 0.5  # how much further it is to a compound of known words than to one word
EDIT, FREQUENCY = 2.0, 0.25  # what an edit costs, and what a candidate gains for each e-fold of its count
LITERAL = -1.0  # what the best translation of the sentence as it was typed scores; that of the best reading scores 0


class Known(NamedTuple):
    """A word that the model knows, or the parts of a compound; how far it is from what was typed, and how unlikely."""

    words: tuple[str, ...]
    distance: float
    cost: float


class Reading(NamedTuple):
    """A sentence in which words that the model does not know have been replaced; the best reading scores 0."""

    tokens: list[str]
    places: list[int]  # of the tokens that were typed, which these stand for
    prior: float


class Spelling:
    """What unknown words of a source language may be meant for. Safe to share between threads."""

    def __init__(self, words: Sequence[str], counts: I64, analyzer: Analyzer):
        self._words, self._all_counts, self._analyzer = words, counts, analyzer
        self._near: Memo[tuple[Known, ...]] = Memo(self._find)

    @cached_property
    def _counts(self) -> dict[str, int]:
        """How often each word was seen that may be a correction."""
        stopped = self._analyzer.stopwords
        return {word: count for word, count in zip(self._words, self._all_counts.tolist())
                if count and SHORTEST - 1 <= len(word) <= LONGEST_KEY and word.isalpha() and word not in stopped}

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset(self._words)

    @cached_property
    def _choices(self) -> list[str]:
        return list(self._counts)

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        """The known words of each stem."""
        found: dict[str, list[str]] = {}
        for word in self._counts:
            found.setdefault(self._analyzer.stem(word), []).append(word)
        return found

    def candidates(self, word: str, most: int) -> list[Known]:
        """The likeliest of the words that a word may be meant for, best first; none if it is known."""
        if word in self._vocabulary or not SHORTEST <= len(word) <= LONGEST_KEY or not word.isalpha():
            return []
        return list(self._near[word][:most])

    def readings(self, tokens: Sequence[str], most: int) -> list[Reading]:
        """Sentences that may have been meant, best first: in the n-th, every unknown word is its n-th candidate."""
        found = {place: known for place, token in enumerate(tokens) if (known := self.candidates(token, most))}
        readings = []
        for number in range(max(map(len, found.values()), default=0)):
            chosen = {place: known[min(number, len(known) - 1)] for place, known in found.items()}
            prior = sum(found[place][0].cost - one.cost for place, one in chosen.items())
            read = [(word, place) for place, token in enumerate(tokens)
                    for word in (chosen[place].words if place in chosen else (token,))]
            readings.append(Reading([word for word, _ in read], [place for _, place in read], prior))
        return readings

    def _find(self, word: str) -> tuple[Known, ...]:
        near = dict.fromkeys(self._stems.get(self._analyzer.stem(word), ()), SAME_STEM)
        for known, distance in self._within(word, 2 if len(word) >= LONG else 1):
            near.setdefault(known, distance)
        found: dict[tuple[str, ...], float] = {(known,): distance for known, distance in near.items()}
        for parts in self._compounds(word):
            found.setdefault(parts, 1 + SPLIT)
        costs = (Known(words, distance, EDIT * distance - FREQUENCY * self._frequency(words))
                 for words, distance in found.items())
        return tuple(sorted(costs, key=lambda known: (known.cost, known.words)))

    def _frequency(self, words: tuple[str, ...]) -> float:
        """The logarithm of how often the rarest of the words was seen."""
        return min(log(self._counts.get(word, 1)) for word in words)

    def _within(self, word: str, limit: int) -> list[tuple[str, float]]:
        near = extract(word, self._choices, scorer=OSA.distance, score_cutoff=limit, limit=None)
        return [(known, float(distance)) for known, distance, _ in near]

    def _compounds(self, word: str) -> Iterator[tuple[str, ...]]:
        """Two parts of which one is known and the other has one error."""
        splitter = self._analyzer.splitter
        if splitter is None:
            return
        for cut in range(splitter.min_length, len(word) - splitter.min_length + 1):
            left, right = splitter.part(word[:cut], last=False), splitter.part(word[cut:], last=True)
            if left and not right:
                yield from ((left, known) for known in self._misspelled(word[cut:], splitter.min_length))
            elif right and not left:
                forms = {word[:cut], *(word[:cut].removesuffix(link) for link in splitter.links)}
                yield from ((known, right) for form in sorted(forms)
                            for known in self._misspelled(form, splitter.min_length))

    def _misspelled(self, part: str, least: int) -> list[str]:
        return [known for known, _ in self._within(part, 1) if len(known) >= least] if len(part) >= least else []
