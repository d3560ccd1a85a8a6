"""Slow, obvious phrase-based decoding: every order of every segmentation is listed, then looked at.

The oracle knows the extracted phrase pairs (`Decoder.rules`) and the definitions: pass-through, features, the limits on
reordering, and the language model read from left to right over the finished string.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reference.decode import Rule, Toy, feature_vector, grammar


class ExhaustivePhrases:
    """All translations of a sentence, phrase by phrase."""

    def __init__(self, toy: Toy, tokens: list[str]):
        self.toy, self.tokens = toy, tuple(tokens)
        self.rules = grammar(toy, tokens)
        self.vectors = [feature_vector(toy, rule) for rule in self.rules]
        self.limit = toy.decoder.config.distortion_limit  # type: ignore[attr-defined]

    def may_follow(self, translated: frozenset[int], last: int, begin: int, end: int) -> bool:
        """Whether [begin, end) may be translated next; `last` is where the last phrase ended."""
        gap = min(i for i in range(len(self.tokens)) if i not in translated)
        return (not translated & set(range(begin, end)) and abs(begin - last) <= self.limit
                and (begin == gap or end - gap <= self.limit))

    def orders(self, translated: frozenset[int] = frozenset(), last: int = 0) -> Iterator[list[tuple[int, int]]]:
        """Every way to go on: where phrases begin, and which rules they are."""
        if len(translated) == len(self.tokens):
            yield []
            return
        for r, rule in enumerate(self.rules):
            for begin in range(len(self.tokens) - len(rule.source) + 1):
                end = begin + len(rule.source)
                if self.tokens[begin:end] == rule.source and self.may_follow(translated, last, begin, end):
                    for rest in self.orders(translated | set(range(begin, end)), end):
                        yield [(begin, r), *rest]

    def vector(self, order: list[tuple[int, int]]) -> np.ndarray:
        """The features of a derivation, but for the language model's."""
        names = self.toy.decoder.names
        total, last = np.zeros(len(names)), 0
        for begin, r in order:
            total += self.vectors[r]
            total[names.index("Distortion")] += abs(begin - last)
            total[names.index("PhrasePenalty")] += 1
            last = begin + len(self.rules[r].source)
        return total

    def translations(self, most: int) -> list[tuple[tuple[str, ...], np.ndarray, float]] | None:
        """Every derivation as its words, its features and its score, best first; None if there are too many."""
        decoder = self.toy.decoder
        weights = np.array([decoder.weights.get(name, 0.0) for name in decoder.names])
        found = []
        for order in self.orders():
            words = tuple(str(word) for _, r in order for word in self.rules[r].target)
            features = self.vector(order)
            if decoder.config.language_model:
                features[decoder.names.index("LanguageModel")] = decoder.lm.score(decoder.target.ids(words))
            found.append((words, features, float(features @ weights)))
            if len(found) > most:
                return None
        return sorted(found, key=lambda t: -t[2])

    def rule_at(self, begin: int, source: tuple[str, ...], target: tuple[str, ...]) -> list[Rule]:
        """The rules with these sides, if the sentence has the source side there."""
        return [rule for rule in self.rules if (rule.source, rule.target) == (source, target)
                and self.tokens[begin : begin + len(source)] == source]
