"""Compound splitting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.errors import InputError
from crossbow.text.compounds import Splitter
from crossbow.text.languages import Compounds, language
from folders import change_header
from reference.text import slow_split

GERMAN = {
    "text": 200, "darstellung": 90, "textdarstellung": 1, "laufzeit": 60, "bibliothek": 300, "zeit": 150, "lauf": 15,
    "anwendung": 250, "anwendungs": 4, "anwendungen": 180, "programm": 500, "schule": 80, "buch": 120, "schulbuch": 2,
    "haus": 200, "tür": 50, "haustür": 1, "hause": 60, "sprache": 90, "datei": 300, "system": 400, "dateisystem": 350,
    "unter": 700, "stützung": 6, "unterstützung": 90, "freund": 50, "schaft": 9, "freundschaft": 30, "arbeit": 300,
    "zuge": 30, "geben": 200, "zugegeben": 10, "einen": 999, "kind": 40, "garten": 30, "kinder": 90, "geschichte": 70,
    "menschen": 300, "recht": 200, "rechte": 150, "verletzungen": 20, "selten": 2, "wort": 100,
}  # fmt: skip


@pytest.fixture(scope="module")
def german() -> Splitter:
    return Splitter.learn(GERMAN, "de")


@pytest.mark.parametrize(("word", "parts"), [
    ("textdarstellung", "text darstellung"),
    ("laufzeitbibliothek", "laufzeit bibliothek"),  # not lauf zeit: rarer on average
    ("anwendungsprogramm", "anwendung programm"),  # linking s; the odd "anwendungs" is rarer
    ("schulbuch", "schule buch"),  # lost e
    ("geschichtsbuch", "geschichte buch"),  # lost e and linking s
    ("kindergarten", "kinder garten"),
    ("menschenrechtsverletzungen", "menschen recht verletzungen"),
    ("Textdarstellung", "text darstellung"),
])
def test_compounds_are_split(german: Splitter, word: str, parts: str) -> None:
    assert german.split(word) == parts.split()


@pytest.mark.parametrize("word", [
    "dateisystem",  # seen more often than its parts on average
    "freundschaft",  # schaft is an ending
    "unterstützung",  # unter is a prefix
    "zugegeben",
    "haustür",  # tür has three letters
    "seltenwort",  # selten is too rare to be trusted
    "programmeinen",  # einen is a function word
    "Text",
    "unbekannt",
    "text-darstellung",
    "",
    "a" * 100_000,
])
def test_other_words_stay_as_they_are(german: Splitter, word: str) -> None:
    assert german.split(word) == [word]


def test_shorter_parts_when_asked() -> None:
    assert Splitter.learn(GERMAN, "de", min_length=3).split("haustür") == ["haus", "tür"]


@pytest.mark.parametrize(("lang", "word", "parts"), [
    ("nl", "verkeersbord", ["verkeer", "bord"]),
    ("da", "arbejdsplads", ["arbejde", "plads"]),
    ("sv", "skolbok", ["skola", "bok"]),
    ("sv", "kyrkogård", ["kyrka", "gård"]),
    ("nb", "arbeidsplass", ["arbeid", "plass"]),
    ("fi", "hevoskärry", ["hevonen", "kärry"]),
    ("fi", "maailmansota", ["maailma", "sota"]),
    ("xx", "plainword", ["plain", "word"]),
])
def test_other_languages(lang: str, word: str, parts: list[str]) -> None:
    splitter = Splitter.learn(dict.fromkeys(parts, 10), lang, min_length=3)
    assert splitter.split(word) == parts


words = st.text("abes", min_size=2, max_size=5)


@given(st.lists(words, min_size=1, max_size=12, unique=True),
       st.permutations([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]),
       st.text("abes", min_size=4, max_size=12), st.sampled_from(["de", "sv", "xx"]))
def test_split_agrees_with_trying_every_cut(known: list[str], primes: list[int], word: str, lang: str) -> None:
    counts = dict(zip(known, primes))
    splitter = Splitter.learn(counts, lang, min_length=2, min_count=3)
    never = {word for word in counts if word not in splitter._logs and counts[word] >= 3}
    joined = language(lang).compounds or Compounds((), ())
    expected = slow_split(word, counts, joined.links, joined.lost, 2, 3, never)
    found = splitter.split(word)
    assert sorted(found) == sorted(expected)
    for part in found:
        assert splitter.split(part) == [part]


def test_saved_and_loaded(german: Splitter, tmp_path) -> None:
    german.save(tmp_path / "compounds")
    loaded = Splitter.load(tmp_path / "compounds")
    assert loaded.digest() == german.digest()
    for word in [*GERMAN, "laufzeitbibliothek", "anwendungsprogramm"]:
        assert loaded.split(word) == german.split(word)
    assert Splitter.learn({**GERMAN, "text": 201}, "de").digest() != german.digest()


def test_nothing_to_learn(tmp_path) -> None:
    empty = Splitter.learn({"42": 5, "a-b": 7, "\ud800xyzw": 3}, "de")
    empty.save(tmp_path / "compounds")
    assert Splitter.load(tmp_path / "compounds").split("textdarstellung") == ["textdarstellung"]


def test_a_folder_of_another_kind_is_refused(german: Splitter, tmp_path) -> None:
    german.save(tmp_path)
    change_header(tmp_path, kind="lm")
    with pytest.raises(InputError, match="of kind 'lm', expected 'compounds'"):
        Splitter.load(tmp_path)
