"""The operator's file for the page: what it may say, and what is said about one that is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index, build
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.web.pagefile import PLAIN, PageSettings


def loaded(folder: Path, data: Any) -> PageSettings:
    (folder / "page.json").write_text(data if isinstance(data, str) else json.dumps(data), "utf8")
    return PageSettings.load(folder / "page.json")


def test_all_of_it(tmp_path: Path) -> None:
    page = loaded(tmp_path, {"title": "Court  search", "lead": "Since 1990.", "examples": ["Haus", "Maus"],
                             "facets": ["court"]})
    assert page == PageSettings("Court search", "Since 1990.", ("Haus", "Maus"), ("court",))
    assert loaded(tmp_path, {}) == PLAIN
    assert loaded(tmp_path, {"facets": []}).facets == ()  # none, instead of all


@pytest.mark.parametrize(("data", "problem"), [
    ('{\n"title": "x",\n}', r"page.json:3: this is not JSON \(.*expected an object such as"),
    ("[]", "this is not an object; expected"),
    ({"titel": "x"}, r"there is no 'titel'; there are title, lead, .*; did you mean 'title'\?$"),
    ({"title": 3}, "'title' must be a text of 1 to 60 characters"),
    ({"title": "  "}, "'title' must be a text"),
    ({"title": "x" * 61}, "'title' must be a text"),
    ({"examples": "Haus"}, "'examples' must be a list of at most 12 texts"),
    ({"examples": ["Haus", None]}, "entry 2 of 'examples' must be a text of 1 to 300 characters"),
    ({"facets": ["x"] * 11}, "'facets' must be a list of at most 10 texts"),
    ("[" * 100_000, "this is nested too deeply"),
])
def test_what_is_wrong_is_named(tmp_path: Path, data: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        loaded(tmp_path, data)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        PageSettings.load(tmp_path / "page.json")
    with pytest.raises(InputError, match="cannot be read"):
        PageSettings.load(tmp_path)
    (tmp_path / "page.json").write_bytes(b'{"title": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        PageSettings.load(tmp_path / "page.json")


def test_facets_are_fields_of_the_documents(tmp_path: Path) -> None:
    build(tmp_path / "index", [Doc("d", "text", "", {"year": 2008, "lang": "en", "deep": {"x": 1}})],
          Analyzer(Settings("en")), workers=1)
    index = Index.load(tmp_path / "index")
    assert sorted(PLAIN.shown_facets(index)) == ["lang", "year"]
    chosen = PageSettings(facets=("year", "gone"))
    assert chosen.shown_facets(index) == ["year"]
    with pytest.raises(CrossbowError, match="no document of the index has a field 'gone'"):
        chosen.check(index)
    with pytest.raises(CrossbowError, match="only stored"):
        PageSettings(facets=("deep",)).check(index)
    PageSettings(facets=("lang",)).check(index)
