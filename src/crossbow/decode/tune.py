"""Tuning: weights that make the decoder's best translations score high in BLEU (k-best MIRA, Chiang et al. 2008).

    result = tune(decoder, sources, references, TuneConfig(), threads=2)

For every sentence a k-best list is made; *hope* has a high model score and high BLEU, *fear* a high model score and low
BLEU, and the weights move just far enough that the gap in model score is as large as the gap in BLEU, at most C. That
BLEU is taken in the context of a decaying pseudo-document of recent output. Sentences are decoded in parallel, a fixed
number at a time, and the updates made in order, so that the result does not depend on the number of threads. Passes
end when BLEU no longer rises. A pass goes on from the state that the one before it left, so a program that keeps these
states can go on after an interruption.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64
from crossbow.decode.bleu import SIZE, Reference, bleu, bleu_stats, reference_counts
from crossbow.decode.decoder import Decoder
from crossbow.decode.kbest import kbest
from crossbow.grammar.rules import Rules
from crossbow.vocab import Vocab

RISE = 0.1  # what a pass has to add to BLEU (0 to 100) to count as progress


@dataclass(frozen=True)
class TuneConfig:
    """Settings of k-best MIRA."""

    passes: int = 12  # the most that are done
    patience: int = 2  # stop after this many passes in a row without progress
    k: int = 500
    step: float = 0.001  # C, the largest step
    decay: float = 0.95
    batch: int = 8
    pop_limit: int = 100
    max_words: int = 60  # longer sentences are left out


class Tuned(NamedTuple):
    """The averaged weights, BLEU (0 to 100) of the 1-best translations during each pass, and how many were used."""

    weights: dict[str, float]
    bleu: list[float]
    sentences: int


class State(NamedTuple):
    """What a pass leaves to the next."""

    weights: F64
    total: F64  # the sum of the weights after each pass
    context: F64  # BLEU statistics of recent output
    length: F64  # of its source sentences; a number
    bleu: F64  # of each pass


Once = Callable[[int, Callable[[], State]], State]  # the state after a pass: as it was kept, or made now


def settled(bleu: Sequence[float], patience: int) -> bool:
    """Whether as many passes as `patience` in a row, the latest, have not raised BLEU by RISE."""
    mark, idle = -math.inf, 0
    for value in bleu:
        if value >= mark + RISE:
            mark, idle = value, 0
        else:
            idle += 1
    return idle >= patience


class _Example(NamedTuple):
    tokens: list[str]
    rules: Rules
    vocab: Vocab
    reference: Reference


class _Candidates(NamedTuple):
    """A k-best list as MIRA sees it."""

    features: F64
    stats: F64
    length: int


def _features(decoder: Decoder, example: _Example, k: int) -> _Candidates:
    """Decode one sentence and collect the features and BLEU statistics of its k best distinct translations."""
    forest = decoder.decode(example.tokens, rules=example.rules)
    best = kbest(forest, k, unique=True)
    rows = np.cumsum(forest.features[best.edges].astype(np.float64), axis=0)
    rows = np.vstack((np.zeros(rows.shape[1]), rows))
    features = rows[best.edge_starts[1:]] - rows[best.edge_starts[:-1]]
    # A word the reference does not have gets an id that matches nothing; only equality with the reference counts.
    ids = example.vocab.ids(forest.words)
    return _Candidates(features, bleu_stats(ids[best.words], best.word_starts, example.reference), len(example.tokens))


def mira_step(weights: F64, candidates: _Candidates, context: F64, context_length: float, step: float) -> F64:
    """The weights after one sentence."""
    gain = (context_length + candidates.length) * bleu(context + candidates.stats)
    model = candidates.features @ weights
    hope, fear = int(np.argmax(model + gain)), int(np.argmax(model - gain))
    difference = candidates.features[hope] - candidates.features[fear]
    norm = float(difference @ difference)
    if norm == 0.0:
        return weights
    violation = (gain[hope] - gain[fear]) - float(difference @ weights)
    moved: F64 = weights + min(step, max(0.0, violation / norm)) * difference
    return moved


def tune(
    decoder: Decoder, sources: list[list[str]], references: list[list[str]], config: TuneConfig, threads: int = 2,
    progress: Callable[[str, int, int], None] | None = None, once: Once = lambda number, make: make(),
) -> Tuned:
    """Tune the decoder's weights on tokenized sentence pairs, starting from those it has."""
    pairs = [(s, r) for s, r in zip(sources, references, strict=True) if s and r and len(s) <= config.max_words]
    names = decoder.names
    tuning = decoder.changed(dict(decoder.weights), replace(decoder.config, pop_limit=config.pop_limit))
    weights = np.array([decoder.weights.get(name, 0.0) for name in names])
    state = State(weights, np.zeros_like(weights), np.ones(SIZE), np.ones(1), np.zeros(0))
    examples: list[_Example] = []

    def prepare(pair: tuple[list[str], list[str]]) -> _Example:
        vocab = Vocab()
        ids = vocab.add_all(pair[1])
        return _Example(pair[0], tuning.rules(pair[0]), vocab, reference_counts(ids))

    with ThreadPoolExecutor(threads) as pool:
        for number in range(config.passes):
            what = f"tune, pass {number + 1} of {config.passes}"

            def make(before: State = state, what: str = what) -> State:
                if not examples:  # of the first pass that is not kept
                    examples.extend(pool.map(prepare, pairs))
                return _pass(tuning, examples, before, config, pool, lambda done: progress and progress(
                    what, done, len(examples)))

            state = once(number, make)
            if settled(state.bleu.tolist(), config.patience):
                break
    averaged = state.total / len(state.bleu)
    return Tuned(dict(zip(names, averaged.tolist())), state.bleu.tolist(), len(pairs))


def _pass(
    decoder: Decoder, examples: list[_Example], state: State, config: TuneConfig, pool: ThreadPoolExecutor,
    progress: Callable[[int], object],
) -> State:
    """One pass over all sentences; the decoder's weights are changed on the way."""
    weights, context, length = state.weights, state.context, float(state.length[0])
    output = np.zeros(SIZE)
    for at in range(0, len(examples), config.batch):
        batch = examples[at : at + config.batch]
        decoder.weights = dict(zip(decoder.names, weights.tolist()))
        for candidates in pool.map(lambda example: _features(decoder, example, config.k), batch):
            best = int(np.argmax(candidates.features @ weights))
            weights = mira_step(weights, candidates, context, length, config.step)
            context = config.decay * (context + candidates.stats[best])
            length = config.decay * (length + candidates.length)
            output += candidates.stats[0]
        progress(at + len(batch))
    return State(weights, state.total + weights, context, np.array([length]),
                 np.append(state.bleu, 100 * bleu(output)[0]))
