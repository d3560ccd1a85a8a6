"""Slow, obvious counterparts: every way to align two short lists of sentences, and what it costs."""

import math
from collections.abc import Callable, Iterator, Sequence

from crossbow.datasets.pairing import PRIORS

Steps = list[tuple[int, int]]


def all_alignments(source: int, target: int) -> Iterator[Steps]:
    if source == target == 0:
        yield []
    for step in PRIORS:
        if step[0] <= source and step[1] <= target:
            for rest in all_alignments(source - step[0], target - step[1]):
                yield [step, *rest]


def alignment_cost(steps: Steps, source: Sequence[int], target: Sequence[int], ratio: float,
                   deviation: Callable[[int, int, float], float]) -> float:
    cost, i, j = 0.0, 0, 0
    for di, dj in steps:
        far = abs(deviation(sum(source[i:i + di]), sum(target[j:j + dj]), ratio))
        cost -= math.log(PRIORS[di, dj] * max(math.erfc(far / math.sqrt(2)), 1e-300))
        i, j = i + di, j + dj
    return cost
