"""The search space of phrase-based decoding against sets of words: its cells and items, and what is left to do."""

from __future__ import annotations

from functools import cache
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.decode.parse import NONE
from crossbow.decode.reorder import Options, Space, find_options, future_scores, reorder

AXIOM, GOAL = 98, 99
State = tuple[frozenset[int], int]  # words that are translated, and where the last phrase ended


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, int]], int]:
    """A number of words, options (begin, end, pattern) with one for every word, and a limit."""
    n = draw(st.integers(1, 7))
    spans = [(i, j) for i in range(n) for j in range(i + 2, n + 1)]
    longer = draw(st.lists(st.sampled_from(spans), max_size=6)) if spans else []
    rows = sorted([*((i, i + 1) for i in range(n)), *longer])
    return n, [(i, j, number) for number, (i, j) in enumerate(rows)], draw(st.integers(0, 4))


def options_of(n: int, rows: list[tuple[int, int, int]]) -> Options:
    table = np.array(rows, np.int32)
    return Options(np.searchsorted(table[:, 0], np.arange(n + 1)).astype(np.int32), table[:, 1].copy(),
                   table[:, 2].copy())


def first_gap(n: int, done: frozenset[int]) -> int:
    return min(set(range(n + 1)) - done)


def steps(n: int, rows: list[tuple[int, int, int]], limit: int) -> dict[State, list[tuple[State, int, int, int]]]:
    """All states that can be reached, each with its next ones, the patterns, where these begin and the jumps."""
    found: dict[State, list[tuple[State, int, int, int]]] = {}
    waiting: list[State] = [(frozenset(), 0)]
    while waiting:
        state = waiting.pop()
        if state in found:
            continue
        (done, last), found[state] = state, []
        gap = first_gap(n, done)
        for i, j, pattern in rows:
            if not done & set(range(i, j)) and abs(i - last) <= limit and (i == gap or j - gap <= limit):
                after = done | set(range(i, j)), j
                found[state].append((after, pattern, i, abs(i - last)))
                waiting.append(after)
    return found


def states_of(n: int, space: Space) -> list[State]:
    """What each cell but the goal stands for; where its last phrase ended is known from an item."""
    chart = space.chart
    states = []
    for cell, (gap, mask) in enumerate(zip(space.gap.tolist()[:-1], space.mask.tolist())):
        done = frozenset(range(gap)) | {gap + 1 + bit for bit in range(n) if mask >> bit & 1}
        item = chart.starts[cell]
        tail = states[chart.tails[item, 0]][0] if chart.tails[item, 0] != NONE else frozenset()
        states.append((done, max(done - tail, default=-1) + 1))
    return states


@given(problems())
@settings(deadline=None, max_examples=150)
def test_cells_and_items(problem: tuple[int, list[tuple[int, int, int]], int]) -> None:
    n, rows, limit = problem
    expected = steps(n, rows, limit)
    space = reorder(n, options_of(n, rows), limit, AXIOM, GOAL)
    chart, states = space.chart, states_of(n, space)
    assert len(set(states)) == len(states)
    assert set(states) == set(expected)
    found: dict[State, list[tuple[State, int, int, int]]] = {state: [] for state in states}
    goal = len(states)
    for item, (cell, pattern, tail, begin, jump) in enumerate(zip(
            chart.cell, chart.pattern, chart.tails[:, 0], chart.begin, chart.jump)):
        assert chart.starts[cell] <= item < chart.starts[cell + 1]
        if pattern == AXIOM:
            assert (cell, tail, jump) == (0, NONE, 0)
        elif pattern == GOAL:
            assert (cell, len(states[tail][0]), jump) == (goal, n, 0)
        else:
            found[states[tail]].append((states[cell], int(pattern), int(begin), int(jump)))
    assert {state: sorted(after, key=str) for state, after in found.items()} == {
        state: sorted(after, key=str) for state, after in expected.items()}
    assert all(after for state, after in found.items() if len(state[0]) < n)  # nobody is stuck
    assert chart.span.tolist() == [[0, max(done, default=-1) + 1] for done, _ in states] + [[0, n]]
    sizes = [len(done) for done, _ in states]
    assert sizes == sorted(sizes)
    assert np.diff(chart.stacks).tolist() == [*(len(list(group)) for _, group in groupby(sizes)), 1]


@given(problems(), st.integers(0, 99), st.sampled_from([0.0, -0.3]))
@settings(deadline=None, max_examples=100)
def test_what_is_left_to_do(problem: tuple[int, list[tuple[int, int, int]], int], seed: int, weight: float) -> None:
    n, rows, limit = problem
    best = np.random.default_rng(seed).normal(-2.0, 2.0, len(rows))
    options = options_of(n, rows)
    space = reorder(n, options, limit, AXIOM, GOAL)

    @cache
    def value(begin: int, end: int) -> float:
        if begin == end:
            return 0.0
        return max((best[k] + value(j, end) for k, (i, j, _) in enumerate(rows) if i == begin and j <= end),
                   default=-np.inf)

    expected = []
    for done, last in states_of(n, space):
        left = [i for i in range(n) if i not in done]
        runs = [[i for _, i in run] for _, run in groupby(enumerate(left), lambda pair: pair[1] - pair[0])]
        total, at = 0.0, last
        for run in runs:
            total += value(run[0], run[-1] + 1) + weight * abs(run[0] - at)
            at = run[-1] + 1
        # Words that are translated behind the last run count too, as if the sentence went on behind them.
        behind = max(done, default=-1) + 1 - at if runs else 0
        expected.append(total + weight * max(0, behind))
    assert future_scores(n, space, options, best, weight) == pytest.approx([*expected, 0.0])


def test_where_phrases_fit() -> None:
    sentence = np.array([0, 1, 0, 1, 2], np.int32)
    patterns: list[list[int]] = [[0], [0, 1], [1, 0, 1], [2], [], [3]]
    starts = np.cumsum([0, *map(len, patterns)]).astype(np.int32)
    words = np.array([word for pattern in patterns for word in pattern], np.int32)
    options = find_options(sentence, starts, words)
    found = [(i, int(options.end[k]), int(options.pattern[k]))
             for i in range(5) for k in range(options.starts[i], options.starts[i + 1])]
    assert found == [(0, 1, 0), (0, 2, 1), (1, 4, 2), (2, 3, 0), (2, 4, 1), (4, 5, 3)]
