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
from crossbow.jit import helper, kernel


@kernel
def localise(ids, local):
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


@kernel
def _walk_around(bitext, local, word, a, wanted, max_span, max_anchors, exclude, starts, rows, filling):
    """Visit the places of a word for all pairs whose anchor it is."""
    text = bitext.source
    count = _frequency(bitext, word)
    behind, before = wanted[a] == 1, wanted[:, a] == 2
    any_behind, any_before = behind.any(), before.any()
    if not (any_behind or any_before):
        return
    for k in range(min(count, max_anchors)):
        p = bitext.positions[bitext.word_starts[word] + (k * count // max_anchors if count > max_anchors else k)]
        if exclude >= 0 and bitext.group[bitext.sentence[p]] == exclude:
            continue
        if any_behind and text[p + 1] != BREAK:
            for q in range(p + 2, p + max_span):
                if text[q] == BREAK:
                    break
                b = local[text[q]] - 1
                if b >= 0 and behind[b]:
                    if filling:
                        rows[starts[a, b], 0], rows[starts[a, b], 1] = p, q
                    starts[a, b] += 1
        if any_before and p >= 2 and text[p - 1] != BREAK:
            for q in range(p - 2, max(-1, p - max_span), -1):
                if text[q] == BREAK:
                    break
                b = local[text[q]] - 1
                if b >= 0 and before[b]:
                    if filling:
                        rows[starts[b, a], 0], rows[starts[b, a], 1] = q, p
                    starts[b, a] += 1


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
def pair_lists(bitext, of, distinct, local, max_span, max_anchors, exclude):
    """The occurrences of all pairs of words that the sentence has with a gap between, without those of a group.

    Returns starts and rows: those of the pair (a, b) are rows[starts[a, b]:starts[a, b + 1]], positions of both words.
    """
    size = distinct.shape[0]
    wanted = _wanted_pairs(bitext, of, distinct, max_span)
    starts = np.zeros((size, size + 1), np.int64)
    rows = np.empty((0, 2), np.int32)
    for filling in range(2):
        if filling:
            total = 0
            for a in range(size):
                for b in range(size):
                    here = starts[a, b]
                    starts[a, b] = total
                    total += here
            rows = np.empty((total, 2), np.int32)
        for a in range(size):
            _walk_around(bitext, local, distinct[a], a, wanted, max_span, max_anchors, exclude, starts, rows, filling)
    # Filling moved every start to its list's end, which is where the next list begins.
    for a in range(size):
        for b in range(size, 0, -1):
            starts[a, b] = starts[a, b - 1]
        starts[a, 0] = 0 if a == 0 else starts[a - 1, size]
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


@kernel
def third_words(text, local, pairs, low, high, wanted, forward, max_span):
    """Occurrences of wanted words behind (or before) those of a pair: for each word the end of its list, and rows of
    three positions in text order."""
    size = wanted.shape[0]
    ends = np.zeros(size, np.int64)
    rows = np.empty((0, 3), np.int32)
    for filling in range(2):
        if filling:
            total = 0
            for c in range(size):
                here = ends[c]
                ends[c] = total
                total += here
            rows = np.empty((total, 3), np.int32)
        for at in range(low, high):
            p, q = pairs[at, 0], pairs[at, 1]
            edge, stop, step = (q, p + max_span, 1) if forward else (p, max(-1, q - max_span), -1)
            if edge + 2 * step < 0 or text[edge + step] == BREAK:
                continue
            for r in range(edge + 2 * step, stop, step):
                if text[r] == BREAK:
                    break
                c = local[text[r]] - 1
                if c >= 0 and wanted[c]:
                    if filling:
                        row = rows[ends[c]]
                        row[0], row[1], row[2] = (p, q, r) if forward else (r, p, q)
                    ends[c] += 1
    if not forward:
        begin = 0
        for c in range(size):
            _sort_rows(rows, begin, ends[c])
            begin = ends[c]
    return ends, rows
