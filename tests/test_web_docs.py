"""The page about the API shows all that its description has, and nothing in it becomes markup."""

from __future__ import annotations

import copy
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.docs import page
from crossbow.web.openapi import describe
from serving import ATTACK, call, running, small_engine


class Reader(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    served = small_engine(tmp_path_factory.mktemp("docs")).served
    return describe(served.config, served.model, writable=True)


def test_everything_is_there(description: dict[str, Any]) -> None:
    found = Reader(page(description))
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            assert f"{method.upper()} {path}" in found.words
            assert operation["summary"] in found.words
    for name in ("query", "filter", "facets", "offset", "sort", "syntax", "settings", "documents", "ids"):
        assert f"<code>{name}</code>" in page(description)
    assert "string, at most 1,000 characters, required" in found.words
    assert "one of dt, psq, expected, bowfd" in found.words
    assert {"script", "img", "style"}.isdisjoint(found.tags)


def test_nothing_becomes_markup(description: dict[str, Any]) -> None:
    changed = copy.deepcopy(description)
    changed["info"]["title"] = changed["paths"]["/search"]["post"]["summary"] = ATTACK
    for kind in changed["components"]["schemas"]["SearchRequest"]["oneOf"]:
        kind["properties"][ATTACK] = {"type": "string", "description": ATTACK}
    changed["components"]["schemas"]["SearchRequest"]["example"]["query"] = ATTACK
    found = Reader(page(changed))
    assert {"script", "img"}.isdisjoint(found.tags)
    assert ATTACK in found.words


def test_over_http(tmp_path: Path) -> None:
    with running(make_app(small_engine(tmp_path), Admission())) as port:
        reply = call(port, "GET", "/docs")
        assert (reply.status, reply.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert "script-src 'self'" in reply.headers["content-security-policy"]
        assert b"POST /search" in reply.body
        assert b"PUT /documents" not in reply.body
