"""From forests to programs: the exact one has the forest's derivations, the one by spans is never below it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.forced.lower import WordTerms, exact_program, span_program
from crossbow.ranking.forced.potentials import pushed_down, reduced
from crossbow.ranking.forced.program import Program, undominated
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from reference.decode import derivations
from reference.forests import Edge, forest_of, forests
from reference.ranking import TOKENS, VOCABULARY, Texts, index_of, program_derivations, program_value

EVERYTHING = index_of([Doc("all", " ".join(VOCABULARY))])
NOTHING = index_of([Doc("none", "x")])


def exact(forest: Forest) -> Program:
    return reduced(exact_program(forest, WordTerms.of(forest, EVERYTHING)))[0]


# --- terms ---


def test_terms_of_words() -> None:
    english = index_of([Doc("d", "houses in text mode")], Analyzer(Settings("en")))
    edges = [Edge(0, [], 0.0, ["house", "the", "lake", "Text-Mode", ",", "houses"])]
    forest = forest_of(edges, ["s"])
    terms = WordTerms.of(replace(forest, words=[*forest.words, "modes"]), english)  # the last is in no edge
    assert terms.names == ["hous", "text", "mode"]
    assert terms.starts.tolist() == [0, 1, 1, 1, 3, 3, 4, 4]
    assert terms.terms.tolist() == [0, 1, 2, 0]
    assert terms.starts.dtype == terms.terms.dtype == np.int32


def test_terms_of_deleted_documents_do_not_count() -> None:
    index = index_of([Doc("d", "a b"), Doc("e", "b")], dead=frozenset(["d"]))
    assert WordTerms.of(forest_of([Edge(0, [], 0.0, ["a", "b"])], ["s"]), index).names == ["b"]


@pytest.mark.parametrize("target", [[], ["c"], ["unheard"]], ids=str)
def test_no_terms(target: list[str | int]) -> None:
    forest = forest_of([Edge(0, [], -2.0, target), Edge(1, [0], 0.5, [0, *target])], ["s"])
    terms = WordTerms.of(forest, EVERYTHING)
    program, best = reduced(exact_program(forest, terms))
    assert (terms.names, program.leaves, best) == ([], 0, -1.5)
    assert program_value(program, []) == 0


# --- the exact program ---


@given(forests())
@settings(deadline=None, max_examples=100)
def test_exact_programs_have_the_derivations_of_the_forest(forest: Forest) -> None:
    terms, texts = WordTerms.of(forest, EVERYTHING), Texts([], TOKENS)
    found = Counter((round(-cost, 6), frozenset((terms.names[t], n) for t, n in leaves.items()))
                    for cost, leaves in program_derivations(exact_program(forest, terms)))  # fmt: skip
    assert found == Counter((round(d.score, 6), frozenset(Counter(texts.terms(d.words)).items()))
                            for d in derivations(forest))  # fmt: skip


def test_an_index_without_the_terms() -> None:
    forest = forest_of([Edge(0, [], 0.0, ["a", "x"])], ["s"])
    assert WordTerms.of(forest, NOTHING).names == ["x"]
    assert exact_program(forest, WordTerms.of(forest, NOTHING)).operands.tolist() == [0]


# --- by spans ---


@given(forest=forests(), seed=st.integers(0, 10**6), negative=st.booleans())
@settings(deadline=None, max_examples=200)
def test_spans_are_never_below_the_exact_value(forest: Forest, seed: int, negative: bool) -> None:
    program, rng = exact(forest), np.random.default_rng(seed)
    bound = span_program(forest, pushed_down(program))
    if bound is None:
        return
    bound = undominated(bound, np.full(program.leaves, not negative))
    assert (np.minimum.reduceat(bound.cost, bound.first[:-1]) == 0).all()
    for _ in range(5):
        leaf = rng.normal(0, 2, program.leaves) if negative else rng.exponential(2, program.leaves)
        assert program_value(bound, leaf) >= program_value(program, leaf) - 1e-9
    assert program_value(bound, np.zeros(program.leaves)) == 0


def test_nodes_of_a_span_become_one() -> None:
    """Two nodes of the first word, as if the language model told them apart, and one of the second."""
    edges = [Edge(0, [], 0.0, ["a"], (0, 1)), Edge(1, [], 0.0, ["b"], (0, 1)), Edge(2, [], 0.0, ["ä"], (1, 2)),
             Edge(3, [0, 2], 0.0, [0, 1], (0, 2)), Edge(3, [1, 2], -4.0, [0, 1], (0, 2))]  # fmt: skip
    forest = forest_of(edges, ["s", "t"])
    program = exact(forest)
    bound = span_program(forest, program)
    assert bound is not None
    assert bound.nodes == 3
    assert program_value(program, [0, 9, 0]) == 5  # b costs 4
    assert program_value(bound, [0, 9, 0]) == 9  # which is forgotten,
    tight = span_program(forest, pushed_down(program))
    assert tight is not None
    assert program_value(tight, [0, 9, 0]) == 5  # unless it is charged where b is


def test_nodes_above_each_other_stay_apart() -> None:
    edges = [Edge(0, [], 0.0, ["a"]), Edge(1, [0], 0.0, [0, "b"]), Edge(2, [1], 0.0, [0])]
    bound = span_program(forest_of(edges, ["s"]), exact(forest_of(edges, ["s"])))
    assert bound is not None
    assert bound.nodes == 3
    assert program_value(bound, [1.0, 2.0]) == 3


@pytest.mark.parametrize("edges", [
    [Edge(0, [], 0.0, ["a"], (0, 2)), Edge(0, [], 0.0, ["b"], (0, 1)), Edge(1, [0], 0.0, [0], (0, 2))],
    [Edge(0, [], 0.0, ["a"], (0, 2)), Edge(1, [0], 0.0, [0], (0, 1))],
    [Edge(0, [], 0.0, ["a"], (0, 2)), Edge(1, [], 0.0, ["b"], (1, 2))],
], ids=["two spans in a node", "a tail wider than its head", "the goal is not the widest"])  # fmt: skip
def test_spans_that_do_not_allow_it(edges: list[Edge]) -> None:
    forest = forest_of(edges, ["s", "t"])
    assert span_program(forest, exact(forest)) is None


def test_an_empty_source() -> None:
    forest = forest_of([Edge(0, [], 0.0, ["a"], (0, 0)), Edge(1, [0], 0.0, [0], (0, 0))], [])
    bound = span_program(forest, exact(forest))
    assert bound is not None
    assert program_value(bound, [2.0]) == 2
