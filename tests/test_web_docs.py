"""The page about the API shows all that its description has, nothing in it becomes markup, and people can read it."""

from __future__ import annotations

import copy
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import browsing
from browsing import DESKTOP, PHONE, axe_finds_nothing, expect, playwright
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.docs import page
from crossbow.web.openapi import describe
from serving import ATTACK, call, running, small_engine

browser = browsing.browser


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
    for name in ("filter.where", "filter.having", "documents.id", "bm25.k1", "hits", "total"):  # inside, and answers
        assert f"<code>{name}</code>" in page(description)
    assert "string, at most 1,000 characters, required" in found.words
    assert "Forced decoding (BOW-FD)" in found.words
    assert "Authorization: Bearer TOKEN" in found.words
    assert "curl -X DELETE localhost:8000/documents/ID\n" in found.words  # there is nothing to send
    assert """-d '{"ids": ["castle"]}'""" in found.words
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


@browsing.NEEDS_CHROMIUM
@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light"), (PHONE, "dark")])
def test_in_a_browser(tmp_path: Path, browser: playwright.Browser, size: tuple[int, int], scheme: str) -> None:
    said: list[str] = []
    with running(make_app(small_engine(tmp_path), Admission())) as port:
        shown = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        shown.on("console", lambda message: said.append(message.text))
        shown.goto(f"http://127.0.0.1:{port}/docs")
        expect(shown.get_by_role("heading", level=1)).to_be_in_viewport()
        assert shown.evaluate("document.documentElement.scrollWidth") <= size[0]
        language = shown.locator("td code", has_text=re.compile("^language$")).first
        assert (language.bounding_box() or {"height": 0})["height"] < 30  # names are not broken
        for summary in shown.locator("summary").all()[:2]:
            summary.click()
        axe_finds_nothing(shown)
        shown.get_by_role("link", name="POST /explain").click()
        expect(shown.get_by_role("heading", name="POST /explain")).to_be_in_viewport()
        shown.get_by_role("link", name="Back to the search").click()
        expect(shown.get_by_role("searchbox")).to_be_visible()
        shown.close()
    assert said == []
