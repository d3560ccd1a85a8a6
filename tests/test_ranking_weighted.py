"""Direct translation: BM25 by the formula for the bag of words of the best translation."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.methods.dt import bag_of_words
from crossbow.ranking.weighted import search_terms
from crossbow.records import Doc, Hit
from reference.decode import derivations
from reference.forests import Edge, forest_of, forests
from reference.ranking import (
    VOCABULARY,
    Collection,
    Texts,
    check_hits,
    collections,
    direct,
    index_of,
    random_collection,
)

BAGS = st.dictionaries(st.sampled_from([*VOCABULARY, "unheard"]), st.integers(1, 4))
SEVERAL = random_collection(11, 40, segments=3, deleted=0.2)


@given(collection=collections(), bag=BAGS, k=st.sampled_from([1, 3, 10, 1000]))
@settings(deadline=None, max_examples=150)
def test_bm25_of_a_bag(collection: Collection, bag: dict[str, int], k: int) -> None:
    check_hits(search_terms(bag, collection.index, k, collection.texts.bm25), direct(bag, collection.texts, k))


@given(collection=collections(), bag=st.dictionaries(st.sampled_from(VOCABULARY), st.sampled_from([-2.5, 0.0, 3.0])))
@settings(deadline=None, max_examples=50)
def test_weights_of_any_sign(collection: Collection, bag: dict[str, float]) -> None:
    check_hits(search_terms(bag, collection.index, 5, collection.texts.bm25), direct(bag, collection.texts, 5))


@given(sentences=st.lists(forests(), max_size=3), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_bags_of_best_translations(sentences: list[Forest], seed: int) -> None:
    rng = np.random.default_rng(seed)  # no ties: any of several best translations would do
    sentences = [replace(forest, score=forest.score + rng.normal(0, 0.1, forest.edges)) for forest in sentences]
    words = [word for forest in sentences for word in derivations(forest)[0].words]
    assert bag_of_words(sentences, SEVERAL.index) == Counter(SEVERAL.texts.terms(words))


def test_a_term_counts_as_often_as_it_is_asked_for() -> None:
    once, thrice = (search_terms({"a": n}, SEVERAL.index, 100) for n in (1, 3))
    assert [(hit.doc, round(3 * hit.score, 5)) for hit in once] == [(hit.doc, round(hit.score, 5)) for hit in thrice]


def test_settings_of_bm25_matter() -> None:
    docs = [Doc("long", "a a " + "x " * 30), Doc("short", "a y"), Doc("third", "y"), Doc("4th", "y"), Doc("5th", "x")]
    index, bag = index_of(docs), {"a": 2, "y": 1}
    assert [hit.doc for hit in search_terms({"a": 1}, index, 10, Bm25(b=0.0))] == ["long", "short"]
    assert [hit.doc for hit in search_terms({"a": 1}, index, 10, Bm25(b=1.0))] == ["short", "long"]
    for bm25 in (Bm25(0.01, 0.3), Bm25(100.0, 0.3)):
        check_hits(search_terms(bag, index, 10, bm25), direct(bag, Texts(docs, bm25=bm25), 10))


def test_ties_at_the_last_place_go_by_descending_id() -> None:
    docs = [Doc(name, "a") for name in ("d1", "d9", "d10", "é", "D")] + [Doc(f"x{n}", "y") for n in range(20)]
    for k in range(1, 7):
        found = search_terms({"a": 1}, index_of(docs, segments=2), k)
        assert [hit.doc for hit in found] == ["é", "d9", "d10", "d1", "D"][:k]


def test_what_more_than_half_of_the_documents_have_counts_nothing() -> None:
    index = index_of([Doc("d1", "a"), Doc("d2", "a"), Doc("d3", "b")])
    assert search_terms({"a": 1}, index, 10) == [Hit("d2", 0.0, 1), Hit("d1", 0.0, 2)]


def test_nothing_to_find() -> None:
    for index in (SEVERAL.index, index_of([]), index_of([Doc("d", "")])):
        assert search_terms({}, index, 10) == []
        assert search_terms({"unheard": 2}, index, 10) == []
        assert bag_of_words([], index) == {}
        assert bag_of_words([forest_of([Edge(0, [], 0.0, ["c"])], ["s"])], index) == {}
