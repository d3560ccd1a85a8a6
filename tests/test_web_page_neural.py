"""The page in a real browser with a neural model and with two in one: alternatives word by word, and who translated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import browsing
from browsing import Open, expect, hits
from crossbow.index import build
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.combine import combine
from crossbow.training.neural import from_neural
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Engine, Served
from crossbow.web.pagefile import PageSettings
from serving import running
from toy_neural import toy_system
from training import corpus

pytestmark = browsing.NEEDS_CHROMIUM
browser, visit = browsing.browser, browsing.visit

QUERY = "Die Bank verleiht Geld"
DOCS = [Doc("bank", "The bank lends money."), Doc("bench", "A bench that somebody lends for cash."),
        Doc("park", "An old park.")]


@pytest.fixture(scope="module", params=["neural", "both"])
def which(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def address(which: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("neural-page")
    from_neural(toy_system(folder / "toy"), folder / "neural", Settings("de"), Settings("en"))
    combine([corpus(tmp_path_factory) / "model", folder / "neural"], folder / "both")
    build(folder / "index", DOCS, Analyzer(Settings("en")), workers=1)
    served = Served.load(folder / which, folder / "index")
    served.warm()
    with running(make_app(Engine(served, PageSettings(examples=(QUERY,))), Admission())) as port:
        yield f"http://127.0.0.1:{port}/"


def test_alternatives_word_by_word(visit: Open) -> None:
    """Links come from the attention, costs from the probabilities that the dictionary has."""
    page = visit(q=QUERY, method="bowfd", v="9")
    bench = page.locator(".hit[data-id=bench]")
    unit = bench.locator(".unit", has_text="Bank").first
    expect(unit.locator(".target")).to_have_text("bench")
    expect(unit.locator("s.instead")).to_have_text("bank")
    unit.hover()
    shown = page.locator("#choices")
    expect(shown).to_be_visible()
    expect(shown.locator("li", has_text="bench").first).to_contain_text("here")
    expect(shown.locator("li", has_text="bank").first).to_contain_text("best")
    expect(shown.locator("li", has_text="bank").first.locator(".number")).to_have_text("0.00")


def test_who_translated(visit: Open, which: str) -> None:
    page = visit(q=QUERY, method="bowfd", v="9")
    bench = hits(page).nth(1)
    bench.locator("button.score").click()
    expect(bench.locator("table.sums")).to_be_visible()
    by = bench.locator(".note", has_text="Translated by the neural system.")
    expect(by).to_have_count(1 if which == "both" else 0)
