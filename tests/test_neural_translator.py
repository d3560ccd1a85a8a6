"""From a neural system's translations to a forest: words, scores, links."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest

from crossbow.decode.contract import Sentence
from crossbow.decode.kbest import kbest
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.neural.system import Pieces, System
from crossbow.neural.translator import NeuralConfig, NeuralTranslator, linked
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.located import located, overlaps
from toy_neural import toy_system

TEXT = "Das Haus am See"
SENTENCE = Sentence(TEXT, ["das", "haus", "am", "see"])


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> NeuralTranslator:
    folder: Path = toy_system(tmp_path_factory.mktemp("neural") / "toy")
    return NeuralTranslator(System(folder), Analyzer(Settings("en")), NeuralConfig(nbest=4))


def derivations(forest: Forest, count: int = 100) -> dict[str, float]:
    best = kbest(forest, count)
    return {" ".join(forest.words[w] for w in best.words[begin:end]): float(score)
            for begin, end, score in zip(best.word_starts, best.word_starts[1:], best.score)}


def test_the_forest_has_the_listed_translations_and_no_others(translator: NeuralTranslator) -> None:
    forest = translator.translate(SENTENCE, "q1")
    assert (forest.id, forest.source) == ("q1", SENTENCE.tokens)
    assert derivations(forest) == pytest.approx({
        "the house at lake": log(0.42), "the house at sea": log(0.28), "the home at lake": log(0.18),
        "the home at sea": log(0.12)}, abs=1e-4)


def test_links_lead_to_the_words_that_were_translated(translator: NeuralTranslator) -> None:
    forest = translator.translate(SENTENCE)
    found = set()
    for e in range(forest.edges):
        for position, symbol in forest.align[forest.align_starts[e] : forest.align_starts[e + 1]].tolist():
            found.add((forest.source[position], forest.words[forest.target[forest.target_starts[e] + symbol]]))
    assert found == {("das", "the"), ("haus", "house"), ("haus", "home"), ("am", "at"), ("see", "lake"), ("see", "sea")}


def test_words_are_those_of_the_analyzer(translator: NeuralTranslator) -> None:
    """One piece, Identity_Card, is two words, both linked with what it translates."""
    forest = translator.with_translation(Translation(nbest=1)).translate(Sentence("Ausweis ist alt", ["ausweis", "ist",
                                                                                                     "alt"]))
    assert list(derivations(forest)) == ["identity card is old"]
    assert forest.align.tolist() == [[0, 0], [0, 1], [1, 2], [2, 3]]


def test_scale_and_length_of_lists_are_settings_of_translation(translator: NeuralTranslator) -> None:
    changed = translator.with_translation(Translation(nbest=2, scale=0.5))
    assert derivations(changed.translate(SENTENCE)) == pytest.approx(
        {"the house at lake": log(0.42) / 2, "the house at sea": log(0.28) / 2}, abs=1e-4)
    with pytest.raises(CrossbowError, match=r"translation.lm_scale has no effect on a neural model"):
        translator.with_translation(Translation(lm_scale=0.5))


def test_samples_are_a_setting_of_translation(translator: NeuralTranslator) -> None:
    few, more = (translator.with_translation(Translation(nbest=1, samples=count)) for count in (0, 40))
    assert list(derivations(few.translate(SENTENCE))) == ["the house at lake"]
    assert derivations(more.translate(SENTENCE)) == pytest.approx(derivations(translator.translate(SENTENCE)), abs=1e-4)


def test_pieces_are_laid_over_tokens() -> None:
    """Words get what their pieces look at; a source token goes to the words that look at it most."""
    text, tokens = "Menschenrechte heute", ["menschen", "rechte", "heute"]
    source = overlaps(located(["Mensch", "en", "rechte", "heute"], text), located(tokens, text))
    names = ["▁Human", "▁ri", "ghts", "▁today"]
    pieces = Pieces("Human rights today", names, located(["Human", "ri", "ghts", "today"], "Human rights today"))
    attention = np.array([[0.5, 0.3, 0.1, 0.1], [0.1, 0.1, 0.6, 0.2], [0.0, 0.1, 0.5, 0.4], [0.1, 0.0, 0.1, 0.8]])
    assert linked(["human", "rights", "today"], pieces, attention, source) == [(0, 0), (1, 1), (2, 2)]


def test_words_that_look_at_nothing_have_no_links() -> None:
    pieces = Pieces("a", ["▁a"], [(0, 1)])
    assert linked(["a"], pieces, np.zeros((1, 1)), np.ones((1, 1))) == []
    assert linked([], pieces, np.zeros((1, 1)), np.ones((1, 1))) == []
