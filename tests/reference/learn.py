"""Learning by its definition: derivations are listed, features counted by name, and one pair after another updates.

    learner = SlowLearner(texts, config, start)
    learner.learn(forests, [(doc_plus, doc_minus, margin), …])
    learner.weights, learner.squares, learner.steps         # by feature name

Also forests with features whose derivations have different scores, so that the best derivation is never a matter of
taste, and the pairs of an example by name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.learn.config import LearnConfig
from crossbow.learn.sampling import Pairs
from reference.decode import Derivation, derivations
from reference.forests import Edge, edges_of, random_forest
from reference.ranking import Texts

RHO, EPSILON = 0.95, 1e-6
SMT = ("Language", "Rule", "Rare")
Features = dict[str, float]


def lex_names(edge: Edge, source: Sequence[str]) -> list[str]:
    """The lexical features of an edge."""
    def spelled(word: str) -> str:
        return word.replace("%", "%25").replace(":", "%3A")

    words = {j: symbol for j, symbol in enumerate(edge.target) if isinstance(symbol, str)}
    links = [f"LEX:A:{spelled(source[i])}:{spelled(words[j])}" for i, j in edge.align]
    inserted = [f"LEX:I:{spelled(word)}" for j, word in words.items() if j not in {j for _, j in edge.align}]
    deleted = [f"LEX:D:{spelled(source[i])}" for i in edge.lex if i not in {i for i, _ in edge.align}]
    return links + inserted + deleted


class SlowLearner:
    """Weights by name; those that were never asked for are where they start."""

    def __init__(self, texts: Texts, config: LearnConfig, start: Callable[[str], float]):
        self.texts, self.config, self.start = texts, config, start
        self.weights: Features = {}
        self.squares: Features = {}
        self.steps: Features = {}

    def weight(self, name: str) -> float:
        return self.weights.get(name, self.start(name))

    def features(self, forest: Forest, derivation: Derivation, doc: str) -> Features:
        """All features that are learned, of a derivation for a document."""
        found: Counter[str] = Counter()
        for term in self.texts.terms(derivation.words):
            if self.texts.df[term]:
                found["IR:BM25" if self.config.dense else f"IR:{term}"] += self.texts.weight(term, doc)
        edges = edges_of(forest)
        for e in derivation.edges:
            if self.config.lex:
                found.update(lex_names(edges[e], forest.source))
            if self.config.joint:
                for name, value in zip(forest.names, forest.features[e].tolist()):
                    found[name] += value
        return dict(found)

    def best(self, forests: Sequence[Forest], doc: str) -> tuple[float, Features]:
        """The score of a document and the features of the derivations that give it."""
        total, features = 0.0, Counter[str]()
        for forest in forests:
            scored = []
            for derivation in derivations(forest):
                found = self.features(forest, derivation, doc)
                base = 0.0 if self.config.joint else derivation.score
                scored.append((base + sum(self.weight(name) * value for name, value in found.items()), found))
            score, found = max(scored, key=lambda pair: pair[0])
            total += score
            features.update(found)
        return total, dict(features)

    def hinge(self, forests: Sequence[Forest], plus: str, minus: str, margin: float) -> tuple[float, Features]:
        """The loss of a pair, and how much the better derivation has more of each feature."""
        (high, ours), (low, theirs) = self.best(forests, plus), self.best(forests, minus)
        difference = {name: ours.get(name, 0.0) - theirs.get(name, 0.0) for name in {**ours, **theirs}}
        return max(0.0, margin - (high - low)), difference

    def learn(self, forests: Sequence[Forest], pairs: Sequence[tuple[str, str, float]]) -> tuple[int, float]:
        violations, total = 0, 0.0
        for pair in pairs:
            loss, gradient = self.hinge(forests, *pair)
            total += loss
            if loss > 0:
                violations += 1
                for name, g in gradient.items():
                    if abs(g) > 1e-12 and not self.config.frozen(name):
                        self.step(name, g)
        return violations, total

    def step(self, name: str, g: float) -> None:
        squares = RHO * self.squares.get(name, 0.0) + (1 - RHO) * g * g
        u = g * math.sqrt(self.steps.get(name, 0.0) + EPSILON) / math.sqrt(squares + EPSILON)
        self.steps[name] = RHO * self.steps.get(name, 0.0) + (1 - RHO) * u * u
        self.squares[name] = squares
        self.weights[name] = self.weight(name) + u


def featured_forest(seed: int, weights: Features) -> Forest:
    """A random forest that carries features, scored with these weights; no two derivations score the same."""
    forest = random_forest(seed, nodes=6, max_derivations=60)
    features = np.random.default_rng(seed).normal(size=(forest.edges, len(SMT))).astype(np.float32)
    return replace(forest, names=SMT, features=features).reweighted(weights)


def named_pairs(pairs: Pairs, index: Index) -> list[tuple[str, str, float]]:
    """The pairs in the order in which they are learned from."""
    names = index.ids(pairs.docs)
    return [(names[pairs.positive[p]], names[pairs.negative[k]], float(pairs.margin[k]))
            for p in range(len(pairs.positive)) for k in range(pairs.starts[p], pairs.starts[p + 1])]  # fmt: skip
