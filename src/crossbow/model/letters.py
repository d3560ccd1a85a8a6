"""How names are spelled in another script, learned from the name pairs that the training text itself has.

    letters = Letters.learned(name_pairs(bitext, source_words, target_words))
    letters.spellings("しずがたけ", Prefixes(words), 2)      # [Spelled("shizugatake", -3.1), …]: words that there are

Each character of a source word becomes none to five Latin letters, p(letters | character), characters one after the
other. Of word pairs that are linked most often in both directions, some are names and the others translations; which is
which is learned with it (Sajjad et al. 2012): a pair is either spelled by these probabilities or is noise, letters of
the target language at random. EM counts a pair as much as it is probably spelled. What only one pair has says nothing,
so counts are discounted, and a word cannot be learned by heart.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import exp, log
from typing import NamedTuple

import numpy as np
import regex  # type: ignore[import-untyped]

from crossbow.errors import CrossbowWarning
from crossbow.grammar.bitext import Bitext

MOST_LETTERS = 5  # the most letters that a character becomes
ALL, ROUNDS = 4, 9  # of EM: in the first rounds all pairs count alike, for at the beginning nothing looks spelled
SPELLED = 0.5  # the share of pairs that are spelled, at the beginning
DISCOUNT = 0.6  # what every expected count loses
LONGEST = 16  # characters of words that are looked at
MUTUAL = 0.4  # the share of a word's links that lead to the other, at least, in both directions
MOST_PAIRS = 20_000  # pairs to learn from: more take longer and teach little
WIDTH = 100  # beginnings of spellings that are kept per character
LEAST = -1.5  # per character: what is less probable is no spelling
_LATIN, _WORD = regex.compile(r"\p{Latin}"), regex.compile(r"\p{Latin}{2,}")

Chances = Mapping[str, Mapping[str, float]]


class Pair(NamedTuple):
    """Two words that translate each other."""

    source: str
    target: str


class Spelled(NamedTuple):
    """A word, and the logarithm of how probably another one is spelled so."""

    word: str
    score: float


def name_pairs(bitext: Bitext, source: Sequence[str], target: Sequence[str]) -> list[Pair]:
    """Words in another script, each with the Latin word that it is linked with, if that is usual in both directions."""
    width = len(bitext.target_counts)
    counts = np.diff(bitext.link_starts)
    base = bitext.target_starts[bitext.sentence]
    linked = bitext.target[np.repeat(base, counts) + bitext.link_targets]
    keys, links = np.unique(np.repeat(bitext.source, counts).astype(np.int64) * width + linked, return_counts=True)
    ours, theirs = np.divmod(keys, width)
    kept = (links >= MUTUAL * bitext.source_counts[ours]) & (links >= MUTUAL * bitext.target_counts[theirs])
    pairs = (Pair(source[one], target[other]) for one, other in zip(ours[kept].tolist(), theirs[kept].tolist()))
    found = [pair for pair in pairs if is_foreign(pair.source) and _WORD.fullmatch(pair.target)
             and max(map(len, pair)) <= LONGEST and len(pair.target) <= MOST_LETTERS * len(pair.source)]
    return found[:: -(-len(found) // MOST_PAIRS) or 1]


def is_foreign(word: str) -> bool:
    """Whether a word has letters, none of them Latin."""
    return len(word) <= LONGEST and word.isalpha() and not _LATIN.search(word)


class Prefixes:
    """Words in their order, to ask which letters some of them begin with."""

    def __init__(self, words: Iterable[str]):
        self.words = sorted(word for word in words if word.isalpha())

    def begins(self, prefix: str) -> bool:
        at = bisect_left(self.words, prefix)
        return at < len(self.words) and self.words[at].startswith(prefix)

    def __contains__(self, word: str) -> bool:
        at = bisect_left(self.words, word)
        return at < len(self.words) and self.words[at] == word


class Names:
    """How a model spells words that it does not know. Safe to share between threads; learned when first asked."""

    def __init__(self, bitext: Bitext, source: Sequence[str], target: Sequence[str]):
        self._bitext, self._source, self._target = bitext, source, target

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self._source)

    @cached_property
    def _pairs(self) -> list[Pair]:
        """Names and other words to learn from; if there are none, that is said, once."""
        pairs = name_pairs(self._bitext, self._source, self._target) if any(map(is_foreign, self._source)) else []
        if not pairs:
            warnings.warn("translation.letters has no effect: the model's text has no names in another script that are "
                          "spelled in Latin letters on the other side", CrossbowWarning, stacklevel=2)
        return pairs

    @cached_property
    def _letters(self) -> Letters:
        return Letters.learned(self._pairs)

    @cached_property
    def _prefixes(self) -> Prefixes:
        return Prefixes(self._target)

    def spellings(self, tokens: Iterable[str], most: int) -> dict[str, list[tuple[str, float]]]:
        """Of each unknown word in another script its likeliest spellings; the best scores 0, the others less."""
        found: dict[str, list[tuple[str, float]]] = {}
        if not self._pairs:
            return found
        for token in dict.fromkeys(tokens):
            if token not in self._known and is_foreign(token):
                listed = self._letters.spellings(token, self._prefixes, most)
                found[token] = [(one.word, one.score - listed[0].score) for one in listed]
        return found


class Letters:
    """p(letters | character) of a pair of scripts. Safe to share between threads."""

    def __init__(self, chances: Chances):
        self.chances = chances

    @classmethod
    def learned(cls, pairs: Sequence[Pair]) -> Letters:
        """From word pairs of which some are spelled alike."""
        noise = Counter(letter for pair in pairs for letter in pair.target)
        rate = {letter: log(count / noise.total()) for letter, count in noise.items()}
        chances: Chances | None = None
        spelled = SPELLED
        for number in range(ROUNDS):
            counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
            total = 0.0
            for pair in pairs:
                inner, whole = _expected(pair, chances)
                if whole <= 0.0:
                    continue
                odds = log(spelled) + log(whole) - log(1 - spelled) - sum(rate[letter] for letter in pair.target)
                weight = 1.0 / (1.0 + exp(-max(-500.0, odds))) if number >= ALL else 1.0
                total += weight
                for character, letters, share in inner:
                    counts[character][letters] += weight * share
            if number >= ALL:
                spelled = min(0.99, max(0.01, total / max(1, len(pairs))))
            chances = _normalized(counts)
        return cls(chances or {})

    def spellings(self, word: str, known: Prefixes, most: int) -> list[Spelled]:
        """The likeliest spellings of a word among those that are known, best first."""
        beam = {"": 0.0}
        for character in word:
            grown: dict[str, float] = {}
            for begin, score in beam.items():
                for letters, chance in self.chances.get(character, {}).items():
                    longer, value = begin + letters, score + log(chance)
                    if value > grown.get(longer, -np.inf) and (not letters or known.begins(longer)):
                        grown[longer] = value
            beam = dict(sorted(grown.items(), key=lambda one: (-one[1], one[0]))[:WIDTH])
        found = [Spelled(*one) for one in beam.items() if one[1] >= LEAST * len(word) and one[0] in known]
        return sorted(found, key=lambda one: (-one.score, one.word))[:most]


def _expected(pair: Pair, chances: Chances | None) -> tuple[list[tuple[str, str, float]], float]:
    """How probably each character becomes which letters of the target, and how probable the target is altogether."""
    source, target = pair
    n, m = len(source), len(target)
    mean = m / n

    def chance(character: str, letters: str) -> float:
        if chances is None:  # at first, pieces of about equal length
            return exp(-abs(len(letters) - mean)) / 26.0 ** len(letters)
        return chances.get(character, {}).get(letters, 0.0)

    before = [[0.0] * (m + 1) for _ in range(n + 1)]
    before[0][0] = 1.0
    arcs = []
    for at, character in enumerate(source):
        for begin, value in enumerate(before[at]):
            if value > 0.0:
                for end in range(begin, min(m, begin + MOST_LETTERS) + 1):
                    p = chance(character, target[begin:end])
                    if p > 0.0:
                        before[at + 1][end] += value * p
                        arcs.append((at, begin, end, p))
    whole = before[n][m]
    after = [[0.0] * (m + 1) for _ in range(n + 1)]
    after[n][m] = 1.0
    found = []
    for at, begin, end, p in reversed(arcs):
        behind = p * after[at + 1][end]
        if behind > 0.0:
            after[at][begin] += behind
            found.append((source[at], target[begin:end], before[at][begin] * behind / whole))
    return found, whole


def _normalized(counts: Mapping[str, Mapping[str, float]]) -> Chances:
    """Probabilities of discounted counts; what is left over goes nowhere, as spellings must be known words anyway."""
    chances = {}
    for character, row in counts.items():
        kept = {letters: count - DISCOUNT for letters, count in row.items() if count > DISCOUNT}
        if kept:
            total = sum(row.values())
            chances[character] = {letters: count / total for letters, count in kept.items()}
    return chances
