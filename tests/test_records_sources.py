"""Documents, queries, judgments and runs in any form: files, records, dicts, tuples, DataFrames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pandas import DataFrame

from crossbow.errors import CrossbowError
from crossbow.records import Doc, Hit, Query
from crossbow.records.sources import as_docs, as_qrels, as_queries, as_run

DOCS = [Doc("d1", "a house"), Doc("d2", "a lake", "Lakes")]
QUERIES = [Query("q1", "Haus"), Query("q2", "See")]


def test_documents(tmp_path: Path) -> None:
    lines = ['{"id": "d1", "text": "a house"}', '{"id": "d2", "text": "a lake", "title": "Lakes"}']
    (tmp_path / "d.jsonl").write_text("\n".join(lines) + "\n")
    rows = [{"docno": "d1", "text": "a house", "title": None}, {"docno": "d2", "text": "a lake", "title": "Lakes"}]
    for source in (tmp_path / "d.jsonl", str(tmp_path / "d.jsonl"), DOCS, iter(DOCS), rows, DataFrame(rows),
                   [("d1", "a house"), ("d2", "a lake", "Lakes")],
                   [DOCS[0], {"id": "d2", "contents": "a lake", "title": "Lakes"}]):
        assert list(as_docs(source)) == DOCS


def test_queries(tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("q1\tHaus\nq2\tSee\n")
    rows = [{"qid": "q1", "query": "Haus"}, {"qid": "q2", "query": "See"}]
    for source in (tmp_path / "q.tsv", QUERIES, rows, DataFrame(rows), [("q1", "Haus"), ["q2", "See"]],
                   [{"id": "q1", "text": "Haus"}, {"query_id": "q2", "text": "See"}]):
        assert list(as_queries(source)) == QUERIES


def test_judgments(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 0\n")
    expected = {"q1": {"d1": 2, "d2": 0}}
    rows = [{"qid": "q1", "docno": "d1", "label": 2}, {"qid": "q1", "docno": "d2", "label": 0}]
    for source in (tmp_path / "qrels.txt", expected, rows, DataFrame(rows), [("q1", "d1", 2), ("q1", "d2", 0)]):
        assert as_qrels(source) == expected


def test_runs(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("q1 Q0 d2 1 2.5 x\nq1 Q0 d1 2 1.5 x\n")
    expected = {"q1": [Hit("d2", 2.5, 1), Hit("d1", 1.5, 2)]}
    frame = DataFrame([{"qid": "q1", "docno": "d1", "score": 1.5}, {"qid": "q1", "docno": "d2", "score": 2.5}])
    for source in (tmp_path / "run.txt", expected, {"q1": {"d1": 1.5, "d2": 2.5}}, expected.items(), frame):
        assert as_run(source) == expected


def test_cells_that_are_missing() -> None:
    """An empty title is none; a text that is missing is an error, and not the word "nan"."""
    frame = DataFrame({"docno": ["d1", "d2"], "text": ["a house", None], "title": [None, "Lakes"]})
    found = as_docs(frame)
    assert next(found) == DOCS[0]
    with pytest.raises(CrossbowError, match="document 2 has none of the fields text, contents; it has docno, title"):
        next(found)


@pytest.mark.parametrize(("read", "source", "message"), [
    (as_docs, [{"name": "d1"}], "document 1 has none of the fields docno, id.*it has name"),
    (as_docs, [DOCS[0], {"id": "d2"}], "document 2 has none of the fields text"), (as_docs, 5, "found int"),
    (as_docs, ["d1"], r"a document is \(id, text\)"), (as_docs, [("d1",)], r"a document is \(id, text\)"),
    (as_queries, [("q1", "a", "b")], r"a query is \(id, text\)"), (as_queries, [{}], "it has none at all"),
    (as_qrels, [("q1", "d1")], "a judgment is"), (as_docs, {"d1": "text"}, "found dict"),
])  # fmt: skip
def test_other_shapes(read: Any, source: Any, message: str) -> None:
    with pytest.raises(CrossbowError, match=message):
        list(read(source))
