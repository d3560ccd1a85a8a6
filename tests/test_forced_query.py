"""Forced decoding: the ranking that scoring every document by every derivation gives, whatever the bound."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import inside
from crossbow.index import Index, add, build, delete
from crossbow.ranking import topk
from crossbow.ranking.forced import cascade
from crossbow.ranking.forced.lower import span_program
from crossbow.ranking.forced.positions import position_program
from crossbow.ranking.forced.potentials import pushed_down
from crossbow.ranking.forced.program import undominated
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.records import Doc, Hit
from crossbow.weights import TermWeights
from reference.forests import Edge, forest_of, forests, random_forest
from reference.ranking import (
    TOKENS,
    VOCABULARY,
    Collection,
    Texts,
    check_hits,
    collections,
    forced_scores,
    forest_terms,
    index_of,
    inside_scores,
    large_forest,
    random_collection,
    random_docs,
    random_weights,
    ranked,
    sharing,
    weights,
    without,
)
from reference.ranking import forced as oracle
from searching import score_documents, search_forced, weighing

SOME = random_collection(4, 40, segments=2)
WORDS = [f"w{n}" for n in range(30)]


def stored(folder: Path, docs: list[Doc], later: list[int], deleted: int) -> Collection:
    """An index on the disk; so many documents are added later, commit by commit, and the first are deleted."""
    cuts = np.cumsum([len(docs) - sum(later), *later]).tolist()
    build(folder, docs[: cuts[0]], TOKENS, workers=1)
    for begin, end in pairwise(cuts):
        add(folder, docs[begin:end], workers=1)
    if deleted:
        delete(folder, [doc.id for doc in docs[:deleted]])
    return Collection(Index.load(folder), Texts(docs[deleted:]))


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> list[Collection]:
    """As users make them: in one commit, in several, with deletions, of one document, of none, of equal ones."""
    folder = tmp_path_factory.mktemp("indexes")
    equal = [Doc(f"e{n}", "a b ä 日本") for n in range(9)]
    chosen = [(random_docs(1, 50), [], 0), (random_docs(2, 60), [12, 3], 0), (random_docs(3, 60), [10], 15),
              ([Doc("only", "a b b")], [], 0), ([], [], 0), (equal + random_docs(5, 20), [4], 3),
              (random_docs(6, 4), [], 4)]  # fmt: skip
    made = [stored(folder / str(n), *each) for n, each in enumerate(chosen)]
    assert max(len(collection.index.segments) for collection in made) == 3
    return made


@pytest.fixture(scope="module")
def large() -> Collection:
    """Many documents of few words, so that equal scores are frequent."""
    docs = random_docs(9, 1500, 9, WORDS)
    return Collection(index_of(docs, segments=3), Texts(docs))


# --- exactness ---


@given(forest=forests(), collection=collections(), chosen=weights(), k=st.sampled_from([1, 2, 5, 1000]),
       batch=st.sampled_from([1, 256]), chunk=st.sampled_from([1, 3, 1 << 14]),
       sample=st.sampled_from([9, 4096]))  # fmt: skip
@settings(deadline=None, max_examples=1000)
def test_rankings(
    forest: Forest, collection: Collection, chosen: TermWeights, k: int, batch: int, chunk: int, sample: int
) -> None:
    """However much is done at a time: what kernels have compiled in stays, the rest can be made small."""
    index, texts = collection
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cascade, "BATCH", batch)
        patch.setattr(cascade, "CHUNK", chunk)
        patch.setattr(topk, "SAMPLE", sample)
        found = search_forced(forest, index, chosen, k, texts.bm25)
    check_hits(found, oracle(forest, texts, chosen, k))


@given(which=st.integers(0, 6), forest=forests(), chosen=weights(), k=st.sampled_from([1, 4, 1000]))
@settings(deadline=None, max_examples=300)
def test_rankings_of_stored_collections(
    on_disk: list[Collection], which: int, forest: Forest, chosen: TermWeights, k: int
) -> None:
    index, texts = on_disk[which]
    check_hits(search_forced(forest, index, chosen, k), oracle(forest, texts, chosen, k))


@pytest.mark.parametrize("bound", ["positions", "spans", "neither"])
@pytest.mark.parametrize("seed", range(4))
def test_rankings_of_many_documents(large: Collection, bound: str, seed: int) -> None:
    index, texts = large
    forest, chosen = large_forest(seed, WORDS, bound), random_weights(seed, WORDS)
    docs = sharing(forest_terms(forest, texts), texts)
    scores = inside_scores(forest, texts, chosen, docs)
    for k in (1, 20, 5000):
        check_hits(search_forced(forest, index, chosen, k), ranked(scores, k))


@pytest.mark.parametrize("v", [0.0, 1e-9, 0.8, 3.0, -1.0])
def test_equal_documents_stand_in_reverse_order_of_their_ids(on_disk: list[Collection], v: float) -> None:
    """Also at the last place, where some of those that tie are left out."""
    index, texts = on_disk[5]
    for k in range(1, 9):
        for seed in range(4):
            forest = random_forest(seed)
            check_hits(search_forced(forest, index, TermWeights(v=v), k), oracle(forest, texts, TermWeights(v=v), k))


def test_repeated_terms_count_each_time() -> None:
    forest = forest_of([Edge(0, [], 0.0, ["a", "ä b", "b"], lex=(0,)), Edge(1, [0, 0], 0.0, [0, "a", 1], lex=(1,))],
                       ["s", "t"])  # fmt: skip
    assert translations_of(forest) == {("a",): 3, ("b",): 4, ("ä",): 2}
    check_hits(search_forced(forest, SOME.index), oracle(forest, SOME.texts, TermWeights(), 1000))


def translations_of(forest: Forest) -> dict[tuple[str], int]:
    """How often the only derivation has each term, taken from what it gains where the term is alone."""
    found = {}
    for term in ("a", "b", "ä"):
        docs = [Doc("d", term), Doc("e", "x"), Doc("f", "x")]
        (score,) = score_documents(forest, index_of(docs), TermWeights(v=1.0), [0])
        found[(term,)] = round(score / Texts(docs).weight(term, "d"))
    return found


def test_a_term_of_most_documents_still_makes_one_found() -> None:
    docs = [Doc("d1", "a x"), Doc("d2", "a"), Doc("d3", "b"), Doc("d4", "a b")]
    forest = forest_of([Edge(0, [], -1.5, ["a"], lex=(0,))], ["s"])
    assert search_forced(forest, index_of(docs), k=2) == [Hit("d4", -1.5, 1), Hit("d2", -1.5, 2)]
    assert len(search_forced(forest, index_of(docs))) == 3


@pytest.mark.parametrize("target", [[], ["c"], ["unheard"], ["c", "unheard", "!"]], ids=str)
def test_forests_without_terms_find_nothing(target: list[str | int]) -> None:
    forest = forest_of([Edge(0, [], 0.0, target, lex=(0,)), Edge(1, [0], -1.0, [0, *target])], ["s"])
    for collection in (SOME, Collection(index_of([]), Texts([]))):
        assert search_forced(forest, collection.index) == []


def test_a_source_without_words() -> None:
    forest = forest_of([Edge(0, [], 0.0, ["a"], (0, 0)), Edge(0, [], 1.0, [], (0, 0))], [])
    check_hits(search_forced(forest, SOME.index), oracle(forest, SOME.texts, TermWeights(), 1000))


def test_numbers_beyond_those_that_bounds_can_hold() -> None:
    """Scores that float32 rounds to infinity, and weights as large as they may be."""
    words = {"a": -1e300, "b": -1e39, "ä": 0.0, "日本": -1e9}
    forest = forest_of([Edge(0, [], score, [word], lex=(0,)) for word, score in words.items()], ["s"])
    for chosen in (TermWeights(), TermWeights(v=1e9), TermWeights(v=-1e9), weighing(0.0, {"日本": 1e9, "a": 1e9})):
        check_hits(search_forced(forest, SOME.index, chosen, 5), oracle(forest, SOME.texts, chosen, 5))


# --- bounds ---


def test_the_bound_that_a_forest_allows() -> None:
    """Positions if `lex` is consistent, or spans that stand in for it; else merged spans, else the forest itself."""
    forest = large_forest(3, VOCABULARY)
    query = ForcedQuery(forest, SOME.index)
    pushed, signs = pushed_down(query.exact), query.weight >= 0
    by_position, by_span = position_program(forest, query.terms, pushed), span_program(forest, pushed)
    assert by_position is not None
    assert by_span is not None
    assert_equal(query.bound, undominated(by_position, signs))
    assert_equal(ForcedQuery(without(forest, "lex"), SOME.index).bound, undominated(by_position, signs))
    twice = replace(forest, lex=np.zeros_like(forest.lex))  # every edge claims the first word
    assert_equal(ForcedQuery(twice, SOME.index).bound, undominated(by_span, signs))
    crossed = without(replace(forest, span=forest.span[::-1].copy()), "lex")
    assert span_program(crossed, pushed) is None
    other = ForcedQuery(crossed, SOME.index)
    assert other.bound is other.exact


def assert_equal(one: tuple, other: tuple) -> None:
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed", range(6))
def test_all_bounds_give_the_same_hits(large: Collection, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    forest, chosen = large_forest(seed, WORDS), random_weights(seed, WORDS)
    expected = search_forced(forest, large.index, chosen, 30)
    unspanned = replace(forest, span=np.zeros_like(forest.span))
    for other in (without(forest, "lex"), without(forest, "align"), without(unspanned, "lex", "align")):
        assert search_forced(other, large.index, chosen, 30) == expected
    monkeypatch.setattr(ForcedQuery, "bound", property(lambda query: query.exact))
    assert search_forced(forest, large.index, chosen, 30) == expected


# --- single documents ---


@given(forest=forests(), collection=collections(), chosen=weights(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=80)
def test_scores_of_documents(forest: Forest, collection: Collection, chosen: TermWeights, seed: int) -> None:
    """In any order; what has none of the terms gets the score of the best translation."""
    index, texts = collection
    names = np.random.default_rng(seed).permutation(sorted(texts.bags)).tolist()
    expected = forced_scores(forest, texts, chosen)
    found = score_documents(forest, index, chosen, [index.number(name) for name in names], texts.bm25)
    assert found == pytest.approx([expected[name] for name in names], abs=1e-8)
    best = float(inside(forest)[-1])
    without_terms = set(texts.bags) - set(sharing(forest_terms(forest, texts), texts))
    assert all(expected[name] == pytest.approx(best, abs=1e-8) for name in without_terms)


def test_a_document_may_be_asked_for_twice() -> None:
    forest = random_forest(2)
    once = score_documents(forest, SOME.index, TermWeights(), range(SOME.index.slots))
    twice = score_documents(forest, SOME.index, TermWeights(), [*range(SOME.index.slots)] * 2)
    assert len(set(once)) > 3
    assert twice.tolist() == [*once.tolist()] * 2


def test_documents_that_are_not_there() -> None:
    forest = random_forest(2)
    assert score_documents(forest, SOME.index, TermWeights(), []).tolist() == []
    for number in (-1, SOME.index.slots):  # -1 is what an index says of an unknown id
        with pytest.raises(IndexError, match=f"document {number}"):
            score_documents(forest, SOME.index, TermWeights(), [0, number])
