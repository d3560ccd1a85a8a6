"""Documents with fields as users meet them: the command line, Python and HTTP give the same answers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import crossbow
from commands import Run, failure, good, runner
from crossbow.display import print_hits
from crossbow.index import build
from crossbow.ranking.methods import METHODS
from crossbow.ranking.shards import LocalShards, ShardedSearcher
from crossbow.ranking.syntax import parse
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from crossbow.web.engine import Deadline, Engine, Served
from crossbow.web.openapi import describe
from crossbow.web.requests import ExplainRequest, Refused, SearchRequest

WORDS = {"Schloss": ["castle", "lock"], "alt": ["old"], "See": ["lake", "sea"], "Bank": ["bank", "bench"],
         "Geld": ["money"]}
DOCS: list[dict[str, Any]] = [
    {"id": "d1", "title": "Castle", "text": "An old castle by the lake", "year": 1999, "lang": "en",
     "tags": ["a", "b"]},
    {"id": "d2", "title": "Locks", "text": "A lock for a bench", "year": 2008, "lang": "en", "published": "2008-05-01"},
    {"id": "d3", "title": "Bank", "text": "The bank has money and a lock", "year": 2009, "lang": "scots", "tags": "b"},
    {"id": "d4", "title": "Bench", "text": "An old bench by the sea", "lang": "en", "published": "2010-01-01"},
    {"id": "d5", "title": "Nothing", "text": "Neither this nor that", "year": 2010, "lang": "en"},
]
METHOD = pytest.mark.parametrize("method", [*METHODS])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fields")
    lines = (f"{word}\t{other}\n" for word, row in WORDS.items() for other in row)
    (folder / "dictionary.tsv").write_text("".join(lines))
    from_dictionary(folder / "dictionary.tsv", folder / "model", SuppliedConfig(Settings("de"), Settings("en")))
    (folder / "docs.jsonl").write_text("".join(f"{json.dumps(doc)}\n" for doc in DOCS))
    crossbow.build_index(folder / "docs.jsonl", folder / "index", fields="title^2,text")
    return folder


@pytest.fixture
def run(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(place)
    return runner(monkeypatch, capsys, "search", "model", "index")


@pytest.fixture(scope="module")
def engine(place: Path) -> Engine:
    return Engine(Served.load(place / "model", place / "index"))


@pytest.fixture(scope="module")
def searchers(place: Path) -> dict[str, crossbow.Searcher]:
    return {name: crossbow.Searcher(place / "model", place / "index", {"method": name}) for name in METHODS}


def ask(engine: Engine, **fields: Any) -> dict[str, Any]:
    return engine.search(SearchRequest.of(json.dumps(fields).encode()), Deadline(1e9))


CHOICES: dict[str, tuple[list[str], set[str]]] = {
    "all": ([], {"d1", "d2", "d3", "d4"}), "a number": (["year>=2008"], {"d2", "d3"}),
    "a range": (["year:1990..2008"], {"d1", "d2"}), "a keyword": (["lang:en"], {"d1", "d2", "d4"}),
    "a set": (["lang:scots,welsh", "tags:b"], {"d3"}), "a date": (["published:2008"], {"d2"}),
    "nothing": (["year<1900"], set()),
}


def everything_matching(searcher: crossbow.Searcher, query: str) -> list[int]:
    return searcher.prepare(query).matching().nonzero()[0].tolist()


@METHOD
@pytest.mark.parametrize(("where", "expected"), CHOICES.values(), ids=CHOICES)
def test_filters_everywhere(
    method: str, where: list[str], expected: set[str], run: Run, engine: Engine,
    searchers: dict[str, crossbow.Searcher],
) -> None:
    query, searcher = "altes Schloss am See, Bank", searchers[method]
    everything = {hit.doc: hit.score for hit in searcher.search(query)}
    hits = searcher.search(query, filter=crossbow.Filter(where=tuple(where)))
    assert {hit.doc: hit.score for hit in hits} == {doc: everything[doc] for doc in expected & everything.keys()}
    matches = [DOCS[number] for number in hits.matching.nonzero()[0].tolist()]
    assert {doc["id"] for doc in matches} == expected & {DOCS[n]["id"] for n in everything_matching(searcher, query)}
    answer = ask(engine, query=query, method=method, filter={"where": where}, facets=["lang", "year"])
    assert [(hit["id"], hit["score"]) for hit in answer["hits"]] == [hit[:2] for hit in hits]
    assert answer["total"] == hits.total == len(matches)
    languages = [doc["lang"] for doc in matches]
    assert {one["value"]: one["documents"] for one in answer["facets"]["lang"]} == {
        lang: languages.count(lang) for lang in languages}
    options = [option for one in where for option in ("--filter", one)]
    shown = [json.loads(line) for line in good(run("-q", query, "--method", method, "--json", *options)).splitlines()]
    assert [(hit["doc"], hit["score"]) for hit in shown] == [hit[:2] for hit in hits]
    assert all(hit["fields"].items() <= DOCS[int(hit["doc"][1]) - 1].items() for hit in shown)


def test_pages_and_orders(run: Run, engine: Engine, searchers: dict[str, crossbow.Searcher]) -> None:
    query, searcher = "altes Schloss am See, Bank", searchers["psq"]
    best = [hit.doc for hit in searcher.search(query)]
    assert [hit.doc for hit in searcher.search(query, 2, offset=1)] == best[1:3]
    answer = ask(engine, query=query, method="psq", k=2, offset=1)
    assert [(hit["id"], hit["rank"]) for hit in answer["hits"]] == [(best[1], 2), (best[2], 3)]
    for sort, expected in {"year": ["d1", "d2", "d3", "d4"], "-year": ["d3", "d2", "d1", "d4"],
                           "-published": ["d4", "d2"]}.items():
        found = [hit.doc for hit in searcher.search(query, sort=sort)]
        assert found[: len(expected)] == expected
        answered = ask(engine, query=query, method="psq", sort=sort)["hits"]
        assert [hit["id"] for hit in answered] == found
        field, given = sort.removeprefix("-"), {doc["id"]: doc for doc in DOCS}
        assert [hit["fields"] for hit in answered] == [{field: given[doc].get(field)} for doc in found]
        table = good(run("-q", query, "--method", "psq", "--sort", sort)).splitlines()
        assert table[1].split() == ["rank", "score", "document", field, "text"]
        assert [line.split()[3] for line in table if re.match(" +[12] ", line)] == [
            str(given[doc][field]) for doc in expected[:2]]
    shown = good(run("-q", query, "--method", "psq", "-k", "2", "--offset", "1", "--facets", "lang,year"))
    assert "2 to 3 of 4 documents that match" in shown
    assert [line.split() for line in shown.splitlines()[-5:]] == [
        ["3", "lang", "en"], ["1", "lang", "scots"],
        ["1", "year", "1999"], ["1", "year", "2008"], ["1", "year", "2009"]]
    counted = good(run("-q", query, "--json", "--facets", "lang")).splitlines()[-1]
    assert json.loads(counted) == {"total": 4, "facets": {"lang": {"en": 3, "scots": 1}}}


@METHOD
@pytest.mark.parametrize(("query", "expected"), [
    ('Bank "Geld"', {"d3"}), ("Bank -Geld", {"d2", "d4"}), ('"Bank Schloss"', {"d2", "d3"}),
    ('"altes" Schloss', {"d1", "d4"}), ('Schloss -"alt See"', {"d2", "d3"}), ('"der See" Bank', {"d1", "d4"}),
])
def test_syntax_everywhere(
    method: str, query: str, expected: set[str], run: Run, engine: Engine, searchers: dict[str, crossbow.Searcher]
) -> None:
    hits = searchers[method].search(query, syntax=True)
    plain = {hit.doc: hit.score for hit in searchers[method].search(parse(query).text)}
    assert {hit.doc: hit.score for hit in hits} == {doc: plain[doc] for doc in expected & plain.keys()}
    answer = ask(engine, query=query, method=method, syntax=True)
    assert ([hit["id"] for hit in answer["hits"]], answer["total"]) == ([hit.doc for hit in hits], hits.total)
    shown = good(run("-q", query, "--method", method, "--json", "--syntax")).splitlines()
    assert [json.loads(line)["doc"] for line in shown] == [hit.doc for hit in hits]
    if not hits:
        assert method == "dt"  # its only translation may be the other one
        return
    why = engine.explain(ExplainRequest.of(json.dumps(
        {"query": query, "id": hits[0].doc, "method": method, "syntax": True}).encode()), Deadline(1e9))
    assert why["score"] == hits[0].score == searchers[method].explain(query, hits[0].doc, syntax=True).score


def test_what_is_refused(run: Run, engine: Engine, place: Path) -> None:
    (place / "queries.tsv").write_text("1\tBank\n")
    for option in (["--syntax"], ["--sort", "year"], ["--facets", "year"], ["--offset", "3"]):
        assert "are for -q" in failure(run("--queries", "queries.tsv", *option))
    assert "a field 'yaer'; there are lang, published, tags, year; did you mean 'year'?" in failure(
        run("-q", "a", "--filter", "yaer:1"))
    assert "only says what must not be found" in failure(run("-q", "-Bank", "--syntax"))
    lines = good(run("--queries", "queries.tsv", "--quiet", "--filter", "lang:scots")).splitlines()
    assert [line.split()[2] for line in lines] == ["d3"]
    bad: list[dict[str, Any]] = [
        {"offset": -1}, {"offset": 1001}, {"offset": True}, {"sort": ""}, {"sort": 7}, {"facets": "year"},
        {"syntax": 1}, {"facets": ["x"] * 11}, {"filter": {"where": "year:1"}}, {"filter": {"where": ["x" * 1001]}}]
    for fields in bad:
        with pytest.raises(Refused):
            SearchRequest.of(json.dumps({"query": "Bank", **fields}).encode())


def test_the_reason_why_nothing_is_found(run: Run, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taken_out = "documents match the words, but the filter, quotes or minus signs take all of them out"
    for query, options, said in (
        ("Bank", ("--filter", "year:1800"), taken_out), ('Bank "qqqq"', ("--syntax",), taken_out),
        ("Bank", ("--offset", "50"), "documents match; the offset leaves out all of them"),
        ("Bank", ("--filter", "year:2009", "--offset", "50"), "one document matches; the offset leaves out"),
        ("qqqq", ("--filter", "year:1800"), "no document has any of the query's terms"),
    ):
        assert said in good(run("-q", query, "--method", "psq", *options))
    build(place / "shards", list(crossbow.Index.load(place / "index")), Analyzer(Settings("en")), workers=1, shards=2)
    searcher = ShardedSearcher(place / "model", LocalShards(place / "shards"), {"method": "psq"})
    print_hits(searcher.search("Bank", filter=crossbow.Filter(where=("year:1800",))))
    assert taken_out in capsys.readouterr().out


def test_what_is_served_is_described(engine: Engine) -> None:
    info = engine.info()
    assert (info["searched"], info["fields"]) == ({"title": 2, "text": 1}, {
        "lang": "keyword", "published": "date", "tags": "keyword", "year": "number"})
    assert engine.document("d3")["fields"] == {"year": 2009, "lang": "scots", "tags": "b"}
    schemas = describe(engine.served.config, engine.served.model)["components"]["schemas"]
    answer = ask(engine, query="Bank", facets=["lang"])
    assert answer.keys() == schemas["SearchAnswer"]["properties"].keys()
    assert info.keys() == schemas["Info"]["properties"].keys()
