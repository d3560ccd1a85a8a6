"""Slow, obvious forests and decoding: every derivation is listed, then looked at.

The oracle of the decoder knows the extracted rules (`Decoder.rules`) and the definitions: pass-through and glue rules,
their features, the span limit, and the language model read from left to right over the finished string.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np

from crossbow.align.symmetrize import Links
from crossbow.decode.decoder import DecodeConfig, Decoder
from crossbow.decode.phrases import decoder_for
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.bitext import build_bitext
from crossbow.lm.estimate import Smoothing, estimate
from crossbow.lm.model import LanguageModel
from crossbow.lm.words import new_vocab
from crossbow.vocab import Corpus, Vocab
from reference.forests import edges_of

# --- forests ---


class Derivation(NamedTuple):
    score: float
    edges: tuple[int, ...]  # pre-order, tails in the order in which they stand in the target
    words: tuple[str, ...]


def derivations_below(forest: Forest) -> list[list[Derivation]]:
    """All derivations of each node."""
    below: list[list[Derivation]] = [[] for _ in range(forest.nodes)]
    for number, edge in enumerate(edges_of(forest)):
        for parts in itertools.product(*(below[tail] for tail in edge.tails)):
            words: list[str] = []
            edges = [number]
            for symbol in edge.target:
                if isinstance(symbol, str):
                    words.append(symbol)
                else:
                    words += parts[symbol].words
                    edges += parts[symbol].edges
            score = edge.score + sum(part.score for part in parts)
            below[edge.head].append(Derivation(score, tuple(edges), tuple(words)))
    return below


def derivations(forest: Forest) -> list[Derivation]:
    """All derivations of the goal, best first."""
    return sorted(derivations_below(forest)[-1], key=lambda d: -d.score)


def total(scores: list[float], log: bool) -> float:
    """The best score, or the log of the sum of their exponentials; -inf of none."""
    if not scores:
        return -math.inf
    return math.log(math.fsum(math.exp(s) for s in scores)) if log else max(scores)


# --- toy models ---

SOURCE_WORDS = ["eins", "zwei", "drei", "vier", "fünf"]
TARGET_WORDS = ["one", "two", "three", "four", "five"]


@dataclass(frozen=True)
class Toy:
    """A decoder over a few sentence pairs and what a test needs to know about them."""

    decoder: Decoder
    known: set[str]  # words of the language model's text
    linked: set[tuple[str, str]] = field(default_factory=set)


def toy_pairs(seed: int, sentences: int = 5) -> list[tuple[list[str], list[str], list[tuple[int, int]]]]:
    """Sentence pairs with links: word by word, but some words reversed, inserted, left out, or linked twice."""
    rng = random.Random(seed)
    pairs = []
    for _ in range(sentences):
        chosen = [rng.randrange(len(SOURCE_WORDS)) for _ in range(rng.randint(1, 5))]
        places = list(range(len(chosen)))
        if len(places) > 1 and rng.random() < 0.6:
            i, size = rng.randrange(len(places) - 1), rng.choice([2, 3, 3])
            places[i : i + size] = places[i : i + size][::-1]
        target, links = [], []
        for i in places:
            if rng.random() < 0.15:
                target.append(rng.choice(["the", "of"]))
            if rng.random() < 0.9 or not target:
                word = chosen[i] if rng.random() < 0.8 else rng.randrange(len(TARGET_WORDS))
                links.append((i, len(target)))
                target.append(TARGET_WORDS[word])
                if rng.random() < 0.15:
                    links.append((i, len(target)))
                    target.append("the")
        pairs.append(([SOURCE_WORDS[w] for w in chosen], target, sorted(links)))
    return pairs


def links_of(pairs: list[list[tuple[int, int]]]) -> Links:
    starts = np.cumsum([0] + [len(links) for links in pairs]).astype(np.int64)
    table = np.array([link for links in pairs for link in sorted(links)], np.int16).reshape(-1, 2)
    return Links(table[:, 0].copy(), table[:, 1].copy(), starts)


def toy_of(
    pairs: list[tuple[list[str], list[str], list[tuple[int, int]]]], lm_text: list[list[str]], order: int,
    weights: dict[str, float], config: DecodeConfig,
) -> Toy:
    """A decoder trained on these pairs, with a language model of this text."""
    source, target = Vocab([" "]), new_vocab()
    left = Corpus.encode((pair[0] for pair in pairs), source)
    right = Corpus.encode((pair[1] for pair in pairs), target)
    text = Corpus.encode(lm_text, target)
    bitext = build_bitext(left, right, links_of([pair[2] for pair in pairs]), len(source), len(target))
    lm = LanguageModel.from_ngrams(estimate(text, len(target), Smoothing(order)))
    linked = {(pair[0][i], pair[1][j]) for pair in pairs for i, j in pair[2]}
    decoder = decoder_for(config)(bitext, source, target, lm, weights, config)
    return Toy(decoder, {w for s in lm_text for w in s}, linked)


def random_weights(names: tuple[str, ...], seed: int) -> dict[str, float]:
    rng = random.Random(seed)
    return {name: rng.gauss(0.0, 1.0) * (0.05 if name.startswith("MaxLex") else 0.5) for name in names}


def random_toy(seed: int, order: int, config: DecodeConfig, sentences: int = 5) -> Toy:
    """A toy with random weights. The language model lacks some of the words that rules produce and has others."""
    pairs = toy_pairs(seed, sentences)
    lm_text = [pair[1] for pair in pairs[: sentences // 2 + 1]] + [["one", "of", "the", "two"], ["zwei", "six", "one"]]
    toy = toy_of(pairs, lm_text, order, {}, config)
    toy.decoder.weights.update(random_weights(toy.decoder.names, seed))
    return toy


# --- decoding ---


class Rule(NamedTuple):
    source: tuple[str | int, ...]  # -1, -2: nonterminals
    target: tuple[str | int, ...]
    features: dict[str, float]
    align: frozenset[tuple[int, int]]


class Translation(NamedTuple):
    words: tuple[str, ...]
    features: np.ndarray  # in the order of the decoder's names, without the language model
    rules: int = 0


WORD_PENALTY = -0.4343


def grammar(toy: Toy, tokens: list[str]) -> list[Rule]:
    """The rules for X: the extracted ones, read through the vocabularies, and one pass-through for each word."""
    decoder = toy.decoder
    table = decoder.rules(tokens)
    rules = []
    for p in range(len(table.first) - 1):
        ids = table.source[table.source_starts[p] : table.source_starts[p + 1]].tolist()
        source = tuple(s if s < 0 else decoder.source.words[s] for s in ids)
        for r in range(table.first[p], table.first[p + 1]):
            ids = table.target[table.target_starts[r] : table.target_starts[r + 1]].tolist()
            target = tuple(s if s < 0 else decoder.target.words[s] for s in ids)
            links = table.align[table.align_starts[r] : table.align_starts[r + 1]].tolist()
            features = dict(zip(decoder.names, table.features[r].astype(float).tolist()))
            rules.append(Rule(source, target, features, frozenset((i, j) for i, j in links)))
    rules += [Rule((w,), (w,), {"PassThrough": 1.0}, frozenset({(0, 0)})) for w in dict.fromkeys(tokens)]
    return rules


def feature_vector(toy: Toy, rule: Rule) -> np.ndarray:
    """All features of a rule but the language model's."""
    words = [s for s in rule.target if isinstance(s, str)]
    values = {
        **rule.features,
        "WordPenalty": WORD_PENALTY * len(words),
        "LanguageModel_OOV": sum(w not in toy.known for w in words) if toy.decoder.config.language_model else 0,
    }
    return np.array([values.get(name, 0.0) for name in toy.decoder.names])


def fits(source: tuple[str | int, ...], tokens: tuple[str, ...], i: int, j: int) -> Iterator[list[tuple[int, int]]]:
    """Every way to read tokens[i:j] as the source side: the spans of its nonterminals."""
    if not source:
        if i == j:
            yield []
        return
    if isinstance(source[0], str):
        if i < j and tokens[i] == source[0]:
            yield from fits(source[1:], tokens, i + 1, j)
        return
    for k in range(i + 1, j + 1):
        for rest in fits(source[1:], tokens, k, j):
            yield [(i, k), *rest]


class Exhaustive:
    """All translations of a sentence under the grammar."""

    def __init__(self, toy: Toy, tokens: list[str]):
        self.toy, self.tokens = toy, tuple(tokens)
        self.rules = grammar(toy, tokens)
        self.vectors = [feature_vector(toy, rule) for rule in self.rules]
        self.max_span = toy.decoder.config.max_span
        self.glue = np.array([float(name == "Glue") for name in toy.decoder.names])
        self.phrases = cache(self._phrases)
        self.prefixes = cache(self._prefixes)
        self.ways = cache(self._ways)
        self.count_phrases = cache(self._count_phrases)

    def _ways(self, i: int, j: int) -> list[tuple[int, list[tuple[int, int]]]]:
        """The rules that fit X[i, j), each with the spans of its nonterminals."""
        if j - i > self.max_span:
            return []
        return [(r, gaps) for r, rule in enumerate(self.rules) for gaps in fits(rule.source, self.tokens, i, j)]

    def _count_phrases(self, i: int, j: int) -> int:
        return sum(math.prod(self.count_phrases(*gap) for gap in gaps) for _, gaps in self.ways(i, j))

    def count(self) -> int:
        """How many derivations there are."""
        ways = [1]
        for j in range(1, len(self.tokens) + 1):
            ways.append(sum(ways[i] * self.count_phrases(i, j) for i in range(j)))
        return ways[-1]

    def _phrases(self, i: int, j: int) -> list[Translation]:
        found = []
        for r, gaps in self.ways(i, j):
            for parts in itertools.product(*(self.phrases(*gap) for gap in gaps)):
                words: list[str] = []
                for symbol in self.rules[r].target:
                    words += [symbol] if isinstance(symbol, str) else parts[-1 - symbol].words
                features = self.vectors[r] + sum(part.features for part in parts)
                found.append(Translation(tuple(words), features, 1 + sum(part.rules for part in parts)))
        return found

    def _prefixes(self, j: int) -> list[Translation]:
        found = [Translation(x.words, x.features, x.rules + 1) for x in self.phrases(0, j)]
        for i in range(1, j):
            for s, x in itertools.product(self.prefixes(i), self.phrases(i, j)):
                found.append(Translation(s.words + x.words, s.features + x.features + self.glue, s.rules + x.rules + 1))
        return found

    def translations(self) -> list[tuple[tuple[str, ...], np.ndarray, float]]:
        """Every derivation as its words, its features and its score, best first."""
        decoder = self.toy.decoder
        names = decoder.names
        weights = np.array([decoder.weights.get(name, 0.0) for name in names])
        lm_scores: dict[tuple[str, ...], float] = {}
        found = []
        for words, features, _ in self.prefixes(len(self.tokens)):
            if decoder.config.language_model:
                if words not in lm_scores:
                    lm_scores[words] = decoder.lm.score(decoder.target.ids(words))
                features = features.copy()
                features[names.index("LanguageModel")] = lm_scores[words]
            found.append((words, features, float(features @ weights)))
        return sorted(found, key=lambda t: -t[2])
