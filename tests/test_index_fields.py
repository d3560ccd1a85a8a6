"""Columns of fields: what values are, how they are stored, merged and read; and what a damaged column ends in."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow import build_index, store
from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index, add, build, delete
from crossbow.index.fields import MOST, gather
from crossbow.index.summary import field_rows
from crossbow.index.values import infer, moment, number, spelled
from crossbow.integrity import check_files
from crossbow.ranking.conditions import Condition
from crossbow.ranking.facets import Sort, count_values
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from folders import flip

ENGLISH = Analyzer(Settings("en"))


@pytest.mark.parametrize(("value", "expected"), [
    ("two  words\n", ["two words"]), ("", []), (None, []), (True, ["true"]), (2008, ["2008"]), (2008.0, ["2008"]),
    (1.5, ["1.5"]), (-0.0, ["0"]), (10**30, [str(10**30)]), (1e300, ["1e+300"]), (["b", "a", "b"], ["b", "a"]),
    ([1, "x", None], ["1", "x"]), ([], []), ({}, None), ([["a"]], None), ([{}], None), ("x" * 200, ["x" * 200]),
    ("x" * 201, None), (["a", "x" * 201], None),
])
def test_spelling(value: Any, expected: list[str] | None) -> None:
    assert spelled(value) == expected


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53) + 1, 2**53 - 1))
def test_numbers_are_numbers_again(value: float) -> None:
    (text,) = spelled(value) or []
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "007", "1.", ".5", "0x1", "1_000", "1e999", "nan", "9007199254740993", "+1", "١"])
def test_what_is_no_number(text: str) -> None:
    assert number(text) is None


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9998, 12, 30)))
def test_dates_begin_and_end(time: datetime) -> None:
    seconds = (time.replace(microsecond=0, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    for pattern in ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m", "%Y"):
        text = time.strftime(pattern).rjust(len(time.replace(year=2000).strftime(pattern)), "0")
        found = moment(text)
        assert found is not None
        assert found[0] <= seconds < found[1]
        following = datetime.fromtimestamp(found[1], UTC).strftime(pattern) if 1000 < time.year < 9990 else "other"
        assert following != text
    assert moment("2024-02") == (moment("2024-02-01")[0], moment("2024-03-01")[0])  # type: ignore[index]


@pytest.mark.parametrize(("text", "same"), [("2008-05-01T02:00:00+02:00", "2008-05-01T00:00:00Z"),
                                            ("2008-05-01 00:00:00.5", "2008-05-01T00:00:00.500")])
def test_dates_of_other_spelling(text: str, same: str) -> None:
    assert moment(text)[0] == moment(same)[0]  # type: ignore[index]


@pytest.mark.parametrize("text", ["2008-13", "2008-02-30", "2008-5-1", "08-05-01", "2008-05-01T25:00", "today", "0000"])
def test_what_is_no_date(text: str) -> None:
    assert moment(text) is None


@pytest.mark.parametrize(("values", "kind"), [
    ([b"1", b"2.5"], "number"), ([b"1999"], "number"), ([b"1999-01", b"2000-01-01"], "date"),
    ([b"1999", b"2000-01-01"], "keyword"), ([b"1", b"n/a"], "keyword"), ([], "keyword"), ([b"01"], "keyword"),
])
def test_a_column_is_what_all_its_values_are(values: list[bytes], kind: str) -> None:
    found, keys = infer(values)
    assert found == kind
    assert all(map(math.isnan, keys)) == (kind == "keyword")


def test_a_column_follows_its_documents(tmp_path: Path) -> None:
    """A value that is no number makes keywords of a column, wherever it comes in, until it goes again."""
    folder = tmp_path / "index"
    build(folder, [Doc(f"d{n}", "a", "", {"year": 1990 + n}) for n in range(5)], ENGLISH)
    assert Index.load(folder).kinds == {"year": "number"}
    add(folder, [Doc("late", "b", "", {"year": "n/a", "lang": "en"})])
    assert (len(Index.load(folder).segments), Index.load(folder).kinds) == (2, {"lang": "keyword", "year": "keyword"})
    add(folder, [Doc(f"e{n}", "a", "", {"year": 7}) for n in range(20)])
    assert len(Index.load(folder).segments) == 1
    delete(folder, ["late"])
    add(folder, [Doc(f"f{n}", "a", "", {"deep": {"x": 1}}) for n in range(20)])
    index = Index.load(folder)
    assert (len(index.segments), index.kinds) == (1, {"deep": "stored", "year": "number"})
    assert index["d3"].fields == {"year": 1993}
    assert index["f3"].fields == {"deep": {"x": 1}}
    assert field_rows(index) == {
        "field title": "searched, weight 1", "field text": "searched, weight 1",
        "field deep": "stored (texts of more than 200 characters and objects cannot be filtered by)",
        "field year": "number, 6 values, 7 to 1994, in 25 documents"}


def test_what_a_document_is_covers_its_fields(tmp_path: Path) -> None:
    def signature(fields: dict[str, Any]) -> str:
        return build_index([{"id": "d1", "text": "a", **fields}], tmp_path / "index").signature

    assert signature({"a": 1, "b": 2}) == signature({"b": 2, "a": 1})
    assert len({signature(fields) for fields in ({}, {"a": 1}, {"a": "1"}, {"a": 2}, {"b": 1})}) == 5


def test_too_many_fields() -> None:
    with pytest.raises(CrossbowError, match=r"1,001 different fields.*put those whose names are data into one object"):
        gather([Doc("d1", "", "", {f"f{n}": 1 for n in range(MOST + 1)})])


def test_fields_that_are_no_json(tmp_path: Path) -> None:
    with pytest.raises(CrossbowError, match="the fields of document 'd1' cannot be written as JSON"):
        build(tmp_path / "index", [Doc("d1", "", "", {"a": float("nan")})], ENGLISH)
    with pytest.raises(CrossbowError, match="it must be a text, a number"):
        build_index([{"id": "d1", "text": "", "a": float("inf")}], tmp_path / "index")


def test_values_of_python(tmp_path: Path) -> None:
    fields = {"n": np.int64(7), "x": np.float32(0.5), "day": datetime(2008, 5, 1), "tags": {"b", "a"}, "none": None}
    index = build_index([{"id": "d1", "text": "a", **fields}], tmp_path / "index")
    assert index["d1"].fields == {"n": 7, "x": 0.5, "day": "2008-05-01T00:00:00", "tags": ["a", "b"]}
    assert index.kinds == {"day": "date", "n": "number", "tags": "keyword", "x": "number"}


@pytest.fixture
def segment(tmp_path: Path) -> Path:
    build(tmp_path / "index", [Doc(f"d{n}", "a", "", {"year": n, "tag": ["x", str(n)]}) for n in range(9)], ENGLISH)
    return next((tmp_path / "index" / "segments").iterdir())


def test_damage_is_found(segment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = segment.parent.parent
    for file in sorted(segment.glob("fields/*")):
        good = file.read_bytes()
        flip(file, len(good) - 2, 0x80)
        with pytest.raises(InputError, match=rf"fields/{file.name}"):
            check_files(folder)
        with pytest.raises(InputError, match="damaged"):  # all files are small
            Index.load(folder)
        file.unlink()
        with pytest.raises(InputError):
            Index.load(folder)
        file.write_bytes(good)
    assert len(Index.load(folder)) == 9


@pytest.mark.parametrize(("name", "at", "value"), [
    ("docs", 0, 9), ("docs", 0, -1), ("docs", 1, 0), ("ordinals", 0, 99), ("ordinals", 3, -1), ("value_starts", 1, 99),
    ("value_starts", 2, -5),
])
def test_impossible_numbers_in_large_columns(
    segment: Path, name: str, at: int, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "SMALL", 0)
    np.load(segment / "fields" / f"{name}.npy", mmap_mode="r+")[at] = value
    index = Index.load(segment.parent.parent)
    if name == "docs" and (at, value) == (1, 0):  # documents ascend; one may have several values
        assert index.segments[0].column("tag") is not None
        return
    with pytest.raises(InputError, match="the index is damaged"):
        [index.segments[0].column(column) for column in index.kinds]


def test_any_byte_may_be_wrong(segment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as large here, so that nothing is found by its checksum: an answer, or an error that can be read."""
    monkeypatch.setattr(store, "SMALL", 0)
    folder, rng, failed = segment.parent.parent, random.Random(3), 0
    for file in sorted(segment.glob("fields/*.npy")):
        for _ in range(12):
            good = file.read_bytes()
            flip(file, rng.randrange(128, len(good)), rng.choice([1 << rng.randrange(8), 0x80, 0xFF]))
            try:
                index = Index.load(folder)
                matching = np.ones(index.slots, bool)
                for condition in ("year>=3", "year:1..5", "tag:x,7"):
                    Condition.parse(condition).passing(index)
                for name in index.kinds:
                    count_values(index, name, matching)
                    Sort(name)._keys(index)
                assert len([doc.fields for doc in index]) == 9
                assert field_rows(index)
            except CrossbowError:
                failed += 1
            file.write_bytes(good)
    assert failed


@pytest.mark.parametrize("name", ["pair_starts", "first_values"])
def test_impossible_places_of_columns(segment: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "SMALL", 0)
    np.load(segment / "fields" / f"{name}.npy", mmap_mode="r+")[1] = -3
    with pytest.raises(InputError, match="does not fit the other arrays"):
        Index.load(segment.parent.parent)
