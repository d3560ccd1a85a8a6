"""Cube pruning: fill the chart's cells with language-model states, best first, and keep every popped alternative.

Cells are filled stack by stack. Where a stack has several, their candidates compete under one pop limit, by what they
are worth together with an estimate of what the rest of the sentence will be worth.

A cell's candidates are its items, each a cube of (rule of the pattern, hypothesis of the first tail, of the second).
A heap yields them in order of score. A candidate enters with an estimate and is scored by the language model only when
it reaches the top; then it goes back, and when it reaches the top again it is popped for good: an edge of the forest.
Candidates of a cell with the same language-model state share a node. Each successor has one predecessor, so none is
pushed twice: (r, a, b) → (r, a, b + 1) or, where b = 0, (r, a + 1, 0) or, where a = b = 0, (r + 1, 0, 0).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I32, I64, U64
from crossbow.decode.parse import NONE
from crossbow.jit import helper, kernel, loop, maker
from crossbow.lm.state import add_state, add_word, begin_sentence, clear_state
from crossbow.lm.words import BEGIN
from crossbow.structures.growable import copy, enlarged, enlarged_rows
from crossbow.structures.heap import drop, push, replace
from crossbow.structures.table import find, fold, insert, mix

UNLIMITED = 1 << 40


class RuleTable(NamedTuple):
    """The rules as cube pruning reads them; those of pattern p are ranked[first[p]:first[p + 1]], best one first."""

    first: I32
    ranked: I32
    estimate: F64
    score: F64
    target_starts: I32
    target: I32


class Outlook(NamedTuple):
    """What candidates are worth in addition to their rules and tails."""

    jump: F64  # the score of each item's jump
    future: F64  # an estimate for what each cell leaves to be translated, in which candidates compete


class Hypotheses(NamedTuple):
    """What the chart holds: nodes with their state and inside score; per cell its nodes by falling score; the edges."""

    states: I32
    inside: F64
    cell: I32
    ranked: I32
    cell_first: I64
    cell_last: I64
    edges: I32  # (head, first tail, second tail, rule, item)
    edge_scores: F64  # (model score, language-model score)


class Beam(NamedTuple):
    """Work space for one cell: candidates (item, ranks of rule and tails), their scores and states, heap and table."""

    candidates: I32
    score: F64
    added: F64  # by the language model; NaN until known
    states: I32
    heap_scores: F64
    heap_items: I64
    keys: U64
    node_at: I32


@kernel
def estimate_rules(lm, order, target_starts, target, out):
    """The language-model score of each rule's own words, as far as they follow each other."""
    row = np.empty(2 * order, np.int32)
    for rule in range(target_starts.shape[0] - 1):
        total = 0.0
        clear_state(row, order)
        for k in range(target_starts[rule], target_starts[rule + 1]):
            if target[k] < 0:
                clear_state(row, order)
            elif target[k] == BEGIN:
                begin_sentence(row, order)
            else:
                total += add_word(lm, row, target[k])
        out[rule] = total


@helper
def _join(lm, order, target, begin, end, states, left, right, row):
    """The language-model score that joining a rule with its tails' hypotheses adds; `row` becomes the joint state."""
    total = 0.0
    clear_state(row, order)
    for k in range(begin, end):
        symbol = target[k]
        if symbol == BEGIN:
            begin_sentence(row, order)
        elif symbol >= 0:
            total += add_word(lm, row, symbol)
        elif k == begin:
            copy(states[left if symbol == -1 else right], 0, 2 * order, row, 0)
        else:
            total += add_state(lm, row, states[left if symbol == -1 else right])
    return total


@helper
def _node(hypotheses, cell, rank):
    """The hypothesis of that rank in a cell, NONE where there is no tail."""
    return NONE if cell == NONE else hypotheses.ranked[hypotheses.cell_first[cell] + rank]


@helper
def _below(hypotheses, left, right):
    """The inside score of the tails."""
    total = 0.0
    if left != NONE:
        total += hypotheses.inside[left]
    if right != NONE:
        total += hypotheses.inside[right]
    return total


@helper
def _propose(beam, rules, hypotheses, chart, outlook, count, size, item, rule, left, right):
    """Put the candidate (rule, left, right) of an item on the heap with its estimate; returns the heap's new size."""
    candidate = beam.candidates[count]
    candidate[0], candidate[1], candidate[2], candidate[3] = item, rule, left, right
    beam.added[count] = np.nan
    a = _node(hypotheses, chart.tails[item, 0], left)
    b = _node(hypotheses, chart.tails[item, 1], right)
    best = rules.ranked[rules.first[chart.pattern[item]] + rule]
    score = rules.estimate[best] + _below(hypotheses, a, b) + outlook.jump[item] + outlook.future[chart.cell[item]]
    return push(beam.heap_scores, beam.heap_items, size, score, count)


@helper
def _hypotheses_in(hypotheses, cell):
    return 1 if cell == NONE else hypotheses.cell_last[cell] - hypotheses.cell_first[cell]


@loop
def _fill_stack(lm, order, lm_weight, chart, rules, outlook, hypotheses, beam, stack, limit, nodes, edges):
    """Fill the cells of one stack; returns the new numbers of nodes and edges."""
    is_goal = stack == chart.stacks.shape[0] - 2
    count, size, pops = 0, 0, 0
    beam.keys[:] = 0
    for item in range(chart.starts[chart.stacks[stack]], chart.starts[chart.stacks[stack + 1]]):
        left, right = chart.tails[item, 0], chart.tails[item, 1]
        if _hypotheses_in(hypotheses, left) > 0 and _hypotheses_in(hypotheses, right) > 0:
            size = _propose(beam, rules, hypotheses, chart, outlook, count, size, item, 0, 0, 0)
            count += 1
    while size > 0 and pops < limit:
        c = beam.heap_items[0]
        item, r, x, y = beam.candidates[c]
        pattern = chart.pattern[item]
        left, right = chart.tails[item, 0], chart.tails[item, 1]
        a, b = _node(hypotheses, left, x), _node(hypotheses, right, y)
        rule = rules.ranked[rules.first[pattern] + r]
        below = _below(hypotheses, a, b)
        state = beam.states[c]
        if np.isnan(beam.added[c]):
            beam.added[c] = _join(lm, order, rules.target, rules.target_starts[rule], rules.target_starts[rule + 1],
                                  hypotheses.states, a, b, state)
            beam.score[c] = rules.score[rule] + lm_weight * beam.added[c] + outlook.jump[item]
            replace(beam.heap_scores, beam.heap_items, size,
                    beam.score[c] + below + outlook.future[chart.cell[item]], c)
            continue
        size = drop(beam.heap_scores, beam.heap_items, size)
        pops += 1
        if is_goal:
            clear_state(state, order)
        key = np.uint64(chart.cell[item])
        for k in range(2 * order - 1):
            key = fold(key, state[k])
        key = mix(key, state[2 * order - 1])
        slot = find(beam.keys, key)
        if slot < 0:
            slot = insert(beam.keys, key)
            beam.node_at[slot] = nodes
            copy(state, 0, 2 * order, hypotheses.states[nodes], 0)
            hypotheses.inside[nodes] = -np.inf
            hypotheses.cell[nodes] = chart.cell[item]
            nodes += 1
        node = beam.node_at[slot]
        hypotheses.inside[node] = max(hypotheses.inside[node], beam.score[c] + below)
        edge = hypotheses.edges[edges]
        edge[0], edge[1], edge[2], edge[3], edge[4] = node, a, b, rule, item
        hypotheses.edge_scores[edges, 0], hypotheses.edge_scores[edges, 1] = beam.score[c], beam.added[c]
        edges += 1
        if y + 1 < _hypotheses_in(hypotheses, right):
            size = _propose(beam, rules, hypotheses, chart, outlook, count, size, item, r, x, y + 1)
            count += 1
        if y == 0 and x + 1 < _hypotheses_in(hypotheses, left):
            size = _propose(beam, rules, hypotheses, chart, outlook, count, size, item, r, x + 1, 0)
            count += 1
        if y == 0 and x == 0 and rules.first[pattern] + r + 1 < rules.first[pattern + 1]:
            size = _propose(beam, rules, hypotheses, chart, outlook, count, size, item, r + 1, 0, 0)
            count += 1
    return nodes, edges


@helper
def _possible(chart, rules, hypotheses, stack):
    """How many candidates a stack has in all."""
    total = 0
    for item in range(chart.starts[chart.stacks[stack]], chart.starts[chart.stacks[stack + 1]]):
        pattern = chart.pattern[item]
        total += (
            (rules.first[pattern + 1] - rules.first[pattern])
            * _hypotheses_in(hypotheses, chart.tails[item, 0])
            * _hypotheses_in(hypotheses, chart.tails[item, 1])
        )
    return total


@maker
def _new_beam(candidates, nodes, order):
    """Work space for so many candidates and nodes."""
    slots = 64
    while slots < 2 * (nodes + 1):
        slots *= 2
    return Beam(
        np.empty((candidates, 4), np.int32), np.empty(candidates), np.empty(candidates),
        np.empty((candidates, 2 * order), np.int32), np.empty(candidates + 1), np.empty(candidates + 1, np.int64),
        np.empty(slots, np.uint64), np.empty(slots, np.int32),
    )


@maker
def _with_room(h, nodes, edges):
    """The hypotheses, copied into larger arrays if there is no room for so many nodes or edges."""
    if nodes <= h.inside.shape[0] and edges <= h.edges.shape[0]:
        return h
    used_nodes, used_edges = h.inside.shape[0], h.edges.shape[0]
    nodes, edges = 2 * max(nodes, used_nodes), 2 * max(edges, used_edges)
    return Hypotheses(
        enlarged_rows(h.states, used_nodes, nodes), enlarged(h.inside, used_nodes, nodes),
        enlarged(h.cell, used_nodes, nodes), enlarged(h.ranked, used_nodes, nodes), h.cell_first, h.cell_last,
        enlarged_rows(h.edges, used_edges, edges), enlarged_rows(h.edge_scores, used_edges, edges))


@maker
def _rank(hypotheses, first_cell, last_cell, before, nodes):
    """Sort the new nodes by cell and falling score."""
    best_first = np.argsort(-hypotheses.inside[before:nodes], kind="mergesort")
    for k in range(before, nodes):
        hypotheses.cell_last[hypotheses.cell[k]] += 1
    at = before
    for cell in range(first_cell, last_cell):
        count = hypotheses.cell_last[cell]
        hypotheses.cell_first[cell], hypotheses.cell_last[cell] = at, at
        at += count
    for k in best_first:
        cell = hypotheses.cell[before + k]
        hypotheses.ranked[hypotheses.cell_last[cell]] = before + k
        hypotheses.cell_last[cell] += 1


@kernel
def fill_chart(lm, order, lm_weight, chart, rules, outlook, pop_limit):
    """Decode: pop at most `pop_limit` candidates in each stack. The last cell, the goal, gets one node.

    Returns the nodes' inside scores, the edges (head, first tail, second tail, rule, item) and their scores.
    """
    cells = chart.starts.shape[0] - 1
    hypotheses = Hypotheses(
        np.empty((1024, 2 * order), np.int32), np.empty(1024), np.empty(1024, np.int32), np.empty(1024, np.int32),
        np.zeros(cells, np.int64), np.zeros(cells, np.int64), np.empty((4096, 5), np.int32), np.empty((4096, 2)),
    )
    beam = _new_beam(4096, 512, order)
    nodes, edges = 0, 0
    for stack in range(chart.stacks.shape[0] - 1):
        low, high = chart.stacks[stack], chart.stacks[stack + 1]
        limit = min(pop_limit, _possible(chart, rules, hypotheses, stack))
        candidates = chart.starts[high] - chart.starts[low] + 3 * limit
        if candidates > beam.score.shape[0] or 2 * (limit + 1) > beam.keys.shape[0]:
            beam = _new_beam(2 * candidates, limit, order)
        hypotheses = _with_room(hypotheses, nodes + limit, edges + limit)
        before = nodes
        nodes, edges = _fill_stack(lm, order, lm_weight, chart, rules, outlook, hypotheses, beam, stack, limit, nodes,
                                   edges)
        _rank(hypotheses, low, high, before, nodes)
    return hypotheses.inside[:nodes].copy(), hypotheses.edges[:edges].copy(), hypotheses.edge_scores[:edges].copy()
