"""The page in a real browser: methods, also those that others add, side by side, and how each one's scores add up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import browsing
from browsing import (
    DESKTOP,
    LABELS,
    PHONE,
    QUERY,
    SCREENS,
    Open,
    axe_finds_nothing,
    choose,
    expect,
    hits,
    playwright,
    settled,
)
from crossbow.ranking.methods import METHODS
from plugins import plugged
from serving import call

pytestmark = browsing.NEEDS_CHROMIUM
address, browser, visit = browsing.address, browsing.browser, browsing.visit


def test_switching_the_method_keeps_the_rest(visit: Open) -> None:
    page = visit(q=QUERY, v="1.5", lacking="bicycle", k="5")
    slider = page.get_by_label("Weight of the document")
    for label, name, weighs in (("One translation", "dt", False), ("Likely words", "expected", False),
                                ("Compare", "compare", True), ("Per document", "bowfd", True),
                                ("Recommended", None, True)):
        choose(page, label)
        expect(page).to_have_url(re.compile(f"method={name}" if name else r"\?(?!.*method=)"))
        for kept in ("v=1.5", "lacking=bicycle", "k=5"):
            assert kept in page.url
        expect(slider).to_be_visible(visible=weighs)
    settled(page)
    expect(hits(page)).to_have_count(5)
    expect(page.locator("#v-shown")).to_have_text("1.5")
    before = hits(page).first.locator(".score").get_attribute("data-score") or ""
    page.reload()
    expect(hits(page).first.locator(".score")).to_have_attribute("data-score", before)


def test_an_address_of_a_method_that_is_not_there(visit: Open) -> None:
    page = visit(q=QUERY, method="nothing")
    expect(page.get_by_label("Recommended")).to_be_checked()
    expect(hits(page)).to_have_count(10)


def sum_of(page: playwright.Page, at: int = 0) -> tuple[float, float]:
    """The sum of the table's rows, and what its last row says, after it was opened."""
    settled(page)
    button = hits(page).nth(at).get_by_role("button", name=re.compile("^Why"))
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    table = hits(page).nth(at).locator("table.sums")
    expect(table).to_be_visible()
    *summands, total = (float(text.replace("−", "-")) for text in table.locator("td.number").all_inner_texts())
    shown = float((button.get_attribute("title") or "").removeprefix("Score ").replace("−", "-"))
    assert total == pytest.approx(shown, abs=0.006)
    button.click()
    expect(table).to_be_hidden()
    return sum(summands), total


@pytest.mark.parametrize("method", ["", *METHODS])
def test_how_the_score_adds_up(visit: Open, method: str) -> None:
    for query in (QUERY, "Das Schloss ist alt. Die Bank verleiht Geld."):
        page = visit(q=query, method=method)
        for at in range(2):
            summed, total = sum_of(page, at)
            assert summed == pytest.approx(total, abs=0.01)


def test_where_the_words_of_a_sum_come_from(visit: Open) -> None:
    """If expected terms have a share in the score too, each row says which it is."""
    page = visit(q=QUERY, method="bowfd")

    def ask(route: playwright.Route) -> None:
        route.continue_(post_data={**route.request.post_data_json, "settings": {"weights.expected": 0.5}})

    rows = hits(page).first.locator("table.sums tbody tr")
    page.route("**/explain", ask)
    hits(page).first.locator("button.score").click()
    expect(rows.filter(has_text="gain: ").first).to_be_visible()
    expect(rows.filter(has_text="expected: ").first).to_be_visible()
    page.unroute("**/explain")
    hits(page).nth(1).locator("button.score").click()
    expect(hits(page).nth(1).locator("table.sums")).to_be_visible()
    expect(hits(page).nth(1).locator("table.sums")).not_to_contain_text("gain: ")


def test_the_weight_of_the_slider_counts_in_the_sum(visit: Open) -> None:
    page = visit(q=QUERY, v="2")
    assert sum_of(page)[1] > sum_of(visit(q=QUERY))[1]


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_the_switch_between_methods(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q=QUERY, v="3")
    buttons = page.locator(".methods label")
    expect(buttons).to_have_text([*LABELS, "Compare"])
    assert [button.get_attribute("title") for button in buttons.all()[1:-1]] == [one.help for one in METHODS.values()]
    expect(page.locator(".hit .unit.changed").first).to_be_visible()
    choose(page, "One translation")
    expect(page.locator(".hit .unit.changed")).to_have_count(0)  # one translation for all
    assert "method=dt" in page.url
    for name, method in METHODS.items():
        choose(page, method.label)
        expect(page.get_by_label(method.label, exact=True)).to_be_checked()
        expect(page.locator(".methods").get_by_text(method.label, exact=True)).to_be_in_viewport(ratio=1)
        expect(page).to_have_url(re.compile(f"method={name}"))
        expect(page.get_by_role("button", name=re.compile("^Why"))).to_have_count(10)


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_how_many_documents_match_by_each_method(
    visit: Open, address: str, size: tuple[int, int], scheme: str
) -> None:
    page, port = visit(size, scheme, q=QUERY, method="compare"), int(address.rsplit(":", 1)[1].strip("/"))
    totals = [call(port, "POST", "/search", {"query": QUERY, **({"method": name} if name else {})}).json["total"]
              for name in ("", *METHODS)]
    assert len({*totals}) > 1
    expect(page.get_by_role("tab") if size == PHONE else page.locator(".column h2")).to_have_text(
        [f"{label} {total} matches" for label, total in zip(LABELS, totals)])
    axe_finds_nothing(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_methods_side_by_side(visit: Open, scheme: str) -> None:
    """On a phone they are tabs (test_web_page_reading.py)."""
    page = visit(DESKTOP, scheme, q=QUERY, method="compare")
    columns = page.locator(".column")
    expect(columns.locator("h2")).to_contain_text(LABELS)
    axe_finds_nothing(page)
    expect(columns.locator(".hit")).to_have_count(10 * len(LABELS))
    boxes = [column.bounding_box() for column in columns.all()]
    assert len({box["y"] for box in boxes if box}) == 1  # in one row
    page.set_viewport_size({"width": 1280, "height": 800})  # a small laptop shows all of them
    last_box = columns.last.bounding_box()
    assert last_box
    assert last_box["x"] + last_box["width"] <= 1280
    last = columns.last
    last.locator(".hit").first.hover()
    twin = last.locator(".hit").first.get_attribute("data-id")
    assert set(page.locator(".hit.twin").evaluate_all("hits => hits.map(hit => hit.dataset.id)")) == {twin}
    last.locator("summary").first.click()
    expect(last.locator(".hit").first.locator(".unit").first).to_be_visible()


def test_a_method_that_somebody_added(visit: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with plugged(tmp_path, monkeypatch):
        page = visit(q=QUERY)
        choose(page, "Every word")
        expect(page).to_have_url(re.compile("method=toy"))
        expect(page.get_by_label("Every word")).to_be_checked()
        expect(hits(page)).to_have_count(10)
        expect(hits(page).first.locator("mark").first).to_be_visible()
        expect(hits(page).first.locator(".unit .found").first).to_be_visible()
        expect(page.get_by_label("Weight of the document")).to_be_hidden()
        summed, total = sum_of(page)
        assert summed == pytest.approx(total, abs=0.01)
        for size in (DESKTOP, PHONE):
            page = visit(size, q=QUERY, method="compare")
            names = page.locator(".column h2" if size == DESKTOP else "[role=tab]")
            expect(names).to_contain_text([*LABELS, "Every word"])
            expect(names).to_have_count(len(LABELS) + 1)
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            choose(page, "Compare", trial=True)  # within reach
    expect(visit().locator(".methods label")).to_have_text([*LABELS, "Compare"])


def test_the_weight_of_the_server_is_shown_as_it_is(visit: Open) -> None:
    """Also where the slider has no such place; it is sent only if somebody moves the slider."""
    page = visit()

    def weigh(route: playwright.Route) -> None:
        info = route.fetch().json()
        for setting in (one for one in info["own"]["settings"] if one["path"] == "weights.v"):
            setting["value"] = 4.25
        route.fulfill(json=info)

    sent = []
    page.route("**/info", weigh)
    page.on("request", lambda request: sent.append(request.post_data_json) if request.url.endswith("/search") else None)
    page.reload()
    page.get_by_role("button", name="Options").click()
    expect(page.locator("#v-shown")).to_have_text("4.25")
    page.get_by_role("searchbox").fill(QUERY)
    expect(hits(page)).to_have_count(10)
    assert "v=" not in page.url
    with page.expect_request("**/search"):  # it is sent a moment after the address has changed
        page.get_by_label("Weight of the document").fill("4")
    expect(page.locator("#v-shown")).to_have_text("4.0")
    expect(page).to_have_url(re.compile("v=4"))
    assert [one.get("v") for one in sent][-2:] == [None, 4]
