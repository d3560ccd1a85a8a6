"""The measures that we compute ourselves, one short function each, as trec_eval does, to the last digit.

    FORMULAS["AP"].value([1, None, 0, 2], [1, 0, 2, 3], 1, None)     # levels by rank, judged levels, rel, cutoff

Levels by rank are those of the documents of a ranking; None is a document that nobody has judged. A document is
relevant if its level is at least `rel`. Sums run in trec_eval's order, so that rounding is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from crossbow.evaluation.pres import N_MAX, pres

Levels = Sequence[int | None]
Value = Callable[[Levels, Sequence[int], int, int | None], float]


class Formula(NamedTuple):
    """A measure, and what may or must be said about it."""

    value: Value
    parameters: tuple[str, ...] = ("cutoff", "rel", "judged_only")
    needs_cutoff: bool = False
    counts: bool = False  # it is summed over queries instead of averaged


def _ranks(found: Levels, rel: int, cutoff: int | None) -> Iterator[int]:
    """The ranks of relevant documents, beginning with 1."""
    return (rank for rank, level in enumerate(found[:cutoff], 1) if level is not None and level >= rel)


def _relevant(known: Sequence[int], rel: int) -> int:
    return sum(level >= rel for level in known)


def _average_precision(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    total = _relevant(known, rel)
    precisions = 0.0
    for so_far, rank in enumerate(_ranks(found, rel, cutoff), 1):
        precisions += so_far / rank
    return precisions / total if total else 0.0


def _ndcg(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    ideal = _dcg(sorted(known, reverse=True), cutoff)
    return _dcg(found, cutoff) / ideal if ideal else 0.0


def _dcg(levels: Levels, cutoff: int | None) -> float:
    total = 0.0
    for place, level in enumerate(levels[:cutoff]):
        if level is not None and level > 0:
            total += level / math.log2(place + 2)
    return total


def _reciprocal_rank(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    first = next(_ranks(found, rel, cutoff), None)
    return 1.0 / first if first else 0.0


def _precision(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    assert cutoff
    return _retrieved(found, known, rel, cutoff) / cutoff


def _recall(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    total = _relevant(known, rel)
    return _retrieved(found, known, rel, cutoff) / total if total else 0.0


def _r_precision(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    return _recall(found, known, rel, _relevant(known, rel))


def _success(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    return float(_retrieved(found, known, rel, cutoff) > 0)


def _retrieved(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    return float(sum(1 for _ in _ranks(found, rel, cutoff)))


def _pres(found: Levels, known: Sequence[int], rel: int, cutoff: int | None) -> float:
    return pres(_ranks(found, rel, None), _relevant(known, rel), cutoff or N_MAX)


FORMULAS = {
    "AP": Formula(_average_precision),
    "nDCG": Formula(_ndcg, ("cutoff", "judged_only")),
    "PRES": Formula(_pres, ("cutoff",)),
    "RR": Formula(_reciprocal_rank),
    "P": Formula(_precision, needs_cutoff=True),
    "R": Formula(_recall, needs_cutoff=True),
    "Rprec": Formula(_r_precision, ("rel", "judged_only")),
    "Success": Formula(_success, needs_cutoff=True),
    "NumRet": Formula(lambda found, known, rel, cutoff: float(len(found)), (), counts=True),
    "NumRelRet": Formula(_retrieved, ("rel",), counts=True),
    "NumRel": Formula(lambda found, known, rel, cutoff: float(_relevant(known, rel)), ("rel",), counts=True),
}
ALIASES = {"MAP": "AP", "NDCG": "nDCG", "MRR": "RR", "Precision": "P", "Recall": "R", "RPrec": "Rprec"}
