"""Slow, obvious language models: Kneser–Ney with dictionaries, scoring by the definition of backoff, chart states.

A model is a dictionary from n-grams (tuples of ids) to (log10 probability, log10 backoff).
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict

import numpy as np

from crossbow.lm.ngrams import LOG_ZERO
from crossbow.lm.words import BEGIN, END, UNK
from crossbow.vocab import Corpus

Model = dict[tuple[int, ...], tuple[float, float]]


def corpus_of(sentences: list[list[int]]) -> Corpus:
    starts = np.cumsum([0] + [len(sentence) for sentence in sentences])
    return Corpus(np.array([word for sentence in sentences for word in sentence], np.int32), starts.astype(np.int64))


def random_text(seed: int, sentences: int, vocab_size: int, longest: int) -> list[list[int]]:
    """Sentences in which frequent words are much more frequent and words depend on the one before."""
    rng = random.Random(seed)
    text = []
    for _ in range(sentences):
        sentence, last = [], 0
        for _ in range(rng.randint(0, longest)):
            draw = int((vocab_size - 3) * rng.random() ** 3)
            last = 3 + (draw if rng.random() < 0.5 else (last * 7 + draw // 4) % (vocab_size - 3))
            sentence.append(last)
        text.append(sentence)
    return text


def ngrams_of(sentence: list[int], n: int) -> list[tuple[int, ...]]:
    return [tuple(sentence[i : i + n]) for i in range(len(sentence) - n + 1)]


def adjusted_counts(marked: list[list[int]], order: int) -> list[Counter[tuple[int, ...]]]:
    """[k]: of k-grams. Occurrences for the highest order and after <s>, otherwise distinct words before."""
    adjusted: list[Counter[tuple[int, ...]]] = [Counter()]
    for n in range(1, order + 1):
        occurrences = Counter(g for s in marked for g in ngrams_of(s, n))
        preceded = Counter(g[1:] for g in {g for s in marked for g in ngrams_of(s, n + 1)})
        adjusted.append(Counter({g: c if n == order or g[0] == BEGIN else preceded[g] for g, c in occurrences.items()}))
    del adjusted[1][(BEGIN,)]
    return adjusted


def discounts(counts: Counter[tuple[int, ...]]) -> list[float]:
    n = Counter(counts.values())
    if n[1] and n[2] and n[3]:
        y = n[1] / (n[1] + 2 * n[2])
        found = [0.0] + [k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3)]
        if all(0 <= found[k] <= k for k in (1, 2, 3)):
            return found
    return [0.0, 0.5, 1.0, 1.5]


def kneser_ney(sentences: list[list[int]], vocab_size: int, order: int, cuts: tuple[int, ...] = ()) -> Model:
    marked = [[BEGIN] + [w if END < w < vocab_size else UNK for w in s] + [END] for s in sentences]
    adjusted = adjusted_counts(marked, order)
    possible = {g[0] for g in adjusted[1]} | {UNK}
    p: dict[tuple[int, ...], float] = {}
    gamma: dict[tuple[int, ...], float] = {}
    for n in range(1, order + 1):
        d = discounts(adjusted[n])
        occurrences = Counter(g for s in marked for g in ngrams_of(s, n))
        cut = cuts[min(n, len(cuts)) - 1] if cuts else 0
        total: dict[tuple[int, ...], int] = defaultdict(int)
        freed: dict[tuple[int, ...], float] = defaultdict(float)
        for g, c in adjusted[n].items():
            total[g[:-1]] += c
            freed[g[:-1]] += d[min(c, 3)] if occurrences[g] > cut else c
        gamma.update({context: freed[context] / total[context] for context in total})
        for g in adjusted[n] if n > 1 else {(w,): 0 for w in possible}:
            if n == 1 or occurrences[g] > cut:
                c = adjusted[n][g]
                lower = p[g[1:]] if n > 1 else 1 / len(possible)
                p[g] = (c - d[min(c, 3)]) / total[g[:-1]] + gamma[g[:-1]] * lower
    p[(BEGIN,)] = 1.0
    return {g: (log10(p[g]), log10(gamma.get(g, 1.0))) for g in p}


def log10(x: float) -> float:
    return math.log10(max(x, 10.0**LOG_ZERO))


def log_prob(model: Model, context: tuple[int, ...], word: int) -> float:
    """By the definition of backoff: the n-gram's own probability, or the context's backoff and a shorter context."""
    if (*context, word) in model:
        return model[(*context, word)][0]
    return model.get(context, (0, 0))[1] + log_prob(model, context[1:], word)


def log_score(model: Model, order: int, words: list[int], begin: bool, end: bool) -> float:
    known = [w if (w,) in model and w != BEGIN else UNK for w in words]
    history, total = [BEGIN] if begin else [], 0.0
    for word in known + ([END] if end else []):
        total += log_prob(model, tuple(history[max(0, len(history) - order + 1) :]), word)
        history.append(word)
    return total


def extends(model: Model) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]]]:
    """The n-grams that extend to the left, and those that extend to the right (or have a backoff of their own); <s>
    counts as one, because `begin_sentence` does not ask the model."""
    left = {g[1:] for g in model}
    right = {(BEGIN,)} | {g[:-1] for g in model} | {g[i:] for g in model if model[g][1] != 0 for i in range(len(g))}
    return left, right


def state(model: Model, order: int, words: list[int], begin: bool) -> list[int]:
    """The row of the hypothesis, straight from the definition in crossbow.lm.state."""
    left_extends, right_extends = extends(model)
    known = [w if (w,) in model and w != BEGIN else UNK for w in words]
    n_left = 0
    if not begin:
        while n_left < min(order - 1, len(known)) and tuple(known[: n_left + 1]) in left_extends:
            n_left += 1
    full = begin or n_left < len(known) or n_left == order - 1
    history = ([BEGIN] if begin else []) + known
    suffixes = [n for n in range(1, min(order - 1, len(history)) + 1) if tuple(history[-n:]) in right_extends]
    right = history[::-1][: max(suffixes, default=0)]
    row = known[:n_left] + [-1] * (order - 1 - n_left) + right + [-1] * (order - 1 - len(right))
    return [*row, 2 * n_left + full, len(right)]
