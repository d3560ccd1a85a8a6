"""What the tests of the page share: Debian's Chromium, driven by Playwright, and a server with the demo's documents.

    address, browser, visit = browsing.address, browsing.browser, browsing.visit        # fixtures
    page = visit(q="Haus", method="psq")                                                # the page at that address

Whatever a test does, the page must write nothing to the console and throw nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest

from crossbow.ranking.methods import METHODS
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from serving import Site, open_site, running

playwright = pytest.importorskip("playwright.sync_api", reason="THE PAGE WAS NOT TESTED: playwright is not installed")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
NEEDS_CHROMIUM = pytest.mark.skipif(not CHROMIUM, reason="THE PAGE WAS NOT TESTED: no chromium; `make browser`")

QUERY = "Räuber überfällt eine Bank in Tessenbruck"
LABELS = ["Recommended", *(method.label for method in METHODS.values())]
PHONE, SHORT_PHONE, DESKTOP = (390, 844), (360, 640), (1200, 900)
SCREENS = [(DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light"), (PHONE, "dark")]
expect = playwright.expect
expect.set_options(timeout=30_000)  # a busy machine may compile a kernel meanwhile

Open = Callable[..., "playwright.Page"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    site: Site = open_site(tmp_path_factory.mktemp("page"), tmp_path_factory)
    with running(make_app(site.engine, Admission())) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])  # root may not have one
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: playwright.Browser, address: str) -> Iterator[Open]:
    """Opens the page with what is asked in its address; at the end the console must be empty."""
    contexts, said = [], []

    def visit(size: tuple[int, int] = DESKTOP, scheme: str = "light", **asked: str) -> playwright.Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme,
                                      has_touch=size != DESKTOP)
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.goto(address + (f"?{urlencode(asked)}" if asked else ""))
        expect(page.locator("#served")).not_to_be_empty()
        return page

    yield visit
    for context in contexts:
        for page in context.pages:
            page.unroute_all(behavior="wait")  # a handler that is still fetching would fail in the next test
        context.close()
    expected = "Failed to load resource"  # what Chromium says of an answer of 4xx
    unexpected = [message for message in said if expected not in message]
    assert unexpected == [], unexpected


def hits(page: playwright.Page) -> playwright.Locator:
    return page.locator("#results .hit")


def settled(page: playwright.Page) -> None:
    """Wait until the hits are those of the last question, not of the one before."""
    expect(page.locator("#results[aria-busy]")).to_have_count(0)


def axe_finds_nothing(page: playwright.Page) -> None:
    """Look at the page with axe-core, when colors have settled."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="AXE DID NOT LOOK AT THE PAGE")
    page.wait_for_timeout(250)
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def first_hit_is_in_the_upper_half(page: playwright.Page, size: tuple[int, int]) -> None:
    """Once the hits of the last question are there; and nothing is wider than the page."""
    expect(hits(page).first).to_be_visible()
    settled(page)
    assert page.evaluate("[innerWidth, innerHeight]") == [*size]
    box = hits(page).first.bounding_box()
    assert box
    assert box["y"] < size[1] / 2
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def choose(page: playwright.Page, label: str, trial: bool = False) -> None:
    """Press the button of a method; or only see that it can be pressed."""
    page.locator(".methods").get_by_text(label, exact=True).click(trial=trial)
