"""The page in a real browser: addresses of queries and documents, also wrong ones; back and forward."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest

import browsing
from browsing import QUERY, SCREENS, Open, axe_finds_nothing, choose, expect, hits, playwright
from serving import call

pytestmark = browsing.NEEDS_CHROMIUM
address, browser, visit = browsing.address, browsing.browser, browsing.visit


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_back_and_forward_go_through_finished_queries(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme)
    before = page.evaluate("history.length")
    box = page.get_by_role("searchbox")
    for query in ("Schloss", "Bank"):
        box.fill("")
        for length in range(1, len(query) + 1):  # each a search of its own
            box.fill(query[:length])
            expect(page).to_have_url(re.compile(f"q={query[:length]}$"))
        box.press("Enter")
    choose(page, "One translation")
    expect(page).to_have_url(re.compile("q=Bank&method=dt"))
    assert page.evaluate("history.length") == before + 3  # not one for each key
    page.go_back()
    expect(page.get_by_label("Recommended")).to_be_checked()
    expect(box).to_have_value("Bank")
    page.go_back()
    expect(box).to_have_value("Schloss")
    expect(hits(page).first.locator(".source").first).to_have_text("schloss")
    page.go_back()
    expect(box).to_have_value("")
    expect(hits(page)).to_have_count(0)
    for _ in range(3):
        page.go_forward()
    expect(page.get_by_label("One translation")).to_be_checked()
    expect(hits(page).first.locator(".source").first).to_have_text("bank")


def test_a_query_that_stood_for_a_while_is_finished(visit: Open) -> None:
    page = visit()
    page.clock.install()
    page.reload()
    box = page.get_by_role("searchbox")
    box.fill("Schloss")
    page.clock.run_for(3000)
    expect(page).to_have_url(re.compile("q=Schloss"))
    box.fill("Bank")
    page.clock.run_for(300)
    expect(page).to_have_url(re.compile("q=Bank"))
    page.go_back()
    expect(box).to_have_value("Schloss")
    expect(hits(page).first).to_be_visible()  # a page that is closed while it asks complains


def test_going_back_while_an_answer_is_being_read(visit: Open) -> None:
    page = visit(q="Schloss")
    expect(hits(page).first).to_be_visible()
    page.evaluate("""() => {
        const json = Response.prototype.json;
        Response.prototype.json = async function () {
            await new Promise((go) => { window.read = go; document.body.dataset.reading = ""; });
            return json.call(this);
        };
    }""")
    with page.expect_response("**/search"):
        page.get_by_role("searchbox").fill("Bank")
    expect(page.locator("body[data-reading]")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("Schloss")
    page.evaluate("window.read()")
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    expect(hits(page).first.locator(".source").first).to_have_text("schloss")


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_documents_have_an_address(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q=QUERY)
    dialog, title = page.get_by_role("dialog"), hits(page).first.locator(".title")
    title.click()
    expect(dialog).to_contain_text("Police found the bicycle an hour later beside the canal.")
    expect(page).to_have_url(re.compile("doc=bank-robbery"))
    expect(dialog.locator(".unit").filter(has_text="räuber")).to_be_visible()  # why it was found
    expect(dialog.locator(".text mark").first).to_be_visible()
    axe_finds_nothing(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    linked = page.url
    page.go_back()
    expect(dialog).to_be_hidden()
    expect(hits(page)).to_have_count(10)
    page.go_forward()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page).not_to_have_url(re.compile("doc="))
    page.goto(linked)  # as somebody else would
    expect(dialog.locator("mark").first).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(page).not_to_have_url(re.compile("doc="))
    expect(hits(page)).to_have_count(10)


def test_a_document_without_a_query(visit: Open) -> None:
    page = visit(doc="bank-robbery")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text("Robber escapes with a bicycle")
    expect(dialog.locator(".unit")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_a_document_that_is_not_there(visit: Open) -> None:
    page = visit(q=QUERY, doc="evil/nothing")
    expect(page.get_by_role("dialog")).to_contain_text("There is no document with this id.")
    expect(page.get_by_role("dialog").locator(".problem")).to_be_visible()


def test_titles_are_links(visit: Open, address: str) -> None:
    """They can be opened in another tab, or copied."""
    page = visit(q=QUERY)
    href = hits(page).first.locator(".title").get_attribute("href") or ""
    with page.context.expect_page() as opened:
        hits(page).first.locator(".title").click(modifiers=["Control"])
    other = opened.value
    expect(other.get_by_role("dialog")).to_contain_text("Police found the bicycle")
    assert other.url == address + href
    expect(page.get_by_role("dialog")).to_be_hidden()


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_an_address_with_what_is_no_choice(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q=QUERY, k="7", method="nothing", sort="nothing", v="x", similar="maybe")
    expect(hits(page)).to_have_count(10)
    expect(page.get_by_label("Hits at a time")).to_have_value("10")
    expect(page.get_by_label("Recommended")).to_be_checked()


def test_no_more_hits_at_a_time_than_the_server_gives(visit: Open) -> None:
    page = visit()

    def few(route: playwright.Route) -> None:
        route.fulfill(json={**route.fetch().json(), "most_hits": 20})

    page.route("**/info", few)
    page.goto(f"{page.url}?{urlencode({'q': QUERY, 'k': '50'})}")
    expect(hits(page)).to_have_count(10)
    expect(page.get_by_label("Hits at a time").locator("option")).to_have_text(["5", "10", "20"])
    expect(page.get_by_label("Hits at a time")).to_have_value("10")


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_too_long_a_query_is_said_while_typing(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/search") else None)
    box, said = page.get_by_role("searchbox"), page.locator("#length")
    box.fill("🏹" * 950)  # counted as the server counts
    expect(said).to_have_text("950 of 1,000 characters")
    expect(page.locator("#results > *").first).to_be_visible()
    del asked[:]
    box.fill("x" * 1003)
    expect(said).to_have_text("1,003 characters. A query may have 1,000; take out 3.")
    expect(box).to_have_attribute("aria-invalid", "true")
    axe_finds_nothing(page)
    box.press("Enter")
    box.fill(QUERY)
    expect(said).to_have_text("")
    expect(hits(page)).to_have_count(10)
    assert len(asked) == 1  # what is too long is never sent


def test_a_link_to_too_long_a_query(visit: Open) -> None:
    page = visit(q="x" * 1001, doc="bank-robbery")
    expect(page.locator("#length")).to_contain_text("take out 1.")
    expect(page.get_by_role("dialog")).to_contain_text("Police found the bicycle")


def test_the_number_of_matches_is_the_servers(visit: Open, address: str) -> None:
    page = visit(q=QUERY)
    total = call(int(address.rsplit(":", 1)[1].strip("/")), "POST", "/search", {"query": QUERY}).json["total"]
    expect(page.locator("#status")).to_contain_text(f"{total} of 224 documents match")
