"""The bound by source positions: never below the exact value, and not used where it could be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.forced.lower import WordTerms, exact_program
from crossbow.ranking.forced.positions import position_program
from crossbow.ranking.forced.potentials import pushed_down, reduced
from crossbow.ranking.forced.program import Program, undominated
from crossbow.records import Doc
from reference.forests import Edge, forest_of, forests
from reference.ranking import VOCABULARY, index_of, program_value, without

INDEX = index_of([Doc("all", " ".join(VOCABULARY))])


def both(forest: Forest) -> tuple[Program, Program | None]:
    """The exact program and the bound."""
    terms = WordTerms.of(forest, INDEX)
    program, _ = reduced(exact_program(forest, terms))
    return program, position_program(forest, terms, pushed_down(program))


def bounding(edges: list[Edge], source: list[str]) -> Program:
    bound = both(forest_of(edges, source))[1]
    assert bound is not None
    return bound


def check(forest: Forest, seed: int, negative: bool) -> None:
    program, bound = both(forest)
    if bound is None:
        return
    bound, rng = undominated(bound, np.full(program.leaves, not negative)), np.random.default_rng(seed)
    for _ in range(5):
        leaf = rng.normal(0, 2, program.leaves) if negative else rng.exponential(2, program.leaves)
        assert program_value(bound, leaf) >= program_value(program, leaf) - 1e-9
    assert program_value(bound, np.zeros(program.leaves)) == 0


LACKING = st.sets(st.sampled_from(["lex", "align"]))


@given(forest=forests(covering=True), seed=st.integers(0, 10**6), negative=st.booleans(), lacking=LACKING)
@settings(deadline=None, max_examples=200)
def test_positions_are_never_below_the_exact_value(
    forest: Forest, seed: int, negative: bool, lacking: set[str]
) -> None:
    check(without(forest, *lacking), seed, negative)


@given(forest=forests(covering=False), seed=st.integers(0, 10**6), negative=st.booleans(), lacking=LACKING)
@settings(deadline=None, max_examples=200)
def test_nor_where_lex_and_spans_are_anything(forest: Forest, seed: int, negative: bool, lacking: set[str]) -> None:
    check(without(forest, *lacking), seed, negative)


@given(forest=forests(covering=True))
@settings(deadline=None, max_examples=50)
def test_spans_tell_what_edges_translate(forest: Forest) -> None:
    """The same bound, as such forests have what spans leave in `lex`."""
    given_lex, found = both(forest)[1], both(without(forest, "lex"))[1]
    if not len(forest.lex):
        return
    assert (given_lex is None) == (found is None)
    for one, other in zip(given_lex or (), found or (), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_bound_by_hand() -> None:
    """A word with two translations, one with a single one, and a phrase for both."""
    edges = [Edge(0, [], 0.0, ["a"], (0, 1), (0,)), Edge(0, [], -1.0, ["b"], (0, 1), (0,)),
             Edge(1, [], 0.0, ["ä"], (1, 2), (1,)), Edge(2, [0, 1], 0.0, [0, 1], (0, 2)),
             Edge(2, [], -3.0, ["b", "日本"], (0, 2), (0, 1))]  # fmt: skip
    bound = bounding(edges, ["s", "t"])
    assert bound.nodes == 3  # two positions and the sum
    #                            a  b  ä  日本
    assert program_value(bound, [2, 0, 0, 0]) == 2
    assert program_value(bound, [2, 5, 0, 0]) == 4
    assert program_value(bound, [0, 0, 3, 4]) == 4  # 日本 has no links and goes to the first: 3 + 4 - 3
    assert program_value(bound, [0, 0, 0, 0.5]) == 0


def test_links_say_which_position_gets_a_term() -> None:
    """b is linked with the second word, so a phrase's b and the word's own b exclude each other."""
    word = Edge(1, [], -1.0, ["b"], (1, 2), (1,), ((1, 0),))
    edges = [Edge(0, [], 0.0, ["a"], (0, 1), (0,)), word, Edge(2, [0, 1], 0.0, [0, 1], (0, 2)),
             Edge(2, [], -1.0, ["a", "b"], (0, 2), (0, 1), ((0, 0), (1, 1)))]  # fmt: skip
    assert program_value(bounding(edges, ["s", "t"]), [0, 3]) == 3  # a derivation has one of the two
    unlinked = [edge._replace(align=()) for edge in edges]  # b meets the second word more often, and alone
    assert program_value(bounding(unlinked, ["s", "t"]), [0, 3]) == 3
    wrong = [edge._replace(align=((0, 0), (0, 1))) if len(edge.lex) > 1 else edge._replace(align=()) for edge in edges]
    assert program_value(bounding(wrong, ["s", "t"]), [0, 3]) > 3


def test_forests_whose_lex_does_not_bear_the_argument() -> None:
    low, high = Edge(0, [], 0.0, ["a"], (0, 1), (0,)), Edge(1, [0], 0.0, [0, "b"], (0, 2), (1,))
    assert both(forest_of([low, high], ["s", "t"]))[1] is not None
    wrong = {
        "an edge translates what its tail does": [low, high._replace(lex=(0, 1))],
        "two tails translate the same": [low, high._replace(tails=[0, 0], target=[0, "b", 1])],
        "a position twice in an edge": [low._replace(lex=(0, 0)), high],
        "terms without a position": [low, high._replace(lex=())],
    }
    for why, edges in wrong.items():
        assert both(forest_of(edges, ["s", "t"]))[1] is None, why
    same_span = [low._replace(lex=(), span=(0, 2)), high._replace(lex=())]
    assert both(forest_of(same_span, ["s", "t"]))[1] is None  # nothing is left for the upper edge's term


def test_only_words_that_are_terms_need_a_position() -> None:
    edges = [Edge(0, [], 0.0, ["c", "unheard"]), Edge(1, [0], 0.0, [0, "a"], (0, 1), (0,))]
    assert program_value(bounding(edges, ["s"]), [2.0]) == 2


@pytest.mark.parametrize("position", [0, 63, 64, 70, 127, 128])
def test_long_sentences(position: int) -> None:
    """Positions are bits of 64-bit words: those of the second and third count too."""
    source = ["s"] * 130
    low, high = Edge(0, [], 0.0, ["a"], lex=(position,)), Edge(1, [0], 0.0, [0, "b"], lex=(129,))
    assert program_value(bounding([low, high], source), [1.0, 2.0]) == 3
    assert both(forest_of([low, high._replace(lex=(129, position))], source))[1] is None


def test_no_terms_and_no_source() -> None:
    assert program_value(bounding([Edge(0, [], 0.0, ["c"], (0, 1), (0,))], ["s"]), []) == 0
    assert program_value(bounding([Edge(0, [], 0.0, [], (0, 0))], []), []) == 0
    assert both(forest_of([Edge(0, [], 0.0, ["a"], (0, 0))], []))[1] is None


def test_costs_of_edges_are_shared_out() -> None:
    """An edge with terms at two of its three positions: each of the two pays half."""
    phrase = Edge(0, [], -2.0, ["a", "b", "b"], (0, 3), (0, 1, 2), ((0, 0), (2, 1), (2, 2)))
    bound = bounding([phrase, Edge(0, [], 0.0, ["ä"], (0, 3), (0, 1, 2))], ["s", "t", "u"])
    assert program_value(bound, [3, 0, 0]) == 2
    assert program_value(bound, [0, 3, 0]) == 5
    assert program_value(bound, [3, 3, 0]) == 7


