"""A language model as arrays: words by id, longer n-grams in one hash table.

    tables = build(ngrams)

Two flags per n-gram tell a query when to stop, and a decoder which words its states need not keep: EXTENDS_LEFT, some
longer n-gram ends with this one; EXTENDS_RIGHT, some longer n-gram begins with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crossbow.arrays import F32, I64, U8
from crossbow.jit import kernel
from crossbow.lm.ngrams import NGrams, check_order, hash_words
from crossbow.lm.words import UNK
from crossbow.structures.table import find, insert, table_size

EXTENDS_LEFT, EXTENDS_RIGHT, KNOWN = 1, 2, 4

# Side by side, because an n-gram is seldom in the processor's cache and each array would cost a miss of its own.
ENTRY = np.dtype([("key", np.uint64), ("prob", np.float32), ("backoff", np.float32)])


class Tables(NamedTuple):
    """Words by id, longer n-grams in an open-addressing table. A word that is not KNOWN counts as <unk>."""

    counts: I64  # n-grams of each order, so its length is the model's order
    word_probs: F32
    word_backoffs: F32
    word_flags: U8
    entries: Any  # of dtype ENTRY, found by key
    flags: U8  # parallel to entries


@kernel
def _enter(words: Any, probs: Any, backoffs: Any, entries: Any, flags: Any, word_flags: Any) -> None:
    """Put n-grams of one order (2 or more) into the table and flag the n-grams they extend, which are there already."""
    order = words.shape[1]
    keys = entries["key"]
    for i in range(words.shape[0]):
        if order == 2:
            word_flags[words[i, 0]] |= np.uint8(EXTENDS_RIGHT)
            word_flags[words[i, 1]] |= np.uint8(EXTENDS_LEFT)
        else:
            flags[find(keys, hash_words(words, i, 0, order - 1))] |= np.uint8(EXTENDS_RIGHT)
            flags[find(keys, hash_words(words, i, 1, order))] |= np.uint8(EXTENDS_LEFT)
        slot = insert(keys, hash_words(words, i, 0, order))
        entries[slot].prob = probs[i]
        entries[slot].backoff = backoffs[i]
        if backoffs[i] != 0.0:
            # A context, even when pruning left nothing that it begins; then so are the n-grams that it ends with.
            flags[slot] |= np.uint8(EXTENDS_RIGHT)
            for start in range(1, order - 1):
                slot = find(keys, hash_words(words, i, start, order))
                if flags[slot] & EXTENDS_RIGHT:
                    break
                flags[slot] |= np.uint8(EXTENDS_RIGHT)
            word_flags[words[i, order - 1]] |= np.uint8(EXTENDS_RIGHT)


def build(ngrams: NGrams) -> Tables:
    """Hash the n-grams."""
    check_order(ngrams.order)
    known = ngrams.words[0][:, 0]
    slots = table_size(sum(ngrams.counts[1:]))
    tables = Tables(
        counts=np.array(ngrams.counts, np.int64),
        word_probs=np.full(ngrams.vocab_size, ngrams.probs[0][known == UNK][0], np.float32),
        word_backoffs=np.zeros(ngrams.vocab_size, np.float32),
        word_flags=np.zeros(ngrams.vocab_size, np.uint8),
        entries=np.zeros(slots, ENTRY),
        flags=np.zeros(slots, np.uint8),
    )
    tables.word_probs[known] = ngrams.probs[0]
    tables.word_backoffs[known] = ngrams.backoffs[0]
    tables.word_flags[known] = np.where(ngrams.backoffs[0] == 0, KNOWN, KNOWN | EXTENDS_RIGHT)
    for rows, probs, backoffs in zip(ngrams.words[1:], ngrams.probs[1:], ngrams.backoffs[1:]):
        _enter(rows, probs, backoffs, tables.entries, tables.flags, tables.word_flags)
    return tables
