"""Programs without their dominated edges: the same values, whatever the leaves are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.ranking.forced.program import Program, offsets, undominated
from reference.ranking import operands_of, program_value, programs


def program_of(leaves: int, *nodes: list[tuple[float, list[int]]]) -> Program:
    """Nodes as lists of costs and operands."""
    edges = [edge for node in nodes for edge in node]
    flat = np.array([row for _, operands in edges for row in operands], np.int32)
    return Program(leaves, offsets([len(node) for node in nodes]), offsets([len(operands) for _, operands in edges]),
                   flat, np.array([cost for cost, _ in edges]))  # fmt: skip


def kept(program: Program, *nonnegative: bool) -> list[tuple[float, list[int]]]:
    found = undominated(program, np.array(nonnegative, np.bool_))
    return [(float(found.cost[e]), operands_of(found, e)) for e in range(found.edges)]


@given(program=programs(), seed=st.integers(0, 10**6), negative=st.sampled_from([0.0, 0.3, 1.0]))
@settings(deadline=None, max_examples=200)
def test_values_stay(program: Program, seed: int, negative: float) -> None:
    rng = np.random.default_rng(seed)
    signs = np.where(rng.random(program.leaves) < negative, -1, 1)
    fewer = undominated(program, signs > 0)
    assert (fewer.leaves, fewer.nodes) == (program.leaves, program.nodes)
    assert fewer.edges <= program.edges
    assert (np.diff(fewer.first) > 0).all()
    for _ in range(8):
        leaf = signs * np.round(rng.exponential(1.0, program.leaves), rng.integers(0, 4)) * (rng.random() < 0.9)
        assert program_value(fewer, leaf) == pytest.approx(program_value(program, leaf), abs=1e-9)


def test_edges_that_another_makes_useless_go() -> None:
    node = [(1.0, [0]), (0.0, [0, 1]), (0.5, [1]), (0.0, []), (2.0, [1, 1]), (0.0, [1, 0])]
    assert sorted(kept(program_of(2, node), True, True)) == [(0.0, [0, 1]), (2.0, [1, 1])]


def test_a_term_that_can_be_negative_excuses_no_edge() -> None:
    """Each of these is best for some documents; what costs more and gives no more still goes."""
    node = [(0.0, []), (0.0, [0, 1]), (1.0, [0]), (2.0, [1, 1])]
    more = [(3.0, [0]), (0.0, [1, 0]), (2.0, [0, 1, 1])]
    assert sorted(kept(program_of(2, node), True, False)) == node
    assert sorted(kept(program_of(2, [*more, *node]), True, False)) == [*node[:3], (2.0, [0, 1, 1])]


def test_a_node_is_negative_if_what_is_below_it_can_be() -> None:
    below = [(0.0, [0])]
    above = [(0.0, [1, 2]), (1.0, [1])]  # 2 is the node
    assert len(kept(program_of(2, below, above), True, True)) == 2
    assert len(kept(program_of(2, below, above), False, True)) == 3


def test_more_than_64_rows() -> None:
    """Rows 3 and 67 share a bit of the mask that saves comparisons."""
    node = [(0.0, [3]), (0.0, [67]), (1.0, [3, 67]), (2.0, [67])]
    assert sorted(kept(program_of(70, node), *[True] * 70)) == [(0.0, [3]), (0.0, [67]), (1.0, [3, 67])]


def test_the_program_itself_is_left_alone() -> None:
    program = program_of(2, [(0.0, [1, 0]), (1.0, [1])])
    undominated(program, np.ones(2, np.bool_))
    assert program.operands.tolist() == [1, 0, 1]


def test_offsets() -> None:
    assert offsets([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert offsets([]).tolist() == [0]
    assert offsets([1]).dtype == np.int32
