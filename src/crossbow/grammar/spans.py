"""What the alignment makes of an occurrence of a core: the spans that its gaps and the whole translate to.

Spans are *tight*: their first and last words are linked, and nothing inside is linked to the outside. A nonterminal
before or after the core is the shortest such span, so an occurrence yields at most one rule for each of the four
variants u, Xu, uX and XuX.

A phrase pair of a phrase-based system may begin and end with source words that have no link: nothing but a phrase can
take them in, for it has no gaps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import I64
from crossbow.grammar.bitext import BREAK
from crossbow.jit import AHEAD, helper, loop, maker, prefetch

PLAIN, LEFT, RIGHT, BOTH = 0, 1, 2, 3  # a nonterminal before the core, after it, or on both sides
# Columns of the scratch row that describes one extraction: whole span and nonterminals on the source side (absolute
# positions), then on the target side (relative to the sentence); the nonterminals in source order, -1 for none.
A, B, N1, M1, N2, M2, C, D, T1, U1, T2, U2, COLUMNS = range(13)
NOWHERE = 1 << 40  # beyond all positions


class Sides(NamedTuple):
    """Work space for what stands around and inside an occurrence."""

    lefts: I64  # tight spans before it, the smallest first: size and target span
    rights: I64  # and behind it
    before: I64  # how far the search for these has come: a size and its region
    behind: I64
    gaps: I64  # between its chunks: source span and target span
    nothing: I64  # a span of no words


@maker
def new_sides(max_span):
    """Work space for occurrences whose spans have at most so many words."""
    return Sides(np.zeros((max_span, 3), np.int64), np.zeros((max_span, 3), np.int64), np.zeros(5, np.int64),
                 np.zeros(5, np.int64), np.zeros((2, 4), np.int64), np.zeros(3, np.int64))


@helper
def _linked(bitext, p):
    return bitext.link_starts[p] < bitext.link_starts[p + 1]


@helper
def _widened(target_low, target_high, begin, base, region, low, high):
    """The region with a target range that takes in the words low to high; only the new ones are looked at."""
    old_low, old_high, first, last = region
    new_low, new_high = min(low, old_low), max(high, old_high)
    t = new_low
    while t <= new_high:
        if t == old_low:
            t = old_high + 1
            continue
        here = target_low[base + t]
        if here >= 0:
            first = min(first, begin + here)
            last = max(last, begin + target_high[base + t])
        t += 1
    return new_low, new_high, first, last


@helper
def _region(link_starts, link_targets, target_low, target_high, begin, base, a, b, max_span):
    """The region of source[a:b]: its target range, relative to the sentence, and the first and last source position
    that this is linked with, which are not looked for if the range is too wide."""
    low, high = np.int64(NOWHERE), np.int64(-1)
    for p in range(a, b):
        k, end = link_starts[p], link_starts[p + 1]
        if k < end:
            low = min(low, np.int64(link_targets[k]))
            high = max(high, np.int64(link_targets[end - 1]))
    first, last = np.int64(NOWHERE), np.int64(-1)
    if high - low < max_span:
        for t in range(base + low, base + high + 1):
            if target_low[t] >= 0:
                first = min(first, begin + target_low[t])
                last = max(last, begin + target_high[t])
    return low, high, first, last


@helper
def _fits(region, a, b, max_span):
    """Whether a region's target range is narrow enough, and linked with nothing but source[a:b]."""
    low, high, first, last = region
    return high >= 0 and high - low < max_span and first >= a and last < b


@helper
def _project(bitext, a, b, max_span):
    """The target span that source[a:b] translates to, relative to the sentence, or (-1, -1)."""
    if not (_linked(bitext, a) and _linked(bitext, b - 1)):
        return -1, -1
    s = bitext.sentence[a]
    region = _region(bitext.link_starts, bitext.link_targets, bitext.target_low, bitext.target_high,
                     bitext.source_starts[s], bitext.target_starts[s], a, b, max_span)
    if not _fits(region, a, b, max_span):
        return -1, -1
    return region[0], region[1] + 1


@helper
def _begin_side(side):
    """A size of 0, and the region of no words."""
    side[0], side[1], side[2], side[3], side[4] = 0, NOWHERE, -1, NOWHERE, -1


@helper
def _next_span(source, link_starts, link_targets, target_low, target_high, begin, base, edge, step, room, max_span,
               side, spans, count):
    """Look for one more tight span that ends (step -1) or begins (step 1) at the edge, the next larger one.

    `side` is how far the search has come: a size and its region. Returns how many spans are known.
    """
    size, region = side[0], (side[1], side[2], side[3], side[4])
    while size < room:
        p = edge - size - 1 if step < 0 else edge + size
        if p < 0 or source[p] == BREAK:
            break
        size += 1
        k, end = link_starts[p], link_starts[p + 1]
        if k == end:
            if size == 1:
                break
            continue
        region = _widened(target_low, target_high, begin, base, region, np.int64(link_targets[k]),
                          np.int64(link_targets[end - 1]))
        low, high, first, last = region
        if high - low >= max_span or (last >= edge if step < 0 else first < edge):
            break  # as it is for every larger one
        if first >= p if step < 0 else last <= p:
            spans[count, 0], spans[count, 1], spans[count, 2] = size, low, high + 1
            side[0], side[1], side[2], side[3], side[4] = size, low, high, first, last
            return count + 1
    side[0] = room
    return count


@helper
def _describe(row, a, b, c, d, begin, end, left, right, gaps, chunks):
    """Fill a scratch row: the whole span and the nonterminals in source order (left and right: spans, or size 0)."""
    row[A], row[B], row[C], row[D] = a, b, c, d
    row[N1], row[N2], row[T1], row[T2] = -1, -1, -1, -1
    column = 0
    if left[0] > 0:
        row[N1], row[M1], row[T1], row[U1] = a, begin, left[1], left[2]
        column = 2
    for g in range(chunks - 1):
        row[N1 + column], row[M1 + column] = gaps[g, 0], gaps[g, 1]
        row[T1 + column], row[U1 + column] = gaps[g, 2], gaps[g, 3]
        column += 2
    if right[0] > 0:
        row[N1 + column], row[M1 + column] = end, b
        row[T1 + column], row[U1 + column] = right[1], right[2]


@loop
def find_phrase_spans(bitext, length, samples, max_span, found):
    """Fill found[PLAIN, sample] for all sampled occurrences of a phrase; its linked words say what it translates to."""
    found[PLAIN, : samples.shape[0]] = -1
    row = found[PLAIN]
    if length > max_span:
        return
    for s in range(samples.shape[0]):
        begin, end = samples[s, 0], samples[s, 0] + length
        a, b = begin, end
        while a < b and not _linked(bitext, a):
            a += 1
        while a < b and not _linked(bitext, b - 1):
            b -= 1
        if a < b:
            c, d = _project(bitext, a, b, max_span)
            if c >= 0:
                row[s, A], row[s, B], row[s, C], row[s, D] = begin, end, c, d


@helper
def _fill_gaps(link_starts, link_targets, target_low, target_high, begin, base, lengths, chunks, samples, s, max_span,
               gaps):
    """Whether what stands between the chunks is tight; if so, its spans on both sides are put into `gaps`."""
    for g in range(chunks - 1):
        a, b = samples[s, g] + lengths[g], samples[s, g + 1]
        if link_starts[a] == link_starts[a + 1] or link_starts[b - 1] == link_starts[b]:
            return False
        region = _region(link_starts, link_targets, target_low, target_high, begin, base, a, b, max_span)
        if not _fits(region, a, b, max_span):
            return False
        gaps[g, 0], gaps[g, 1], gaps[g, 2], gaps[g, 3] = a, b, region[0], region[1] + 1
    return True


@loop
def find_spans(bitext, lengths, samples, max_span, variants, sides, found):
    """Fill found[variant, sample] for all sampled occurrences of a core; `sides` is work space."""
    chunks = 1 + (lengths[1] > 0) + (lengths[2] > 0)
    source, link_starts, link_targets = bitext.source, bitext.link_starts, bitext.link_targets
    target_low, target_high = bitext.target_low, bitext.target_high
    lefts, rights, before, behind, gaps, nothing = sides
    found[:variants, : samples.shape[0], A] = -1
    for s in range(samples.shape[0]):
        soon = samples[min(s + AHEAD, samples.shape[0] - 1), 0]
        prefetch(link_starts, soon)
        prefetch(source, soon)
        prefetch(bitext.sentence, soon)
        start, end = samples[s, 0], samples[s, chunks - 1] + lengths[chunks - 1]
        sentence = bitext.sentence[start]
        begin, base = bitext.source_starts[sentence], bitext.target_starts[sentence]
        core = _region(link_starts, link_targets, target_low, target_high, begin, base, start, end, max_span)
        if core[1] - core[0] >= max_span:
            continue
        if chunks > 1 and not _fill_gaps(link_starts, link_targets, target_low, target_high, begin, base, lengths,
                                         chunks, samples, s, max_span, gaps):
            continue
        room = max_span - (end - start)
        _begin_side(before)
        _begin_side(behind)
        known_left, known_right = 0, 0
        for v in range(variants):
            with_left, with_right = v in (LEFT, BOTH), v in (RIGHT, BOTH)
            if (not with_left and link_starts[start] == link_starts[start + 1]) or (
                    not with_right and link_starts[end - 1] == link_starts[end]):
                continue
            for x in range(room if with_left else 1):
                region, a = core, start
                if with_left:
                    if x == known_left:
                        known_left = _next_span(source, link_starts, link_targets, target_low, target_high, begin, base,
                                                start, -1, room, max_span, before, lefts, known_left)
                        if x == known_left:
                            break
                    a = start - lefts[x, 0]
                    region = _widened(target_low, target_high, begin, base, core, lefts[x, 1], lefts[x, 2] - 1)
                for y in range(room if with_right else 1):
                    whole, b = region, end
                    if with_right:
                        if y == known_right:
                            known_right = _next_span(source, link_starts, link_targets, target_low, target_high, begin,
                                                     base, end, 1, room, max_span, behind, rights, known_right)
                            if y == known_right:
                                break
                        b = end + rights[y, 0]
                        whole = _widened(target_low, target_high, begin, base, region, rights[y, 1], rights[y, 2] - 1)
                    if b - a > max_span:
                        break
                    if _fits(whole, a, b, max_span):
                        left, right = lefts[x] if with_left else nothing, rights[y] if with_right else nothing
                        _describe(found[v, s], a, b, whole[0], whole[1] + 1, start, end, left, right, gaps, chunks)
                        break
                if found[v, s, A] >= 0:
                    break
