"""Conditions on fields: how they are written, what they mean for any documents, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.ranking.conditions import Condition, Span
from crossbow.ranking.filters import Filter
from crossbow.records import Doc
from reference.fields import NEXT_DAY, VALUES, passes, random_fields
from reference.ranking import index_of, random_docs


def quoted(value: Any) -> str:
    return '"' + str(value).replace('"', '""') + '"' if isinstance(value, str) else str(value)


def found(index: Index, *conditions: str) -> set[str]:
    wanted = Filter(where=conditions).passing(index)
    assert wanted is not None
    return {index.id(number) for number in wanted.nonzero()[0].tolist()}


@st.composite
def conditions(draw: st.DrawFn) -> tuple[str, str, list[Any]]:
    name = draw(st.sampled_from(list(VALUES)))
    values = VALUES[name] + ([7, 1e300] if name == "year" else list(NEXT_DAY) if name == "day" else ["none of these"])
    sign = draw(st.sampled_from([":"] if name == "lang" else [":", ">=", ">", "<", "<=", ".."]))
    operands = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3 if sign == ":" else 1))
    return name, sign, [*operands, draw(st.sampled_from(values))] if sign == ".." else operands


@given(st.integers(0, 10**6), st.sampled_from([0, 1, 5, 30]), st.integers(1, 3), st.lists(conditions(), max_size=3))
@settings(deadline=None, max_examples=200)
def test_what_passes(seed: int, size: int, segments: int, chosen: list[tuple[str, str, list[Any]]]) -> None:
    docs = random_fields(random_docs(seed, size), seed)
    index = index_of(docs, segments=segments)
    texts = []
    for name, sign, operands in chosen:
        if name not in index.kinds or index.kinds[name] != {"year": "number", "lang": "keyword", "day": "date"}[name]:
            return  # no document has it
        if sign == "..":
            texts.append(f"{name}:{operands[0]}..{operands[1]}")
        else:
            texts.append(f"{name} {sign} {', '.join(map(quoted, operands))}")
    expected = {doc.id for doc in docs if all(passes(doc, *one) for one in chosen)}
    if texts:
        assert found(index, *texts) == expected


@pytest.mark.parametrize(("text", "field", "spans"), [
    ("lang:en", "lang", [Span("en", "en")]), ("lang=en,de", "lang", [Span("en", "en"), Span("de", "de")]),
    (" my field : x ", "my field", [Span("x", "x")]), ("a:..5", "a", [Span(None, "5")]),
    ("a:1..", "a", [Span("1", None)]),
    ('a:"x, ""y"".."', "a", [Span('x, "y"..', 'x, "y"..')]), ("a>=-1.5", "a", [Span("-1.5", None)]),
    ("a<3", "a", [Span(None, "3", True, False)]), 
    ("a:2008-05-01T10:30", "a", [Span("2008-05-01T10:30", "2008-05-01T10:30")]),
])
def test_how_they_are_written(text: str, field: str, spans: list[Span]) -> None:
    condition = Condition.parse(text)
    assert (condition.field, list(condition.spans)) == (field, spans)


@pytest.mark.parametrize(("text", "problem"), {
    "nothing": ("", "is not a condition"), "no sign": ("year", "is not a condition"),
    "no field": (":en", "is not a condition"),
    "no value": ("lang:", "is not a condition"), "comma at the end": ("lang:en,", "a value is missing"),
    "open quote": ('lang:"en', "a value is missing, or a quotation mark"),
    "two values": ("year>1,2", "takes one value"),
    "unknown": ("langs:en", r"has a field 'langs'; there are day, lang, year; did you mean 'lang'\?$"),
    "no number": ("year:x", "are numbers, and 'x' is none"), "no date": ("day>=1999-13", "are dates, and '1999-13'"),
    "no ranges": ("lang>=en", "has no ranges"), "nor open ones": ("lang:..", "has no ranges"),
    "stored": ("deep:1", "is only stored"),
}.values())
def test_what_is_wrong(text: str, problem: str) -> None:
    fields = {"lang": "en", "year": 7, "day": "2000-01-01", "deep": {"x": 1}}
    with pytest.raises(CrossbowError, match=problem):
        found(index_of([Doc("d1", "a", "", fields)]), text)


def test_no_fields_at_all() -> None:
    with pytest.raises(CrossbowError, match="its documents have no fields to choose by"):
        found(index_of([Doc("d1", "a")]), "lang:en")


def test_numbers_that_became_keywords() -> None:
    """One segment has numbers, another does not; values are compared as they are spelled."""
    index = index_of([Doc("d1", "a", "", {"year": 2000}), Doc("d2", "a", "", {"year": "n/a"})], segments=2)
    assert found(index, "year:2000") == {"d1"}
    assert found(index, "year:n/a,7") == {"d2"}
    with pytest.raises(CrossbowError, match="not all values of 'year' are numbers"):
        found(index, "year>1")
