"""The exchange form of a language model, n-grams by order with log10 probabilities and backoffs; and their hashes.

The estimator and the ARPA reader produce `NGrams`; the ARPA writer and the hash model consume them. The set is closed:
the first n-1 and the last n-1 words of every n-gram are n-grams too. The shortest are words the model knows; any other
id counts as <unk>.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import F32, I32
from crossbow.errors import CrossbowError
from crossbow.jit import helper
from crossbow.structures.table import mix

MAX_ORDER = 6
LOG_ZERO = -99.0  # stands for log10 of 0, as ARPA files have it


_SEED = np.uint64(0x5DEECE66D1CE4E5B)


class NGrams(NamedTuple):
    """N-grams of order k are the rows of words[k - 1], with parallel log10 probabilities and log10 backoffs."""

    words: tuple[I32, ...]
    probs: tuple[F32, ...]
    backoffs: tuple[F32, ...]
    vocab_size: int

    @property
    def order(self) -> int:
        return len(self.words)

    @property
    def counts(self) -> list[int]:
        """How many n-grams there are of each order."""
        return [len(rows) for rows in self.words]


def check_order(order: int) -> None:
    """Raise a readable error for an order that the kernels are not made for."""
    if not 1 <= order <= MAX_ORDER:
        raise CrossbowError(f"language models have an order from 1 to {MAX_ORDER}, not {order}")


@helper
def hash_word(word: int) -> np.uint64:
    """The hash of an n-gram's last word; `mix` extends it by the words before, nearest first.

    From the last word backwards, so that a longer context continues where a shorter one ended.
    """
    return mix(_SEED, word)


@helper
def hash_words(rows: I32, i: int, start: int, stop: int) -> np.uint64:
    """The hash of the n-gram rows[i, start:stop]."""
    h = hash_word(rows[i, stop - 1])
    for j in range(stop - 2, start - 1, -1):
        h = mix(h, rows[i, j])
    return h
