"""Other spellings of words in a forest, against all derivations one by one."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.forest.respelled import respelled
from reference.decode import derivations
from reference.forests import Edge, forest_of, forests

LITERAL = -1.0


def translations(forest: Forest) -> list[tuple[tuple[str, ...], float]]:
    """The words and the score of every derivation."""
    return sorted((tuple(one.words), round(one.score, 9)) for one in derivations(forest))


def test_an_edge_gets_a_copy_for_each_spelling() -> None:
    forest = forest_of([Edge(0, [], -1.0, ["ロンドン"]), Edge(1, [0], -0.5, ["in", 0])], ["に", "ロンドン"])
    new = respelled(forest, {"ロンドン": [("london", 0.0), ("rondon", -1.25)]}, LITERAL)
    assert translations(new) == [(("in", "london"), -1.5), (("in", "rondon"), -2.75), (("in", "ロンドン"), -2.5)]
    assert forest_line(parse_forest(forest_line(new))) == forest_line(new)
    assert respelled(forest, {"other": [("word", 0.0)]}, LITERAL) is forest


@settings(max_examples=60)
@given(forests(max_derivations=50), st.floats(-3, 0))
def test_all_derivations_are_there_with_the_cost_of_their_spellings(forest: Forest, score: float) -> None:
    """Every edge of a derivation that has the word becomes it or its spelling."""
    word = forest.words[0] if forest.words else "none"
    new = respelled(forest, {word: [("spelled", score)]}, LITERAL)
    edges = [forest.target[a:b].tolist() for a, b in zip(forest.target_starts, forest.target_starts[1:])]
    having = {number for number, row in enumerate(edges) if 0 in row and forest.words}
    expected = [one.score + sum(costs) for one in derivations(forest)
                for costs in product((LITERAL, score), repeat=sum(edge in having for edge in one.edges))]
    assert new.edges == forest.edges + len(having)
    assert sorted(value for _, value in translations(new)) == pytest.approx(sorted(expected), abs=1e-6)
