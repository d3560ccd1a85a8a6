"""The engine's answers are those of the library, in the form that the description promises."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from crossbow.ranking.search import METHODS, SearchConfig, search

from crossbow.errors import CrossbowError
from crossbow.index import Index, build
from crossbow.ranking.explain.derivation import explain
from crossbow.ranking.filters import Filter
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.web.engine import Deadline, Engine, headed
from crossbow.web.requests import ExplainRequest, Refused, SearchRequest
from serving import ODD, Site, open_site

QUERY = "Räuber überfällt eine Bank in Tessenbruck"
LATER = Deadline(1e9)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return open_site(tmp_path_factory.mktemp("engine"), tmp_path_factory)


def asked(query: str = QUERY, method: str = "bowfd", **changes: Any) -> SearchRequest:
    return replace(SearchRequest(query, method, 10, None, Filter(), False), **changes)


@pytest.mark.parametrize("method", METHODS)
def test_hits_are_those_of_the_library(site: Site, method: str) -> None:
    served = site.engine.served
    answer = site.engine.search(asked(method=method), LATER)
    hits = search(QUERY, served.index, served.model, method, k=10)
    assert [(hit["id"], hit["score"], hit["rank"]) for hit in answer["hits"]] == hits
    assert answer["sentences"] == [{"source": served.model.source.tokens(QUERY),
                                    "best": served.model.best(served.model.forest(QUERY))}]
    assert (answer["model"], answer["index"]) == (served.model.signature, served.index.signature)
    assert all(any(piece["match"] for piece in hit["title"] + hit["snippet"]) for hit in answer["hits"][:3])
    assert set(answer["milliseconds"]) == {"translate", "search", "explain"}


@pytest.mark.parametrize("method", METHODS)
def test_each_method_has_its_reasons(site: Site, method: str) -> None:
    answer = site.engine.search(asked(method=method, explain=True), LATER)
    (sentence,) = answer["sentences"]
    assert len(sentence["alternatives"]) == len(sentence["source"])
    for hit in answer["hits"]:
        if method == "expected":
            assert hit["why"] == []
            continue
        (units,) = hit["why"]
        assert sorted(at for unit in units for at in unit["source"]) == list(range(len(sentence["source"])))
        text = site.engine.document(hit["id"])["text"].lower()
        for word in (word for unit in units for word in unit["words"] if word["match"]):
            assert word["text"][:3] in text
        if method == "dt":
            assert [word["text"] for unit in units for word in unit["words"]] == [
                word["text"] for unit in sentence["gloss"] for word in unit["words"]]
    plain = site.engine.search(asked(method=method), LATER)
    assert [hit["id"] for hit in plain["hits"]] == [hit["id"] for hit in answer["hits"]]
    assert all("why" not in hit for hit in plain["hits"])


def test_weights_filters_and_number(site: Site) -> None:
    served = site.engine.served
    answer = site.engine.search(asked(v=2.0, k=3, filter=Filter(lacking=("bicycle",))), LATER)
    hits = search(QUERY, Filter(lacking=("bicycle",)).apply(served.index), served.model, v=2.0, k=3)
    assert [(hit["id"], hit["score"], hit["rank"]) for hit in answer["hits"]] == hits
    assert answer["v"] == 2.0
    assert "bank-robbery" not in {hit["id"] for hit in answer["hits"]}


@pytest.mark.parametrize("query", [" ", "\n\n", "?", "qqqq", "\ud800", "\x00", "🏹"], ids=repr)
@pytest.mark.parametrize("method", METHODS)
def test_queries_that_mean_nothing(site: Site, query: str, method: str) -> None:
    answer = site.engine.search(asked(query, method, explain=True, filter=Filter(id_prefix="\ud800")), LATER)
    assert answer["hits"] == []
    site.engine.search(asked(query, method, explain=True), LATER)
    assert site.engine.explain(ExplainRequest(query, "bank-robbery", None), LATER)["id"] == "bank-robbery"


def test_explanations_are_those_of_the_library(site: Site) -> None:
    served, text = site.engine.served, "Das Schloss ist alt. Die Bank verleiht Geld."
    answer = site.engine.explain(ExplainRequest(text, "bank-loan-farm", 0.5), LATER)
    config = SearchConfig(weights=replace(served.model.retrieval, v=0.5))
    expected = explain(served.model.forests(text), served.index, "bank-loan-farm", config).to_json()
    for sentence in answer["sentences"]:
        units, choices = sentence.pop("gloss"), sentence.pop("alternatives")
        assert len(choices) == len(sentence["source"])
        assert sum(len(unit["words"]) for unit in units) == len(sentence["target"])
    assert answer == {"id": "bank-loan-farm", "v": 0.5, "score": expected["score"], "sentences": expected["sentences"]}


def test_documents(site: Site) -> None:
    for doc in ODD:
        assert site.engine.document(doc.id) == {"id": doc.id, "title": doc.title, "text": doc.text}
    for unknown in ("", "../index/header.json", "nothing"):
        with pytest.raises(Refused, match="no document with this id"):
            site.engine.document(unknown)
        with pytest.raises(Refused, match="no document with this id"):
            site.engine.explain(ExplainRequest("Haus", unknown, None), LATER)


def test_work_stops_at_its_deadline(site: Site) -> None:
    with pytest.raises(Refused, match="given up"):
        site.engine.search(asked(), Deadline(-1.0))
    with pytest.raises(Refused, match="given up"):
        site.engine.explain(ExplainRequest(QUERY, "bank-robbery", None), Deadline(-1.0))


def test_what_is_served(site: Site) -> None:
    info = site.engine.info()
    assert (info["source"], info["target"], info["documents"]) == ("de", "en", len(site.engine.served.index))
    assert info["examples"] == ["Die Bank verleiht Geld."]


def test_a_title_for_every_document() -> None:
    assert headed(Doc("d", "Text.", "Title"), "en") == Doc("d", "Text.", "Title")
    assert headed(Doc("d", "A short one. And more."), "en") == Doc("d", "And more.", "A short one")
    assert headed(Doc("d", "Only one sentence."), "en").title == "d"
    assert headed(Doc("d", "x" * 200 + ". And more."), "en").title == "d"
    assert headed(Doc("d", ""), "en") == Doc("d", "", "d")


def test_an_index_that_does_not_fit(site: Site, tmp_path: Path) -> None:
    build(tmp_path / "french", [Doc("d", "un deux")], Analyzer(Settings("fr")), workers=1)
    with pytest.raises(CrossbowError, match="translates into 'en', but the documents are in 'fr'"):
        site.engine.served.with_index(Index.load(tmp_path / "french"))


def test_warming_up_takes_any_index(site: Site, tmp_path: Path) -> None:
    for docs in ([], [Doc("d", "")], [Doc("d", "the bank lends money")]):
        build(tmp_path / "index", docs, Analyzer(Settings("en")), workers=1)
        served = site.engine.served.with_index(Index.load(tmp_path / "index"))
        served.warm()
        assert Engine(served).info()["documents"] == len(docs)
