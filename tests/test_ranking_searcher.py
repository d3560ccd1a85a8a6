"""The searcher: from texts or forests to hits, on the demo collection with a model trained on a part of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.datasets.demo.load import documents, queries
from crossbow.errors import CrossbowError, CrossbowWarning
from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.forest.infer import inside
from crossbow.index.make import build_index
from crossbow.model import Model
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.config import Decided, Forced, SearchConfig
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods import METHODS, WeightedTerms, bowfd
from crossbow.ranking.searcher import Searcher, explain, search
from crossbow.records import Doc, Query
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.weights import TermWeights
from reference.decode import derivations
from reference.forests import Edge, forest_of, forests, random_forest
from reference.ranking import (
    Collection,
    Texts,
    check_hits,
    collections,
    direct,
    forced,
    forced_scores,
    forest_terms,
    index_of,
    inside_scores,
    product,
    random_collection,
    random_weights,
    ranked,
    sharing,
    weights,
)
from searching import everything, search_forests
from training import corpus

ENGLISH = Analyzer(Settings("en"))
QUERIES = [(query.id, query.text) for query in queries("test")]
SEVERAL = "Das Schloss ist alt. Die Bank verleiht Geld. Der Zug hat Verspätung."
SOME = random_collection(4, 30, segments=2)


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


@pytest.fixture(scope="module")
def demo() -> Collection:
    return Collection(index_of(documents(), ENGLISH, segments=2), Texts(documents(), ENGLISH))


@pytest.fixture(scope="module")
def asked(model: Model) -> dict[str, list[Forest]]:
    """The forests of all test queries."""
    return {name: model.forests(text, name) for name, text in QUERIES}


# --- the demo collection ---


@pytest.mark.parametrize("v", [0.0, 0.3, 0.8, 3.0])
def test_every_query_finds_what_scoring_every_document_finds(
    demo: Collection, asked: dict[str, list[Forest]], v: float
) -> None:
    """By Inside over each document's own edge scores; the queries of several sentences are combined."""
    index, texts = demo
    chosen = TermWeights(v=v)
    for sentences in asked.values():
        lists = [ranked(inside_scores(forest, texts, chosen, sharing(forest_terms(forest, texts), texts)), 1000)
                 for forest in sentences]  # fmt: skip
        for k in (5, 1000):
            found = search(sentences, index, v=v, k=k, config={"bowfd.unmatched": True})
            check_hits(found, lists[0][:k] if len(lists) == 1 else product(lists, k))


def test_direct_translation_of_every_query(demo: Collection, asked: dict[str, list[Forest]]) -> None:
    for sentences in asked.values():
        words = [word for forest in sentences for word in Model.best(forest)]
        bag = {term: demo.texts.terms(words).count(term) for term in demo.texts.terms(words)}
        check_hits(search(sentences, demo.index, method="dt", k=20), direct(bag, demo.texts, 20))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_something(demo: Collection, model: Model, method: str) -> None:
    for text in ("Räuber überfällt eine Bank in Tessenbruck", SEVERAL):
        found = search(text, demo.index, model, method=method, k=7)
        assert len(found) == 7
        assert [hit.rank for hit in found] == list(range(1, 8))
        assert all(demo.index.number(hit.doc) >= 0 for hit in found)
    assert search("Räuber überfällt eine Bank", demo.index, model, method=method, k=1)[0].doc.startswith("bank")


@pytest.mark.parametrize("method", METHODS)
def test_explanations_have_the_scores_of_the_search(
    demo: Collection, model: Model, asked: dict[str, list[Forest]], method: str
) -> None:
    """Their parts add up to it, and what they name is in the document. Terms have no more than the whole."""
    searcher = Searcher(model, demo.index, {"method": method})
    for sentences in [asked[name] for name, _ in QUERIES[::4]]:
        prepared = searcher.prepare(sentences)
        for hit in prepared.search(3):
            number = demo.index.number(hit.doc)
            explanation = prepared.explain(number)
            assert explanation == searcher.explain(sentences, hit.doc)
            assert (explanation.doc, explanation.method) == (hit.doc, method)
            assert explanation.score == pytest.approx(hit.score, abs=1e-5 if len(sentences) > 1 else 2e-6)
            assert sum(part.value for part in explanation.parts) == pytest.approx(hit.score, abs=1e-5)
            for part in explanation.parts:
                assert not part.matches or sum(match.gain for match in part.matches) == pytest.approx(part.value)
                for match in part.matches:
                    assert match.gain == pytest.approx(match.weight * match.idf * match.saturation)
                    assert any(demo.texts.bags[hit.doc][term] for term in match.term.split())
            terms = prepared.terms(number)
            assert terms
            assert all(demo.texts.bags[hit.doc][term] for term in terms)
            gained = sum(match.gain for match in explanation.matches())
            assert sum(terms.values()) <= gained + 1e-9
            assert [sentence.source for sentence in explanation.sentences] == [one.source for one in prepared.forests]
            assert prepared.score(np.array([number])) == pytest.approx([hit.score], abs=1e-5)


def test_texts_and_their_forests_find_the_same(demo: Collection, model: Model, asked: dict[str, list[Forest]]) -> None:
    """Also after the forests went through their exchange format."""
    for name, text in [*QUERIES[:5], *QUERIES[40:44]]:
        expected = search(text, demo.index, model, "bowfd", k=30)
        assert search(asked[name], demo.index, k=30) == expected
        assert search([parse_forest(forest_line(forest)) for forest in asked[name]], demo.index, k=30) == expected
    assert search(asked["test01"][0], demo.index, k=30) == search(asked["test01"], demo.index, k=30)


@pytest.mark.parametrize("method", METHODS)
def test_threads_change_nothing(demo: Collection, model: Model, asked: dict[str, list[Forest]], method: str) -> None:
    config = SearchConfig(method, k=20, bm25=Bm25(0.9, 0.5))  # settings that no other test has filled lists for
    stream = [*QUERIES[:10], *((name, asked[name]) for name, _ in QUERIES[10:])]
    one, four = (list(Searcher(model, demo.index, config).search_all(stream, threads)) for threads in (1, 4))
    assert one == four
    assert [name for name, _ in one] == [name for name, _ in QUERIES]


ODD = {
    "nothing": "", "spaces": " \t\n ", "a long word": "x" * 10_000, "a long text": "Haus am See " * 834,
    "emoji": "\U0001f600 \U0001f468\u200d\U0001f469 Haus", "from right to left": "שלום עולם بيت",
    "control characters": "\x00\x01Haus\x1b[31m\x7f\x85", "half a character": "Haus \ud800",
    "punctuation": "... !? -- \"'", "numbers": "1 2 3,4 5.6", "Japanese": "日本の首都。", "one word": "Bank",
    "an unknown word": "Xyzzyqwrt",
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_odd_queries(demo: Collection, model: Model, case: str) -> None:
    sentences = Searcher(model, demo.index).forests(ODD[case])
    for method in METHODS:
        found = Searcher(model, demo.index, SearchConfig(method, k=3)).search(sentences)
        if "Haus" in ODD[case] or "Bank" in ODD[case]:
            assert len(found) == 3
        if case in ("nothing", "spaces", "punctuation"):
            assert found == []


# --- sentences and beams ---


@given(sentences=st.lists(forests(max_nodes=5, max_derivations=60), max_size=3), chosen=weights(),
       k=st.sampled_from([1, 4, 1000]), length=st.sampled_from([2, 10, 1000]))  # fmt: skip
@settings(deadline=None, max_examples=100)
def test_sentences_are_combined(sentences: list[Forest], chosen: TermWeights, k: int, length: int) -> None:
    """Lists of sentences have their own length, whatever k is; a single sentence is searched as it is."""
    lists = [forced(forest, SOME.texts, chosen, length) for forest in sentences]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bowfd, "LIST_LENGTH", length)
        found = search_forests(sentences, SOME.index, None, everything(k=k, weights=chosen))
    if len(sentences) == 1:
        check_hits(found, forced(sentences[0], SOME.texts, chosen, k))
    else:
        check_hits(found, product(lists, k))


@pytest.mark.parametrize("method", METHODS)
def test_queries_without_sentences_find_nothing(method: str) -> None:
    assert search([], SOME.index, method=method) == []


def test_beams(demo: Collection, asked: dict[str, list[Forest]]) -> None:
    """A wide beam is none, scores within a beam are never higher, and which edges it takes makes a difference."""
    differing = 0
    for name in ("test01", "test03", "test18", "test42"):
        plain = {hit.doc: hit.score for hit in search(asked[name], demo.index)}
        runs = {(beam, sort): search(asked[name], demo.index,
                                     config=SearchConfig(bowfd=Forced(beam=beam, sort_edges=sort)))
                for beam in (1, 3, 10**30) for sort in (True, False)}  # fmt: skip
        for (beam, _), run in runs.items():
            scores = {hit.doc: hit.score for hit in run}
            if beam == 10**30:
                assert scores == plain
            elif len(asked[name]) == 1:
                assert all(score <= plain[doc] for doc, score in scores.items())
        differing += runs[1, True] != runs[1, False]
    assert differing


def test_a_sorted_beam_of_one_finds_what_the_best_translation_finds(
    demo: Collection, asked: dict[str, list[Forest]]
) -> None:
    """As direct translation, whose scores lack the translation's own."""
    for name in ("test01", "test03", "test18", "test30"):
        (forest,) = asked[name]
        translated = {hit.doc: hit.score for hit in search(forest, demo.index, method="dt")}
        found = search(forest, demo.index, config=everything(beam=1, weights=TermWeights(v=1.0)))
        best = float(inside(forest)[-1])
        assert {hit.doc: hit.score - best for hit in found} == pytest.approx(translated, abs=3e-6)


# --- errors and settings ---


def test_a_model_must_fit_the_documents(model: Model) -> None:
    french = index_of(documents()[:3], Analyzer(Settings("fr")))
    with pytest.raises(CrossbowError, match="translates into 'en', but the documents are in 'fr'"):
        search("Haus", french, model)


def test_a_country_makes_no_other_language(model: Model) -> None:
    american = index_of(documents()[:3], Analyzer(Settings("en-US")))
    plain = index_of(documents()[:3], Analyzer(Settings("en")))
    assert search("Haus", american, model) == search("Haus", plain, model)


# --- queries in the documents' language ---


def test_a_text_without_a_model_is_searched_as_it_is(demo: Collection) -> None:
    """By BM25 with its own words; feedback, syntax, explanations and reranking are there too."""
    searcher, text = Searcher(None, demo.index), "The castle has a lock. The bank lends money."
    hits = searcher.search(text, k=5)
    assert hits == search(text, demo.index, k=5) == dict(searcher.search_all([("1", text)], threads=2, k=5))["1"]
    assert hits.prepared.terms(demo.index.number(hits[0].doc))
    plain = Searcher(None, demo.index, {"method": "dt"})
    bag = dict.fromkeys(ENGLISH.analyze(text)[0], 1.0)
    assert plain.search(text, k=10) == WeightedTerms("dt", bag, [], demo.index, plain.config.bm25).search(10)
    for method in METHODS:
        one = Searcher(None, demo.index, {"method": method})
        best = one.search(text, k=3)
        assert one.explain(text, best[0].doc).score == pytest.approx(best[0].score, abs=1e-5)
        assert {hit.doc for hit in one.rerank(text, best)} == {hit.doc for hit in best}
    assert all("castl" in demo.texts.bags[hit.doc] for hit in searcher.search('"castle" bank', syntax=True))


@pytest.mark.parametrize(("settings", "message"), [
    ({"method": "bm25"}, "one of .*bowfd"), ({"method": ""}, "one of .*bowfd"), ({"k": 0}, "k is 0"),
    ({"k": -5}, "k is -5"), ({"k": 2.5}, "k is 2.5"),
])  # fmt: skip
def test_bad_settings(settings: dict, message: str) -> None:
    for make in (lambda: SearchConfig(**settings), lambda: search(random_forest(1), SOME.index, **settings),
                 lambda: Searcher(None, SOME.index, settings)):
        with pytest.raises(CrossbowError, match=message):
            make()
    for beam in (0, -1):
        with pytest.raises(CrossbowError, match=f"beam is {beam}; it must be at least 1"):
            Forced(beam=beam)


def test_no_argument_is_ignored() -> None:
    """What is given beside a configuration changes it; what a method does not look at is refused."""
    forest = random_forest(3)
    assert search(forest, SOME.index, v=2.5, k=4) == search(
        forest, SOME.index, config=SearchConfig(k=4, weights=TermWeights(v=2.5)))  # fmt: skip
    config = SearchConfig(k=4, weights=TermWeights(v=2.5))
    assert search(forest, SOME.index, k=1, config=config) == search(forest, SOME.index, v=2.5, k=1)
    assert search(forest, SOME.index, v=0.1, config=config) == search(forest, SOME.index, v=0.1, k=4)
    assert search(forest, SOME.index, method="dt", config=config) == search(forest, SOME.index, method="dt", k=4)
    with pytest.raises(CrossbowError, match=r"'dt' does not look at weights\.v"):
        search(forest, SOME.index, method="dt", v=2.5)
    with pytest.raises(CrossbowError, match=r"'bowfd' does not look at psq\.mix"):
        Searcher(None, SOME.index, {"psq.mix": 0.5})
    assert list(search(forest, SOME.index)) == list(search(forest, SOME.index, v=0.8, k=1000))


def test_forests_of_queries(model: Model, demo: Collection) -> None:
    forest = random_forest(1)
    searcher = Searcher(model, demo.index)
    assert list(searcher.forests(forest)) == [forest]
    assert list(searcher.forests((forest, forest))) == [forest, forest]
    expected = ["das schloss ist alt .", "die bank verleiht geld .", "der zug hat verspätung ."]
    assert [" ".join(each.source) for each in searcher.forests(SEVERAL)] == expected
    assert [each.id for each in searcher.forests(Query("q7", "Das Haus"))] == ["q7"]
    for wrong in (5, ["Haus"], None):
        with pytest.raises(CrossbowError, match="a query is a text, a Query, a Forest or several forests"):
            searcher.forests(wrong)  # type: ignore[arg-type]


def test_queries_in_any_form(model: Model, demo: Collection, tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("q1\tDas Haus\nq2\tDie Bank\n")
    searcher = Searcher(model, demo.index, {"k": 3})
    expected = list(searcher.search_all([Query("q1", "Das Haus"), Query("q2", "Die Bank")]))
    assert [len(hits) for _, hits in expected] == [3, 3]
    for given_queries in (str(tmp_path / "q.tsv"), tmp_path / "q.tsv", [("q1", "Das Haus"), ("q2", "Die Bank")],
                    [{"qid": "q1", "query": "Das Haus"}, {"id": "q2", "text": "Die Bank"}],
                    [("q1", model.forests("Das Haus")), ("q2", model.forest("Die Bank"))],
                    [model.forest("Das Haus", "q1"), model.forest("Die Bank", "q2")]):
        assert list(searcher.search_all(given_queries)) == expected
    assert list(searcher.search_all([("q1", "Das Haus")], k=1)) == [("q1", expected[0][1][:1])]


def test_documents_of_another_search_are_ranked_anew(model: Model, demo: Collection) -> None:
    searcher = Searcher(model, demo.index)
    hits = searcher.search("Die Bank verleiht Geld", k=20)
    mixed = sorted(hits[5:15], key=lambda hit: hit.doc)
    found = searcher.rerank("Die Bank verleiht Geld", mixed)
    assert [hit[:2] for hit in found] == [hit[:2] for hit in hits[5:15]]
    assert found[0].rank == 1
    again = searcher.rerank("Die Bank verleiht Geld", [hit.doc for hit in mixed] * 2, k=4)
    assert list(again) == list(found[:4])
    assert list(searcher.rerank("Die Bank verleiht Geld", [])) == []
    with pytest.raises(CrossbowError, match="no document 'nowhere'"):
        searcher.rerank("Die Bank", ["nowhere"])


def test_translation_settings_are_used(model: Model, demo: Collection) -> None:
    searcher = Searcher(model, demo.index, {"translation.lm_scale": 0.25, "translation.pop_limit": 5})
    tuned = model.decoder.weights
    scaled = model.with_weights({**tuned, "LanguageModel": 0.25 * tuned["LanguageModel"]})
    expected = scaled.with_settings(pop_limit=5)
    (forest,), (plain,) = searcher.forests("Die Bank verleiht Geld"), model.forests("Die Bank verleiht Geld")
    assert forest == expected.forest("Die Bank verleiht Geld")
    assert forest != plain
    without = Searcher(model, demo.index, {"translation.language_model": False})
    assert without.forests("Die Bank")[0] == model.with_settings(language_model=False).forest("Die Bank")


def test_folders_and_files(model: Model, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = str(corpus(tmp_path_factory) / "model")
    index = build_index(documents(), str(tmp_path / "index"))
    config = SearchConfig("dt", 5, Bm25(0.4))
    config.save(str(tmp_path / "c.json"))
    searcher = Searcher(folder, str(tmp_path / "index"), str(tmp_path / "c.json"))
    assert searcher.config == config
    found = searcher.search("Die Bank")
    assert found == Searcher(model, index, config).search("Die Bank")
    assert found == search("Die Bank", tmp_path / "index", folder, config=tmp_path / "c.json")
    assert explain("Die Bank", found[0].doc, index, model, config=config).score == found[0].score
    assert repr(searcher).startswith("Searcher(")


def test_a_configuration_that_was_decided_elsewhere_warns(model: Model, demo: Collection) -> None:
    config = replace(SearchConfig(), decided=Decided("another", demo.index.signature))
    with pytest.warns(CrossbowWarning, match="was decided with the model another"):
        Searcher(model, demo.index, config)


# --- documents that match nothing ---


def matching(forest: Forest, texts: Texts, chosen: TermWeights) -> set[str]:
    """Documents that gain something, or have a term of a best translation, by listing all derivations."""
    scores, best = forced_scores(forest, texts, chosen), derivations(forest)[0]
    terms = set(texts.terms(best.words))
    return {doc for doc, score in scores.items()
            if abs(score - best.score) > 1e-12 or not terms.isdisjoint(texts.bags[doc])}


@given(forest=forests(), collection=collections(), chosen=weights(), k=st.sampled_from([1, 3, 1000]),
       seed=st.integers(0, 99))  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_what_matches_nothing_is_left_out(
    forest: Forest, collection: Collection, chosen: TermWeights, k: int, seed: int
) -> None:
    """Exactly: also with negative weights, by which a document that matches may lie behind those that do not."""
    rng = np.random.default_rng(seed)  # no ties: any of several best translations would do
    forest = replace(forest, score=forest.score + rng.normal(0, 0.1, forest.edges))
    index, texts = collection
    found = search_forests([forest], index, None, SearchConfig(k=k, weights=chosen, bm25=texts.bm25))
    scores = forced_scores(forest, texts, chosen)
    listed = set(sharing(forest_terms(forest, texts), texts)) & matching(forest, texts, chosen)
    check_hits(found, ranked({doc: scores[doc] for doc in listed}, k))


def test_what_was_found_besides_does_not_count() -> None:
    """A search for one document values several; one of them that matches may be worse than one that was not valued."""
    forest = random_forest(524286, 5, 3, 1, 300, False)
    forest = replace(forest, score=forest.score + np.random.default_rng(0).normal(0, 0.1, forest.edges))
    (index, texts), chosen = random_collection(0, 40), random_weights(360)
    scores = forced_scores(forest, texts, chosen)
    listed = set(sharing(forest_terms(forest, texts), texts)) & matching(forest, texts, chosen)
    found = search_forests([forest], index, None, SearchConfig(k=1, weights=chosen, bm25=texts.bm25))
    check_hits(found, ranked({doc: scores[doc] for doc in listed}, 1))


@given(sentences=st.lists(forests(max_nodes=4, max_derivations=40), min_size=2, max_size=3), chosen=weights(),
       length=st.sampled_from([2, 10, 1000]), seed=st.integers(0, 99))  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_and_of_several_sentences_after_they_are_combined(
    sentences: list[Forest], chosen: TermWeights, length: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    sentences = [replace(one, score=one.score + rng.normal(0, 0.1, one.edges)) for one in sentences]
    lists = [forced(forest, SOME.texts, chosen, length) for forest in sentences]
    kept = set().union(*(matching(forest, SOME.texts, chosen) for forest in sentences))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bowfd, "LIST_LENGTH", length)
        found = search_forests(sentences, SOME.index, None, SearchConfig(weights=chosen))
    check_hits(found, [row for row in product(lists, 1000) if row[0] in kept])


def test_a_match_that_weighs_nothing_is_a_match() -> None:
    """A term that half of the documents have has an rsj of 0."""
    docs = [Doc("d1", "a b"), Doc("d2", "a"), Doc("d3", "c1"), Doc("d4", "x")]
    forest = forest_of([Edge(0, [], 0.0, ["a"], lex=(0,)), Edge(0, [], -50.0, ["x"], lex=(0,))], ["s"])
    index = index_of(docs)
    assert {hit.doc for hit in search(forest, index)} == {"d1", "d2"}
    assert {hit.doc for hit in search(forest, index, config={"bowfd.unmatched": True})} == {"d1", "d2", "d4"}
    assert {hit.doc for hit in search(forest, index, unmatched=True)} == {"d1", "d2", "d4"}
    hits = search(forest, index)
    assert all(any(match for _, match in shown.text) for shown in hits.shown())
    weighty = search(forest, index, config={"bm25.idf": "lucene"})
    assert all(hit.score > 0 for hit in weighty)


def test_stop_words_find_nothing(model: Model, demo: Collection) -> None:
    for text in ("der die das", "und"):
        assert search(text, demo.index, model) == []


# --- filters, notebooks ---


def test_filters(model: Model, demo: Collection) -> None:
    searcher = Searcher(model, demo.index)
    everything_found = searcher.search("Die Bank verleiht Geld", k=50)
    wanted = Filter(lacking=("money",))
    found = searcher.search("Die Bank verleiht Geld", k=5, filter=wanted)
    left = [hit[:2] for hit in everything_found if not demo.texts.bags[hit.doc]["money"]]
    assert [hit[:2] for hit in found] == left[:5]


@pytest.mark.parametrize("method", METHODS)
def test_notebooks(model: Model, demo: Collection, method: str) -> None:
    """Everything is there, and nothing of it is markup of its own."""
    index = index_of([*documents(), Doc("evil", "the bank <script>alert(1)</script> lends", "<b>bank</b>")], ENGLISH)
    searcher = Searcher(model, index, {"method": method})
    hits = searcher.search("Die Bank verleiht Geld <script>", k=300)
    html = hits._repr_html_()
    assert "<mark>" in html
    assert hits[0].doc in html
    assert "more" in html
    for text in (html, searcher.explain("Die Bank verleiht Geld <script>", "evil")._repr_html_()):
        assert "<script>" not in text
        assert text.count("<table>") == text.count("</table>") > 0
    assert "No document" in searcher.search("qqqq")._repr_html_()
