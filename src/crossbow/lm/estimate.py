"""Interpolated modified Kneser–Ney language models from text, by the formulas of KenLM's lmplz.

    ngrams = estimate(corpus, len(vocab), Smoothing(order=4))

For an n-gram of adjusted count c, with D the discounts of its order, its probability after its context is
(c - D(c)) / sum + gamma * p(without the first word), where sum adds up the counts of the context's n-grams and gamma is
what the discounts took from them. Below the words stands the uniform distribution over what can follow: all words that
occur, <unk> and </s>, but not <s>, which by convention has log10 probability 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crossbow.arrays import F32, F64, I32, I64, Bools
from crossbow.errors import CrossbowError
from crossbow.jit import kernel
from crossbow.lm.counts import Counted, count_ngrams
from crossbow.lm.ngrams import LOG_ZERO, NGrams, check_order
from crossbow.lm.words import BEGIN, END, UNK
from crossbow.vocab import Corpus

FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)



@dataclass(frozen=True)
class Smoothing:
    """How to estimate. `prune[k - 1]`: k-grams seen at most so often are left out, their mass goes to the backoff."""

    order: int = 4
    prune: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_order(self.order)
        cuts = list(self.prune)
        if len(cuts) > self.order or any(cuts[:1]) or cuts != sorted(cuts):
            raise CrossbowError(f"prune={self.prune}: expected 0 for words, then cut-offs that never fall, "
                                f"at most {self.order} in all")  # fmt: skip

    @property
    def cuts(self) -> I32:
        """A cut-off for each order; the last one given holds for all higher orders."""
        given = list(self.prune) or [0]
        return np.array([given[min(k, len(given) - 1)] for k in range(self.order)], np.int32)


DEFAULT = Smoothing()


@kernel
def _occurrences(counted: Any, raw: Any) -> None:
    """How often each n-gram occurs. Longer ones come after shorter ones, so going backwards adds them up."""
    for t in range(raw.shape[0] - 1, -1, -1):
        if raw[t] == 0:  # of the highest order or starting with <s>: what was counted are occurrences
            raw[t] = counted.counts[t]
        if counted.orders[t] > 1:
            raw[counted.shorter[t]] += raw[t]


@kernel
def _tally(counted: Any, tally: Any) -> None:
    """tally[k, c]: how many k-grams have the adjusted count c, for c = 1 … 4."""
    for t in range(counted.counts.shape[0]):
        if 1 <= counted.counts[t] <= 4:
            tally[counted.orders[t], counted.counts[t]] += 1


@kernel
def _context_sums(counted: Any, kept: Any, discounts: Any, total: Any, freed: Any) -> None:
    """For each context the sum of its n-grams' counts, and what discounting (or pruning) them sets free."""
    for t in range(counted.vocab_size, kept.shape[0]):
        count, left = counted.counts[t], counted.context[t]
        total[left] += count
        freed[left] += discounts[counted.orders[t], min(count, 3)] if kept[t] else count


@kernel
def _interpolate(counted: Any, discounts: Any, total: Any, gamma: Any, p: Any) -> None:
    """Probabilities of all n-grams, shorter before longer; those of words are given."""
    for t in range(counted.vocab_size, p.shape[0]):
        count, left = counted.counts[t], counted.context[t]
        discounted = count - discounts[counted.orders[t], min(count, 3)]
        p[t] = discounted / total[left] + gamma[left] * p[counted.shorter[t]]


@kernel
def _gather(text: Any, ends: Any, chosen: Any, words: Any) -> None:
    """The words of the chosen n-grams, a row each."""
    order = words.shape[1]
    for row in range(chosen.shape[0]):
        start = ends[chosen[row]] - order + 1
        for i in range(order):
            words[row, i] = text[start + i]


def discounts_of(tally: I64) -> tuple[float, float, float]:
    """Modified Kneser–Ney discounts for counts 1, 2, 3+ from tally[c], the number of n-grams of count c = 1 … 4.

    Small or artificial texts leave them undefined or out of range; then the fallback takes their place.
    """
    n = [int(x) for x in tally]
    if min(n[1:4]) == 0:
        return FALLBACK_DISCOUNTS
    y = n[1] / (n[1] + 2 * n[2])
    d1, d2, d3 = (c - (c + 1) * y * n[c + 1] / n[c] for c in (1, 2, 3))
    return (d1, d2, d3) if 0 <= d1 <= 1 and 0 <= d2 <= 2 and 0 <= d3 <= 3 else FALLBACK_DISCOUNTS


def _word_probabilities(counts: I32, discounts: F64) -> F64:
    """Probabilities of single words. What does not occur shares the probability of <unk>."""
    possible = np.count_nonzero(counts) + (counts[UNK] == 0)
    discount = discounts[np.minimum(counts, 3)]
    p: F64 = (counts - discount) / counts.sum() + discount.sum() / counts.sum() / possible
    p[BEGIN] = 1.0
    return p


def _log10(p: F64) -> F32:
    logarithms: F32 = np.log10(np.maximum(p, 10.0**LOG_ZERO)).astype(np.float32)
    return logarithms


def _export(counted: Counted, kept: Bools, p: F64, gamma: F64) -> NGrams:
    """The n-grams that are kept, by order, each order in order of first occurrence (words by id)."""
    words, probs, backoffs = [], [], []
    for order in range(1, counted.order + 1):
        chosen = np.flatnonzero(kept & (counted.orders == order))
        if order == 1:
            rows = chosen.astype(np.int32)[:, None]
        else:
            rows = np.empty((len(chosen), order), np.int32)
            _gather(counted.text, counted.ends, chosen, rows)
        words.append(rows)
        probs.append(_log10(p[chosen]))
        backoffs.append(_log10(gamma[chosen]))
    return NGrams(tuple(words), tuple(probs), tuple(backoffs), counted.vocab_size)


def estimate(corpus: Corpus, vocab_size: int, smoothing: Smoothing = DEFAULT) -> NGrams:
    """A language model of sentences, given without <s> and </s>.

    I32 outside the vocabulary, and <s> and </s> inside a sentence, count as <unk>, which then is a word like others.
    """
    counted = count_ngrams(corpus, vocab_size, smoothing.order)
    tally = np.zeros((smoothing.order + 1, 5), np.int64)
    _tally(counted, tally)
    discounts = np.zeros((smoothing.order + 1, 4))  # [order, min(count, 3)]
    for order in range(1, smoothing.order + 1):
        discounts[order, 1:] = discounts_of(tally[order])

    size = len(counted.counts)
    kept = np.ones(size, np.bool_)
    if smoothing.cuts.any():
        raw = np.zeros(size, np.int32)
        _occurrences(counted, raw)
        kept = (raw > smoothing.cuts[counted.orders - 1]) | (counted.orders == 1)
    total, gamma, p = np.zeros(size), np.zeros(size), np.empty(size)
    _context_sums(counted, kept, discounts, total, gamma)
    np.divide(gamma, total, out=gamma, where=total > 0)
    gamma[total == 0] = 1.0
    p[:vocab_size] = _word_probabilities(counted.counts[:vocab_size], discounts[1])
    _interpolate(counted, discounts, total, gamma, p)
    kept[:vocab_size] = counted.counts[:vocab_size] > 0
    kept[[UNK, BEGIN, END]] = True
    return _export(counted, kept, p, gamma)
