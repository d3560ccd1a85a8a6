"""The best of scored documents in trec_eval's order: by score, and equal scores by descending id.

    docs = highest(score, found, k)                  # the numbers of the k best, and of all that tie with the last
    hits = top(index, docs, score[docs], k)
    hits = merged([hits, other_hits], k)             # of several shards
    count, lowest = head([(ids, scores), …], own=0, k=k)        # how many of the first list are among the best of all

Scores are rounded to six decimals. Two documents that support the same translations equally well then tie, in whatever
order the numbers were added up, and the order of a run does not depend on the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from crossbow.arrays import F64, I64, Bools
from crossbow.index import Index
from crossbow.records import Hit

DIGITS = 6
NEARBY = 2 * 10.0**-DIGITS  # numbers further apart than this are never rounded to the same
SAMPLE = 4096


def highest(score: npt.NDArray[np.floating], found: Bools, k: int) -> I64:
    """The documents that were found whose score is at least the k-th highest, with all that round to the same."""
    for limit in (_guess(score, k), -np.inf):
        docs = np.flatnonzero(score >= limit)
        docs = docs[found[docs]]
        if len(docs) > k:
            values = score[docs]
            least = np.partition(values, -k)[-k] - NEARBY
            if least >= limit:
                reaching: I64 = docs[values >= least]
                return reaching
    return docs


def _guess(score: npt.NDArray[np.floating], k: int) -> float:
    """A limit, guessed from a sample: probably at least k scores lie above it, and not many more."""
    sample = score[:: len(score) // SAMPLE + 1]
    place = 2 * k * len(sample) // max(1, len(score)) + 8
    return float(np.sort(sample)[-place]) if place <= len(sample) // 2 else -np.inf


def top(index: Index, docs: I64, scores: F64, k: int) -> list[Hit]:
    """At most k hits. Documents are given by number, in any order."""
    order, rounded = _near_the_top(scores, k)
    values, names = rounded[order].tolist(), index.ids(docs[order])
    for begin, end in _ties(rounded[order]):
        names[begin:end] = sorted(names[begin:end], reverse=True)
    make = tuple.__new__  # a named tuple's own constructor takes longer than all the rest of this function
    return [make(Hit, row) for row in zip(names[:k], values, range(1, k + 1))]


def top_numbers(index: Index, docs: I64, scores: F64, k: int) -> tuple[I64, F64]:
    """The same documents in the same order, by number, and their rounded scores."""
    order, rounded = _near_the_top(scores, k)
    for begin, end in _ties(rounded[order]):
        names = index.ids(docs[order[begin:end]])
        order[begin:end] = order[begin:end][sorted(range(end - begin), key=names.__getitem__, reverse=True)]
    return docs[order[:k]], rounded[order[:k]]


def _near_the_top(scores: F64, k: int) -> tuple[I64, F64]:
    """The places of the k highest scores and of all that tie with the last, best first; and the rounded scores."""
    rounded: F64 = np.round(scores, DIGITS) + 0.0  # no -0.0
    order = np.argsort(-rounded, kind="stable")
    if len(order) > k:
        order = order[: np.searchsorted(-rounded[order], -rounded[order[k - 1]], "right")]
    return order, rounded


def _ties(descending: F64) -> Iterator[tuple[int, int]]:
    """Ranges of equal scores."""
    return _runs(np.flatnonzero(descending[1:] == descending[:-1]).tolist())


def _runs(equal: list[int]) -> Iterator[tuple[int, int]]:
    """Ranges of equal values, given the places that equal the next place."""
    begin = end = -1
    for at in equal:
        if at != end:
            if begin >= 0:
                yield begin, end + 1
            begin = at
        end = at + 1
    if begin >= 0:
        yield begin, end + 1


def merged(lists: Iterable[Sequence[Hit]], k: int) -> list[Hit]:
    """The k best of hits that were found in different documents, in the same order."""
    hits = sorted((hit for one in lists for hit in one), key=attrgetter("doc"), reverse=True)
    hits.sort(key=attrgetter("score"), reverse=True)
    return [hit._replace(rank=rank) for rank, hit in enumerate(hits[:k], 1)]


def head(lists: Sequence[tuple[Sequence[str], F64]], own: int, k: int) -> tuple[int, float]:
    """How many of one list are among the k best of all, and the score of the last of these, or 0 if there are none.

    The lists have different documents, by id with their rounded scores, and each is in order.
    """
    scores = np.concatenate([values for _, values in lists])
    k = min(k, len(scores))
    if not k:
        return 0, 0.0
    lowest = float(np.partition(scores, -k)[-k])
    ties = [names[int((values > lowest).sum()) : int((values >= lowest).sum())] for names, values in lists]
    best = set(sorted((name for row in ties for name in row), reverse=True)[: k - int((scores > lowest).sum())])
    return int((lists[own][1] > lowest).sum()) + len(best.intersection(ties[own])), lowest
