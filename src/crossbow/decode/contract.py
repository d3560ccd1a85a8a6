"""The contract of whatever turns a sentence into a forest: our own decoders, a neural system, several systems at once.

    forest = translator.translate(Sentence("Das Haus.", ["das", "haus", "."]), name="q1")

Everything behind it, search, explanations, learning, asks for a Forest and not where it comes from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

from crossbow.decode.translation import Translation
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.lexicon import Lexicon


class Sentence(NamedTuple):
    """A sentence of a query as it was written, and the tokens that its forest speaks of."""

    text: str
    tokens: list[str]


class Translator(ABC):
    """Makes forests. Safe to share between threads."""

    names: ClassVar[tuple[str, ...]] = ()  # the names of the features that its forests carry
    start_weights: ClassVar[Mapping[str, float]] = {}  # the weights of the features before tuning
    understands: ClassVar[tuple[str, ...]] = ()  # the settings of Translation that mean something to it
    candidates: ClassVar[tuple[Translation, ...]] = (Translation(),)  # for retrieval, its own way first
    weights: dict[str, float]
    config: Any  # a dataclass: how forests are made

    @property
    @abstractmethod
    def kind(self) -> str:
        """What translations are made of, in one word."""

    @property
    @abstractmethod
    def max_words(self) -> int:
        """Longer sentences are translated in pieces."""

    @property
    def lexicon(self) -> Lexicon | None:
        """What words mean in general, if it is known."""
        return None

    @abstractmethod
    def translate(self, sentence: Sentence, name: str = "", exclude: int = -1) -> Forest:
        """The forest of a sentence, made without the training text of the group `exclude`."""

    @abstractmethod
    def changed(self, weights: dict[str, float], config: Any) -> Self:
        """The same translator with other weights and settings."""

    @abstractmethod
    def with_translation(self, translation: Translation) -> Self:
        """The same translator with the translation settings of a search configuration."""
