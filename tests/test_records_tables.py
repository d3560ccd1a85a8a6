"""CSV files as documents and queries: quotes, line breaks inside of cells, semicolons, and what is wrong."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.errors import InputError
from crossbow.records import Doc, Query, read_docs, read_queries
from crossbow.records.tables import csv_rows

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=6), st.sampled_from(",;"))
def test_what_the_csv_module_writes_is_read(rows: list[list[str]], delimiter: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([["a", "b", "c"], *rows])
    found = list(csv_rows("d.csv", enumerate(text.getvalue().split("\n")[:-1], 1)))
    assert [row for _, row in found] == [{name: cell for name, cell in zip("abc", row) if cell.strip()} for row in rows]
    assert all(text.getvalue().split("\n")[line - 1].startswith('"') for line, _ in found)


def test_documents_and_queries(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text('\ufeffid,title,text,year\nd1,A,"two\n\nlines, ""here""",2008\n\nd2,,short,\n')
    assert list(read_docs(tmp_path / "d.csv")) == [Doc("d1", 'two lines, "here"', "A", {"year": "2008"}),
                                                   Doc("d2", "short")]
    (tmp_path / "q.csv").write_text("qid;text\n1;Haus am See\n")
    assert list(read_queries(tmp_path / "q.csv")) == [Query("1", "Haus am See")]


def test_long_cells(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    (tmp_path / "d.csv").write_text(f"id,text\nd1,{'a ' * 200_000}\n")
    assert len(next(iter(read_docs(tmp_path / "d.csv"))).text) == 399_999
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(("text", "problem"), {
    "empty": ("", "the file is empty"), "only names": ("id,text\n", "the file is empty"),
    "too many cells": ("id,text\nd1,a,b\n", "2: 3 columns, but the first row names 2"),
    "no id": ("text\na\n", "2: the field 'id' is missing"),
    "no text": ("id,text\nd1,\n", "2: the field 'text' is missing"),
    "twice": ("id,id,text\n", "1: the column 'id' is there twice"),
    "no name": ("id,,text\n", "1: a column has no name"),
    "open quote": ('id,text\nd1,"a\nb\n', r"3: not valid CSV"),
    "same id": ("id,text\na,b\na,c\n", "3: document id 'a'"),
}.values())
def test_bad_files(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(text)
    with pytest.raises(InputError, match=rf"d\.csv:.*{problem}"):
        list(read_docs(tmp_path / "d.csv"))
