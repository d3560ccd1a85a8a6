"""Sentences joined: derivations side by side, and rankings by the sum of exact scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.forest.join import joined
from crossbow.ranking.config import Forced, SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.weights import TermWeights
from reference.decode import derivations
from reference.forests import forests, random_forest
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
