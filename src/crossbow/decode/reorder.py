"""The search space of phrase-based translation: all orders in which phrases may take in a sentence, as a chart.

    options = find_options(sentence, source_starts, source)              # where each phrase of the model fits
    space = reorder(len(sentence), options, limit, axiom, goal)
    space.chart, future_scores(len(sentence), space, options, best, weight)

A *cell* is what a hypothesis has translated: all words before the first gap, some in a window after it, and where the
last phrase ended. An item adds a phrase. The distance from where the last one ended is its jump, at most `limit`; and a
phrase that does not begin at the first gap ends at most `limit` words after it, so that the next one may go back there:
no hypothesis is ever stuck. Cells with as many translated words are a stack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossbow.arrays import F64, I32, I64
from crossbow.decode.parse import NONE, Chart
from crossbow.jit import helper, kernel
from crossbow.structures.growable import grown, grown_rows

LARGEST_LIMIT = 10  # cells grow with 2 to this power


class Options(NamedTuple):
    """Phrases that begin at word i: starts[i] to starts[i + 1], each with its end and its pattern."""

    starts: I32
    end: I32
    pattern: I32


class Space(NamedTuple):
    """The chart; and for each cell its first gap, which words after that are translated, as bits, and how far the jumps
    go that it takes to translate the others from left to right."""

    chart: Chart
    gap: I32
    mask: I64
    jumps: I32


@kernel
def _fitting(sentence, source_starts, source):
    """Rows (begin, end, pattern) of every place where a pattern fits, in order of place."""
    rows = np.empty((256, 3), np.int32)
    count = 0
    for i in range(sentence.shape[0]):
        for pattern in range(source_starts.shape[0] - 1):
            first, length = source_starts[pattern], source_starts[pattern + 1] - source_starts[pattern]
            fits = 0 < length <= sentence.shape[0] - i
            for k in range(length if fits else 0):
                if source[first + k] != sentence[i + k]:
                    fits = False
                    break
            if fits:
                rows = grown_rows(rows, count, 1)
                rows[count, 0], rows[count, 1], rows[count, 2] = i, i + length, pattern
                count += 1
    return rows[:count]


def find_options(sentence: I32, source_starts: I32, source: I32) -> Options:
    """Where the patterns fit the sentence. Those without words fit nowhere."""
    rows = _fitting(sentence, source_starts, source)
    starts = np.searchsorted(rows[:, 0], np.arange(len(sentence) + 1)).astype(np.int32)
    return Options(starts, rows[:, 1].copy(), rows[:, 2].copy())


@helper
def _add(gap, mask, begin, end):
    """The first gap and the mask after a phrase: words gap + 1, gap + 2 … are the bits of the mask, lowest first."""
    if begin > gap:
        return gap, mask | (((1 << (end - begin)) - 1) << (begin - gap - 1))
    mask >>= end - gap - 1
    while mask & 1:
        end, mask = end + 1, mask >> 1
    return end, mask >> 1


@helper
def _free(gap, mask, begin, end):
    """Whether none of the words is translated already."""
    before = max(0, begin - gap - 1)
    return (mask >> before) & ((1 << (end - gap - 1 - before)) - 1) == 0


@kernel
def _walk(n, options, limit):
    """All cells and items that can be reached, stack by stack.

    Returns cells as rows (gap, mask, last, translated words) in the order in which they were met, and items as rows
    (tail, head, option, jump).
    """
    cells, items = np.empty((256, 4), np.int64), np.empty((1024, 4), np.int32)
    known = np.full((n + 1, 1 << max(0, limit - 1), 2 * limit + 1), NONE, np.int32)
    following = np.empty(256, np.int32)  # the next cell of the same stack
    first, last_of = np.full(n + 1, NONE, np.int32), np.full(n + 1, NONE, np.int32)
    cells[0], first[0], last_of[0], following[0] = 0, 0, 0, NONE
    count, used = 1, 0
    for stack in range(n):
        tail = first[stack]
        while tail != NONE:
            gap, mask, last = cells[tail, 0], cells[tail, 1], cells[tail, 2]
            for begin in range(gap, min(n, gap + max(1, limit))):
                if abs(begin - last) > limit:
                    continue
                for option in range(options.starts[begin], options.starts[begin + 1]):
                    end = options.end[option]
                    if (begin > gap and end - gap > limit) or not _free(gap, mask, begin, end):
                        continue
                    new_gap, new_mask = _add(gap, mask, begin, end)
                    head = known[new_gap, new_mask, end - new_gap + limit]
                    if head == NONE:
                        cells, following = grown_rows(cells, count, 1), grown(following, count, 1)
                        head = count
                        known[new_gap, new_mask, end - new_gap + limit] = head
                        done = stack + end - begin
                        cells[head, 0], cells[head, 1], cells[head, 2], cells[head, 3] = new_gap, new_mask, end, done
                        following[head] = NONE
                        if first[done] == NONE:
                            first[done] = head
                        else:
                            following[last_of[done]] = head
                        last_of[done] = head
                        count += 1
                    items = grown_rows(items, used, 1)
                    items[used, 0], items[used, 1], items[used, 2] = tail, head, option
                    items[used, 3] = abs(begin - last)
                    used += 1
            tail = following[tail]
    return cells[:count], items[:used]


def reorder(n: int, options: Options, limit: int, axiom: int, goal: int) -> Space:
    """The search space of a sentence of n words. The last two name the patterns that begin and end every hypothesis."""
    limit = min(limit, n)
    cells, items = _walk(n, options, limit)
    order = np.argsort(cells[:, 3], kind="stable")
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order))
    gap, mask, last, done = cells[order].T
    stacks = np.searchsorted(done, np.arange(n + 2))
    complete = np.arange(stacks[n], stacks[n + 1])  # cells in which all is translated
    begin_of = np.repeat(np.arange(n), np.diff(options.starts))
    by_head = np.argsort(number[items[:, 1]], kind="stable")
    tail, head, option, jump = items[by_head].T

    def column(first: int, between: npt.ArrayLike, last: npt.ArrayLike) -> I32:
        """A value for the axiom's item, one for each phrase's, and one for each that reaches the goal."""
        return np.concatenate(([first], between, np.broadcast_to(last, len(complete)))).astype(np.int32)

    cell, first_tail = column(0, number[head], len(cells)), column(NONE, number[tail], complete)
    highest = gap + np.where(mask > 0, np.frexp(mask.astype(np.float64))[1] + 1, 0)
    chart = Chart(
        np.stack((np.zeros(len(cells) + 1), np.append(highest, n)), 1).astype(np.int32),
        np.searchsorted(cell, np.arange(len(cells) + 2)).astype(np.int32),
        np.append(stacks, len(cells) + 1).astype(np.int32), cell, column(axiom, options.pattern[option], goal),
        np.stack((first_tail, np.full(len(cell), NONE, np.int32)), 1), column(0, begin_of[option], n),
        column(0, jump, 0),
    )
    jumps = np.where(done < n, abs(gap - last) + done - gap, 0)  # back to the gap, then over what is translated
    return Space(chart, np.append(gap, n).astype(np.int32), np.append(mask, 0), np.append(jumps, 0).astype(np.int32))


@kernel
def _best_spans(n, starts, end, best):
    """The best that any sequence of phrases is worth for words [i, j)."""
    table = np.full((n + 1, n + 1), -np.inf)
    for i in range(n - 1, -1, -1):
        for option in range(starts[i], starts[i + 1]):
            table[i, end[option]] = max(table[i, end[option]], best[option])
        for j in range(i + 2, n + 1):
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k, j])
    return table


@kernel
def _left_to_do(n, gap, mask, table, out):
    """The sum over the runs of words that a cell has not translated."""
    for cell in range(gap.shape[0]):
        total, begin = 0.0, gap[cell]
        position, bits = begin + 1, mask[cell]
        while bits:
            if bits & 1:
                if begin < position:
                    total += table[begin, position]
                begin = position + 1
            position, bits = position + 1, bits >> 1
        if begin < n:
            total += table[begin, n]
        out[cell] = total


def future_scores(n: int, space: Space, options: Options, best: F64, weight: float) -> F64:
    """What the words that each cell leaves are worth at best, given that of each option, and what it costs to go back
    for them: a hypothesis that has left out a difficult word must not look better for it (Moore and Quirk 2007)."""
    future = np.zeros(len(space.gap))
    _left_to_do(n, space.gap, space.mask, _best_spans(n, options.starts, options.end, best), future)
    return future + weight * space.jumps
