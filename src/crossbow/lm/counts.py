"""Counting n-grams for Kneser–Ney smoothing, all orders in one pass over the text.

    counted = count_ngrams(corpus, vocab_size, order)

Every distinct n-gram becomes a *type*: words are types 0 … vocab_size-1 by their id, longer n-grams follow in order of
first occurrence, shorter before longer. A type knows the type without its first word (`shorter`) and the one without
its last word (`context`), so that smoothing needs no further look-ups.

The adjusted count of Kneser–Ney needs no second pass. Let K be the longest order at a position (the model's order, or
back to <s>). Of the K-gram we count occurrences; of a shorter one, how many distinct words precede it. So each position
adds exactly one to its longest n-gram that is not new: there it is seen again (K) or gains a left neighbor (< K).
All n-grams that are new start at one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crossbow.arrays import I32, U8
from crossbow.errors import CrossbowError
from crossbow.jit import kernel
from crossbow.lm.ngrams import check_order, hash_word
from crossbow.lm.words import BEGIN, END, UNK
from crossbow.structures.table import insert, mix, new_table
from crossbow.vocab import Corpus


class Counted(NamedTuple):
    """The types of a text. The arrays after `order` have an entry for each type; the last three are unset for words."""

    text: I32  # the sentences with <s> and </s>, one after another
    vocab_size: int
    order: int
    counts: I32  # adjusted counts
    orders: U8
    ends: I32  # where in the text the n-gram's last word first stands
    shorter: I32  # the n-gram without its first word
    context: I32  # the n-gram without its last word


@kernel
def _mark_sentences(words: Any, starts: Any, vocab_size: int, text: Any) -> None:
    """Copy the sentences with <s> and </s> around them; what cannot be an ordinary word becomes <unk>."""
    at = 0
    for s in range(starts.shape[0] - 1):
        text[at] = BEGIN
        at += 1
        for i in range(starts[s], starts[s + 1]):
            word = words[i]
            text[at] = word if END < word < vocab_size else UNK
            at += 1
        text[at] = END
        at += 1


@kernel
def _count(counted: Any, keys: Any, types: Any, progress: Any, here: Any) -> None:
    """Count to the end of the text, or until the hash table (keys -> types) is half full and must grow.

    progress: position, number of types, start of the sentence, and `known`, where here[k] is the type of the k-gram
    that ends one position before, for k >= known.
    """
    text, counts, shorter = counted.text, counted.counts, counted.shorter
    hashes = np.empty(counted.order + 1, np.uint64)
    slots = np.empty(counted.order + 1, np.int64)
    at, size, sentence, known = progress[0], progress[1], progress[2], progress[3]
    while at < text.shape[0] and 2 * (size - counted.vocab_size + counted.order) <= keys.shape[0]:
        word = text[at]
        if word == BEGIN:
            sentence, known, here[1] = at, 1, word
            at += 1
            continue
        longest = min(counted.order, at - sentence + 1)
        hashes[1] = hash_word(word)
        for k in range(2, longest + 1):
            hashes[k] = mix(hashes[k - 1], text[at - k + 1])
        k, seen = longest, word
        while k > 1:  # down to the longest n-gram that is not new
            slots[k] = insert(keys, hashes[k])
            if types[slots[k]] != 0:
                seen = types[slots[k]]
                break
            k -= 1
        counts[seen] += 1
        for j in range(known - 1, k - 1, -1):
            here[j] = shorter[here[j + 1]]
        left, here[k] = here[k], seen
        for j in range(k + 1, longest + 1):
            types[slots[j]] = size
            counts[size], counted.orders[size], counted.ends[size] = 1, j, at
            shorter[size], counted.context[size] = here[j - 1], left
            left, here[j] = here[j], size
            size += 1
        known = k
        at += 1
    progress[0], progress[1], progress[2], progress[3] = at, size, sentence, known


@kernel
def _rehash(keys: Any, types: Any, larger_keys: Any, larger_types: Any) -> None:
    for slot in range(keys.shape[0]):
        if types[slot] != 0:
            larger_types[insert(larger_keys, keys[slot])] = types[slot]


def count_ngrams(corpus: Corpus, vocab_size: int, order: int) -> Counted:
    """The n-grams of the sentences up to the given order, with their adjusted counts."""
    check_order(order)
    sentences = len(corpus.starts) - 1
    if sentences < 1:
        raise CrossbowError("no sentences to estimate a language model from; is the text empty?")
    if vocab_size <= END:
        raise CrossbowError(f"a vocabulary of {vocab_size} words; create it with crossbow.lm.words.new_vocab()")
    length = int(corpus.starts[-1] - corpus.starts[0]) + 2 * sentences
    limit = vocab_size + (order - 1) * length
    if limit >= 2**31:
        raise CrossbowError(f"{length} words are too many for one language model of order {order}; use a sample")
    # Sized for the worst case: memory is only taken for what is touched.
    counted = Counted(
        text=np.empty(length, np.int32),
        vocab_size=vocab_size,
        order=order,
        counts=np.zeros(limit, np.int32),
        orders=np.empty(limit, np.uint8),
        ends=np.empty(limit, np.int32),
        shorter=np.empty(limit, np.int32),
        context=np.empty(limit, np.int32),
    )
    _mark_sentences(corpus.words, corpus.starts, vocab_size, counted.text)
    counted.orders[:vocab_size] = 1
    keys = new_table(length)
    types = np.zeros(len(keys), np.int32)
    progress, here = np.array([0, vocab_size, 0, 1], np.int64), np.zeros(order + 1, np.int32)
    _count(counted, keys, types, progress, here)
    while progress[0] < length:
        larger_keys = new_table(len(keys))
        larger_types = np.zeros(len(larger_keys), np.int32)
        _rehash(keys, types, larger_keys, larger_types)
        keys, types = larger_keys, larger_types
        _count(counted, keys, types, progress, here)
    used = slice(0, int(progress[1]))
    return counted._replace(**{name: getattr(counted, name)[used] for name in Counted._fields[3:]})
