"""PRES, the patent retrieval evaluation score: 1 if all relevant documents come first, 0 if none is among the first N.

    pres([1, 4], relevant=3, n_max=100)
"""

from __future__ import annotations

from collections.abc import Iterable

N_MAX = 1000  # plain PRES


def pres(ranks: Iterable[int], relevant: int, n_max: int) -> float:
    """PRES of a query with so many relevant documents, of which those that were retrieved have these ranks.

    PRES = 1 − (Σ r_i / n − (n + 1) / 2) / N_max, where r_i is the rank of the i-th of n relevant documents, and
    N_max + i if it is not among the first N_max.
    """
    found = [rank for rank in ranks if rank <= n_max]
    missed = range(len(found) + 1, relevant + 1)
    total = sum(found) + sum(missed) + n_max * len(missed)
    return 1 - (2 * total - relevant * (relevant + 1)) / (2 * relevant * n_max)  # whole numbers: 0 and 1 are exact
