"""Sentence pairs out of a text and its translation, by length (Gale & Church 1993).

    ratio = length_ratio(pairs_of_paragraphs)
    for source, target in pair_sentences(source_sentences, target_sentences, ratio): ...

Precision comes before recall: a passage that does not align cleanly gives one long pair if it is short, else nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

VARIANCE = 6.8  # of the length difference per character, as Gale and Church measured it
PRIORS = {(1, 1): 0.89, (1, 0): 0.005, (0, 1): 0.005, (2, 1): 0.045, (1, 2): 0.045, (2, 2): 0.01}
LONGEST_PASSAGE = 40  # words that one pair may have when a passage is kept whole
LENIENT, STRICT = 2.5, 2.0  # deviations that a pair may have when sentence counts agree, and when they do not
Pair = tuple[str, str]


def length_ratio(pairs: Iterable[Pair]) -> float:
    """Target characters per source character."""
    source = target = 1
    for left, right in pairs:
        source += len(left)
        target += len(right)
    return target / source


def plausible(source: str, target: str, ratio: float, limit: float = LENIENT) -> bool:
    """Whether the lengths may be those of a sentence and its translation."""
    return abs(_deviation(len(source), len(target), ratio)) <= limit


def pair_sentences(source: Sequence[str], target: Sequence[str], ratio: float) -> list[Pair]:
    """Pairs of sentences, or of short groups of them, that translate each other."""
    if len(source) == len(target) and all(plausible(s, t, ratio) for s, t in zip(source, target)):
        return list(zip(source, target))
    beads = _align([len(s) for s in source], [len(t) for t in target], ratio)
    groups = [(" ".join(source[i:i2]), " ".join(target[j:j2])) for i, i2, j, j2 in beads]
    if all(s and t and plausible(s, t, ratio, STRICT) for s, t in groups):
        return groups
    whole = " ".join(source), " ".join(target)
    short = max(len(whole[0].split()), len(whole[1].split())) <= LONGEST_PASSAGE
    return [whole] if short and all(whole) and plausible(*whole, ratio, STRICT) else []


def _deviation(source: int, target: int, ratio: float) -> float:
    """Difference from the expected length, in standard deviations."""
    return (target - source * ratio) / math.sqrt(VARIANCE * ratio * (source + target / ratio) / 2 + 1)


def _align(source: Sequence[int], target: Sequence[int], ratio: float) -> list[tuple[int, int, int, int]]:
    """The cheapest sequence of beads (source from, to, target from, to): dynamic programming over both lists."""
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for i in range(len(source) + 1):
        for j in range(len(target) + 1):
            steps = []
            for (di, dj), prior in PRIORS.items():
                if (i - di, j - dj) in best:
                    deviation = _deviation(sum(source[i - di:i]), sum(target[j - dj:j]), ratio)
                    tail = max(math.erfc(abs(deviation) / math.sqrt(2)), 1e-300)
                    steps.append((best[i - di, j - dj][0] - math.log(prior * tail), (di, dj)))
            if steps:
                best[i, j] = min(steps)
    beads = []
    i, j = len(source), len(target)
    while i or j:
        di, dj = best[i, j][1]
        beads.append((i - di, i, j - dj, j))
        i, j = i - di, j - dj
    return beads[::-1]
