"""Costs that are moved: every derivation keeps its total, and no cost becomes negative."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import inside
from crossbow.ranking.forced.lower import WordTerms, exact_program
from crossbow.ranking.forced.potentials import pushed_down, reduced
from crossbow.ranking.forced.program import Program
from crossbow.records import Doc
from reference.forests import Edge, forest_of, forests
from reference.ranking import VOCABULARY, index_of, program_derivations

INDEX = index_of([Doc("all", " ".join(VOCABULARY))])


def exact(forest: Forest) -> Program:
    return exact_program(forest, WordTerms.of(forest, INDEX))


def totals(program: Program) -> list[float]:
    return [cost for cost, _ in program_derivations(program)]


@given(forests())
@settings(deadline=None, max_examples=100)
def test_reduced(forest: Forest) -> None:
    program = exact(forest)
    before = program.cost.copy()
    losses, best = reduced(program)
    assert best == pytest.approx(inside(forest)[-1], abs=1e-9)
    assert totals(losses) == pytest.approx([best + cost for cost in totals(program)], abs=1e-9)
    assert losses.cost.min() >= 0
    assert np.minimum.reduceat(losses.cost, losses.first[:-1]).max() == 0
    assert (program.cost == before).all()
    again, nothing = reduced(losses)
    assert nothing == 0
    assert again.cost == pytest.approx(losses.cost, abs=1e-9)


@given(forests())
@settings(deadline=None, max_examples=100)
def test_pushed_down(forest: Forest) -> None:
    losses, _ = reduced(exact(forest))
    before = losses.cost.copy()
    pushed = pushed_down(losses)
    assert totals(pushed) == pytest.approx(totals(losses), abs=1e-9)
    assert pushed.cost.min() >= 0
    assert (losses.cost == before).all()


def test_what_the_language_model_charges_above_is_paid_below() -> None:
    """Two translations that cost nothing themselves; what is above dislikes the second."""
    edges = [Edge(0, [], 0.0, ["a"]), Edge(1, [], 0.0, ["b"]), Edge(2, [0], 0.0, [0]), Edge(2, [1], -3.0, [0])]
    assert pushed_down(exact(forest_of(edges, ["s"]))).cost.tolist() == [0.0, 3.0, 0.0, 0.0]


def test_the_least_of_all_users_is_moved() -> None:
    edges = [Edge(0, [], 0.0, ["a"]), Edge(1, [0], -5.0, [0]), Edge(2, [0], -3.0, [0]), Edge(3, [1], 0.0, [0]),
             Edge(3, [2], 0.0, [0]), Edge(3, [], 0.0, ["b"])]  # fmt: skip
    assert pushed_down(exact(forest_of(edges, ["s"]))).cost.tolist() == [3.0, 2.0, 0.0, 0.0, 0.0, 0.0]


def test_an_edge_that_uses_a_node_twice_pays_twice() -> None:
    edges = [Edge(0, [], 0.0, ["a"]), Edge(0, [], 0.0, ["b"]), Edge(1, [0, 0], -3.0, [0, 1]), Edge(1, [], 0.0, ["a"])]
    assert pushed_down(exact(forest_of(edges, ["s"]))).cost.tolist() == [1.5, 1.5, 0.0, 0.0]


def test_nodes_that_nothing_uses_keep_their_costs() -> None:
    edges = [Edge(0, [], -1.0, ["a"]), Edge(1, [], -2.0, ["b"])]
    assert pushed_down(exact(forest_of(edges, ["s"]))).cost.tolist() == [1.0, 2.0]
