"""A language model as arrays: words by id, longer n-grams in one hash table.

    tables = build(ngrams)

Two flags per n-gram tell a query when to stop, and a decoder which words its states need not keep: EXTENDS_LEFT, some
longer n-gram ends with this one; EXTENDS_RIGHT, some longer n-gram begins with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossbow.jit import helper, kernel
from crossbow.lm.ngrams import Floats, NGrams, check_order, hash_row
from crossbow.lm.words import UNK
from crossbow.structures.table import find, insert, new_table

EXTENDS_LEFT, EXTENDS_RIGHT, KNOWN = 1, 2, 4


class Tables(NamedTuple):
    """Words by id, longer n-grams in an open-addressing table; log10 values. A word that is not KNOWN counts as <unk>."""

    counts: npt.NDArray[np.int64]  # n-grams of each order, so its length is the model's order
    word_probs: Floats
    word_backoffs: Floats
    word_flags: npt.NDArray[np.uint8]
    keys: npt.NDArray[np.uint64]
    probs: Floats
    backoffs: Floats
    flags: npt.NDArray[np.uint8]


@helper
def _flag(tables: Any, row: Any, start: int, stop: int, flags: int) -> bool:
    """Set flags of the n-gram row[start:stop], which is there; tells whether anything changed."""
    if stop - start == 1:
        old = tables.word_flags[row[start]]
        tables.word_flags[row[start]] = old | flags
    else:
        slot = find(tables.keys, hash_row(row, start, stop))
        old = tables.flags[slot]
        tables.flags[slot] = old | flags
    return (old & flags) != flags


@kernel
def _enter(words: Any, probs: Any, backoffs: Any, tables: Any) -> None:
    """Put n-grams of one order (2 or more) into the table and flag the n-grams they extend, which are there already."""
    order = words.shape[1]
    for i in range(words.shape[0]):
        row = words[i]
        slot = insert(tables.keys, hash_row(row, 0, order))
        tables.probs[slot] = probs[i]
        tables.backoffs[slot] = backoffs[i]
        _flag(tables, row, 0, order - 1, EXTENDS_RIGHT)
        if backoffs[i] == 0.0:
            _flag(tables, row, 1, order, EXTENDS_LEFT)
        else:  # a context, even when pruning left nothing that it begins; so are the n-grams it ends with
            tables.flags[slot] |= np.uint8(EXTENDS_RIGHT)
            start = 1
            while _flag(tables, row, start, order, EXTENDS_RIGHT | (EXTENDS_LEFT if start == 1 else 0)):
                start += 1
                if start == order:
                    break


def build(ngrams: NGrams) -> Tables:
    """Hash the n-grams."""
    check_order(ngrams.order)
    known = ngrams.words[0][:, 0]
    keys = new_table(sum(ngrams.counts[1:]))
    tables = Tables(
        np.array(ngrams.counts, np.int64),
        np.full(ngrams.vocab_size, ngrams.probs[0][known == UNK][0], np.float32),
        np.zeros(ngrams.vocab_size, np.float32),
        np.zeros(ngrams.vocab_size, np.uint8),
        keys,
        *(np.zeros(len(keys), dtype) for dtype in (np.float32, np.float32, np.uint8)),
    )
    tables.word_probs[known] = ngrams.probs[0]
    tables.word_backoffs[known] = ngrams.backoffs[0]
    tables.word_flags[known] = np.where(ngrams.backoffs[0] == 0, KNOWN, KNOWN | EXTENDS_RIGHT)
    for rows, probs, backoffs in zip(ngrams.words[1:], ngrams.probs[1:], ngrams.backoffs[1:]):
        _enter(rows, probs, backoffs, tables)
    return tables
