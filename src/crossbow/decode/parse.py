"""CKY+: which rules apply to which spans of the sentence.

    chart = parse(sentence, rules, max_span)

The chart lists *cells* in the order in which they can be filled, and for every cell its *items*: a source pattern
together with the cells its nonterminals cover. Cells are the spans X[i, j), shorter first; then S[0, j) for every j,
which glue puts together from left to right; last the goal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32
from crossbow.jit import helper, kernel
from crossbow.structures.growable import grown_rows
from crossbow.structures.table import find, insert, mix, table_size

NONE = -1


class Chart(NamedTuple):
    """Cells in order of filling with their spans; items of cell c are starts[c] to starts[c + 1].

    The cells stacks[s] to stacks[s + 1] are filled together: their candidates compete. Here each is alone.
    """

    span: I32  # (cells, 2)
    starts: I32
    stacks: I32
    cell: I32  # of each item
    pattern: I32
    tails: I32  # (items, 2): cells of the first and second nonterminal, NONE for none
    begin: I32  # where in the sentence the pattern begins
    jump: I32  # how far that is from where the item's tail ended; counts in phrase-based search only


@helper
def _child_key(node, symbol):
    return mix(mix(np.uint64(3), node), symbol)


@kernel
def _build_trie(source_starts, source, keys, children, ends):
    """A trie over source sides, all nonterminals alike; ends[node] is the pattern that stops there."""
    nodes = 1
    for pattern in range(source_starts.shape[0] - 1):
        node = 0
        for k in range(source_starts[pattern], source_starts[pattern + 1]):
            key = _child_key(node, max(source[k], -1))
            slot = find(keys, key)
            if slot < 0:
                slot = insert(keys, key)
                children[slot] = nodes
                nodes += 1
            node = children[slot]
        ends[node] = pattern


@helper
def _step(keys, children, node, symbol):
    slot = find(keys, _child_key(node, symbol))
    return NONE if slot < 0 else children[slot]


@kernel
def _match(sentence, max_span, keys, children, ends):
    """Every way a pattern fits the sentence, as rows (start, end, pattern, gap 1 start, end, gap 2 start, end)."""
    n = sentence.shape[0]
    rows = np.empty((1024, 7), np.int32)
    count = 0
    stack = np.empty((4 * n * max_span + 64, 6), np.int32)  # node, position, the two gaps
    for i in range(n):
        stack[0] = NONE
        stack[0, 0], stack[0, 1] = 0, i
        depth = 1
        while depth > 0:
            depth -= 1
            node, at = stack[depth, 0], stack[depth, 1]
            a, b, c, d = stack[depth, 2], stack[depth, 3], stack[depth, 4], stack[depth, 5]
            if ends[node] != NONE:
                rows = grown_rows(rows, count, 1)
                row = rows[count]
                row[0], row[1], row[2], row[3], row[4], row[5], row[6] = i, at, ends[node], a, b, c, d
                count += 1
            limit = min(n, i + max_span)
            if at >= limit:
                continue
            following = _step(keys, children, node, sentence[at])
            if following != NONE:
                stack[depth, 0], stack[depth, 1] = following, at + 1
                stack[depth, 2], stack[depth, 3], stack[depth, 4], stack[depth, 5] = a, b, c, d
                depth += 1
            following = _step(keys, children, node, -1) if c == NONE else NONE
            if following != NONE:
                for end in range(at + 1, limit + 1):
                    row = stack[depth]
                    row[0], row[1], row[2], row[3], row[4], row[5] = following, end, a, b, c, d
                    if a == NONE:
                        row[2], row[3] = at, end
                    else:
                        row[4], row[5] = at, end
                    depth += 1
    return rows[:count]


def parse(sentence: I32, source_starts: I32, source: I32, max_span: int, extra: list[tuple[int, int]],
          glue_first: int, glue: int, goal: int) -> Chart:
    """The chart of a sentence for patterns over the same ids. `extra` adds (position, pattern) for single words; the
    last three name the patterns of S → X, S → S X and the goal."""
    n = len(sentence)
    keys = np.zeros(table_size(len(source) + 1), np.uint64)
    children = np.empty(len(keys), np.int32)
    ends = np.full(len(source) + 2, NONE, np.int32)
    _build_trie(source_starts, source, keys, children, ends)
    rows = _match(sentence, max_span, keys, children, ends)

    lengths = np.arange(1, min(n, max_span) + 1)
    spans = np.array([(i, i + m) for m in lengths for i in range(n - m + 1)], np.int32)
    cell_of = np.full((n + 1, n + 1), NONE, np.int32)
    cell_of[spans[:, 0], spans[:, 1]] = np.arange(len(spans))
    words = len(spans)  # the S cells follow the X cells: S[0, j) is cell words + j - 1, the goal words + n

    def tail(start: I32, end: I32) -> I32:
        return np.where(start >= 0, cell_of[start, end], NONE).astype(np.int32)

    cells = [cell_of[rows[:, 0], rows[:, 1]]]
    patterns = [rows[:, 2]]
    tails = [np.stack((tail(rows[:, 3], rows[:, 4]), tail(rows[:, 5], rows[:, 6])), 1)]
    single = np.array(extra, np.int32).reshape(-1, 2)
    cells.append(cell_of[single[:, 0], single[:, 0] + 1])
    patterns.append(single[:, 1])
    tails.append(np.full((len(single), 2), NONE, np.int32))
    glued = _glue_items(n, max_span, cell_of, words, glue_first, glue, goal)
    cells.append(glued[:, 0])
    patterns.append(glued[:, 1])
    tails.append(glued[:, 2:])

    cell, pattern, tail_cells = np.concatenate(cells), np.concatenate(patterns), np.concatenate(tails)
    order = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(words + n + 2)).astype(np.int32)
    prefixes = np.array([(0, j) for j in range(1, n + 1)] + [(0, n)], np.int32)
    span, cell = np.concatenate((spans, prefixes)), cell[order].astype(np.int32)
    return Chart(span, starts, np.arange(len(starts), dtype=np.int32), cell, pattern[order].astype(np.int32),
                 np.ascontiguousarray(tail_cells[order], np.int32), span[cell, 0], np.zeros(len(cell), np.int32))


def _glue_items(n: int, max_span: int, cell_of: I32, words: int, glue_first: int, glue: int, goal: int) -> I32:
    """Rows (cell, pattern, first tail, second tail) of S[0, j) → X[0, j), S[0, j) → S[0, i) X[i, j), and the goal."""
    rows = []
    for j in range(1, n + 1):
        for i in range(max(0, j - max_span), j):
            if i == 0:
                rows.append((words + j - 1, glue_first, cell_of[0, j], NONE))
            else:
                rows.append((words + j - 1, glue, words + i - 1, cell_of[i, j]))
    rows.append((words + n, goal, words + n - 1, NONE))
    return np.array(rows, np.int32)
