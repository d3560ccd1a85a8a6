"""Where tokens stand in a text: spelled alike or not, found or not, and how two ways of cutting a text overlap."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.compounds import Splitter
from crossbow.text.located import located, overlaps


def shown(tokens: list[str], text: str) -> list[str]:
    return [text[begin:end] for begin, end in located(tokens, text)]


def test_tokens_are_found_however_they_are_spelled() -> None:
    text = "Die „Straßen-Bahn“  fährt\u00a02007 ﬁnal."
    tokens = Analyzer(Settings("de")).tokens(text)
    assert shown(tokens, text) == ["Die", "„", "Straßen", "Bahn", "“", "fährt", "2007", "ﬁnal", "."]
    assert shown(["men", "schen", "rechte"], "Menschenrechte") == ["Men", "schen", "rechte"]


def test_parts_of_compounds_without_their_linking_letter() -> None:
    splitter = Splitter.learn({"arbeit": 50, "markt": 50, "arbeitsmarkt": 1}, "de")
    tokens = Analyzer(Settings("de"), splitter).tokens("Der Arbeitsmarkt wächst")
    assert tokens == ["der", "arbeit", "markt", "wächst"]
    assert shown(tokens, "Der Arbeitsmarkt wächst") == ["Der", "Arbeit", "markt", "wächst"]


def test_what_is_not_there_takes_no_place_and_disturbs_nothing() -> None:
    assert shown(["das", "⁇", "haus"], "Das alte Haus") == ["Das", "", "Haus"]
    assert located(["a", ""], "") == [(0, 0), (0, 0)]
    assert located([], "text") == []


def test_an_occurrence_far_away_is_another_one() -> None:
    text = "haus " + "x" * 100 + " garten"
    assert shown(["haus", "garten"], text) == ["haus", ""]


@given(st.text(max_size=60))
def test_places_are_in_the_text_and_in_order(text: str) -> None:
    tokens = Analyzer(Settings("en")).tokens(text)
    places = located(tokens, text)
    assert len(places) == len(tokens)
    assert all(0 <= begin <= end <= len(text) for begin, end in places)
    assert [begin for begin, _ in places] == sorted(begin for begin, _ in places)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4),
       st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4))
def test_overlaps_are_counted_characters(rows: list[tuple[int, int]], columns: list[tuple[int, int]]) -> None:
    expected = [[len(set(range(*row)) & set(range(*column))) for column in columns] for row in rows]
    found = overlaps(rows, columns)
    assert found.shape == (len(rows), len(columns))
    np.testing.assert_array_equal(found, np.array(expected, float).reshape(found.shape))


def test_pairs_of_a_repeated_character() -> None:
    assert located(["习习", "习习", "习习"], "习习习习") == [(0, 2), (1, 3), (2, 4)]
    assert located(["习习", "习习"], "习习 习习") == [(0, 2), (3, 5)]
    assert located(["aa", "aa"], "AA aa") == [(0, 2), (3, 5)]
