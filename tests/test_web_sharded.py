"""The engine over shards: its answers are those of one index, and missing shards are said."""

from __future__ import annotations

from typing import Any

import pytest

from crossbow.index import build
from crossbow.index.manifest import shard_of
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods import METHODS
from crossbow.ranking.shards import LocalShards, Missing
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Deadline, Engine, Served
from crossbow.web.reasons import HitRecords
from crossbow.web.requests import ExplainRequest, Refused, SearchRequest
from serving import Site, call, open_site, running

QUERY = "Räuber überfällt eine Bank in Tessenbruck"
SEVERAL = "Das Schloss ist alt. Die Bank verleiht Geld. Der Bauer sieht die Bank!"
LATER = Deadline(1e9)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return open_site(tmp_path_factory.mktemp("sharded-site"), tmp_path_factory)


@pytest.fixture(scope="module")
def sharded(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """The same documents in shards."""
    folder = tmp_path_factory.mktemp("sharded") / "index"
    build(folder, list(site.engine.served.index), Analyzer(Settings("en")), workers=1, shards=3)
    return Engine(Served.load(site.folder / "model", LocalShards(folder)))


@pytest.mark.parametrize("method", [None, *METHODS])
def test_shards_answer_alike(site: Site, sharded: Engine, method: str | None) -> None:
    for query in (QUERY, SEVERAL, "Zebra", "qqqq"):
        for more in ({"explain": True, "facets": ("lang", "year")}, {"sort": "-year"}, {"offset": 2, "k": 3},
                     {"filter": Filter(where=("year>2000",))}, {"filter": Filter(having=("castle",)), "syntax": True}):
            asked = SearchRequest(query, method=method, **more)
            one, several = (engine.search(asked, LATER) for engine in (site.engine, sharded))
            assert {**several, "milliseconds": 0} == {**one, "milliseconds": 0}
            assert several["missing"] == []
        for hit in one["hits"][:2]:
            why = ExplainRequest(query, hit["id"], method=method, document=True)
            one_why, several_why = (engine.explain(why, LATER) for engine in (site.engine, sharded))
            assert several_why.keys() == one_why.keys()
            for name in ("id", "score", "sentences", "document", "config"):
                assert several_why[name] == one_why[name]


def test_documents_of_shards(site: Site, sharded: Engine) -> None:
    for name in ("rtl", "empty", "emoji🏹"):
        assert sharded.document(name) == site.engine.document(name)
    for ask in (lambda: sharded.document("nowhere"), lambda: sharded.explain(ExplainRequest("Bank", "nowhere"), LATER),
                lambda: sharded.explain(ExplainRequest("...", "nowhere"), LATER)):
        with pytest.raises(Refused, match="no document") as error:
            ask()
        assert error.value.status == 404
    with pytest.raises(Refused, match="yeer") as error:
        sharded.search(SearchRequest(QUERY, filter=Filter(where=("yeer>1",))), LATER)
    assert error.value.status == 422
    sharded.served.warm()


class Broken(LocalShards):
    """One shard never answers."""

    def ask(self, homes: Any, question: Any, before: Any, ask: Any) -> Any:
        lost = {1: Missing("it is gone")} if 1 in homes else {}
        return super().ask([home for home in homes if home != 1], question, before, ask) | lost


def test_a_missing_shard_is_said(site: Site, sharded: Engine) -> None:
    assert sharded.served.shards
    engine = Engine(Served.load(site.folder / "model", Broken(sharded.served.shards.index.folder or "")))
    lost = next(doc.id for doc in site.engine.served.index if shard_of(doc.id.encode(), 3) == 1)
    with running(make_app(engine, Admission())) as port:
        for asked_for in (("POST", "/search", {"query": QUERY}), ("POST", "/explain", {"query": QUERY, "id": lost}),
                          ("POST", "/explain", {"query": QUERY, "id": lost, "document": True}),
                          ("POST", "/explain", {"query": "...", "id": lost}), ("GET", f"/documents/{lost}")):
            reply = call(port, *asked_for)
            assert (reply.status, reply.headers["retry-after"]) == (503, "1")
            assert "1 of the index's shards did not answer (shard 1: it is gone)" in reply.sentence
        answer = call(port, "POST", "/search", {"query": QUERY, "partial": True}).json
    assert answer["missing"] == [{"shard": 1, "reason": "it is gone"}]
    assert answer["hits"]


def test_a_shard_that_goes_missing_after_the_search(
    site: Site, sharded: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snippets are asked for later."""
    assert sharded.served.shards
    broken = Broken(sharded.served.shards.index.folder or "")
    monkeypatch.setattr(broken, "ask", lambda homes, question, before, ask: (
        Broken if isinstance(ask, HitRecords) else LocalShards).ask(broken, homes, question, before, ask))
    engine = Engine(Served.load(site.folder / "model", broken))
    with running(make_app(engine, Admission())) as port:
        assert call(port, "POST", "/search", {"query": "Bank", "k": 50}).status == 503
        answer = call(port, "POST", "/search", {"query": "Bank", "k": 50, "partial": True}).json
    assert answer["missing"] == [{"shard": 1, "reason": "it is gone"}]
