"""Unknown words read as known ones."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.decode.translation import Translation
from crossbow.forest.compose import joined, parts_of
from crossbow.model import Model
from crossbow.model.spelling import Spelling
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.explain.derivation import best_derivation
from crossbow.ranking.explain.readings import reader
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.compounds import Splitter
from training import corpus

COUNTS = {"bibliothek": 40, "bibliotheken": 10, "straße": 30, "haus": 50, "häuser": 20, "hase": 3, "unter": 900,
          "see": 20, "museum": 9, "mauer": 12, "laufen": 5, "kaufen": 50}


def spelling(counts: dict[str, int], lang: str = "de") -> Spelling:
    return Spelling(list(counts), np.array(list(counts.values()), np.int64), Analyzer(Settings(lang)))


GERMAN = spelling(COUNTS)


@pytest.mark.parametrize(("word", "known"), [
    ("bibliotek", ["bibliothek"]),  # a letter less
    ("biblitohek", ["bibliothek"]),  # two letters changed places, and the word is long: no second error is needed
    ("bblioteken", ["bibliotheken"]),  # two errors in a long word
    ("strasse", ["straße"]),  # the same stem
    ("häusern", ["häuser", "haus"]),  # another ending, and the same stem: the more frequent is not nearer in letters
    ("haase", ["hase"]),
    ("maufen", ["kaufen", "laufen"]),  # equally near: the more frequent one first
])
def test_candidates(word: str, known: list[str]) -> None:
    found = [one.words for one in GERMAN.candidates(word, 2)]
    assert set(found) == {(one,) for one in known}
    if word == "maufen":
        assert found == [(one,) for one in known]


@pytest.mark.parametrize(("word", "parts"), [
    ("kiefernohlz", ("kiefer", "holz")), ("kiefenrholz", ("kiefer", "holz")), ("lurgenkrebs", ("lunge", "krebs")),
    ("gerichtsurtel", ("gericht", "urteil")),
])
def test_compounds_with_one_error(word: str, parts: tuple[str, ...]) -> None:
    counts = {"kiefer": 5, "holz": 9, "lunge": 4, "krebs": 6, "gericht": 8, "urteil": 7}
    splitter = Splitter.learn(counts, "de")
    known = Spelling(list(counts), np.array(list(counts.values()), np.int64), Analyzer(Settings("de"), splitter))
    assert known.candidates(word, 1)[0].words == parts
    reading = known.readings(["das", word, "da"], 1)[0]
    assert (reading.tokens, reading.places) == (["das", *parts, "da"], [0, 1, 1, 2])


@pytest.mark.parametrize("word", [
    "haus",  # known
    "untr",  # a function word is nobody's correction
    "sea", "xyzxyz", "hau5", "", "a" * 1000, "http://a.org",
])
def test_words_without_candidates(word: str) -> None:
    assert GERMAN.candidates(word, 3) == []
    assert GERMAN.readings([word], 3) == []


def test_readings_replace_every_unknown_word() -> None:
    readings = GERMAN.readings(["die", "bibliotek", "am", "musem", "maufen"], 3)
    assert [reading.tokens for reading in readings] == [
        ["die", "bibliothek", "am", "museum", "kaufen"], ["die", "bibliothek", "am", "museum", "laufen"]]
    assert readings[0].prior == 0.0 > readings[1].prior


@given(st.dictionaries(st.text("abc", min_size=3, max_size=9), st.integers(1, 50), max_size=12),
       st.text("abc", min_size=4, max_size=9))
def test_candidates_are_all_words_within_the_limit(counts: dict[str, int], word: str) -> None:
    plain = Spelling(list(counts), np.array(list(counts.values()), np.int64),
                     Analyzer(Settings("de", stem=False, stopwords="none")))
    found = {one.words[0] for one in plain.candidates(word, 100)}
    limit = 2 if len(word) >= 8 else 1
    expected = set() if word in counts else {known for known in counts if _distance(word, known) <= limit}
    assert found == expected


def _distance(left: str, right: str) -> int:
    """Optimal string alignment, letter by letter."""
    rows = {(i, j): max(i, j) for i in range(len(left) + 1) for j in range(len(right) + 1) if not i or not j}
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            best = min(rows[i - 1, j] + 1, rows[i, j - 1] + 1, rows[i - 1, j - 1] + (left[i - 1] != right[j - 1]))
            if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
                best = min(best, rows[i - 2, j - 2] + 1)
            rows[i, j] = best
    return rows[len(left), len(right)]


def test_a_model_reads_unknown_words_if_it_is_asked_to(tmp_path_factory: pytest.TempPathFactory) -> None:
    model = Model.load(corpus(tmp_path_factory) / "model")
    text, mistyped = "Die Bank im Winter", "Die Bnak im Wniter"
    reading = model.with_translation(Translation(spellings=2))
    assert reading.translate(text) == model.translate(text)  # nothing is unknown
    assert "bnak" in model.translate(mistyped)[0].text
    assert reading.translate(mistyped)[0].text == model.translate(text)[0].text
    forest = reading.forest(mistyped)
    assert forest.source == model.tokens(mistyped)
    assert len(parts_of(forest)) >= 2
    assert parts_of(model.forest(mistyped)) == parts_of(reading.forest(mistyped, exclude=0)) == []
    read = reader(model, SearchConfig().set("translation.spellings", 2))
    expected = {"bnak": "bank", "wniter": "winter"}
    for whole in (forest, joined([model.forest("Die Bank"), forest]), joined([forest, forest])):
        assert read(whole, best_derivation(whole)[0]) == expected
    assert read(reading.forest(text), best_derivation(reading.forest(text))[0]) == {}
    again = pickle.loads(pickle.dumps(reading))
    assert again.translate(mistyped) == reading.translate(mistyped)
