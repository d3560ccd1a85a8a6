"""Several languages over one index, by HTTP and on the page; and documents in other scripts on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import browsing
from browsing import (
    DESKTOP,
    NEEDS_CHROMIUM,
    PHONE,
    SCREENS,
    SHORT_PHONE,
    axe_finds_nothing,
    expect,
    first_hit_is_in_the_upper_half,
    hits,
    playwright,
)
from crossbow.index import build
from crossbow.ranking.config import SearchConfig
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.languages import language
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Deadline, Engine, Served
from crossbow.web.reload import Watch
from crossbow.web.requests import ExplainRequest, Refused, SearchRequest
from serving import running

LATER = Deadline(1e9)
browser = browsing.browser
WORDS = {
    "de": {"Schloss": "castle", "alte": "old", "Bank": "bank", "See": "lake", "das": "the", "ist": "is"},
    "zh": {"城堡": "castle", "银行": "bank", "自行": "bicycle", "行车": "bicycle"},
}
DOCS = [Doc("d1", "A bank lends money for a bicycle", fields={"place": "town"}),
        Doc("d2", "The old castle by the lake", fields={"place": "hill"}),
        Doc("d3", "Another bank", fields={"place": "town"})]
# Words of documents in other scripts, by the English word; and a document that has them all.
SCRIPTS = {
    "zh": ({"library": "图书馆", "old": "古老"}, "古老的图书馆"),
    "th": ({"library": "ห้องสมุด", "old": "เก่า"}, "ห้องสมุดเก่า"),
    "ar": ({"library": "المكتبة", "old": "القديمة"}, "المكتبة القديمة"),
}


def dictionary(folder: Path, source: str, target: str, words: dict[str, str]) -> Path:
    (folder / f"{source}-{target}.tsv").write_text("".join(f"{word}\t{other}\n" for word, other in words.items()))
    from_dictionary(folder / f"{source}-{target}.tsv", folder / f"{source}-{target}",
                    SuppliedConfig(Settings(source), Settings(target)))
    return folder / f"{source}-{target}"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("languages")
    for code, words in WORDS.items():
        dictionary(folder, code, "en", words)
    build(folder / "index", DOCS, Analyzer(Settings("en")), workers=1)
    return folder


@pytest.fixture(scope="module")
def engine(place: Path) -> Engine:
    served = Watch([place / "de-en", place / "zh-en"], place / "index").news()
    assert served is not None
    return Engine(served)


@pytest.mark.parametrize(("query", "code", "best"), [
    ("das alte Schloss", "de", "d2"), ("城堡", "zh", "d2"), ("money for another bicycle", "en", "d1"),
])
def test_a_query_is_answered_in_its_language(engine: Engine, query: str, code: str, best: str) -> None:
    answer = engine.search(SearchRequest(query), LATER)
    assert answer["language"]["code"] == code
    assert answer["language"]["pieces"] == [{"language": code, "text": query}]
    assert 0.5 < answer["language"]["probability"] <= 1
    assert answer["hits"][0]["id"] == best
    alone = Served.load(engine.served.others[code].model.folder, engine.served.index.folder) if code != "en" else None
    if alone:
        assert answer["hits"] == Engine(alone).search(SearchRequest(query), LATER)["hits"]
    why = engine.explain(ExplainRequest(query, best), LATER)
    assert why["score"] == pytest.approx(answer["hits"][0]["score"], abs=1e-5)


def test_a_request_may_name_the_language_and_a_query_may_mix_them(engine: Engine) -> None:
    info = engine.info()
    assert (info["languages"], info["target"]) == (["de", "zh", "en"], "en")
    named = engine.search(SearchRequest("Bank", language="en"), LATER)
    assert named["language"] == {"code": "en", "probability": 1.0, "pieces": [{"language": "en", "text": "Bank"}]}
    mixed = engine.search(SearchRequest("das alte Schloss 银行"), LATER)
    assert mixed["language"]["code"] == "de+zh"
    assert {hit["id"] for hit in mixed["hits"]} == {"d1", "d2", "d3"}
    with pytest.raises(Refused, match="there is no model for 'fr'; there are de, zh, en"):
        engine.search(SearchRequest("Bank", language="fr"), LATER)
    with pytest.raises(Refused, match="'language' must be a string"):
        SearchRequest.of(b'{"query": "Bank", "language": 3}')
    assert SearchRequest.of(b'{"query": "Bank", "language": "de"}').language == "de"


def test_a_server_of_one_model_takes_its_language_only(place: Path) -> None:
    engine = Engine(Served.load(place / "de-en", place / "index", SearchConfig.of))
    assert engine.search(SearchRequest("Bank", language="deu"), LATER)["language"]["code"] == "de"
    with pytest.raises(Refused, match="there is no model for 'zh'; queries are in 'de'"):
        engine.search(SearchRequest("银行", language="zh"), LATER)


# --- the page ---


@pytest.fixture
def visit(browser: playwright.Browser) -> Iterator[Callable[..., playwright.Page]]:
    """Opens the page of an engine; at the end the console must be empty."""
    said: list[str] = []

    @contextmanager
    def visit(
        engine: Engine, size: tuple[int, int] = DESKTOP, scheme: str = "light"
    ) -> Iterator[playwright.Page]:
        with running(make_app(engine, Admission())) as port:
            page = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme).new_page()
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(f"http://127.0.0.1:{port}/")
            expect(page.locator("#served")).not_to_be_empty()
            yield page
            page.context.close()

    yield visit
    assert said == []


@NEEDS_CHROMIUM
@pytest.mark.parametrize(("size", "scheme"), SCREENS)
def test_the_page_shows_the_language_and_lets_people_choose(
    engine: Engine, visit: Callable, size: tuple[int, int], scheme: str
) -> None:
    with visit(engine, size, scheme) as page:
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "Ask in German, Chinese or English, find in English.")
        page.get_by_role("searchbox").fill("城堡")
        expect(page.locator("[data-id=d2]")).to_be_visible()
        chooser = page.get_by_label("Language")
        expect(chooser.locator("option").first).to_contain_text("auto: Chinese")
        page.get_by_role("searchbox").fill("das alte Schloss")
        expect(chooser.locator("option").first).to_contain_text("auto: German")
        if size == PHONE:
            methods = page.locator(".methods").bounding_box()
            assert methods
            assert methods["width"] > 0.8 * PHONE[0]  # they keep a line of their own
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        axe_finds_nothing(page)
        chooser.select_option("en")
        expect(hits(page)).to_have_count(0)  # no document has these words
        assert "language=en" in page.url
        expect(chooser.locator("option").first).to_have_text("auto")


@NEEDS_CHROMIUM
@pytest.mark.parametrize("method", ["", "compare"])
def test_the_first_hit_is_in_the_upper_half_of_a_phone(engine: Engine, visit: Callable, method: str) -> None:
    """Also below the choice of a language, facets and a filter."""
    with visit(engine) as page:
        for size in (PHONE, SHORT_PHONE):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.goto(f"{page.url.partition('?')[0]}?q=das+alte+Schloss+Bank&method={method}&where=place:town,hill")
            first_hit_is_in_the_upper_half(page, size)
            expect(page.get_by_label("Language")).to_be_visible()
            expect(page.get_by_role("button", name="Remove the filter")).to_be_visible()


@NEEDS_CHROMIUM
@pytest.mark.parametrize("lang", sorted(SCRIPTS))
def test_documents_in_other_scripts_are_shown_and_marked(lang: str, tmp_path: Path, visit: Callable) -> None:
    if language(lang).segmenters[0] == "icu":
        pytest.importorskip("icu4py")
    words, text = SCRIPTS[lang]
    model = dictionary(tmp_path, "en", lang, words)
    build(tmp_path / "index", [Doc("d1", text, "1"), Doc("d2", words["old"], "2")], Analyzer(Settings(lang)), workers=1)
    served = Served.load(model, tmp_path / "index")
    served.warm()
    with visit(Engine(served)) as page:
        page.get_by_role("searchbox").fill("old library")
        snippet = page.locator("[data-id=d1] .snippet")
        expect(snippet).to_have_text(text)
        expect(snippet).to_have_attribute("lang", lang)
        direction = snippet.evaluate("element => getComputedStyle(element).direction")
        assert direction == ("rtl" if lang == "ar" else "ltr")
        marked = "".join(page.locator("[data-id=d1] .snippet mark").all_inner_texts())
        assert all(word in marked for word in words.values())
        page.locator("[data-id=d1]").get_by_role("button", name="score").click()
        expect(page.locator("[data-id=d1]").get_by_role("region", name="How the score adds up")).to_contain_text(
            "of the best translation")
