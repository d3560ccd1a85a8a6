"""The page in a real browser: searching, why, options, the keyboard, errors, accessibility."""

from __future__ import annotations

import re

import pytest

import browsing
from browsing import LABELS, PHONE, QUERY, SCREENS, Open, axe_finds_nothing, choose, expect, hits
from serving import ATTACK

pytestmark = browsing.NEEDS_CHROMIUM
address, browser, visit = browsing.address, browsing.browser, browsing.visit


# --- searching ---


def test_the_first_look(visit: Open) -> None:
    page = visit()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask in German, find in English.")
    expect(page.get_by_role("searchbox", name="Query")).to_be_focused()
    expect(page.locator("#served")).to_have_text("Ask in German, find in English: 224 documents")
    page.get_by_role("button", name="Die Bank verleiht Geld.").click()
    expect(hits(page)).not_to_have_count(0)
    expect(page.locator(".lead")).to_be_hidden()


def test_results_as_you_type_and_on_enter(visit: Open) -> None:
    page = visit()
    box = page.get_by_role("searchbox")
    box.press_sequentially("Bank")
    expect(hits(page).first).to_be_visible()
    assert "q=Bank" in page.url
    box.fill(QUERY)
    box.press("Enter")
    expect(hits(page).first.locator(".title")).to_have_text("Robber escapes with a bicycle")
    expect(page.locator("#status")).to_have_text(re.compile(r"\d+ of 224 documents match, found in [\d.]+\sms"))
    expect(page.locator("#status")).to_have_attribute("title", re.compile(
        r"translated (before|in [\d.]+\sms), searched in [\d.]+\sms, explained in [\d.]+\sms"))
    expect(hits(page).first.locator(".snippet mark").first).to_be_visible()
    box.fill("")
    expect(hits(page)).to_have_count(0)
    expect(page.locator(".lead")).to_be_visible()
    assert "q=" not in page.url


def test_an_address_brings_everything_back(visit: Open) -> None:
    page = visit(q=QUERY, method="psq", v="1.5", lacking="bicycle", k="5")
    expect(hits(page)).to_have_count(5)
    expect(page.get_by_label("All translations")).to_be_checked()
    expect(page.get_by_label("Must not have")).to_have_value("bicycle")
    expect(page.locator("#v-shown")).to_have_text("1.5")
    expect(page.get_by_label("Weight of the document")).to_be_hidden()  # PSQ does not look at it
    expect(page.locator("[data-id=bank-robbery]")).to_have_count(0)


# --- why ---


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_word_by_word_and_the_alternatives(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q=QUERY)
    first = hits(page).first
    expect(first.locator(".source")).to_have_text(["räuber", "überfällt", "eine", "bank", "in", "tessenbruck"])
    bank = first.get_by_role("button", name=re.compile("^bank: "))
    expect(bank.locator(".found")).to_have_text("bank")
    choices = page.get_by_role("tooltip")
    expect(choices).to_be_hidden()
    if size == PHONE:
        bank.tap()
    else:
        bank.hover()
    expect(choices).to_be_visible()
    expect(choices.locator("li").first).to_contain_text("0.00")
    expect(choices.locator(".chosen")).to_contain_text("bank")
    expect(choices).to_be_in_viewport(ratio=1)
    axe_finds_nothing(page)
    if size == PHONE:
        page.locator("#status").tap()
    else:
        page.mouse.move(0, 0)
    expect(choices).to_be_hidden()
    bank.focus()
    expect(choices).to_be_visible()
    expect(bank).to_have_attribute("aria-describedby", "choices")
    page.keyboard.press("Escape")
    expect(choices).to_be_hidden()


def test_what_differs_from_the_best_translation_is_shown(visit: Open) -> None:
    page = visit(q=QUERY, v="3")
    changed = page.locator(".hit .unit.changed").first
    expect(changed.locator("s.instead")).to_be_visible()
    best = changed.locator("s.instead").inner_text()
    assert changed.locator(".target").inner_text() != best
    assert f"best translation {best}" in (changed.get_attribute("aria-label") or "")


def test_the_whole_document(visit: Open) -> None:
    page = visit(q=QUERY)
    hits(page).first.locator(".title").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Police found the bicycle an hour later beside the canal.")
    expect(dialog.locator("mark").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(hits(page).first.locator(".title")).to_be_focused()


# --- options ---


def test_options(visit: Open) -> None:
    page = visit(q="Die Bank verleiht Geld.")
    expect(page.get_by_label("Must have", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Must have", exact=True).fill("farm")
    expect(page).to_have_url(re.compile("having=farm"))
    expect(hits(page).first).to_have_attribute("data-id", "bank-loan-farm")
    page.get_by_label("Hits at a time").select_option("5")
    page.get_by_label("Must have", exact=True).fill("")
    expect(hits(page)).to_have_count(5)
    before = hits(page).first.locator(".score").get_attribute("data-score") or ""
    page.get_by_label("Weight of the document").fill("3")
    expect(hits(page).first.locator(".score")).not_to_have_attribute("data-score", before)
    page.get_by_label("Id begins with").fill("bench-")
    expect(hits(page).first).to_have_attribute("data-id", re.compile("^bench-"))


def test_themes(visit: Open) -> None:
    page = visit(scheme="dark")

    def paper() -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    dark = paper()
    button = page.get_by_role("button", name=re.compile("^Theme"))
    expect(button).to_have_text("Theme: auto")
    button.click()
    expect(button).to_have_text("Theme: light")
    assert paper() != dark
    page.reload()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    page.get_by_role("button", name="Theme: light").click()
    assert paper() == dark


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_the_keyboard_alone(visit: Open, size: tuple[int, int], scheme: str) -> None:
    """Whoever moves also sees where: what has the focus is on the screen, and something is drawn around it."""
    page = visit(size, scheme)
    page.keyboard.type("Bank")
    page.keyboard.press("Enter")
    titles = page.locator(".title")
    expect(titles).not_to_have_count(0)
    page.keyboard.press("ArrowDown")
    expect(titles.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(titles.nth(1)).to_be_focused()
    expect(titles.nth(1)).to_be_in_viewport()
    ring, paper = page.evaluate("[getComputedStyle(document.activeElement).outline, "
                                "getComputedStyle(document.body).backgroundColor]")
    assert "solid 2px" in ring
    assert paper not in ring
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Recommended")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("One translation")).to_be_checked()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    expect(page.get_by_role("searchbox")).to_have_value("Bank")


# --- when something is wrong ---


def test_errors_are_sentences(visit: Open) -> None:
    page = visit()
    page.get_by_role("searchbox").fill("-Bank")
    expect(page.get_by_role("alert")).to_contain_text("'-Bank' only says what must not be found; write")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)  # it would not help
    page.get_by_role("searchbox").fill("?!")
    expect(page.locator(".nothing")).to_be_visible()


def test_a_server_that_is_busy_or_gone(visit: Open) -> None:
    page = visit()
    page.route("**/search", lambda route: route.fulfill(status=429, json={"error": "too many"}))
    page.get_by_role("searchbox").fill(QUERY)
    expect(page.get_by_role("alert")).to_contain_text("The server is busy. Try again in a moment.")
    page.unroute("**/search")
    page.route("**/search", lambda route: route.abort())
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    page.unroute("**/search")
    page.route("**/search", lambda route: route.fulfill(status=200, body='{"hits": ['))
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text("The server’s answer breaks off.")
    page.unroute("**/search")
    page.get_by_role("button", name="Try again").click()
    expect(hits(page)).to_have_count(10)
    page.route("**/explain", lambda route: route.fulfill(status=503, json={"error": "it took too long"}))
    hits(page).first.locator("button.score").click()
    expect(hits(page).first.locator(".problem")).to_have_text("It took too long.")
    page.route("**/documents/**", lambda route: route.abort())
    hits(page).first.locator(".title").click()
    expect(page.get_by_role("dialog")).to_contain_text("The server does not answer.")


def test_a_server_that_was_not_there_at_first(visit: Open) -> None:
    page = visit()
    page.route("**/info", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer.")
    page.get_by_role("searchbox").fill(QUERY)
    page.get_by_role("searchbox").press("Enter")
    page.unroute("**/info")
    page.get_by_role("button", name="Try again").click()
    expect(hits(page)).to_have_count(10)
    expect(page.locator(".methods label")).to_have_text([*LABELS, "Compare"])
    assert "v=" not in page.url


def test_nothing_that_is_searched_or_found_is_executed(visit: Open) -> None:
    page = visit(q=f"zebra {ATTACK}", k="5", having="zebra")
    expect(hits(page)).to_have_count(3)
    evil = page.locator("[data-id^='evil']")
    expect(evil.locator(".title")).to_contain_text("<img src=x onerror=window.hacked=1>")
    evil.locator("button.score").click()
    expect(evil.locator("table.sums")).to_be_visible()
    evil.locator(".unit").first.hover()
    evil.locator(".title").click()
    expect(page.get_by_role("dialog")).to_contain_text("<script>window.hacked=1</script>")
    page.keyboard.press("Escape")
    choose(page, "Compare")
    expect(page.locator(".column")).to_have_count(len(LABELS))
    assert page.evaluate("typeof window.hacked") == "undefined"
    assert page.locator("main img, main script, dialog img, dialog script").count() == 0


# --- for everybody ---


def test_phone_width(visit: Open) -> None:
    for method in ("bowfd", "compare"):
        page = visit(PHONE, q=QUERY, method=method, v="1.2")
        expect(hits(page).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        small = page.locator("main button:visible").evaluate_all(
            "all => all.filter(one => one.getBoundingClientRect().height < 24).map(one => one.className)")
        assert small == []


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
@pytest.mark.parametrize("asked", [{}, {"q": QUERY, "v": "3"}, {"q": QUERY, "method": "compare"}, {"q": "-Bank"}],
                         ids=["empty", "results", "compare", "error"])
def test_accessibility(visit: Open, asked: dict[str, str], size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, **asked)
    if asked:
        expect(page.locator("#results > *").first).to_be_visible()
        expect(page.locator("#results[aria-busy]")).to_have_count(0)
    if "v" in asked:
        hits(page).first.locator("button.score").click()
        expect(page.locator("table.sums")).to_be_visible()
        hits(page).first.locator(".unit").first.focus()
    for summary in page.locator("#results summary:visible").all()[:2]:
        summary.click()
    axe_finds_nothing(page)
    if not asked:
        page.get_by_role("button", name="Options").click()
        axe_finds_nothing(page)
