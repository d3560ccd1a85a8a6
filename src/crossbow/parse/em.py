"""Maximum likelihood: the model that makes the trees of a text most probable, by Viterbi EM from a heuristic start.

    vocab = vocabulary(sentences, EmConfig())
    model = initial(reader.queries(sentences), vocab, EmConfig())
    model, history = viterbi_em(model, texts, EmConfig())       # history: the log likelihood before each update

At first θ(child | parent) is proportional to the sum of 1/distance over the sentences in which both words stand. Then,
in rounds, every sentence gets its most probable tree, and θ becomes the share of each arc in these trees. With a prior,
a pseudo-count for every listed arc, what never falls is the likelihood times the prior's density.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crossbow.arrays import F64, I64
from crossbow.errors import CrossbowError
from crossbow.jit import kernel
from crossbow.parse.model import FLOOR, OTHER, ParseConfig, ParseModel, Table, parse_with_likelihood
from crossbow.parse.texts import UNKNOWN, Texts
from crossbow.vocab import Vocab

STARTS = ("distance", "uniform")
ENOUGH = 1e-4  # a round that raises the likelihood by less than this share of it is the last


@dataclass(frozen=True)
class EmConfig:
    """What the model has parameters for, where they start, and for how long they are estimated."""

    words: int = 150  # the most frequent ones; all others are UNK
    least_pairs: int = 2  # a child that stands in fewer sentences with its parent is not listed
    start: str = "distance"  # θ ∝ Σ 1/distance, or "uniform": every pair counts alike
    prior: float = 0.1  # pseudo-count of every listed arc
    rounds: int = 10  # the most that are done

    def __post_init__(self) -> None:
        if self.start not in STARTS:
            raise CrossbowError(f"the start is {self.start!r}; it must be one of {', '.join(STARTS)}")
        if not 0 <= self.prior < float("inf") or self.rounds < 0 or self.words < 1 or self.least_pairs < 1:
            raise CrossbowError(f"a prior of {self.prior}, {self.rounds} rounds, {self.words} words and pairs seen "
                                f"{self.least_pairs} times: the first two must be at least 0, the others at least 1")


@kernel
def _pairs(sentences, unit, units, uniform, key, weight):
    """The pairs (head, child) of every sentence and the weight of each; the head of a pair may be ROOT."""
    at = 0
    for s in range(sentences.shape[0] - 1):
        begin, end = sentences[s], sentences[s + 1]
        for c in range(begin, end):
            key[at], weight[at] = np.int64(units) * units + unit[c], 1.0 / (end - begin)
            at += 1
            for h in range(begin, end):
                if h != c:
                    key[at] = np.int64(unit[h]) * units + unit[c]
                    weight[at] = 1.0 if uniform else 1.0 / abs(h - c)
                    at += 1


def vocabulary(sentences: Iterable[Sequence[str]], config: EmConfig) -> Vocab:
    """UNK and the most frequent words, equally frequent ones by the alphabet."""
    counts = Counter(word for sentence in sentences for word in sentence)
    return Vocab([UNKNOWN, *sorted(counts, key=lambda word: (-counts[word], word))[: config.words]])


def initial(texts: Texts, vocab: Vocab, config: EmConfig, parsing: ParseConfig = ParseConfig()) -> ParseModel:
    """The model that EM starts from: which arcs are listed, and how probable each is by the heuristic."""
    if not len(texts.unit):
        raise CrossbowError("there are no words to estimate a parser from; is the text empty?")
    units, total = len(vocab), int((np.diff(texts.sentences) ** 2).sum())
    pairs, weight = np.empty(total, np.int64), np.empty(total)
    _pairs(texts.sentences, texts.unit, units, config.start == "uniform", pairs, weight)
    pairs, place, count = np.unique(pairs, return_inverse=True, return_counts=True)
    sums = np.bincount(place, weight)
    listed = count >= config.least_pairs
    other = np.bincount(pairs[~listed] // units, sums[~listed], units + 1)  # what is not listed falls to OTHER
    key = np.concatenate([np.arange(units + 1) * units, pairs[listed]])
    order = np.argsort(key, kind="stable")  # OTHER has the key of unit 0, and comes before it
    children = np.concatenate([np.full(units + 1, OTHER), pairs[listed] % units])[order].astype(np.int32)
    starts = np.searchsorted(key[order], np.arange(units + 2) * units)
    weights = np.concatenate([other, sums[listed]])[order]
    table = Table(starts, children, np.empty(len(children)))
    return ParseModel(vocab, table._replace(value=normalized(table.starts, weights, config.prior)), parsing)


def viterbi_em(
    model: ParseModel, texts: Texts, config: EmConfig, threads: int = 1,
    each: Callable[[int, float], None] = lambda number, objective: None,
) -> tuple[ParseModel, list[float]]:
    """The model after EM, and the objective before each update and after the last."""
    parsing, history = model.config, []
    model = model._replace(config=replace(parsing, method="viterbi"))
    for number in range(config.rounds + 1):
        trees, likelihood = parse_with_likelihood(model, texts, threads)
        history.append(likelihood + log_prior(model.table.value, config.prior))
        each(number, history[-1])
        if number == config.rounds or (number and history[-1] - history[-2] <= ENOUGH * abs(history[-2])):
            break
        counts = np.bincount(trees.edge, minlength=len(model.table.value)).astype(np.float64)
        model = model.with_value(normalized(model.table.starts, counts, config.prior))
    return model._replace(config=parsing), history


def log_prior(value: F64, prior: float) -> float:
    """The logarithm of the prior's density, but for a constant."""
    return float(prior * np.log(np.maximum(value, FLOOR)).sum()) if prior else 0.0


def normalized(starts: I64, counts: F64, prior: float) -> F64:
    """Counts and pseudo-counts as a distribution for each row; a row without any is uniform."""
    counts = counts + prior
    sums = np.add.reduceat(counts, starts[:-1])
    empty = sums == 0
    counts[np.repeat(empty, np.diff(starts))] = 1.0
    sums = np.add.reduceat(counts, starts[:-1]) if empty.any() else sums
    shares: F64 = counts / np.repeat(sums, np.diff(starts))
    return shares
