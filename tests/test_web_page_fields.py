"""The page in a real browser with documents that have fields: facets, filters, order, more hits, nothing found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import browsing
from browsing import (
    PHONE,
    QUERY,
    SCREENS,
    SHORT_PHONE,
    Open,
    axe_finds_nothing,
    expect,
    first_hit_is_in_the_upper_half,
    hits,
    playwright,
    settled,
)
from crossbow.datasets.demo.load import documents
from crossbow.index import build
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.web.access import Tokens
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Engine, Served
from crossbow.web.pagefile import PageSettings
from serving import running
from training import corpus

pytestmark = browsing.NEEDS_CHROMIUM
browser, visit = browsing.browser, browsing.visit
TOKEN = "a-secret-of-ours"
PLACES = ("Hirsenau", 'Bad "Q", east', "Lindquell")
PAGE = PageSettings("Town papers", "All that the papers of three towns wrote.", ("Die Bank verleiht Geld.", "Schloss"))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder: Path = tmp_path_factory.mktemp("fields")
    docs = [doc._replace(fields={"place": PLACES[at % 3], "year": 1990 + at % 7, "number": at})
            for at, doc in enumerate(documents())]
    build(folder / "index", docs, Analyzer(Settings("en")), workers=1)
    served = Served.load(corpus(tmp_path_factory) / "model", folder / "index")
    served.warm()
    return Engine(served, PAGE)


@pytest.fixture(scope="module")
def address(engine: Engine) -> Iterator[str]:
    with running(make_app(engine, Admission())) as port:
        yield f"http://127.0.0.1:{port}/"


def total(page: playwright.Page) -> int:
    expect(page.locator("#status")).to_contain_text("match")
    return int((re.match(r"\d+", page.locator("#status").inner_text()) or ["0"])[0])


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_title_lead_and_examples_of_the_operator(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme)
    expect(page).to_have_title("Town papers")
    expect(page.locator(".brand")).to_have_text("Town papers")
    expect(page.locator("#lead")).to_have_text("All that the papers of three towns wrote.")
    expect(page.locator("#examples button")).to_have_text(["Die Bank verleiht Geld.", "Schloss"])
    axe_finds_nothing(page)


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_facets_narrow_the_list_down(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q=QUERY)
    facets, all_of_them = page.get_by_role("complementary", name="Narrow down"), total(page)
    if size == PHONE:
        expect(facets.get_by_role("button").first).to_be_hidden()  # they would hide the hits
        facets.get_by_text("Narrow down").click()
    place = facets.get_by_role("region", name="place")
    expect(place.get_by_role("button")).to_have_count(3)
    expect(facets.get_by_role("region", name="number")).to_have_count(0)  # every document has its own
    counts = [int(text) for text in place.locator(".count").all_inner_texts()]
    assert sum(counts) == all_of_them
    box, first = place.bounding_box(), hits(page).first.bounding_box()
    assert box
    assert first
    if size == PHONE:
        assert box["y"] + box["height"] <= first["y"]
    else:
        assert box["x"] + box["width"] <= first["x"]
    odd = place.get_by_role("button", name=re.compile('^Bad "Q", east'))
    count = int(odd.locator(".count").inner_text())
    odd.click()
    expect(page.locator("#status")).to_contain_text(f"{count} of")
    expect(page).to_have_url(re.compile("where=place"))
    expect(place.get_by_role("button", pressed=True)).to_have_count(1)
    axe_finds_nothing(page)
    page.get_by_role("button", name='Remove the filter place: Bad "Q", east').click()
    expect(page.locator("#status")).to_contain_text(f"{all_of_them} of")
    expect(page.locator("#filters")).to_be_hidden()
    page.go_back()
    expect(page.locator("#status")).to_contain_text(f"{count} of")


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (SHORT_PHONE, "dark")])
@pytest.mark.parametrize("method", ["", "compare"])
def test_the_first_hit_is_in_the_upper_half_of_a_phone(
    visit: Open, method: str, size: tuple[int, int], scheme: str
) -> None:
    """Also below facets and a filter."""
    page = visit(size, scheme, q=QUERY, method=method, where="year>=1991")
    expect(page.get_by_role("button", name="Remove the filter year>=1991")).to_be_visible()
    first_hit_is_in_the_upper_half(page, size)
    small = page.locator("main :is(button, select):visible").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height < 24).map(one => one.className)")
    assert small == []
    if size == SHORT_PHONE:
        axe_finds_nothing(page)


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_conditions_and_order(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q=QUERY)
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Only where").fill("year>=1995")
    page.get_by_label("Only where").press("Enter")
    expect(page.get_by_role("button", name="Remove the filter year>=1995")).to_be_visible()
    page.get_by_label("Order").select_option("-number")
    expect(page).to_have_url(re.compile("sort=-number.*where=year"))
    settled(page)
    expect(hits(page).first.locator(".bar")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    axe_finds_nothing(page)
    values = [int(re.sub(".*: ", "", text)) for text in hits(page).locator(".sorted-by").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    assert len(values) == 10
    hits(page).first.locator(".title").click()
    described = page.get_by_role("dialog").locator(".described")
    highest = int(described.locator("dt", has_text="number").locator("+ dd").inner_text())
    assert int(described.locator("dt", has_text="year").locator("+ dd").inner_text()) >= 1995
    assert highest > 200


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_conditions_that_do_not_fit(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q=QUERY)
    page.get_by_role("button", name="Options").click()
    page.get_by_label("Only where").fill("yaer>1")
    page.get_by_label("Only where").press("Enter")
    alert = page.get_by_role("alert")
    expect(alert.locator("p")).to_have_text(re.compile(r"has a field 'yaer'; there are .*; did you mean 'year'\?$"))
    axe_finds_nothing(page)
    page.get_by_role("button", name="Remove the filter yaer>1").click()
    expect(hits(page)).to_have_count(10)
    page.goto(f"{page.url}&where=yaer")
    alert.get_by_role("button", name="Remove the filters").click()
    expect(hits(page)).to_have_count(10)
    assert "where" not in page.url


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_show_more(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q="Räuber überfällt eine Bank", k="5")
    wanted = total(page)
    assert wanted > 11
    for shown in range(10, wanted, 5):
        page.get_by_role("button", name="Show 5 more").click()
        expect(hits(page)).to_have_count(shown)
        expect(hits(page).nth(shown - 5).locator(".title")).to_be_focused()
        if shown >= 20:
            break
    ranks = hits(page).locator(".rank").all_inner_texts()
    assert ranks == [str(rank) for rank in range(1, len(ranks) + 1)]
    ids = hits(page).evaluate_all("all => all.map(one => one.dataset.id)")
    assert len(set(ids)) == len(ids)
    shares = hits(page).locator(".score .bar").evaluate_all(
        "all => all.map(one => +one.style.getPropertyValue('--share'))")
    assert shares == sorted(shares, reverse=True)  # a bar is as long as a score is high, over all pages
    assert shares[0] == 1
    page.get_by_role("button", name="Gloss in German").click()
    expect(hits(page).last.locator("rt").first).to_be_visible()
    expect(hits(page)).to_have_count(len(ranks))  # what was added stays


def test_the_last_hits(visit: Open) -> None:
    page = visit(q="Räuber überfällt eine Bank", where="number<9")
    left = total(page)
    expect(hits(page)).to_have_count(left)
    expect(page.get_by_role("button", name=re.compile("^Show"))).to_be_hidden()


# --- nothing found ---


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_filters_that_take_everything_out(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q="Bank", where="year:1800", having="zebra")
    nothing = page.get_by_role("region", name="Nothing found")
    expect(nothing).to_contain_text(re.compile(r"\d+ documents match the words, but the filters take all .*out\."))
    axe_finds_nothing(page)
    nothing.get_by_role("button", name="Remove the filters").click()
    expect(hits(page).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?q=Bank$"))


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_quotes_and_minus_signs_that_take_everything_out(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q='Bank "Qqqqq"')
    nothing = page.get_by_role("region", name="Nothing found")
    expect(nothing).to_contain_text("the quotes take all of them out")
    axe_finds_nothing(page)
    nothing.get_by_role("button", name="Search without quotes").click()
    expect(hits(page).first).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("Bank Qqqqq")
    page.get_by_role("searchbox").fill('Bank "Qqqqq" -Bank')
    expect(nothing).to_contain_text("the quotes or minus signs take all of them out")
    nothing.get_by_role("button", name="Search without quotes and minus signs").click()
    page.get_by_role("searchbox").fill("Bank Qqqqq")
    expect(page).to_have_url(re.compile(r"q=Bank\+Qqqqq$"))
    settled(page)  # or the word that is pressed is one of the question before, and goes away with it
    unknown = page.locator(".query .unit.unknown")
    expect(unknown.locator(".source")).to_have_text("qqqqq")
    expect(unknown).to_have_attribute("aria-label", "qqqqq, unknown: qqqqq")
    if size == PHONE:
        unknown.tap()
    else:
        unknown.hover()
    expect(page.get_by_role("tooltip")).to_contain_text(
        "The model does not know this word; it is searched for as typed.")


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_unknown_words_and_similar_ones(visit: Open, size: tuple[int, int], scheme: str) -> None:
    page = visit(size, scheme, q="Schlozs")
    nothing = page.get_by_role("region", name="Nothing found")
    expect(nothing).to_contain_text("The model does not know “schlozs”, and no document has this word as it is.")
    expect(page.locator(".query .unit.unknown .source")).to_have_text("schlozs")
    axe_finds_nothing(page)
    nothing.get_by_role("button", name="Try words that are spelled alike").click()
    expect(hits(page).first).to_be_visible()
    expect(page).to_have_url(re.compile("similar=1"))
    expect(page.locator(".query .unit.unknown")).to_have_count(0)


def test_a_query_without_words(visit: Open) -> None:
    page = visit(q="  \u3000 -- ")
    nothing = page.get_by_role("region", name="Nothing found")
    nothing.get_by_role("button", name="Start again").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_value("")


@pytest.fixture(scope="module")
def closed(engine: Engine) -> Iterator[str]:
    """The address of a server that asks for a token."""
    with running(make_app(engine, Admission(), tokens=Tokens([TOKEN]))) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_a_server_that_asks_for_a_token(
    browser: playwright.Browser, address: str, closed: str, size: tuple[int, int], scheme: str
) -> None:
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    said = list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"{closed}?q=Bank")
    expect(page.get_by_role("alert")).to_contain_text("This server asks for a token. Its operator can")
    expect(page.get_by_role("alert")).to_be_in_viewport()
    expect(page.locator(".methods")).to_be_hidden()  # nothing can be asked yet
    expect(page.get_by_role("link", name="Metrics")).to_be_hidden()  # a link brings no token
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    axe_finds_nothing(page)
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not accept this token.")
    expect(page.get_by_label("Token")).to_have_value("")
    page.get_by_label("Token").fill(TOKEN)
    page.get_by_role("button", name="Enter").click()
    expect(hits(page).first).to_be_visible()
    page.reload()  # it is kept
    expect(hits(page).first).to_be_visible()
    expect(page.get_by_role("link", name="Metrics")).to_be_hidden()
    assert all("401" in text for text in said), said
    page.goto(address)
    expect(page.get_by_role("link", name="Metrics")).to_be_visible()
    page.close()
