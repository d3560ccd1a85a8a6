"""Forests composed: sentences side by side, systems one or the other; parts found again; rankings stay exact."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.forest.compose import joined, part, parts_of, united
from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.ranking.config import Forced, SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.weights import TermWeights
from reference.decode import derivations
from reference.forests import Edge, forest_of, forests, random_forest
from reference.ranking import (
    check_hits,
    forced_scores,
    forest_terms,
    random_collection,
    ranked,
    sharing,
    weights,
)
from searching import everything, explain, search_forests

SOME = random_collection(4, 40, segments=2)
SENTENCES = st.lists(forests(max_nodes=4, max_derivations=20), min_size=1, max_size=3)


def listed(forest: Forest) -> Counter[tuple[tuple[str, ...], float]]:
    return Counter((tuple(one.words), round(one.score, 9)) for one in derivations(forest))


@given(sentences=SENTENCES)
@settings(deadline=None, max_examples=150)
def test_derivations_are_one_of_each(sentences: list[Forest]) -> None:
    whole = joined(sentences)
    every = [derivations(forest) for forest in sentences]
    assert listed(whole) == Counter(
        (tuple(word for one in row for word in one.words), round(sum(one.score for one in row), 9))
        for row in product(*every))  # fmt: skip
    assert whole.source == [word for forest in sentences for word in forest.source]
    assert forest_line(parse_forest(forest_line(whole))) == forest_line(whole)  # the reader finds nothing wrong with it


@given(sentences=SENTENCES)
@settings(deadline=None, max_examples=100)
def test_positions_are_those_of_the_whole(sentences: list[Forest]) -> None:
    whole = joined(sentences)
    edge = position = 0
    for forest in sentences:
        for e in range(forest.edges):
            for name in ("lex", "align"):
                rows, starts = getattr(forest, name), getattr(forest, f"{name}_starts")
                found, places = getattr(whole, name), getattr(whole, f"{name}_starts")
                moved = rows[starts[e] : starts[e + 1]] + (np.array([position, 0]) if name == "align" else position)
                assert found[places[edge + e] : places[edge + e + 1]].tolist() == moved.tolist()
            assert whole.span[edge + e].tolist() == (forest.span[e] + position).tolist()
        edge += forest.edges
        position += len(forest.source)


def test_one_sentence_stays_as_it_is() -> None:
    forest = random_forest(3)
    assert joined([forest]) is forest


@given(sentences=SENTENCES, chosen=weights(), k=st.sampled_from([1, 5, 1000]))
@settings(deadline=None, max_examples=150)
def test_rankings_by_the_sum_of_scores(sentences: list[Forest], chosen: TermWeights, k: int) -> None:
    """All documents that share a term with any sentence, none of them at the floor of a list."""
    index, texts = SOME
    config = everything(join=True, k=k, weights=chosen)
    found = search_forests(sentences, index, None, config)
    scores = [forced_scores(forest, texts, chosen) for forest in sentences]
    terms = {term for forest in sentences for term in forest_terms(forest, texts)}
    check_hits(found, ranked({doc: sum(each[doc] for each in scores) for doc in sharing(terms, texts)}, k))
    for hit in found[:2]:
        explanation = explain(sentences, index, hit.doc, config)
        assert len(explanation.sentences) == 1
        assert explanation.score == pytest.approx(hit.score, abs=1.1e-6)
        terms_found = Searcher(None, index, config).prepare(sentences).terms(index.number(hit.doc))
        assert set(terms_found) == {m.term for step in explanation.sentences[0].steps for m in step.matches}


def test_other_methods_join_sentences_anyway() -> None:
    sentences = [random_forest(1), random_forest(2)]
    for method in ("dt", "psq", "expected"):
        config = SearchConfig(method)
        assert search_forests(sentences, SOME.index, None, config) == search_forests(
            sentences, SOME.index, None, replace(config, bowfd=Forced(join=True)))  # fmt: skip


SYSTEMS = st.lists(forests(max_nodes=5, max_derivations=40), min_size=2, max_size=3)


def of_one_sentence(made: list[Forest]) -> list[Forest]:
    """The forests as what several systems make of one sentence: with as many tokens as the longest has."""
    source = [f"s{position}" for position in range(max(len(forest.source) for forest in made))]
    return [replace(forest, source=source) for forest in made]


@given(made=SYSTEMS, priors=st.lists(st.sampled_from([0.0, -1.5, 2.0]), min_size=3, max_size=3))
@settings(deadline=None, max_examples=150)
def test_derivations_are_those_of_one_system_or_another(made: list[Forest], priors: list[float]) -> None:
    """Each with its loss against its own system's best, and what the system is given."""
    systems = of_one_sentence(made)
    whole = united(systems, priors[: len(systems)])
    expected: Counter[tuple[tuple[str, ...], float]] = Counter()
    for forest, prior in zip(systems, priors):
        rows = derivations(forest)
        expected.update((tuple(one.words), round(one.score - rows[0].score + prior, 9)) for one in rows)
    assert listed(whole) == expected
    assert whole.source == systems[0].source
    assert forest_line(parse_forest(forest_line(whole))) == forest_line(whole)


def test_systems_must_speak_of_the_same_sentence() -> None:
    forest = random_forest(1)
    with pytest.raises(CrossbowError, match="different sentences cannot be united"):
        united([forest, replace(forest, source=[*forest.source, "more"])])


@given(made=SYSTEMS, other=forests(max_nodes=4, max_derivations=20))
@settings(deadline=None, max_examples=100)
def test_parts_are_found_again(made: list[Forest], other: Forest) -> None:
    systems = of_one_sentence(made)
    either = united(systems)
    found = [part(either, *nodes) for nodes in parts_of(either)]
    assert [listed(one) for one in found] == [listed(one) for one in systems]
    whole = joined([either, other])
    first, second = (part(whole, *nodes) for nodes in parts_of(whole))
    assert (listed(first), listed(second)) == (listed(either), listed(other))
    assert [listed(part(first, *nodes)) for nodes in parts_of(first)] == [listed(one) for one in systems]


def test_an_ordinary_forest_has_no_parts() -> None:
    """Its goal has words, or its tails share what lies below them, or there is only one."""
    edges = [Edge(0, [], 0.0, ["a"]), Edge(1, [0], 0.0, ["b", 0]), Edge(2, [0], 0.0, [0]), Edge(3, [1], 0.0, [0]),
             Edge(3, [2], 0.0, [0])]
    assert parts_of(forest_of(edges, ["s"])) == []
    assert parts_of(forest_of([Edge(0, [], 0.0, ["a"]), Edge(1, [0], 0.0, [0])], ["s"])) == []
    assert parts_of(forest_of([Edge(0, [], 0.0, ["a"]), Edge(1, [], 0.0, ["b"]), Edge(2, [0, 1], 0.0, [0, "c", 1])],
                              ["s"])) == []
    assert parts_of(forest_of([Edge(0, [], 0.0, ["a"])], ["s"])) == []


@given(made=SYSTEMS, other=forests(max_nodes=4, max_derivations=20), chosen=weights(), k=st.sampled_from([1, 5, 1000]))
@settings(deadline=None, max_examples=150)
def test_rankings_of_several_systems_are_exact(made: list[Forest], other: Forest, chosen: TermWeights, k: int) -> None:
    """As if every derivation of every system were scored in every document; also in one of several sentences."""
    index, texts = SOME
    either = united(of_one_sentence(made), [0.0, -0.5, 0.25][: len(made)])
    for whole in (either, joined([either, other])):
        scores = forced_scores(whole, texts, chosen)
        hits = search_forests([whole], index, None, everything(k=k, weights=chosen))
        check_hits(hits, ranked({doc: scores[doc] for doc in sharing(forest_terms(whole, texts), texts)}, k))
