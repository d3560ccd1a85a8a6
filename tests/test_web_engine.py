"""The engine's answers are those of the library, in the form that the description promises."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossbow.datasets.demo.load import queries
from crossbow.errors import CrossbowError
from crossbow.index import Index, build
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods import METHODS
from crossbow.ranking.searcher import Searcher, search
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.web.engine import Deadline, Engine, Served
from crossbow.web.reasons import headed
from crossbow.web.requests import ExplainRequest, GlossRequest, Refused, SearchRequest
from crossbow.weights import Learned, TermWeights
from serving import ODD, Site, open_site
from training import run_python

QUERY = "Räuber überfällt eine Bank in Tessenbruck"
SEVERAL = "Das Schloss ist alt. Die Bank verleiht Geld. Der Bauer sieht die Bank!"
LATER = Deadline(1e9)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return open_site(tmp_path_factory.mktemp("engine"), tmp_path_factory)


def asked(query: str = QUERY, method: str | None = None, **changes: Any) -> SearchRequest:
    return SearchRequest(query, method=method, **changes)


def library(site: Site, method: str | None = None, **changes: Any) -> Searcher:
    """What the engine must agree with; changes are settings by path, with __ for a dot."""
    config = {path.replace("__", "."): value for path, value in changes.items()}
    return Searcher(site.engine.served.model, site.engine.served.index,
                    {**({"method": method} if method else {}), **config})


def hits_of(answer: dict[str, Any]) -> list[tuple[str, float, int]]:
    return [(hit["id"], hit["score"], hit["rank"]) for hit in answer["hits"]]


@pytest.mark.parametrize("method", METHODS)
def test_hits_are_those_of_the_library(site: Site, method: str) -> None:
    served = site.engine.served
    answer = site.engine.search(asked(method=method), LATER)
    assert hits_of(answer) == search(QUERY, served.index, served.model, method, k=10)
    assert answer["sentences"] == [{"source": served.model.source.tokens(QUERY),
                                    "best": served.model.best(served.model.forest(QUERY))}]
    assert (answer["model"], answer["index"]) == (served.model.signature, served.index.signature)
    assert (answer["method"], answer["config"]) == (method, library(site, method).config.signature)
    assert all(any(piece["match"] for piece in hit["title"] + hit["snippet"]) for hit in answer["hits"][:3])
    assert set(answer["milliseconds"]) == {"translate", "search", "explain"}


@pytest.mark.parametrize("method", METHODS)
def test_each_method_has_its_reasons(site: Site, method: str) -> None:
    answer = site.engine.search(asked(method=method, explain=True), LATER)
    (sentence,) = answer["sentences"]
    assert len(sentence["alternatives"]) == len(sentence["source"])
    for hit in answer["hits"]:
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
    wanted = Filter(lacking=("bicycle",))
    answer = site.engine.search(asked(v=2.0, k=3, filter=wanted), LATER)
    assert hits_of(answer) == library(site, weights__v=2.0).search(QUERY, 3, wanted)
    assert "bank-robbery" not in {hit["id"] for hit in answer["hits"]}


# --- settings ---


@pytest.mark.parametrize("method", METHODS)
def test_settings_change_scores_as_in_the_library(site: Site, method: str) -> None:
    changed = site.engine.search(asked(method=method, settings={"bm25.k1": 0.4}), LATER)
    searcher = library(site, method, bm25__k1=0.4)
    assert hits_of(changed) == searcher.search(QUERY, 10)
    assert changed["config"] == searcher.config.signature
    plain = site.engine.search(asked(method=method), LATER)
    assert hits_of(plain) != hits_of(changed)
    assert plain["config"] != changed["config"]


def test_forests_belong_to_the_settings_they_were_made_with(site: Site) -> None:
    """Whichever is asked for first, and again: a forest of other settings never takes the place of a query's own."""
    engine = Engine(site.engine.served)
    plain, other = library(site), library(site, translation__lm_scale=0.5)
    translation = other.config.translation
    for _ in range(2):
        changed = engine.search(asked(settings={"translation.lm_scale": 0.5}), LATER)
        assert hits_of(changed) == other.search(QUERY, 10)
        assert hits_of(engine.search(asked(), LATER)) == plain.search(QUERY, 10)
    (ours,), (theirs,) = (engine.served.forests[one, QUERY] for one in (translation, plain.config.translation))
    assert ours.edges != theirs.edges or ours.score.tolist() != theirs.score.tolist()
    assert hits_of(changed) != plain.search(QUERY, 10)
    asking = ExplainRequest(QUERY, "bank-robbery", settings={"translation.lm_scale": 0.5})
    assert engine.explain(asking, LATER)["score"] == other.explain(QUERY, "bank-robbery").score


def test_a_server_searches_with_its_own_configuration(site: Site) -> None:
    config = SearchConfig(method="expected").set("expected.power", 0.5).set("translation.lm_scale", 0.5)
    served = Served.load(site.folder / "model", site.folder / "index",
                         lambda model, method: config if method is None else config.set("method", method))
    answer = Engine(served).search(asked(), LATER)
    assert hits_of(answer) == Searcher(served.model, served.index, config).search(QUERY, 10)
    assert (answer["method"], answer["config"]) == ("expected", config.signature)
    info = Engine(served).info()
    assert (info["method"], info["config"]) == ("expected", config.signature)
    shown = {one["path"]: one["value"] for method in info["methods"] for one in method["settings"]}
    assert (shown["expected.power"], shown["translation.lm_scale"]) == (0.5, 0.5)


@pytest.mark.parametrize("query", [" ", "\n\n", "?", "qqqq", "\ud800", "\x00", "🏹"], ids=repr)
@pytest.mark.parametrize("method", METHODS)
def test_queries_that_mean_nothing(site: Site, query: str, method: str) -> None:
    answer = site.engine.search(asked(query, method, explain=True, filter=Filter(id_prefix="\ud800")), LATER)
    assert answer["hits"] == []
    site.engine.search(asked(query, method, explain=True), LATER)
    asking = ExplainRequest(query, "bank-robbery", method=method)
    assert site.engine.explain(asking, LATER)["id"] == "bank-robbery"


def test_learned_weights_change_what_is_best_only_for_methods_that_look_at_them(site: Site) -> None:
    text, learned = "Das Schloss", Learned(lex={"LEX:A:schloss:palace": 50.0})
    weights = TermWeights(learned=learned)
    served = replace(site.engine.served, configured=lambda method: SearchConfig(method or "bowfd", weights=weights))
    for method, word in (("bowfd", "palace"), ("dt", "lock"), ("psq", "lock")):
        (sentence,) = Engine(served).search(asked(text, method, explain=True), LATER)["sentences"]
        explained = Engine(served).explain(ExplainRequest(text, "bank-robbery", method=method), LATER)
        (own,) = explained["sentences"]
        assert word in sentence["best"]
        assert sentence["best"] == own["best_target"]
        assert sentence["best"] == [one["text"] for unit in sentence["gloss"] for one in unit["words"]]
        assert sentence["alternatives"] == own["alternatives"]
        cheapest = sentence["alternatives"][1][0]
        assert (cheapest["word"], cheapest["cost"]) == (word, 0.0)


# --- explanations ---


def adds_up(site: Site, query: str, method: str, **settings: Any) -> int:
    """The score of every hit is that of its explanation, and the sum of its parts, and these of their matches."""
    answer = site.engine.search(asked(query, method, settings=settings, k=5), LATER)
    for hit in answer["hits"]:
        explained = site.engine.explain(ExplainRequest(query, hit["id"], method=method, settings=settings), LATER)
        assert explained["config"] == answer["config"]
        assert explained["score"] == hit["score"]
        assert sum(part["value"] for part in explained["parts"]) == pytest.approx(hit["score"], abs=2e-6)
        for part in explained["parts"]:
            for match in part["matches"]:
                product = match["weight"] * match["idf"] * match["saturation"]
                assert match["gain"] == pytest.approx(product, abs=1e-9)
            if part["matches"]:
                assert part["value"] == pytest.approx(sum(match["gain"] for match in part["matches"]), abs=1e-9)
        assert len(explained["sentences"]) == len(answer["sentences"])
    return len(answer["hits"])


@pytest.mark.parametrize("method", METHODS)
def test_scores_add_up(site: Site, method: str) -> None:
    asked = [QUERY, SEVERAL, *(query.text for query in queries("test")[:8])]  # our model does not know all their words
    assert sum(adds_up(site, query, method) for query in asked) > 30


@pytest.mark.parametrize("settings", [
    {"bowfd.join": True}, {"weights.expected": 0.3}, {"weights.expected": 0.3, "bowfd.join": True},
    {"repeats.power": 0.5}, {"bowfd.beam": 3}, {"bowfd.unmatched": True}, {"bm25.idf": "lucene"},
    {"translation.language_model": False}, {"translation.pop_limit": 5},
], ids=str)
def test_scores_add_up_with_other_settings(site: Site, settings: dict[str, Any]) -> None:
    for query in (QUERY, SEVERAL, f"{SEVERAL} {QUERY}"):
        assert adds_up(site, query, "bowfd", **settings) == 5


def test_joined_sentences_are_shown_as_one(site: Site) -> None:
    apart = site.engine.search(asked(SEVERAL, "bowfd", explain=True), LATER)
    joined = site.engine.search(asked(SEVERAL, "bowfd", explain=True, settings={"bowfd.join": True}), LATER)
    assert (len(apart["sentences"]), len(joined["sentences"])) == (3, 1)
    (sentence,) = joined["sentences"]
    assert sentence["source"] == [word for one in apart["sentences"] for word in one["source"]]
    assert len(sentence["alternatives"]) == len(sentence["source"])
    for hit in joined["hits"]:
        (units,) = hit["why"]
        assert sorted(at for unit in units for at in unit["source"]) == list(range(len(sentence["source"])))


@pytest.mark.parametrize("method", METHODS)
def test_explanations_are_those_of_the_library(site: Site, method: str) -> None:
    answer = site.engine.explain(ExplainRequest(SEVERAL, "bank-loan-farm", method=method), LATER)
    expected = library(site, method).explain(SEVERAL, "bank-loan-farm").to_json()
    for sentence in answer["sentences"]:
        assert len(sentence.pop("alternatives")) == len(sentence["source"])
        model = site.engine.served.model
        assert sentence.pop("unknown") == [at for at, word in enumerate(sentence["source"])
                                           if word.isalpha() and model.source.terms(word) and not model.knows(word)]
        if method == "bowfd":
            assert sum(len(unit["words"]) for unit in sentence["units"]) == len(sentence["target"])
    assert answer == {"id": expected.pop("doc"), "config": library(site, method).config.signature, **expected}


def test_documents(site: Site) -> None:
    for doc in ODD:
        assert site.engine.document(doc.id) == doc._asdict()
    for unknown in ("", "../index/header.json", "nothing"):
        with pytest.raises(Refused, match="no document with this id"):
            site.engine.document(unknown)
        with pytest.raises(Refused, match="no document with this id"):
            site.engine.explain(ExplainRequest("Haus", unknown), LATER)


def test_work_stops_at_its_deadline(site: Site) -> None:
    with pytest.raises(Refused, match="given up"):
        site.engine.search(asked(), Deadline(-1.0))
    with pytest.raises(Refused, match="given up"):
        site.engine.explain(ExplainRequest(QUERY, "bank-robbery"), Deadline(-1.0))


def test_what_is_served(site: Site) -> None:
    info = site.engine.info()
    assert (info["source"], info["target"], info["documents"]) == ("de", "en", len(site.engine.served.index))
    assert info["examples"] == ["Die Bank verleiht Geld."]
    standard = SearchConfig.of(site.engine.served.model)
    assert (info["method"], info["config"], info["own"]["name"]) == ("bowfd", standard.signature, "")
    shown = {one["path"]: one["value"] for one in info["own"]["settings"]}
    assert (shown["feedback.documents"], shown["bowfd.join"]) == (10, True)
    assert [(one["name"], one["label"], one["help"]) for one in info["methods"]] == [
        (name, method.label, method.help) for name, method in METHODS.items()]
    for one in info["methods"]:
        paths = {setting["path"]: setting for setting in one["settings"]}
        assert not {"method", "k"} & set(paths)
        assert (paths["bm25.k1"]["value"], paths["bm25.k1"]["above"], paths["bm25.k1"]["most"]) == (1.2, 0, 1000)
        assert ("weights.v" in paths) == (one["name"] == "bowfd")


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


LOADED = """
import gc, sys
from numba.core.dispatcher import Dispatcher
from crossbow.ranking.methods import METHODS
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Deadline, Engine, Served
from crossbow.web.requests import ExplainRequest, SearchRequest

def loaded():
    return sum(len(one.signatures) for one in gc.get_objects() if isinstance(one, Dispatcher))

served = Served.load(sys.argv[1], sys.argv[2])
before = loaded()
served.warm()
warm = loaded()
for method in METHODS:
    Engine(served).search(SearchRequest(sys.argv[3], explain=True, method=method), Deadline(1e9))
    Engine(served).explain(ExplainRequest(sys.argv[3], "bank-robbery", method=method), Deadline(1e9))
print(before, warm, loaded())
"""


def test_after_warming_up_nobody_waits_for_kernels(site: Site) -> None:
    done = run_python(LOADED, site.folder / "model", site.folder / "index", QUERY)
    before, warm, after = map(int, done.stdout.split())
    assert before < warm == after


# --- what the page needs besides ---


def test_how_many_match_without_the_filter(site: Site) -> None:
    engine = site.engine
    free = engine.search(asked("Die Bank", k=3), LATER)
    assert free["unfiltered"] == free["total"] > 0
    none = engine.search(asked("Die Bank", filter=Filter(id_prefix="nothing")), LATER)
    assert (none["total"], none["unfiltered"]) == (0, free["total"])
    assert engine.search(asked('Die Bank -Bank "Qqqq"', syntax=True), LATER)["unfiltered"] > 0
    assert engine.search(asked("qqqq"), LATER)["unfiltered"] == 0


@pytest.mark.parametrize("method", [None, *METHODS])
def test_scores_begin_at_the_ground(site: Site, method: str | None) -> None:
    """No document that has something of the query scores less than one that has nothing."""
    answer = site.engine.search(asked("Die Bank verleiht Geld.", method, k=100), LATER)
    assert answer["hits"][0]["score"] > answer["ground"]
    assert min(hit["score"] for hit in answer["hits"]) >= answer["ground"] - 1e-9


def test_a_document_with_its_reasons(site: Site) -> None:
    request = ExplainRequest("Die Bank verleiht Geld.", "bank-loan-farm", document=True)
    answer = site.engine.explain(request, LATER)
    assert {"text": "bank", "match": True} in answer["document"]["text"]
    text = "".join(piece["text"] for piece in answer["document"]["text"])
    assert text == site.engine.document("bank-loan-farm")["text"]
    empty = site.engine.explain(replace(request, query="\u3000"), LATER)
    assert (empty["sentences"], empty["feedback"]) == ([], [])
    assert not any(piece["match"] for piece in empty["document"]["text"])


def test_glosses(site: Site) -> None:
    texts = site.engine.gloss(GlossRequest(("The forest in winter.", "")), LATER)["texts"]
    assert "".join(part["text"] for part in texts[0]) == "The forest in winter."
    assert {part["text"] for part in texts[0] if part["means"]} == {"forest", "winter"}
    assert texts[1] == []
    with pytest.raises(Refused, match="no lexicon"):
        Engine(replace(site.engine.served, glosses=None)).gloss(GlossRequest(("x",)), LATER)
    with pytest.raises(Refused, match="'texts' is missing"):
        GlossRequest.of(b"{}")
