"""A neural system as a Translator: its best translations become a forest, with links from the attention.

    translator = NeuralTranslator(System(folder), target_analyzer, NeuralConfig(nbest=24))
    forest = translator.translate(Sentence("Das Haus.", ["das", "haus", "."]))

Words are those of the target analyzer, so that all systems spell alike. Pieces of either side are laid over its tokens
by their places in the text: what a token looks at is what its pieces look at. A source token is shared out among the
words that look at it, and a word is linked with the tokens of which it gets most: many words look at a few tokens that
say little, such as the last one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from crossbow.arrays import F64
from crossbow.decode.contract import Sentence, Translator
from crossbow.decode.translation import Translation
from crossbow.forest.hypergraph import Forest
from crossbow.forest.lattice import Link
from crossbow.forest.nbest import Hypothesis, nbest_forest
from crossbow.neural.system import Listed, Pieces, System
from crossbow.text.analyzer import Analyzer
from crossbow.text.located import located, overlaps

NEURAL = "neural"
TINY = 1e-9
NEAR = 0.8  # of the largest share: a source token of which a word gets as much is linked too


@dataclass(frozen=True)
class NeuralConfig:
    """How forests are made."""

    nbest: int = 24
    scale: float = 1.0
    max_words: int = 150  # longer sentences are translated in pieces
    samples: int = 0  # translations drawn at random, beside the best ones


class NeuralTranslator(Translator):
    """Makes forests of a neural system's translations."""

    config: NeuralConfig
    understands = ("nbest", "samples", "scale")
    candidates = tuple(Translation(nbest=nbest, scale=scale) for nbest in (None, 80) for scale in (None, 0.3, 0.1))

    def __init__(self, system: System, target: Analyzer, config: NeuralConfig = NeuralConfig()):
        self.system, self.target, self.config, self.weights = system, target, config, {}

    @property
    def kind(self) -> str:
        return NEURAL

    @property
    def max_words(self) -> int:
        return self.config.max_words

    def changed(self, weights: dict[str, float], config: NeuralConfig) -> Self:
        return type(self)(self.system, self.target, config)

    def with_translation(self, translation: Translation) -> Self:
        translation.check(self)
        given = {name: value for name in self.understands if (value := getattr(translation, name)) is not None}
        return self.changed({}, replace(self.config, **given))

    def translate(self, sentence: Sentence, name: str = "", exclude: int = -1) -> Forest:
        source, listed = self.system.hypotheses(sentence.text, self.config.nbest, self.config.samples)
        places = overlaps(source.places, located(sentence.tokens, sentence.text))
        made = [self._hypothesis(one, places) for one in listed]
        return nbest_forest(name, made, sentence.tokens)

    def _hypothesis(self, one: Listed, source: F64) -> Hypothesis:
        """A translation in words; `source` says how many characters each source piece shares with each token."""
        words = self.target.tokens(one.pieces.text)
        return Hypothesis(words, self.config.scale * one.score, linked(words, one.pieces, one.attention, source))


def linked(words: list[str], pieces: Pieces, attention: F64, source: F64) -> list[Link]:
    """The links of words with source tokens."""
    target = overlaps(located(words, pieces.text), pieces.places)
    looks = target @ attention @ (source / np.maximum(source.sum(1, keepdims=True), 1.0))
    shares = looks / np.maximum(looks.sum(0, keepdims=True), TINY)
    most = shares.max(1, initial=0.0)
    near = (shares >= NEAR * most[:, None]) & (most > 0.0)[:, None]
    return [(int(position), int(word)) for word, position in np.argwhere(near)]
