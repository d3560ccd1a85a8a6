"""The cascade: values of single documents, and the best ones found without valuing them all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.forest.nbest import Hypothesis, nbest_forest
from crossbow.ranking import topk
from crossbow.ranking.forced import cascade
from crossbow.ranking.forced.cascade import best_documents, value
from crossbow.ranking.forced.lower import span_program
from crossbow.ranking.forced.positions import position_program
from crossbow.ranking.forced.potentials import pushed_down
from crossbow.ranking.forced.program import Program, offsets
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.records import Doc
from crossbow.weights import TermWeights
from reference.forests import Edge, forest_of, forests
from reference.ranking import (
    Collection,
    Texts,
    collections,
    forced_scores,
    index_of,
    inside_scores,
    large_forest,
    random_docs,
    random_weights,
    weights,
)

WORDS = [f"w{n}" for n in range(25)]
SIZE = 2600  # more than two blocks


@pytest.fixture(scope="module")
def large() -> Collection:
    """Enough documents for several blocks and for lists much longer than what is asked for."""
    docs = [*random_docs(1, SIZE, 12, WORDS[:8]), *random_docs(2, SIZE // 8, 30, WORDS)]
    docs = [doc._replace(id=f"{doc.id}-{at % 7}-{at}") for at, doc in enumerate(docs)]
    dead = frozenset(doc.id for doc in docs[::11])
    return Collection(index_of(docs, segments=2, dead=dead), Texts([doc for doc in docs if doc.id not in dead]))


@pytest.fixture
def valued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many documents the cascade values at a time."""
    counts: list[int] = []

    def count(parts: Sequence, weight: np.ndarray, exact: Program, docs: np.ndarray) -> np.ndarray:
        counts.append(len(docs))
        return value(parts, weight, exact, docs)

    monkeypatch.setattr(cascade, "value", count)
    return counts


def everything(collection: Collection, query: ForcedQuery) -> dict[int, float]:
    """The values of all documents that are not deleted and have a term, by number."""
    found = set()
    for part in query.parts:
        for begin, end in zip(part.begin.tolist(), part.end.tolist()):
            found |= {part.base + d for d in part.docs[begin:end].tolist() if part.alive[d]}
    numbers = np.array(sorted(found), np.int64)
    return dict(zip(numbers.tolist(), value(query.parts, query.weight, query.exact, numbers).tolist()))


def check_best(docs: np.ndarray, gains: np.ndarray, expected: dict[int, float], k: int) -> None:
    """True values, no document twice, and all that could be rounded to one of the k best."""
    found = dict(zip(docs.tolist(), gains.tolist()))
    assert len(found) == len(docs)
    assert found == pytest.approx({d: expected[d] for d in found}, abs=1e-9)
    least = sorted(expected.values(), reverse=True)[min(k, len(expected)) - 1] if expected else 0.0
    assert {d for d, gain in expected.items() if gain > least - 1e-6} <= set(found)


# --- values ---


@given(forest=forests(), collection=collections(), chosen=weights())
@settings(deadline=None, max_examples=80)
def test_values(forest: Forest, collection: Collection, chosen: TermWeights) -> None:
    index, texts = collection
    query = ForcedQuery(forest, index, chosen, texts.bm25)
    numbers = {index.number(name): name for name in texts.bags}
    docs = np.array(sorted(numbers), np.int64)
    gains = value(query.parts, query.weight, query.exact, docs)
    expected = forced_scores(forest, texts, chosen)
    assert query.best + gains == pytest.approx([expected[numbers[d]] for d in docs.tolist()], abs=1e-8)


@pytest.mark.parametrize("step", [1, 3, 50, 700, SIZE])
def test_values_of_few_and_of_many(large: Collection, step: int) -> None:
    """For few documents long lists are searched by leaps, for many they are read."""
    index, texts = large
    forest = large_forest(5, WORDS)
    query = ForcedQuery(forest, index, TermWeights(v=2.0))
    expected = everything(large, query)
    docs = np.arange(step // 2, index.slots, step)
    gains = value(query.parts, query.weight, query.exact, docs)
    assert [g for d, g in zip(docs.tolist(), gains) if d in expected] == pytest.approx(
        [expected[d] for d in docs.tolist() if d in expected], abs=1e-9)  # fmt: skip
    some = {index.id(d): query.best + g for d, g in zip(docs.tolist(), gains) if d in expected and d % 40 < 3}
    assert some == pytest.approx(inside_scores(forest, texts, TermWeights(v=2.0), some), abs=1e-8)


def test_no_documents(large: Collection) -> None:
    query = ForcedQuery(large_forest(5, WORDS), large.index, TermWeights())
    assert value(query.parts, query.weight, query.exact, np.zeros(0, np.int64)).tolist() == []


# --- the best ---


@given(forest=forests(), collection=collections(), chosen=weights(), k=st.sampled_from([1, 2, 3, 7, 100]),
       batch=st.sampled_from([1, 2, 256]), sample=st.sampled_from([1, 9, 4096]))  # fmt: skip
@settings(deadline=None, max_examples=150)
def test_the_best_of_few(
    forest: Forest, collection: Collection, chosen: TermWeights, k: int, batch: int, sample: int
) -> None:
    query = ForcedQuery(forest, collection.index, chosen, collection.texts.bm25)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cascade, "BATCH", batch)
        patch.setattr(topk, "SAMPLE", sample)
        found = best_documents(query.parts, query.weight, query.bound, query.exact, k)
    check_best(*found, everything(collection, query), k)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_of_many(large: Collection, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By every bound, with batches so small that the threshold rises often."""
    forest = large_forest(seed, WORDS, ["positions", "positions", "neither"][seed % 3])
    query = ForcedQuery(forest, large.index, random_weights(seed, WORDS))
    expected = everything(large, query)
    pushed = pushed_down(query.exact)
    bounds = [query.bound, span_program(forest, pushed), query.exact]
    for k, batch in ((1, 1), (10, 3), (300, 256), (10**6, 256)):
        monkeypatch.setattr(cascade, "BATCH", batch)
        for bound in (bound for bound in bounds if bound is not None):
            check_best(*best_documents(query.parts, query.weight, bound, query.exact, k), expected, k)


def test_most_documents_are_never_valued(large: Collection, valued: list[int]) -> None:
    """Each document at most once, and few of them, for a forest that tells documents apart."""
    total = 0
    for seed, bound in enumerate(["positions", "spans"] * 4):
        forest = large_forest(seed, WORDS, bound)
        query = ForcedQuery(forest, large.index, TermWeights(v=3.0))
        before = sum(valued)
        best_documents(query.parts, query.weight, query.bound, query.exact, 10)
        assert sum(valued) - before <= len(everything(large, query))
        total += len(everything(large, query))
    assert sum(valued) < total / 4


def test_lattices_are_their_own_bound(large: Collection) -> None:
    """Their edges all have one span, and words that look at the same source word lie in several arcs of a path."""
    listed = [Hypothesis([f"w{(3 * n + at) % 25}" for at in range(4)], -float(n), [(0, 0), (0, 1), (1, 2), (0, 3)])
              for n in range(6)]  # fmt: skip
    listed += [one._replace(words=[*one.words[:3], "w9"], score=one.score - 0.5) for one in listed]
    forest = nbest_forest("q", listed, ["s", "t"])
    query = ForcedQuery(forest, large.index, TermWeights(v=3.0))
    assert position_program(forest, query.terms, pushed_down(query.exact)) is None
    assert query.bound is query.exact
    check_best(*query.best_documents(10), everything(large, query), 10)


def one_node(leaves: int, *edges: tuple[float, list[int]]) -> Program:
    flat = np.array([row for _, operands in edges for row in operands], np.int32)
    return Program(leaves, np.array([0, len(edges)], np.int32), offsets([len(operands) for _, operands in edges]),
                   flat, np.array([cost for cost, _ in edges]))  # fmt: skip


def test_bounds_may_be_off_by_their_rounding() -> None:
    """Millions come and go in the bound, so that float32 loses what tells the documents apart."""
    docs = [Doc(f"{term}{tf}", f"{term} " * tf + "x z " + "y " * (60 - tf)) for tf in range(25, 60) for term in "ab"]
    index = index_of([*docs, *(Doc(f"other{n}", "y " * 62) for n in range(80))])
    query = ForcedQuery(forest_of([Edge(0, [], 0.0, [term]) for term in "abxz"], ["s"]), index, TermWeights(v=1.0))
    constant = query.parts[0].saturation[query.parts[0].begin[2]]
    exact, rng = one_node(4, (0.0, [0]), (0.0, [1])), np.random.default_rng(3)
    for _ in range(100):
        weight = np.array([1.0, 1.0, *rng.uniform(1e6, 4e6, 2)])
        low, high = weight[2:] * constant
        bound = one_node(4, (low, [0, 2]), (high, [1, 3]), (0.0, []))
        numbers = np.arange(len(docs))
        expected = dict(enumerate(value(query.parts, weight, exact, numbers).tolist()))
        for k in (1, 2, 9):
            check_best(*best_documents(query.parts, weight, bound, exact, k), expected, k)


def test_what_rounds_to_the_same_score_as_the_last_is_there() -> None:
    """The bound of one document is tight and below the value of the other, but by less than the sixth decimal."""
    index = index_of([Doc("d1", "a a b"), Doc("d2", "a a y y"), *(Doc(f"d{n}", "y") for n in range(3, 9))])
    query = ForcedQuery(forest_of([Edge(0, [], 0.0, ["a", "b"])], ["s"]), index, TermWeights())
    one, two = value(query.parts, np.array([1.0, 0.0]), one_node(2, (0.0, [0])), np.arange(2)).tolist()
    weight = np.array([6e-7 / (one - two), 1.0])
    docs, _ = best_documents(query.parts, weight, one_node(2, (0.0, [0, 1])), one_node(2, (0.0, [0])), 1)
    assert docs.tolist() == [0, 1]


def test_ties_with_the_last_are_all_there(large: Collection) -> None:
    """With a weight of 0 every document has the same value, so none may be left out."""
    query = ForcedQuery(large_forest(3, WORDS), large.index, TermWeights(v=0.0))
    docs, gains = best_documents(query.parts, query.weight, query.exact, query.exact, 5)
    assert sorted(docs.tolist()) == sorted(everything(large, query))
    assert (gains == 0).all()
