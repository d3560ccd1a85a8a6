"""BLEU statistics of many hypotheses against one reference, for tuning. The definition is sacrebleu's.

    counts = reference_counts(reference)                       # once per sentence
    stats = bleu_stats(words, word_starts, counts)             # a row per hypothesis
    bleu(stats.sum(axis=0))                                    # of a corpus, 0 to 1

A row holds matches of order 1 to 4, the n-grams of order 1 to 4, the hypothesis's length and the reference's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I32, U64
from crossbow.jit import kernel
from crossbow.structures.table import find, insert, mix, new_table

ORDER = 4
SIZE = 2 * ORDER + 2


class Reference(NamedTuple):
    """Hashed n-grams of a reference with their counts, and its length."""

    keys: U64
    counts: I32
    length: int


@kernel
def _count(words, keys, counts):
    for i in range(words.shape[0]):
        h = np.uint64(23)
        for n in range(min(ORDER, words.shape[0] - i)):
            h = mix(h, words[i + n])
            counts[insert(keys, h)] += 1


@kernel
def _match(words, starts, keys, counts, length, out):
    """Clipped matches: every hypothesis uses up the reference's counts and then gives them back."""
    left = counts.copy()
    for y in range(starts.shape[0] - 1):
        begin, end = starts[y], starts[y + 1]
        for undo in range(2):
            for i in range(begin, end):
                h = np.uint64(23)
                for n in range(min(ORDER, end - i)):
                    h = mix(h, words[i + n])
                    slot = find(keys, h)
                    if undo:
                        if slot >= 0:
                            left[slot] = counts[slot]
                        continue
                    out[y, ORDER + n] += 1
                    if slot >= 0 and left[slot] > 0:
                        left[slot] -= 1
                        out[y, n] += 1
        out[y, 2 * ORDER] = end - begin
        out[y, 2 * ORDER + 1] = length


def reference_counts(words: I32) -> Reference:
    """The n-grams of a reference translation, given as ids."""
    keys = new_table(ORDER * len(words) + 1)
    counts = np.zeros(len(keys), np.int32)
    _count(words, keys, counts)
    return Reference(keys, counts, len(words))


def bleu_stats(words: I32, starts: I32, reference: Reference) -> F64:
    """A row of statistics for each of the hypotheses words[starts[y]:starts[y + 1]], ids as in the reference."""
    out = np.zeros((len(starts) - 1, SIZE))
    _match(words, starts, *reference, out)
    return out


def bleu(stats: F64) -> F64:
    """BLEU, 0 to 1, of one row of summed statistics or of each of many rows."""
    stats = np.atleast_2d(stats)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(stats[:, :ORDER] / stats[:, ORDER : 2 * ORDER]).mean(axis=1)
        brevity = np.minimum(0.0, 1.0 - stats[:, -1] / stats[:, -2])
    score: F64 = np.nan_to_num(np.exp(precision + brevity), nan=0.0)
    return score
