"""What the alignment makes of an occurrence of a core: the spans that its gaps and the whole translate to.

Spans are *tight*: their first and last words are linked, and nothing inside is linked to the outside. A nonterminal
before or after the core is the shortest such span, so an occurrence yields at most one rule for each of the four
variants u, Xu, uX and XuX.

A phrase pair of a phrase-based system may begin and end with source words that have no link: nothing but a phrase can
take them in, for it has no gaps.
"""

from __future__ import annotations

import numpy as np

from crossbow.grammar.bitext import BREAK
from crossbow.jit import helper, kernel

PLAIN, LEFT, RIGHT, BOTH = 0, 1, 2, 3  # a nonterminal before the core, after it, or on both sides
# Columns of the scratch row that describes one extraction: whole span and nonterminals on the source side (absolute
# positions), then on the target side (relative to the sentence); the nonterminals in source order, -1 for none.
A, B, N1, M1, N2, M2, C, D, T1, U1, T2, U2, COLUMNS = range(13)


@helper
def _linked(bitext, p):
    return bitext.link_starts[p] < bitext.link_starts[p + 1]


@helper
def _project(bitext, a, b, max_span):
    """The target span that source[a:b] translates to, relative to the sentence, or (-1, -1)."""
    low, high = 32767, -1
    if not (_linked(bitext, a) and _linked(bitext, b - 1)):
        return -1, -1
    for p in range(a, b):
        first, last = bitext.link_starts[p], bitext.link_starts[p + 1]
        if first < last:
            low = min(low, bitext.link_targets[first])
            high = max(high, bitext.link_targets[last - 1])
    if high - low >= max_span:
        return -1, -1
    s = bitext.sentence[a]
    begin, base = bitext.source_starts[s], bitext.target_starts[s]
    for t in range(base + low, base + high + 1):
        if bitext.target_low[t] >= 0 and (begin + bitext.target_low[t] < a or begin + bitext.target_high[t] >= b):
            return -1, -1
    return low, high + 1


@helper
def _side_spans(bitext, edge, step, room, max_span, spans):
    """Tight spans that end (step -1) or begin (step 1) at a position, shortest first; returns how many."""
    count = 0
    for size in range(1, room + 1):
        a, b = (edge - size, edge) if step < 0 else (edge, edge + size)
        if a < 0 or bitext.source[a if step < 0 else b - 1] == BREAK:
            break
        c, d = _project(bitext, a, b, max_span)
        if c >= 0:
            spans[count, 0], spans[count, 1], spans[count, 2] = size, c, d
            count += 1
    return count


@helper
def _describe(row, a, b, c, d, begin, end, left, right, gaps, chunks):
    """Fill a scratch row: the whole span and the nonterminals in source order (left and right: spans, or size 0)."""
    row[A], row[B], row[C], row[D] = a, b, c, d
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


@kernel
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


@kernel
def find_spans(bitext, lengths, samples, max_span, variants, sides, found):
    """Fill found[variant, sample] for all sampled occurrences of a core; `sides` is work space."""
    chunks = 1 + (lengths[1] > 0) + (lengths[2] > 0)
    lefts, rights = sides
    gaps, nothing = np.zeros((2, 4), np.int64), np.zeros(3, np.int64)
    found[:, : samples.shape[0]] = -1
    for s in range(samples.shape[0]):
        at = samples[s]
        begin, end = at[0], at[chunks - 1] + lengths[chunks - 1]
        consistent = True
        for g in range(chunks - 1):
            gaps[g, 0], gaps[g, 1] = at[g] + lengths[g], at[g + 1]
            gaps[g, 2], gaps[g, 3] = _project(bitext, gaps[g, 0], gaps[g, 1], max_span)
            consistent = consistent and gaps[g, 2] >= 0
        if not consistent:
            continue
        left_count, right_count = 0, 0
        if variants > 1:
            room = max_span - (end - begin)
            left_count = _side_spans(bitext, begin, -1, room, max_span, lefts)
            right_count = _side_spans(bitext, end, 1, room, max_span, rights)
        for v in range(variants):
            done = False
            for x in range(left_count if v in (LEFT, BOTH) else 1):
                left = lefts[x] if v in (LEFT, BOTH) else nothing
                for y in range(right_count if v in (RIGHT, BOTH) else 1):
                    right = rights[y] if v in (RIGHT, BOTH) else nothing
                    a, b = begin - left[0], end + right[0]
                    if b - a > max_span:
                        break
                    c, d = _project(bitext, a, b, max_span)
                    if c >= 0:
                        _describe(found[v, s], a, b, c, d, begin, end, left, right, gaps, chunks)
                        done = True
                        break
                if done:
                    break
