"""States for combining partial translations in a chart, and scoring with them. Helpers, inlined into kernels.

    states = np.empty((n, state_size(order)), np.int32)
    clear_state(row, order)                   # the empty hypothesis; begin_sentence: one that starts with <s>
    score += add_word(lm, row, word)          # append a word: log10 score that it adds
    score += add_state(lm, row, other)        # append a finished hypothesis: correction to the sum of both scores

However a sentence is bracketed, what is returned adds up to its log10 probability read from left to right. A hypothesis
that does not start with <s> is scored with the words it has; `add_state` makes up for it when more is known.

A state holds what the future can depend on and no more, in one canonical form: hypotheses may be recombined if and only
if their rows are equal. With N the order, a row holds, and -1 where unused,
    [0, N-1)       left words: the first ones, as long as the n-gram they form (from the very first) extends to the left
    [N-1, 2N-2)    right words: the latest ones, most recent first, as many as form an n-gram that extends to the right
    2N-2           2 * (number of left words) + full; if full, later words cannot match anything before the hypothesis.
                   The first of them may still be charged backoffs; for that its identity is not needed.
    2N-1           number of right words

Why this is enough: the model is closed (see lm/ngrams.py), so when an n-gram does not extend to the left, no longer one
ends with it, and what its last word matches is settled; nor is a longer one a context of the word that follows.

A helper that takes arrays is not free even when inlined: looking up one word's flag in a helper of its own made
`add_word` a fifth slower. So what is done for every word stands in `add_word` itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crossbow.arrays import I32
from crossbow.jit import helper, kernel
from crossbow.lm.ngrams import hash_word
from crossbow.lm.tables import EXTENDS_LEFT, EXTENDS_RIGHT, KNOWN, Tables
from crossbow.lm.words import BEGIN, END, UNK
from crossbow.structures.table import find, mix


def state_size(order: int) -> int:
    """Length of a state's row."""
    return 2 * order


@helper
def clear_state(row: I32, order: int) -> None:
    """Make it the empty hypothesis."""
    row[: 2 * order - 2] = -1
    row[2 * order - 2] = 1 if order == 1 else 0
    row[2 * order - 1] = 0


@helper
def begin_sentence(row: I32, order: int) -> None:
    """Make it the hypothesis that consists of <s>, which is kept as right word whatever the model says."""
    clear_state(row, order)
    row[2 * order - 2] = 1
    if order > 1:
        row[order - 1] = BEGIN
        row[2 * order - 1] = 1


@helper
def _right_backoffs(word_backoffs: Any, entries: Any, row: I32, shortest: int) -> float:
    """The sum of the backoffs of the row's right words as contexts, from so many words to all."""
    first, longest = row.shape[0] // 2 - 1, row[row.shape[0] - 1]
    total = 0.0
    if shortest <= longest:
        h = np.uint64(0)
        for n in range(1, longest + 1):
            word = row[first + n - 1]
            h = hash_word(word) if n == 1 else mix(h, word)
            if n >= shortest:
                total += word_backoffs[word] if n == 1 else entries[find(entries["key"], h)].backoff
    return total


@helper
def _joined_backoffs(entries: Any, row: I32, h: np.uint64, shortest: int, longest: int) -> float:
    """The sum of the backoffs of contexts that end in the words hashed in h, after `shortest` to `longest` right words
    of the row."""
    first = row.shape[0] // 2 - 1
    total = 0.0
    for n in range(1, longest + 1):
        h = mix(h, row[first + n - 1])
        if n >= shortest:
            total += entries[find(entries["key"], h)].backoff
    return total


@helper
def _prepend_right(row: I32, order: int, count: int, keep: int) -> None:
    """Make room for `count` more recent right words before the `keep` most recent ones; forget the others."""
    first = order - 1
    for i in range(keep - 1, -1, -1):
        row[first + count + i] = row[first + i]
    for i in range(first + count + keep, 2 * order - 2):
        row[i] = -1
    row[2 * order - 1] = count + keep


@helper
def add_word(lm: Tables, row: I32, word: int) -> float:
    """Append a word; returns its log10 score."""
    order = row.shape[0] // 2
    n_left, full, n_right = row[2 * order - 2] >> 1, row[2 * order - 2] & 1, row[2 * order - 1]
    if word < 0 or word >= lm.word_flags.shape[0] or word == BEGIN or not lm.word_flags[word] & KNOWN:
        word = UNK  # <s> inside a sentence is no word of it
    p, flags = np.float64(lm.word_probs[word]), lm.word_flags[word]
    # The same search as in add_state below, written out twice: shared in a helper it made decoding a quarter slower.
    matched, keep = 0, 0 if flags & EXTENDS_RIGHT else -1
    h = hash_word(word)
    while matched < n_right and flags & EXTENDS_LEFT:
        h = mix(h, row[order - 1 + matched])
        slot = find(lm.entries["key"], h)
        if slot < 0:
            break
        matched += 1
        p, flags = np.float64(lm.entries[slot].prob), lm.flags[slot]
        if flags & EXTENDS_RIGHT:
            keep = matched
    p += _right_backoffs(lm.word_backoffs, lm.entries, row, matched + 1)
    if not full:
        if matched == n_left and flags & EXTENDS_LEFT:
            row[n_left] = word
            n_left += 1
            full = 1 if n_left == order - 1 else 0
        else:
            full = 1
        row[2 * order - 2] = 2 * n_left + full
    for i in range(order - 2, 0, -1):
        row[order - 1 + i] = row[order - 2 + i] if i <= keep else -1
    if order > 1:
        row[order - 1] = word if keep >= 0 else -1
    row[2 * order - 1] = keep + 1
    return p


@helper
def add_state(lm: Tables, row: I32, other: I32) -> float:
    """Append a finished hypothesis; returns the correction to the sum of the two scores."""
    order = row.shape[0] // 2
    before, full, reach = row[2 * order - 2] >> 1, row[2 * order - 2] & 1, row[2 * order - 1]
    n_other, other_full = other[2 * order - 2] >> 1, other[2 * order - 2] & 1
    n_left, correction = before, 0.0
    h_context = np.uint64(0)
    # reach: how many right words of the row belong to a context, together with the words of `other` up to here
    for i in range(n_other):
        if reach == 0 and full:
            break
        h_own = hash_word(other[i])
        for j in range(i - 1, -1, -1):
            h_own = mix(h_own, other[j])
        h, p, flags = h_own, 0.0, np.uint8(EXTENDS_LEFT)
        matched, next_reach = 0, 0
        while matched < reach and flags & EXTENDS_LEFT:
            h = mix(h, row[order - 1 + matched])
            slot = find(lm.entries["key"], h)
            if slot < 0:
                break
            matched += 1
            p, flags = np.float64(lm.entries[slot].prob), lm.flags[slot]
            if flags & EXTENDS_RIGHT:
                next_reach = matched
        if matched > 0:
            correction += p - (lm.word_probs[other[0]] if i == 0 else lm.entries[find(lm.entries["key"], h_own)].prob)
        if matched < reach and i == 0:
            correction += _right_backoffs(lm.word_backoffs, lm.entries, row, matched + 1)
        elif matched < reach:
            correction += _joined_backoffs(lm.entries, row, h_context, matched + 1, reach)
        if not full:
            if matched == before and flags & EXTENDS_LEFT:
                row[n_left] = other[i]
                n_left += 1
                full = 1 if n_left == order - 1 else 0
            else:
                full = 1
        reach, h_context = next_reach, h_own
    if other_full:
        if n_other == 0:
            correction += _right_backoffs(lm.word_backoffs, lm.entries, row, 1)
        elif reach > 0:
            correction += _joined_backoffs(lm.entries, row, h_context, 1, reach)
        full, reach = 1, 0
    row[2 * order - 2] = 2 * n_left + full
    n_recent = other[2 * order - 1]
    _prepend_right(row, order, n_recent, reach)
    for i in range(order - 1, order - 1 + n_recent):
        row[i] = other[i]
    return correction


@helper
def _score(lm: Tables, ids: I32, start: int, stop: int, begin: bool, end: bool, row: I32) -> float:
    if begin:
        begin_sentence(row, row.shape[0] // 2)
    else:
        clear_state(row, row.shape[0] // 2)
    total = 0.0
    for i in range(start, stop):
        total += add_word(lm, row, ids[i])
    if end:
        total += add_word(lm, row, END)
    return total


@kernel
def score_sequence(lm: Tables, ids: I32, begin: bool, end: bool) -> float:
    """The log10 probability of the words, after <s> if it begins a sentence, with </s> if it ends one."""
    row = np.empty(2 * lm.counts.shape[0], np.int32)
    return _score(lm, ids, 0, ids.shape[0], begin, end, row)


@kernel
def score_corpus(lm: Tables, words: I32, starts: Any) -> float:
    """The log10 probability of all sentences, each with <s> and </s>."""
    row = np.empty(2 * lm.counts.shape[0], np.int32)
    total = 0.0
    for s in range(starts.shape[0] - 1):
        total += _score(lm, words, starts[s], starts[s + 1], True, True, row)
    return total
