"""Where words of a sentence occur together in the training text with gaps between them.

Lists of gappy occurrences are never merged pair by pair. One walk over the places of a word looks at the few words
around each and sorts them into the lists of all pairs that the sentence asks for. A pair's list is walked from its
rarer word, its *anchor*, which is what keeps large corpora from crawling: if even that has more than `max_anchors`
places, as many are taken at a fixed stride, and the list is a sample; otherwise it is complete. Triples start from the
pair with the rarer anchor. All lists are sorted by position.
"""

from __future__ import annotations

import numpy as np

from crossbow.grammar.bitext import BREAK
from crossbow.jit import AHEAD, helper, kernel, loop, maker, prefetch
from crossbow.structures.growable import copy, grown_rows

STOP = np.uint16(65535)  # marks the end of a sentence


@kernel
def localize(ids, local):
    """Number the distinct known words of the sentence; `local` maps a training word to that number + 1."""
    of = np.full(ids.shape[0], -1, np.int32)
    distinct = np.empty(ids.shape[0], np.int32)
    count = 0
    for i in range(ids.shape[0]):
        if ids[i] < 0:
            continue
        if local[ids[i]] == 0:
            distinct[count] = ids[i]
            count += 1
            local[ids[i]] = count
        of[i] = local[ids[i]] - 1
    return of, distinct[:count]


@helper
def _frequency(bitext, word):
    return bitext.word_starts[word + 1] - bitext.word_starts[word]


@helper
def _place(bitext, word, k, places, max_anchors):
    """The k-th place of a word that is visited."""
    return bitext.positions[bitext.word_starts[word] + (k * places // max_anchors if places > max_anchors else k)]


@maker
def _wanted_pairs(bitext, of, distinct, max_span):
    """For each pair that the sentence has with a gap between: 1 if its first word is the anchor, 2 if its second is."""
    size = distinct.shape[0]
    wanted = np.zeros((size, size), np.uint8)
    for i in range(of.shape[0]):
        for j in range(i + 2, min(of.shape[0], i + max_span)):
            a, b = of[i], of[j]
            if a >= 0 and b >= 0:
                first_is_rarer = _frequency(bitext, distinct[a]) <= _frequency(bitext, distinct[b])
                wanted[a, b] = 1 if first_is_rarer else 2
    return wanted


@helper
def _mark(marks, distinct, a, wanted, forward, unmark):
    """Mark the words that make a pair with the anchor a, behind or before it, with their numbers + 1; or unmark them.

    The end of a sentence is marked too, so a walk looks at one number for each word. Returns whether there are any.
    """
    found = False
    for b in range(wanted.shape[0]):
        if (wanted[a, b] == 1) if forward else (wanted[b, a] == 2):
            marks[distinct[b]] = 0 if unmark else b + 1
            found = True
    marks[BREAK] = 0 if unmark else STOP
    return found


@loop
def _walk_around(bitext, behind, before, any_behind, any_before, a, word, size, max_span, max_anchors, exclude, begin,
                 found, count):
    """Visit the places of a word for all pairs whose anchor it is, from one of them on.

    Each occurrence becomes a row of `found`, behind the first `count`: the number of the pair and both positions.
    Returns how many places were visited until their end or that of the room, and how many rows there are.
    """
    text = bitext.source
    places = _frequency(bitext, word)
    visited = min(places, max_anchors)
    for k in range(begin, visited):
        if count + 2 * max_span > found.shape[0]:
            return k, count
        prefetch(text, _place(bitext, word, min(k + AHEAD, visited - 1), places, max_anchors))
        p = _place(bitext, word, k, places, max_anchors)
        if exclude >= 0 and bitext.group[bitext.sentence[p]] == exclude:
            continue
        if any_behind and text[p + 1] != BREAK:
            for q in range(p + 2, p + max_span):
                mark = behind[text[q]]
                if mark != 0:
                    if mark == STOP:
                        break
                    found[count, 0], found[count, 1], found[count, 2] = a * size + mark - 1, p, q
                    count += 1
        if any_before and p >= 2 and text[p - 1] != BREAK:
            for q in range(p - 2, max(-1, p - max_span), -1):
                mark = before[text[q]]
                if mark != 0:
                    if mark == STOP:
                        break
                    found[count, 0], found[count, 1], found[count, 2] = (np.int64(mark) - 1) * size + a, q, p
                    count += 1
    return visited, count


@helper
def _sort_rows(rows, low, high):
    """Sort rows by their columns. They are almost in order, so insertion takes few steps."""
    width = rows.shape[1]
    for k in range(low + 1, high):
        at = k
        while at > low:
            smaller = False
            for column in range(width):
                if rows[at, column] != rows[at - 1, column]:
                    smaller = rows[at, column] < rows[at - 1, column]
                    break
            if not smaller:
                break
            for column in range(width):
                rows[at, column], rows[at - 1, column] = rows[at - 1, column], rows[at, column]
            at -= 1


@kernel
def pair_lists(bitext, of, distinct, max_span, max_anchors, exclude):
    """The occurrences of all pairs of words that the sentence has with a gap between, without those of a group.

    Returns starts and rows: those of the pair (a, b) are rows[starts[a, b]:starts[a, b + 1]], positions of both words.
    """
    size = distinct.shape[0]
    wanted = _wanted_pairs(bitext, of, distinct, max_span)
    found, total = np.empty((1 << 14, 3), np.int32), 0
    behind, before = np.zeros(bitext.word_starts.shape[0], np.uint16), np.zeros(bitext.word_starts.shape[0], np.uint16)
    for a in range(size):
        any_behind = _mark(behind, distinct, a, wanted, True, False)
        any_before = _mark(before, distinct, a, wanted, False, False)
        places = min(_frequency(bitext, distinct[a]), max_anchors)
        visited = 0 if any_behind or any_before else places
        while visited < places:
            found = grown_rows(found, total, 2 * max_span)
            visited, total = _walk_around(bitext, behind, before, any_behind, any_before, a, distinct[a], size,
                                          max_span, max_anchors, exclude, visited, found, total)
        _mark(behind, distinct, a, wanted, True, True)
        _mark(before, distinct, a, wanted, False, True)
    ends = np.zeros(size * size + 1, np.int64)
    for k in range(total):
        ends[found[k, 0] + 1] += 1
    for pair in range(size * size):
        ends[pair + 1] += ends[pair]
    starts = np.empty((size, size + 1), np.int64)
    for a in range(size):
        for b in range(size + 1):
            starts[a, b] = ends[a * size + b]
    rows = np.empty((total, 2), np.int32)
    for k in range(total):
        at = ends[found[k, 0]]
        rows[at, 0], rows[at, 1] = found[k, 1], found[k, 2]
        ends[found[k, 0]] += 1
    for a in range(size):
        for b in range(size):
            if wanted[a, b] == 2:
                _sort_rows(rows, starts[a, b], starts[a, b + 1])
    return starts, rows


@kernel
def wanted_thirds(bitext, of, distinct, a, b, max_span):
    """Which words stand in the sentence behind (row 0) and before (row 1) the words a and b, with gaps between, and
    make a triple that is walked from the pair (a, b)."""
    n = of.shape[0]
    wanted = np.zeros((2, distinct.shape[0]), np.bool_)
    fa, fb = _frequency(bitext, distinct[a]), _frequency(bitext, distinct[b])
    for i in range(n):
        for j in range(i + 2, min(n, i + max_span)):
            if of[i] != a or of[j] != b:
                continue
            for k in range(j + 2, min(n, i + max_span)):
                if of[k] >= 0 and min(fa, fb) <= min(fb, _frequency(bitext, distinct[of[k]])):
                    wanted[0, of[k]] = True
            for k in range(i - 2, max(-1, j - max_span), -1):
                if of[k] >= 0 and min(fa, fb) < min(_frequency(bitext, distinct[of[k]]), fa):
                    wanted[1, of[k]] = True
    return wanted


@loop
def _walk_on(text, local, pairs, begin, end, wanted, forward, max_span, found, total):
    """Go on from pairs to the wanted words behind (or before) them. Each becomes a row of `found`, behind the first
    `total`: the word and three positions. Returns how far it came, and how many rows there are."""
    for at in range(begin, end):
        if total + max_span > found.shape[0]:
            return at, total
        p, q = pairs[at, 0], pairs[at, 1]
        prefetch(text, pairs[min(at + AHEAD, end - 1), 1])
        edge, stop, step = (q, p + max_span, 1) if forward else (p, max(-1, q - max_span), -1)
        if edge + 2 * step < 0 or text[edge + step] == BREAK:
            continue
        for r in range(edge + 2 * step, stop, step):
            if text[r] == BREAK:
                break
            third = np.int64(local[text[r]]) - 1
            if third >= 0 and wanted[third]:
                found[total, 0] = third
                found[total, 1], found[total, 2], found[total, 3] = (p, q, r) if forward else (r, p, q)
                total += 1
    return end, total


@kernel
def third_words(text, local, pairs, low, high, wanted, forward, max_span):
    """Occurrences of wanted words behind (or before) those of a pair: for each word the end of its list, and rows of
    three positions in text order."""
    size, total, at = wanted.shape[0], 0, low
    found = np.empty((4 * (high - low) + max_span, 4), np.int32)
    while at < high:
        found = grown_rows(found, total, max_span)
        at, total = _walk_on(text, local, pairs, at, high, wanted, forward, max_span, found, total)
    ends = np.zeros(size + 1, np.int64)
    for k in range(total):
        ends[found[k, 0] + 1] += 1
    for c in range(size):
        ends[c + 1] += ends[c]
    rows = np.empty((total, 3), np.int32)
    for k in range(total):
        copy(found[k], 1, 3, rows[ends[found[k, 0]]], 0)
        ends[found[k, 0]] += 1
    if not forward:
        begin = 0
        for c in range(size):
            _sort_rows(rows, begin, ends[c])
            begin = ends[c]
    return ends, rows
