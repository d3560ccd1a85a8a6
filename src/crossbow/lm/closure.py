"""Completing n-grams from elsewhere: models pruned by other tools may lack the first or last words of an n-gram.

    ngrams = close(ngrams)

What is missing enters with the probability that backing off gives it and no backoff, so no score changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crossbow.arrays import I32, I64, U64
from crossbow.jit import kernel
from crossbow.lm.ngrams import NGrams, hash_words
from crossbow.structures.table import find, insert, new_table


@kernel
def _index(words: Any, keys: Any, rows: Any) -> int:
    """Enter n-grams of one order into a table; returns the first row that repeats an earlier one, or -1."""
    for i in range(words.shape[0]):
        slot = insert(keys, hash_words(words, i, 0, words.shape[1]))
        if rows[slot] >= 0 and np.all(words[rows[slot]] == words[i]):
            return i
        rows[slot] = i
    return -1


@kernel
def _absent(words: Any, keys: Any, absent: Any) -> None:
    """absent[i]: is the n-gram i without its last word (0), without its first word (1) not in the table?"""
    order = words.shape[1]
    for i in range(words.shape[0]):
        absent[i, 0] = find(keys, hash_words(words, i, 0, order - 1)) < 0
        absent[i, 1] = find(keys, hash_words(words, i, 1, order)) < 0


@kernel
def _back_off(words: Any, keys: Any, rows: Any, lower_probs: Any, lower_backoffs: Any, probs: Any) -> None:
    """Probabilities of n-grams from those of the next lower order, which the table indexes."""
    order = words.shape[1]
    for i in range(words.shape[0]):
        context = rows[find(keys, hash_words(words, i, 0, order - 1))]
        shorter = rows[find(keys, hash_words(words, i, 1, order))]
        probs[i] = lower_backoffs[context] + lower_probs[shorter]


def _table(words: I32) -> tuple[U64, I64, int]:
    keys = new_table(len(words))
    rows = np.full(len(keys), -1, np.int64)
    return keys, rows, int(_index(words, keys, rows))


def first_repeated(words: I32) -> int | None:
    """The first row that is the same as an earlier one."""
    row = _table(words)[2]
    return None if row < 0 else row


def close(ngrams: NGrams) -> NGrams:
    """The n-grams and all shorter ones they contain. All their words must be there."""
    words, probs, backoffs = list(ngrams.words), list(ngrams.probs), list(ngrams.backoffs)
    for k in range(ngrams.order - 1, 1, -1):  # words[k] has order k + 1; what it needs may need more in turn
        absent = np.zeros((len(words[k]), 2), np.bool_)
        _absent(words[k], _table(words[k - 1])[0], absent)
        if absent.any():
            needed = np.concatenate([words[k][absent[:, 0], :-1], words[k][absent[:, 1], 1:]])
            words[k - 1] = np.concatenate([words[k - 1], np.unique(needed, axis=0)])
    for k in range(1, ngrams.order):
        old, new = len(probs[k]), len(words[k])
        if new > old:
            keys, rows, _ = _table(words[k - 1])
            more = np.empty(new - old, np.float32)
            _back_off(words[k][old:], keys, rows, probs[k - 1], backoffs[k - 1], more)
            probs[k] = np.concatenate([probs[k], more])
            backoffs[k] = np.concatenate([backoffs[k], np.zeros(new - old, np.float32)])
    return NGrams(tuple(words), tuple(probs), tuple(backoffs), ngrams.vocab_size)
