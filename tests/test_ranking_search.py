"""Search as a whole: from texts or forests to hits, on the demo collection with a model trained on a part of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.datasets.demo.load import documents, queries
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.forest.infer import inside
from crossbow.model import Model
from crossbow.ranking import search as searching
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.explain.derivation import explain
from crossbow.ranking.search import METHODS, SearchConfig, query_forests, search, search_all, search_forests
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.weights import TermWeights
from reference.forests import forests, random_forest
from reference.ranking import (
    Collection,
    Texts,
    check_hits,
    direct,
    forced,
    forest_terms,
    index_of,
    inside_scores,
    product,
    random_collection,
    ranked,
    sharing,
    weights,
)
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
            found = search(sentences, index, v=v, k=k)
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


def test_explanations_have_the_scores_of_the_search(demo: Collection, asked: dict[str, list[Forest]]) -> None:
    for sentences in asked.values():
        for hit in search(sentences, demo.index, k=2):
            explanation = explain(sentences, demo.index, hit.doc)
            assert explanation.score == pytest.approx(hit.score, abs=1e-5 if len(sentences) > 1 else 1e-6)
            for sentence in explanation.sentences:
                assert sentence.best - sentence.cost + sentence.gain == pytest.approx(sentence.score, abs=1e-6)
                words = sorted(word for step in sentence.steps for word in step.target)
                assert words == sorted(sentence.target)


def test_texts_and_their_forests_find_the_same(demo: Collection, model: Model, asked: dict[str, list[Forest]]) -> None:
    """Also after the forests went through their exchange format."""
    for name, text in [*QUERIES[:5], *QUERIES[40:44]]:
        expected = search(text, demo.index, model, k=30)
        assert search(asked[name], demo.index, k=30) == expected
        assert search([parse_forest(forest_line(forest)) for forest in asked[name]], demo.index, k=30) == expected
    assert search(asked["test01"][0], demo.index, k=30) == search(asked["test01"], demo.index, k=30)


@pytest.mark.parametrize("method", METHODS)
def test_threads_change_nothing(demo: Collection, model: Model, asked: dict[str, list[Forest]], method: str) -> None:
    config = SearchConfig(method, k=20, bm25=Bm25(0.9, 0.5))  # settings that no other test has filled lists for
    stream = [*QUERIES[:10], *((name, asked[name]) for name, _ in QUERIES[10:])]
    one, four = (list(search_all(stream, demo.index, model, config, threads)) for threads in (1, 4))
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
    sentences = query_forests(ODD[case], demo.index, model)
    for method in METHODS:
        found = search_forests(sentences, demo.index, model, SearchConfig(method, k=3))
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
        patch.setattr(searching, "LIST_LENGTH", length)
        found = search_forests(sentences, SOME.index, None, SearchConfig(k=k, weights=chosen))
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
        runs = {(beam, sort): search(asked[name], demo.index, config=SearchConfig(beam=beam, sort_edges=sort))
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
        found = search(forest, demo.index, config=SearchConfig(beam=1, weights=TermWeights(v=1.0)))
        best = float(inside(forest)[-1])
        assert {hit.doc: hit.score - best for hit in found} == pytest.approx(translated, abs=3e-6)


# --- errors and settings ---


def test_a_text_needs_a_model_that_fits(demo: Collection, model: Model) -> None:
    with pytest.raises(CrossbowError, match="a text needs a model"):
        search("Haus", demo.index)
    french = index_of(documents()[:3], Analyzer(Settings("fr")))
    with pytest.raises(CrossbowError, match="translates into 'en', but the documents are in 'fr'"):
        search("Haus", french, model)
    with pytest.raises(CrossbowError, match="a text needs a model"):
        list(search_all([("1", "Haus")], demo.index, None, SearchConfig(), threads=2))


@pytest.mark.parametrize(("settings", "message"), [
    ({"method": "bm25"}, "one of .*bowfd"), ({"method": ""}, "one of .*bowfd"), ({"k": 0}, "k is 0"),
    ({"k": -5}, "k is -5"), ({"beam": 0}, "the beam is 0"), ({"beam": -1}, "the beam is -1"),
])  # fmt: skip
def test_bad_settings(settings: dict, message: str) -> None:
    with pytest.raises(CrossbowError, match=message):
        SearchConfig(**settings)
    if "beam" not in settings:
        with pytest.raises(CrossbowError, match=message):
            search(random_forest(1), SOME.index, **settings)


def test_single_arguments_and_configs() -> None:
    forest = random_forest(3)
    assert search(forest, SOME.index, v=2.5, k=4) == search(
        forest, SOME.index, config=SearchConfig(k=4, weights=TermWeights(v=2.5)))  # fmt: skip
    assert search(forest, SOME.index, v=2.5, k=1, config=SearchConfig(method="dt", k=4)) == search(
        forest, SOME.index, method="dt", k=4)  # fmt: skip
    assert search(forest, SOME.index) == search(forest, SOME.index, v=0.8, k=1000)


def test_forests_of_queries(model: Model, demo: Collection) -> None:
    forest = random_forest(1)
    assert query_forests(forest, SOME.index, None) == [forest]
    assert query_forests((forest, forest), SOME.index, None) == [forest, forest]
    assert [" ".join(each.source) for each in query_forests(SEVERAL, demo.index, model)] == [
        "das schloss ist alt .", "die bank verleiht geld .", "der zug hat verspätung ."]  # fmt: skip
