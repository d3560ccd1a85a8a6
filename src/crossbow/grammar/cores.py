"""The first step of rule extraction: which source patterns of a sentence occur in the training text, and where.

A *core* is what a source pattern is without the nonterminals at its ends: one to three chunks of words with gaps
between them, `u`, `u_v` or `u_v_w`. Each comes with at most `max_samples` of its occurrences, taken at a fixed stride.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32
from crossbow.grammar.bitext import Bitext
from crossbow.grammar.occurrences import localize, pair_lists, third_words, wanted_thirds
from crossbow.grammar.suffix import narrow
from crossbow.jit import AHEAD, helper, kernel, maker, prefetch
from crossbow.structures.growable import copy, grown_rows
from crossbow.structures.table import find, insert, mix

MAX_WORDS = 5  # symbols on the source side of a rule with gaps; each gap uses one of them


class Cores(NamedTuple):
    """Core c: lengths[c] words per chunk (0 for none), words[c], and samples[starts[c]:starts[c + 1]], a row of the
    position of each chunk's first word."""

    lengths: I32
    words: I32
    starts: I32
    samples: I32


@helper
def _core_key(ids, i, m0, j, m1, k, m2):
    """A hash of the words of the chunks at i, j and k of the sentence."""
    h = np.uint64(17)
    for a in range(m0):
        h = mix(h, ids[i + a])
    h = mix(h, -1)
    for a in range(m1):
        h = mix(h, ids[j + a])
    h = mix(h, -1)
    for a in range(m2):
        h = mix(h, ids[k + a])
    return h


@helper
def _fresh(seen, key):
    """Whether the key is new to the table; it is not afterwards."""
    if find(seen, key) >= 0:
        return False
    insert(seen, key)
    return True


@maker
def _seen_table(n):
    """Room for every core that a sentence of n words can have."""
    size = 1024
    while size < 512 * n:
        size *= 2
    return np.zeros(size, np.uint64)


@kernel
def contiguous_cores(bitext, ids, longest, max_samples, exclude):
    """Cores of one chunk, from the suffix array; and for each position how long a known phrase begins there."""
    n = ids.shape[0]
    lengths = np.zeros((longest * n + 1, 3), np.int32)
    words = np.zeros((longest * n + 1, longest), np.int32)
    starts = np.zeros(longest * n + 2, np.int32)
    samples = np.zeros((1024, 3), np.int32)
    reach = np.zeros(n, np.int32)
    seen = _seen_table(n)
    cores, used = 0, 0
    for i in range(n):
        low, high = 0, 0
        for m in range(1, longest + 1):
            if i + m > n or ids[i + m - 1] < 0:
                break
            if m == 1:
                low, high = bitext.word_starts[ids[i]], bitext.word_starts[ids[i] + 1]
            else:
                low, high = narrow(bitext.source, bitext.order, low, high, m - 1, ids[i + m - 1])
            if low == high:
                break
            reach[i] = m
            if not _fresh(seen, _core_key(ids, i, m, 0, 0, 0, 0)):
                continue
            samples = grown_rows(samples, used, max_samples)
            count = high - low
            for s in range(min(count, max_samples)):
                p = bitext.order[low + (s * count // max_samples if count > max_samples else s)]
                if exclude < 0 or bitext.group[bitext.sentence[p]] != exclude:
                    samples[used, 0] = p
                    used += 1
            if used > starts[cores]:
                lengths[cores, 0] = m
                copy(ids, i, m, words[cores], 0)
                cores += 1
                starts[cores] = used
    return lengths[:cores], words[:cores], starts[: cores + 1], samples[:used], reach


@kernel
def pair_cores(bitext, ids, of, reach, pairs, rows, max_span, max_samples):
    """Cores of two chunks: the list of their inner two words, filtered by the words around these."""
    n = ids.shape[0]
    text = bitext.source
    lengths = np.zeros((256, 3), np.int32)
    words = np.zeros((256, MAX_WORDS), np.int32)
    ends = np.zeros((256, 1), np.int32)
    samples = np.zeros((4096, 3), np.int32)
    matches = np.empty(rows.shape[0] + 1, np.int32)
    seen = _seen_table(n)
    cores, used = 0, 0
    for i in range(n):
        for j in range(i + 2, min(n, i + max_span)):
            if of[i] < 0 or of[j] < 0:
                continue
            low, high = pairs[of[i], of[j]], pairs[of[i], of[j] + 1]
            for left in range(MAX_WORDS - 2):
                if low == high or left > i or reach[i - left] < left + 1:
                    break
                for right in range(MAX_WORDS - 2 - left):
                    if right >= reach[j] or j + right - i + left >= max_span:
                        break
                    if not _fresh(seen, _core_key(ids, i - left, left + 1, j, right + 1, 0, 0)):
                        continue
                    count = 0
                    for at in range(low, high):
                        p, q = rows[at, 0], rows[at, 1]
                        prefetch(text, rows[min(at + AHEAD, high - 1), 0])
                        if q + right - p + left >= max_span or p < left:
                            continue
                        fits = True
                        for a in range(1, left + 1):
                            fits = fits and text[p - a] == ids[i - a]
                        for a in range(1, right + 1):
                            fits = fits and text[q + a] == ids[j + a]
                        if fits:
                            matches[count] = at
                            count += 1
                    if count == 0:
                        continue
                    samples = grown_rows(samples, used, max_samples)
                    for s in range(min(count, max_samples)):
                        at = matches[s * count // max_samples if count > max_samples else s]
                        samples[used, 0], samples[used, 1] = rows[at, 0] - left, rows[at, 1]
                        used += 1
                    lengths, words = grown_rows(lengths, cores, 1), grown_rows(words, cores, 1)
                    ends = grown_rows(ends, cores, 1)
                    lengths[cores, 0], lengths[cores, 1] = left + 1, right + 1
                    copy(ids, i - left, left + 1, words[cores], 0)
                    copy(ids, j, right + 1, words[cores], left + 1)
                    ends[cores, 0] = used
                    cores += 1
    return lengths[:cores], words[:cores], ends[:cores, 0].copy(), samples[:used]


@kernel
def triple_cores(bitext, of, distinct, local, pairs, rows, max_span, max_samples):
    """Cores of three words with two gaps: one walk over a pair's list finds the third words the sentence asks for."""
    size = distinct.shape[0]
    words = np.zeros((256, MAX_WORDS), np.int32)
    ends = np.zeros((256, 1), np.int32)
    samples = np.zeros((4096, 3), np.int32)
    cores, used = 0, 0
    for a in range(size):
        for b in range(size):
            low, high = pairs[a, b], pairs[a, b + 1]
            if low == high:
                continue
            wanted = wanted_thirds(bitext, of, distinct, a, b, max_span)
            for side in range(2):
                if not wanted[side].any():
                    continue
                lists, found = third_words(bitext.source, local, rows, low, high, wanted[side], side == 0, max_span)
                begin = 0
                for c in range(size):
                    count = lists[c] - begin
                    if count > 0:
                        samples = grown_rows(samples, used, max_samples)
                        for s in range(min(count, max_samples)):
                            at = begin + (s * count // max_samples if count > max_samples else s)
                            copy(found[at], 0, 3, samples[used], 0)
                            used += 1
                        words, ends = grown_rows(words, cores, 1), grown_rows(ends, cores, 1)
                        row = words[cores]
                        row[0], row[1], row[2] = (a, b, c) if side == 0 else (c, a, b)
                        for k in range(3):
                            row[k] = distinct[row[k]]
                        ends[cores, 0] = used
                        cores += 1
                    begin = lists[c]
    return np.ones((cores, 3), np.int32), words[:cores], ends[:cores, 0].copy(), samples[:used]


def find_phrases(bitext: Bitext, ids: I32, longest: int, max_samples: int, exclude: int = -1) -> Cores:
    """The cores without gaps alone, of at most so many words."""
    lengths, words, starts, samples, _ = contiguous_cores(bitext, ids, longest, max_samples, exclude)
    return Cores(lengths, words, starts, samples)


def find_cores(
    bitext: Bitext, ids: I32, max_span: int, max_samples: int, max_anchors: int, exclude: int = -1
) -> Cores:
    """All cores of a sentence with their sampled occurrences. Words unknown to the training text are -1."""
    local = np.zeros(len(bitext.word_starts), np.uint16)
    of, distinct = localize(ids, local)
    lengths, words, starts, samples, reach = contiguous_cores(bitext, ids, MAX_WORDS, max_samples, exclude)
    pairs, rows = pair_lists(bitext, of, distinct, max_span, max_anchors, exclude)
    two = pair_cores(bitext, ids, of, reach, pairs, rows, max_span, max_samples)
    three = triple_cores(bitext, of, distinct, local, pairs, rows, max_span, max_samples)
    return Cores(
        np.concatenate((lengths, two[0], three[0])),
        np.concatenate((words, two[1], three[1])),
        np.concatenate((starts, two[2] + starts[-1], three[2] + starts[-1] + len(two[3]))).astype(np.int32),
        np.concatenate((samples, two[3], three[3])),
    )
