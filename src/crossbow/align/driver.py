"""Word alignment of a parallel corpus, from sentences to links.

    links, report = align(source, target, AlignConfig(), threads=2)
    report.forward.tension[-1], report.forward.cross_entropy, report.too_long

The two directions are independent, so two threads are as many as help. Memory: 2 bytes for every pair of positions
(shared), and per direction at work 8 for every pair of words that meets again, 4 for every other one. The result
depends on nothing but the input.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from crossbow.align.cells import index_cells
from crossbow.align.config import AlignConfig
from crossbow.align.model2 import Record, train
from crossbow.align.symmetrize import Links, symmetrize
from crossbow.errors import CrossbowError
from crossbow.vocab import Corpus

Progress = Callable[[str, int, int], None]


class AlignReport(NamedTuple):
    """What both runs found, and how many sentence pairs got no links because of their length."""

    forward: Record  # target words from source words
    backward: Record  # source words from target words
    too_long: int
    empty: int


class _Steps:
    """Counts finished steps for `progress`, and lets a direction stop between passes when the other has failed."""

    def __init__(self, total: int, progress: Progress | None):
        self.done, self.total, self.progress = 0, total, progress
        self.lock, self.stopped = threading.Lock(), threading.Event()

    def step(self) -> None:
        if self.stopped.is_set():
            raise CrossbowError("alignment was interrupted")
        with self.lock:
            self.done += 1
            if self.progress:
                self.progress("align", self.done, self.total)


def align(
    source: Corpus, target: Corpus, config: AlignConfig, threads: int = 2, progress: Progress | None = None
) -> tuple[Links, AlignReport]:
    """Align all sentence pairs. `progress(stage, done, total)` is called after each step, maybe from another thread."""
    too_long, empty = _check(source, target, config.longest)
    steps = _Steps(2 * config.passes + 2, progress)
    index = index_cells(source, target, config.longest)
    steps.step()
    with ThreadPoolExecutor(max_workers=max(1, min(2, threads))) as pool:
        runs = [pool.submit(train, source, target, index, way, config, steps.step) for way in (True, False)]
        try:
            (forward, forward_record), (backward, backward_record) = (run.result() for run in runs)
        except BaseException:
            steps.stopped.set()
            raise
    links = symmetrize(source, target, forward, backward, config.heuristic, config.longest)
    steps.step()
    return links, AlignReport(forward_record, backward_record, too_long, empty)


def _check(source: Corpus, target: Corpus, longest: int) -> tuple[int, int]:
    """How many pairs are too long, and how many have an empty side; raises if the corpora cannot be aligned."""
    lengths = np.diff(source.starts), np.diff(target.starts)
    if len(lengths[0]) != len(lengths[1]):
        raise CrossbowError(f"{len(lengths[0])} source sentences but {len(lengths[1])} target sentences; "
                            "a parallel corpus has equally many on both sides")
    if min(source.words.min(initial=0), target.words.min(initial=0)) < 0:
        raise CrossbowError("the corpus to align has words without an id; encode it with the vocabulary it is to use")
    too_long = (lengths[0] > longest) | (lengths[1] > longest)
    empty = (lengths[0] == 0) | (lengths[1] == 0)
    if (too_long | empty).all():
        raise CrossbowError(f"nothing to align: no sentence pair has 1 to {longest} words on both sides")
    return int(too_long.sum()), int((empty & ~too_long).sum())
