"""Structured queries: tables against listed derivations and counted links, rankings against reading every document.

Rankings are compared with every setting of how much is read for bounds, so that all ways to a score are taken.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference.structured as oracle
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index, add, build, delete
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.structured import search as structured
from crossbow.ranking.structured import tables
from crossbow.ranking.structured.search import StructuredQuery
from crossbow.ranking.structured.tables import PsqConfig, Tables, query_tables
from crossbow.records import Doc, Hit
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.vocab import Vocab
from reference import grammar
from reference.forests import WORDS, Edge, forest_of, forests, random_forest

TOKENS = Analyzer(Settings("und", kind="tokens", stopwords=["the"]))
ENGLISH = Analyzer(Settings("en"))
FOREST_ONLY = PsqConfig(mix=1.0)
ALL = 400  # more derivations than any forest here has
# What random documents are made of: all terms of random forests, source words, and terms that no forest makes.
TERMS = ["a", "b", "c", "ä", "日本", "s0", "s1", "s2", "x", "y"]


class Built:
    """An index and what is in it."""

    def __init__(self, folder: Path, docs: list[Doc], analyzer: Analyzer = TOKENS, later: int = 0, deleted: int = 0):
        split = len(docs) - later
        build(folder, docs[:split], analyzer, workers=1)
        for doc in docs[split:]:
            add(folder, [doc], workers=1)
        if deleted:
            delete(folder, [doc.id for doc in docs[:deleted]])
        self.index, self.docs = Index.load(folder), docs[deleted:]


def random_docs(seed: int, size: int, most: int) -> list[Doc]:
    rng = random.Random(seed)
    return [Doc(f"d{n}", " ".join(rng.choices(TERMS, range(1, 11), k=rng.randint(0, most)))) for n in range(size)]


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> list[Built]:
    """Of all kinds: no document, one, many, several segments, deletions, equal documents."""
    folder = tmp_path_factory.mktemp("indexes")
    built = [
        Built(folder / "0", []),
        Built(folder / "1", [Doc("only", "a b b 日本")]),
        Built(folder / "2", random_docs(2, 60, 12)),
        Built(folder / "3", random_docs(3, 40, 6), later=2),
        Built(folder / "4", random_docs(4, 50, 20), later=1, deleted=4),
        Built(folder / "5", [Doc(f"e{n}", "a b ä s1") for n in range(12)] + random_docs(5, 30, 3)),
        Built(folder / "6", random_docs(6, 5, 9), deleted=5),
    ]
    assert len(built[3].index.segments) == 2
    assert [segment.complete for segment in built[4].index.segments] == [False, True]
    return built


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index that has all terms of random forests, so that no probability is lost."""
    return Built(tmp_path_factory.mktemp("index") / "all", [Doc("d", " ".join(TERMS)), Doc("e", "x")]).index


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Index:
    docs = [Doc("d1", "a house by the lake"), Doc("d2", "two houses"), Doc("d3", "text mode"), Doc("d4", "home, text"),
            Doc("d5", "nothing"), Doc("d6", "lakes and more lakes")]
    return Built(tmp_path_factory.mktemp("index") / "english", docs, ENGLISH).index


def rows_of(found: Tables) -> dict[str, dict[str, float]]:
    return {word: dict(found.translations(word)) for word in found.words}


def check_rows(found: Tables, expected: dict[str, dict[str, float]]) -> None:
    """The same probabilities, and all that Tables promises about its arrays."""
    rows = rows_of(found)
    assert list(rows) == found.words == list(expected)
    for word, row in rows.items():
        assert set(row) == set(expected[word])
        np.testing.assert_allclose([row[t] for t in row], [expected[word][t] for t in row], rtol=1e-9)
        assert sorted(row.values(), reverse=True) == list(row.values())
    assert len(set(found.names)) == len(found.names)
    assert set(found.terms.tolist()) == set(range(len(found.names)))
    assert found.starts.tolist()[0] == 0
    assert found.starts.tolist()[-1] == len(found.terms) == len(found.probability) == len(found.owners())
    assert (found.probability > 0).all()


def lexicon_of(seed: int) -> tuple[Lexicon, dict[str, dict[str, float]]]:
    """A lexicon of some source and target words of random forests; s1 is often linked to nothing."""
    rng = random.Random(seed)
    source, target = Vocab([" ", "s0", "s1", "das"]), Vocab([*WORDS, "x", "lost", "the"])
    pairs = []
    for _ in range(rng.randint(1, 6)):
        left, right = rng.choices([1, 2, 3], k=rng.randint(1, 5)), rng.choices(range(len(target)), k=rng.randint(1, 5))
        links = {(i, rng.randrange(len(right))) for i in range(len(left)) for _ in range(2) if rng.random() < 0.4}
        pairs.append(grammar.Pair(left, right, frozenset(links)))
    known = {
        word: {target.words[t]: float(p) for t, p in oracle.lexical(pairs, number).items()}
        for number, word in enumerate(source.words)
    }  # fmt: skip
    return Lexicon(grammar.build(pairs, len(source), len(target)), source, target), known


def without_ties(forest: Forest, seed: int) -> Forest:
    return replace(forest, score=forest.score + np.random.default_rng(seed).normal(0, 0.1, forest.edges))


# --- settings ---


@pytest.mark.parametrize(("name", "value"), [
    ("nbest", 0), ("nbest", -1), ("mix", -0.1), ("mix", 1.1), ("mix", math.nan), ("lowest", -1.0), ("lowest", 2.0),
    ("cumulative", 1.01), ("cumulative", -0.5),
])  # fmt: skip
def test_bad_settings_are_named(name: str, value: float) -> None:
    with pytest.raises(CrossbowError, match=f"{name} is {value}"):
        PsqConfig(**{name: value})  # type: ignore[arg-type]


# --- tables ---


@given(forest=forests(), whole=st.booleans())
@settings(deadline=None, max_examples=150)
def test_expected_links_of_all_derivations(everything: Index, forest: Forest, whole: bool) -> None:
    config = PsqConfig(nbest=ALL, mix=1.0, forest=whole)
    check_rows(query_tables([forest], everything, config), oracle.table([forest], config, None, TOKENS, set(TERMS)))


@given(forest=forests(covering=True, max_nodes=9))
@settings(deadline=None, max_examples=50)
def test_the_whole_forest_is_a_list_that_is_long_enough(everything: Index, forest: Forest) -> None:
    rows = rows_of(query_tables([forest], everything, PsqConfig(nbest=ALL, mix=1.0)))
    check_rows(query_tables([forest], everything, PsqConfig(nbest=1, mix=1.0, forest=True)), rows)


@given(forest=forests(), nbest=st.integers(1, 30), seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=100)
def test_expected_links_of_some_derivations(everything: Index, forest: Forest, nbest: int, seed: int) -> None:
    forest, config = without_ties(forest, seed), PsqConfig(nbest=nbest, mix=1.0)
    check_rows(query_tables([forest], everything, config), oracle.table([forest], config, None, TOKENS, set(TERMS)))


@given(sentences=st.lists(forests(max_nodes=5, max_derivations=50), max_size=3), seed=st.integers(0, 10**6),
       mix=st.sampled_from([0.0, 0.4, 1.0]), lowest=st.sampled_from([0.0, 0.03, 0.2, 1.0]),
       cumulative=st.sampled_from([0.0, 0.55, 0.95, 1.0]), whole=st.booleans())  # fmt: skip
@settings(deadline=None, max_examples=200)
def test_tables_of_queries(
    everything: Index, sentences: list[Forest], seed: int, mix: float, lowest: float, cumulative: float, whole: bool
) -> None:
    lexicon, known = lexicon_of(seed)
    sentences = [without_ties(forest, seed) for forest in sentences]
    config = PsqConfig(ALL, mix, lowest, cumulative, whole)
    found = query_tables(sentences, everything, config, lexicon)
    check_rows(found, oracle.table(sentences, config, known, TOKENS, set(TERMS)))
    tokens = [word for forest in sentences for word in forest.source]
    assert dict(zip(found.words, found.counts.tolist())) == {word: tokens.count(word) for word in tokens}


def test_scores_far_from_zero(everything: Index) -> None:
    """exp of either would overflow or vanish; their difference does not."""
    for shift in (-1e5, 1e5):
        edges = [Edge(0, [], shift, ["a"], align=((0, 0),)), Edge(0, [], shift + math.log(3), ["b"], align=((0, 0),)),
                 Edge(0, [], shift - 5000, ["c"], align=((0, 0),))]  # fmt: skip
        for whole in (False, True):
            found = query_tables([forest_of(edges, ["s"])], everything, PsqConfig(mix=1.0, forest=whole))
            assert rows_of(found)["s"] == pytest.approx({"b": 0.75, "a": 0.25})


def test_sentences_count_alike_whatever_their_scores(everything: Index) -> None:
    one = forest_of([Edge(0, [], 300.0, ["a"], align=((0, 0),))], ["s"])
    two = forest_of([Edge(0, [], -300.0, ["b", "b"], align=((0, 0), (0, 1)))], ["s"])
    assert rows_of(query_tables([one, two], everything, FOREST_ONLY))["s"] == pytest.approx({"a": 1 / 3, "b": 2 / 3})


def one_word(**probabilities: float) -> list[Edge]:
    return [Edge(0, [], math.log(p), [word], align=((0, 0),)) for word, p in probabilities.items()]


FOUR = one_word(x=0.2, b=0.4, c=0.1, a=0.3)
TIED = one_word(c=0.3, a=0.3, b=0.4)


@pytest.mark.parametrize(("edges", "lowest", "cumulative", "expected"), [
    (FOUR, 0.0, 1.0, {"b": 0.4, "a": 0.3, "x": 0.2, "c": 0.1}),
    (FOUR, 0.2, 1.0, {"b": 4 / 9, "a": 3 / 9, "x": 2 / 9}),  # 0.2 itself stays
    (FOUR, 0.25, 1.0, {"b": 4 / 7, "a": 3 / 7}),
    (FOUR, 0.0, 0.7, {"b": 4 / 7, "a": 3 / 7}),  # exactly there: nothing more is needed
    (FOUR, 0.0, 0.71, {"b": 4 / 9, "a": 3 / 9, "x": 2 / 9}),  # what crosses the limit stays
    (FOUR, 0.35, 0.95, {"b": 1.0}),  # the limit is never reached
    (FOUR, 0.0, 0.0, {"b": 1.0}),
    (FOUR, 0.5, 1.0, {}),  # no translation is probable enough
    (one_word(**dict.fromkeys(TERMS, 1.0)), 0.0, 0.8, dict.fromkeys(sorted(TERMS)[:8], 1 / 8)),  # though 8 · .1 < .8
    (TIED, 0.0, 0.6, {"b": 4 / 7, "a": 3 / 7}),  # of equal ones the first in the alphabet
])  # fmt: skip
def test_cuts_by_hand(
    everything: Index, edges: list[Edge], lowest: float, cumulative: float, expected: dict[str, float]
) -> None:
    config = PsqConfig(mix=1.0, lowest=lowest, cumulative=cumulative)
    assert rows_of(query_tables([forest_of(edges, ["s"])], everything, config))["s"] == pytest.approx(expected)


def training() -> Lexicon:
    """s0 is linked to a and b, three to one; s1 to nothing, twice, and to x, twice."""
    pairs = [grammar.Pair([1, 1, 1, 1, 2, 2, 2, 2], [0, 0, 0, 1, 5, 5], frozenset(
        {(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)}))]  # fmt: skip
    source, target = Vocab([" ", "s0", "s1"]), Vocab([*WORDS, "x"])
    return Lexicon(grammar.build(pairs, 3, 6), source, target)


def test_mixing_by_hand(everything: Index) -> None:
    edges = [Edge(0, [], 0.0, ["b", "c"], align=((0, 0), (2, 1)))]
    forest = forest_of(edges, ["s0", "s1", "s3", "x"])
    rows = rows_of(query_tables([forest], everything, PsqConfig(), training()))
    assert rows["s0"] == pytest.approx({"a": 0.6 * 0.75, "b": 0.4 + 0.6 * 0.25})
    assert rows["s1"] == pytest.approx({"x": 1.0})  # no links in the forest; the lexicon's ½ is all there is
    assert rows["s3"] == pytest.approx({"c": 1.0})  # unknown to the lexicon
    assert rows["x"] == pytest.approx({"x": 1.0})  # unknown to both
    only = rows_of(query_tables([forest], everything, FOREST_ONLY, training()))
    assert only["s0"] == pytest.approx({"b": 1.0})
    assert only["s1"] == pytest.approx({"x": 1.0})
    assert rows_of(query_tables([forest], everything, PsqConfig()))["s0"] == pytest.approx({"b": 1.0})


def test_mixing_is_normalized_over_what_is_there(everything: Index) -> None:
    forest = forest_of([Edge(0, [], 0.0, ["b"], align=((0, 0),))], ["s1"])
    rows = rows_of(query_tables([forest], everything, PsqConfig(), training()))
    assert rows["s1"] == pytest.approx({"b": 0.4 / 0.7, "x": 0.3 / 0.7})


def test_the_context_free_model_needs_no_derivations(everything: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "kbest", None)
    monkeypatch.setattr(tables, "edge_uses", None)
    forest = forest_of([Edge(0, [], 0.0, ["b"], align=((0, 0), (1, 0)))], ["s0", "y"])
    for whole in (False, True):
        rows = rows_of(query_tables([forest], everything, PsqConfig(mix=0.0, forest=whole), training()))
        assert rows == {"s0": pytest.approx({"a": 0.75, "b": 0.25}), "y": {"y": 1.0}}


def test_words_become_terms_of_the_collection(english: Index) -> None:
    translations = ["house", "houses", "the", ",", "unheard", "Text-Mode", "lake-lakes"]
    edges = [Edge(0, [], 0.0, [word], align=((0, 0),)) for word in translations]
    found = query_tables([forest_of(edges, ["haus"])], english, FOREST_ONLY)
    assert rows_of(found)["haus"] == pytest.approx({"hous": 2 / 7, "text": 1 / 7, "mode": 1 / 7, "lake": 1 / 7})
    assert found.translations("haus")[0] == ("hous", pytest.approx(2 / 7))


def test_forests_without_links(everything: Index) -> None:
    for target in ["a"], []:
        forest = forest_of([Edge(0, [], 0.0, target)], ["s0", "t"])
        assert rows_of(query_tables([forest], everything, PsqConfig())) == {"s0": {"s0": 1.0}, "t": {}}


# --- rankings ---


def tables_of(rows: dict[str, dict[str, float]], counts: dict[str, int]) -> Tables:
    names = sorted({term for row in rows.values() for term in row})
    flat = [(names.index(term), p) for row in rows.values() for term, p in row.items()]
    return Tables(list(rows), np.array([counts[word] for word in rows], np.int32),
                  np.cumsum([0, *map(len, rows.values())]).astype(np.int32),
                  np.array([t for t, _ in flat], np.int32), np.array([p for _, p in flat], np.float64), names,
                  np.zeros(len(rows)))


def check_hits(found: list[Hit], expected: list[tuple[str, float]]) -> None:
    assert [hit.doc for hit in found] == [name for name, _ in expected]
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    np.testing.assert_allclose([hit.score for hit in found], [score for _, score in expected], atol=1.1e-6)


@st.composite
def random_rows(draw: st.DrawFn) -> dict[str, dict[str, float]]:
    rng = random.Random(draw(st.integers(0, 10**6)))
    rows = {}
    for word in range(draw(st.integers(0, 6))):
        terms = rng.sample([*TERMS, "lost"], rng.randint(0, 11))
        rows[f"w{word}"] = {term: rng.choice([1.0, 0.3, 0.01, 1e-4]) * rng.uniform(0.1, 1) for term in terms}
    return rows


@given(which=st.integers(0, 6), rows=random_rows(), k=st.sampled_from([1, 2, 5, 10, 1000]),
       heavy=st.sampled_from([0, 0.3, 1, 100]), light=st.sampled_from([0, 0.5, 2, 100]),
       bm25=st.sampled_from([Bm25(), Bm25(0.4, 0.0), Bm25(2.0, 1.0)]), repeat=st.integers(1, 3))  # fmt: skip
@settings(deadline=None, max_examples=400)
def test_rankings(
    collections: list[Built], which: int, rows: dict[str, dict[str, float]], k: int, heavy: float, light: float,
    bm25: Bm25, repeat: int,
) -> None:
    built = collections[which]
    counts = {word: 1 + number % repeat for number, word in enumerate(rows)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structured, "HEAVY", heavy)
        patch.setattr(structured, "LIGHT", light)
        found = StructuredQuery(tables_of(rows, counts), built.index, bm25).search(k)
    check_hits(found, oracle.ranking(rows, counts, built.docs, TOKENS, k, bm25))


@given(which=st.integers(0, 6), sentences=st.lists(forests(max_nodes=4, max_derivations=30), max_size=2),
       seed=st.integers(0, 10**6), cumulative=st.sampled_from([0.8, 1.0]))  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_queries_from_forests_to_hits(
    collections: list[Built], which: int, sentences: list[Forest], seed: int, cumulative: float
) -> None:
    built, config = collections[which], PsqConfig(ALL, cumulative=cumulative)
    lexicon, known = lexicon_of(seed)
    sentences = [without_ties(forest, seed) for forest in sentences]
    found = query_tables(sentences, built.index, config, lexicon)
    present = {term for doc in built.docs for term in doc.text.split()}
    rows = oracle.table(sentences, config, known, TOKENS, present)
    tokens = [word for forest in sentences for word in forest.source]
    check_hits(StructuredQuery(found, built.index, Bm25()).search(10),
               oracle.ranking(rows, {word: tokens.count(word) for word in rows}, built.docs, TOKENS, 10, Bm25()))


def test_a_score_by_hand(english: Index) -> None:
    rows = {"haus": {"hous": 0.8, "home": 0.2}, "see": {"lake": 1.0}}
    found = StructuredQuery(tables_of(rows, {"haus": 2, "see": 1}), english, Bm25()).search(10)
    lengths = [len(ENGLISH.tokens(english.doc(n).text)) for n in range(6)]
    norm = {f"d{n + 1}": 1.2 * (0.25 + 0.75 * length / (sum(lengths) / 6)) for n, length in enumerate(lengths)}
    haus, see = math.log((6 - 1.8 + 0.5) / (1.8 + 0.5)), math.log((6 - 2 + 0.5) / (2 + 0.5))
    scores = {
        "d1": 2 * haus * 0.8 / (norm["d1"] + 0.8) + see / (norm["d1"] + 1), "d2": 2 * haus * 0.8 / (norm["d2"] + 0.8),
        "d4": 2 * haus * 0.2 / (norm["d4"] + 0.2), "d6": see * 2 / (norm["d6"] + 2),
    }  # fmt: skip
    assert {hit.doc: hit.score for hit in found} == pytest.approx(scores, abs=1e-6)
    assert [hit.doc for hit in found] == sorted(scores, key=lambda doc: -scores[doc])


def test_what_all_documents_have_counts_nothing_but_is_found(collections: list[Built]) -> None:
    """Also if a translation of two terms makes the expected number of documents larger than the collection."""
    found = StructuredQuery(tables_of({"s": {"a": 1.0, "b": 1.0}}, {"s": 1}), collections[1].index, Bm25()).search(10)
    assert found == [Hit("only", 0.0, 1)]


def test_equal_documents_stand_in_reverse_order_of_their_ids(collections: list[Built]) -> None:
    found = StructuredQuery(tables_of({"s": {"s1": 1.0}}, {"s": 1}), collections[5].index, Bm25()).search(4)
    tied = [hit.doc for hit in found if hit.score == found[0].score]
    assert tied == sorted(tied, reverse=True)
    assert len(found) == 4


def test_queries_that_find_nothing(collections: list[Built]) -> None:
    unknown = forest_of([Edge(0, [], 0.0, ["zzz"], align=((0, 0),))], ["zzz"])
    for built in collections:
        for sentences in ([], [unknown], [unknown, unknown]):
            found = query_tables(sentences, built.index, PsqConfig())
            assert len(found.names) == 0
            assert StructuredQuery(found, built.index, Bm25()).search(10) == []
        some = tables_of({"s": {"a": 1.0}, "t": {}}, {"s": 1, "t": 1})
        assert StructuredQuery(some, built.index, Bm25()).search(0) == []


def test_tables_for_another_state_of_the_index(tmp_path: Path) -> None:
    """Terms that came or went since the tables were made do no harm."""
    old = Built(tmp_path / "index", [Doc("d1", "a b"), Doc("d2", "b")]).index
    made = query_tables([random_forest(3)], old, FOREST_ONLY)
    add(tmp_path / "index", [Doc("d1", "x"), Doc("d3", "x")], workers=1)
    delete(tmp_path / "index", ["d2"])
    assert StructuredQuery(made, Index.load(tmp_path / "index"), Bm25()).search(10) == []
    assert StructuredQuery(made, old, Bm25()).search(10) != []
