"""Queries in the documents' own language: a forest with one derivation, the words as they were typed.

    model = Model.untranslated(index.analyzer)
    Searcher(model, index).search("a house by the lake")

So everything that works on forests works here: methods, feedback, snippets, explanations, the query's syntax.
"""

from __future__ import annotations

from typing import Any, Self

from crossbow.decode.contract import Sentence, Translator
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.forest.lattice import START, Arc, forest_of_arcs

UNTRANSLATED = "untranslated"
# What such queries are searched with, as SearchConfig reads it: every method sees the same single translation, so the
# plainest one is right, with the settings that suit all our collections (docs/experiments.md, "Monolingual search").
SEARCHED: dict[str, Any] = {"method": "dt", "bm25": {"b": 0.4}, "feedback": {"documents": 10}}


class Untranslated(Translator):
    """Every word stands for itself."""

    max_words = 200

    def __init__(self, among_others: bool = False) -> None:
        self.weights, self.config = {}, None
        self.among_others = among_others  # beside models, whose settings of translation may then be no mistake

    @property
    def kind(self) -> str:
        return UNTRANSLATED

    def translate(self, sentence: Sentence, name: str = "", exclude: int = -1) -> Forest:
        tokens = sentence.tokens
        arcs = [Arc(place - 1 if place else START, place, [word], 0.0, [(place, 0)])
                for place, word in enumerate(tokens)]
        return forest_of_arcs(name, list(tokens), max(1, len(tokens)), arcs or [Arc(START, 0, [], 0.0)])

    def changed(self, weights: dict[str, float], config: Any) -> Self:
        return self

    def with_translation(self, translation: Translation) -> Self:
        for name in () if self.among_others else translation.changes:
            raise CrossbowError(f"translation.{name} has no effect on queries that are not translated; leave it out")
        return self
