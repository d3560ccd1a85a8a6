"""The page in a real browser for readers: what it is, words of documents glossed, other scripts, very long words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

import pytest

import browsing
from browsing import (
    DESKTOP,
    LABELS,
    PHONE,
    SCREENS,
    SHORT_PHONE,
    Open,
    axe_finds_nothing,
    expect,
    first_hit_is_in_the_upper_half,
    hits,
    playwright,
)
from crossbow.index import build
from crossbow.ranking.methods import METHODS
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Engine, Served
from serving import running

pytestmark = browsing.NEEDS_CHROMIUM
browser, visit = browsing.browser, browsing.visit
COMPOUND, HASH = "Donaudampfschifffahrtskapitänsmützenhersteller", "f00dcafe" * 1280
WORDS = {"Schloss": "castle", "Bank": "bank", "See": "lake", "alt": "old", "Wald": "forest", COMPOUND: "captain"}
RARE = {"Ufer": {"shore": 0.7, "lake": 0.3}}  # no document has a shore
DOCS = [Doc("castle", "An old castle stands at the lake. It is very old. " * 60, "The castle at the lake"),
        Doc("long", f"A castle. {COMPOUND.lower()} {HASH} castle and a lake", f"{HASH} castle", {"sum": HASH}),
        Doc("q" * 900, f"{COMPOUND} {HASH[:400]} castle"), Doc("wood", "A forest at the lake."),
        Doc("far", f"{'Castle, castle, castle. ' * 9}{'Nothing is here. ' * 20}"
                   f"A bank in the forest belongs to the castle. {'Nothing more is said about it. ' * 20}")]


def dictionary(
    folder: Path, words: Mapping[str, str | dict[str, float]], docs: list[Doc], source: Settings, target: Settings
) -> Engine:
    (folder / "dictionary.tsv").write_text("".join(
        f"{word}\t{other}\t{probability}\n" for word, others in words.items()
        for other, probability in (others if isinstance(others, dict) else {others: 1.0}).items()), "utf8")
    from_dictionary(folder / "dictionary.tsv", folder / "model", SuppliedConfig(source, target))
    build(folder / "index", docs, Analyzer(target), workers=1)
    served = Served.load(folder / "model", folder / "index")
    served.warm()
    return Engine(served)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    engine = dictionary(tmp_path_factory.mktemp("reading"), WORDS, DOCS, Settings("de"), Settings("en"))
    with running(make_app(engine, Admission())) as port:
        yield f"http://127.0.0.1:{port}/"


def settled(page: playwright.Page) -> None:
    expect(hits(page).first).to_be_visible()
    expect(page.locator("#results[aria-busy]")).to_have_count(0)


# --- what it is ---


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_what_it_is(visit: Open, size: tuple[int, int], scheme: str) -> None:
    """In one line, also for those who come by a link; how it works in a picture; methods by what they do."""
    page = visit(size, scheme)
    expect(page.get_by_role("heading", level=1)).to_have_text("Ask in German, find in English.")
    labels = page.locator(".methods label")
    expect(labels).to_have_text([*LABELS, "Compare"])
    assert {"One translation", "All translations", "Per document"} <= set(LABELS)
    named = " ".join(label.get_attribute("title") or "" for label in labels.all())
    assert all(name in named for name in ("(DT)", "(PSQ)", "(BOW-FD)"))
    page.get_by_role("button", name="About").click()
    about = page.get_by_role("dialog", name="How it works")
    expect(about.get_by_role("img", name=re.compile("garden furniture chooses old, bench and paint"))).to_be_visible()
    for method in METHODS.values():
        expect(about).to_contain_text(method.help)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    axe_finds_nothing(page)
    page.keyboard.press("Escape")
    expect(about).to_be_hidden()
    page = visit(size, scheme, q="Schloss")
    settled(page)
    expect(page.locator("#served")).to_be_visible()
    expect(page.locator("#served")).to_have_text("Ask in German, find in English: 5 documents")


@pytest.mark.parametrize("size", [PHONE, SHORT_PHONE])
@pytest.mark.parametrize("method", ["", "compare"])
def test_the_first_hit_is_in_the_upper_half_of_a_phone(visit: Open, method: str, size: tuple[int, int]) -> None:
    page = visit(size, q="ein altes Schloss am See im Wald und eine alte Bank", method=method)
    first_hit_is_in_the_upper_half(page, size)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_methods_are_tabs_on_a_phone(visit: Open, scheme: str) -> None:
    page = visit(PHONE, scheme, q="Schloss am See", method="compare")
    tabs, panels = page.get_by_role("tab"), page.get_by_role("tabpanel")
    expect(tabs).to_contain_text(LABELS)
    expect(tabs).to_have_count(len(LABELS))
    expect(panels).to_have_count(1)  # the others are hidden
    expect(panels).to_have_attribute("aria-labelledby", "tab-0")
    tabs.nth(2).click()
    expect(tabs.nth(2)).to_have_attribute("aria-selected", "true")
    expect(panels.locator(".hit").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(tabs.nth(3)).to_be_focused()
    expect(panels).to_have_attribute("aria-labelledby", "tab-3")
    axe_finds_nothing(page)
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})  # it is turned
    expect(page.locator(".columns .column")).to_have_count(len(LABELS))
    expect(tabs).to_have_count(0)


# --- what is typed ---


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_quotes_and_minus_signs_narrow_the_list_down(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q="Schloss See")
    for query, found in (("Schloss See", {"castle", "long", "q" * 900, "far", "wood"}),
                         ('Schloss "See Wald"', {"wood"}), ('"Schloss" See', {"castle", "long", "q" * 900, "far"}),
                         ("Schloss See -Wald", {"castle", "long", "q" * 900}),
                         ('"Schloss See" -alt', {"long"})):
        page.get_by_role("searchbox").fill(query)
        number = f"{len(found)} of 5 documents match{'es' if len(found) == 1 else ''}"
        expect(page.locator("#status")).to_contain_text(number)
        expect(hits(page)).to_have_count(len(found))
        assert {*hits(page).evaluate_all("all => all.map(one => one.dataset.id)")} == found
    axe_finds_nothing(page)


@pytest.fixture(scope="module")
def shore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that knows one word, whose best translation is in no document."""
    engine = dictionary(tmp_path_factory.mktemp("shore"), RARE, DOCS, Settings("de"), Settings("en"))
    with running(make_app(engine, Admission())) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_no_such_translation(visit: Open, shore: str, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme)
    page.goto(f"{shore}?q=Ufer&method=dt")
    nothing = page.get_by_role("region", name="Nothing found")
    expect(nothing).to_contain_text("No document has a word of this translation, but other translations may match.")
    axe_finds_nothing(page)
    nothing.get_by_role("button", name="Search all translations").click()
    expect(page.get_by_label("All translations")).to_be_checked()
    expect(hits(page).first).to_be_visible()
    expect(hits(page).first.locator("mark").first).to_have_text("lake")


# --- snippets ---


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_snippets_begin_with_a_sentence_and_have_distinct_terms(
    visit: Open, size: tuple[int, int], scheme: str
) -> None:
    page = visit(size, scheme, q="Schloss Bank Wald", k="5")
    snippet = page.locator(".hit[data-id=far] .snippet")
    expect(snippet).to_have_text(re.compile("^A bank in the forest belongs to the castle"))
    expect(snippet.locator("mark")).to_have_text(["bank", "forest", "castle"])
    axe_finds_nothing(page)


# --- very long words ---


@pytest.mark.parametrize(("size", "scheme"), [*SCREENS, ((320, 640), "light")])
@pytest.mark.parametrize("method", ["", "compare"])
def test_long_words_wrap(visit: Open, method: str, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q=f"{COMPOUND} Schloss {HASH[:500]}", method=method)
    settled(page)
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) <= size[0]
    for summary in page.locator("#results summary:visible").all()[:3]:
        summary.click()
    for button in page.locator("button.score").all()[:3]:
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
    assert page.evaluate(width) <= size[0]
    page.locator(".hit .unit:visible").first.hover()
    assert page.evaluate(width) <= size[0]
    page.locator("#results .title:visible", has_text="f00dcafe").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".text")).to_contain_text("castle and a lake")
    assert dialog.evaluate("one => one.scrollWidth <= one.clientWidth")
    assert page.evaluate(width) <= size[0]


# --- words of documents, glossed ---


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_words_are_glossed_on_demand(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q="altes Schloss", k="5")
    castle = page.locator(".hit[data-id=castle]")
    expect(castle.locator(".snippet")).to_be_visible()
    plain = castle.locator(".snippet").inner_text()
    expect(page.locator("ruby")).to_have_count(0)
    button = page.get_by_role("button", name="Gloss in German")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(castle.locator(".title rt")).to_have_text(["schloss", "see"])
    expect(castle.locator(".snippet mark rt").first).to_be_visible()  # still marked
    assert castle.locator(".snippet ruby").first.evaluate("one => one.firstChild.data") in plain
    expect(page).to_have_url(re.compile("gloss=1"))
    axe_finds_nothing(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    castle.locator(".title").click()
    text = page.get_by_role("dialog").locator(".text")
    expect(text.locator("rt")).to_have_count(60 * 4)  # more than one request takes
    page.keyboard.press("Escape")
    button.click()
    expect(page.locator("#results ruby")).to_have_count(0)
    expect(castle.locator(".snippet")).to_have_text(plain)


def test_a_word_means_what_the_query_has_for_it(visit: Open) -> None:
    page = visit(q="Schloss", gloss="1")

    def mean(route: playwright.Route) -> None:
        answer = route.fetch().json()
        for part in (part for text in answer["texts"] for part in text if part["text"] == "castle"):
            part["means"] = ["burg"]
        route.fulfill(json=answer)

    page.route("**/gloss", mean)
    page.reload()
    title = page.locator(".hit[data-id=castle] .title")
    expect(title.locator("rt").first).to_have_text("schloss")
    expect(title.locator("ruby").first).to_have_attribute("title", "schloss, burg")


def test_glosses_that_do_not_come(visit: Open) -> None:
    page = visit(q="Schloss")
    page.route("**/gloss", lambda route: route.fulfill(status=429, json={"error": "busy"}))
    page.get_by_role("button", name="Gloss in German").click()
    expect(page.locator("#status")).to_have_text("The server is busy. Try again in a moment.")
    page.unroute("**/gloss")
    page.reload()
    expect(page.locator("#results rt").first).to_be_visible()


# --- other scripts ---


def test_text_from_right_to_left(tmp_path: Path, browser: playwright.Browser) -> None:
    words = {"castle": "טירה", "lake": "אגם", "old": "ישן"}
    docs = [Doc("d1", "Linux: טירה ישנה ליד אגם. " * 3, "טירה"), Doc("d2", "אגם גדול.", "Linux אגם")]
    engine = dictionary(tmp_path, words, docs, Settings("en"), Settings("he"))
    with running(make_app(engine, Admission())) as port:
        for size in (DESKTOP, PHONE):
            page = browser.new_page(viewport={"width": size[0], "height": size[1]})
            page.goto(f"http://127.0.0.1:{port}/?{urlencode({'q': 'castle lake', 'gloss': '1'})}")
            for part in (hits(page).first.locator(".snippet"), hits(page).first.locator(".title")):
                expect(part).to_have_attribute("lang", "he")
                assert part.evaluate("one => getComputedStyle(one).direction") == "rtl"  # though it begins with Linux
            expect(hits(page).first.locator("rt").first).to_be_visible()
            gloss = hits(page).first.locator(".gloss")
            units = [unit.bounding_box() for unit in gloss.locator(".unit").all()]
            assert units[0]["x"] < units[1]["x"]  # English is asked in its own direction
            title = hits(page).first.locator(".title").bounding_box()
            body = hits(page).first.locator(".body").bounding_box()
            assert title["x"] + title["width"] == pytest.approx(body["x"] + body["width"], abs=2)  # at the right
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
            page.close()


def test_text_without_spaces(tmp_path: Path, browser: playwright.Browser) -> None:
    words = {"library": "图书馆", "sea": "海洋", "book": "书"}
    text = "老人说话。" * 30 + "老图书馆有很多关于海洋的书。" + "老人说话。" * 30
    engine = dictionary(tmp_path, words, [Doc("d1", text, "图书馆和海洋")], Settings("en"),
                        Settings("zh", segmenter="bigrams"))
    with running(make_app(engine, Admission())) as port:
        page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
        page.goto(f"http://127.0.0.1:{port}/?{urlencode({'q': 'library sea'})}")
        snippet = hits(page).first.locator(".snippet")
        expect(snippet).to_have_text(re.compile("^老图书馆有很多关于海洋的书。"))  # begins with a sentence
        expect(snippet).to_have_attribute("lang", "zh")
        expect(snippet.locator("mark").first).to_have_text("图书馆")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        page.close()
