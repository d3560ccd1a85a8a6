"""Whole documents: every word of them, those that match marked."""

from __future__ import annotations

from pathlib import Path

from crossbow.index import Index, build
from crossbow.ranking.explain.snippet import LONGEST
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.web.whole import whole_record

LONG = "word " * LONGEST + "house\nand " + "a" * (2 * LONGEST) + "\n\nthe end"
DOCS = [Doc("short", "A house.\n\n  Another line (houses)", "House", {"year": 2008}), Doc("long", LONG, "Title"),
        Doc("bare", "First sentence. A house.")]


def test_documents(tmp_path: Path) -> None:
    build(tmp_path / "index", DOCS, Analyzer(Settings("en")), workers=1)
    index = Index.load(tmp_path / "index")
    short = whole_record(index, index.number("short"), {"hous": 1.0})
    assert short == {
        "title": [{"text": "House", "match": True}], "fields": {"year": 2008},
        "text": [{"text": "A ", "match": False}, {"text": "house", "match": True},
                 {"text": ".\n\nAnother line (", "match": False}, {"text": "houses", "match": True},
                 {"text": ")", "match": False}]}
    text = whole_record(index, index.number("long"), {"hous": 1.0})["text"]
    assert "".join(piece["text"] for piece in text) == LONG
    assert [piece["text"] for piece in text if piece["match"]] == ["house"]
    bare = whole_record(index, index.number("bare"), {})
    assert bare["title"] == [{"text": "First sentence", "match": False}]
