"""Exact top-k: a cheap upper bound for every document, and the exact value for those whose bound is high enough.

    docs, gains = best_documents(parts, weight, bound, exact, k)
    docs, gains = best_documents(parts, weight, bound, exact, k, more)     # with scores to be added, known for all

1. The bounding program runs over all documents of all segments, a block at a time, straight from the postings.
2. The k documents with the highest bounds are valued exactly. The k-th best of them is a threshold.
3. All others whose bound reaches the threshold are valued, best bound first. The threshold rises on the way, and what
   falls below it is never looked at.
What comes back has the k best in it and everything that could be rounded to the same score as the k-th.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crossbow.arrays import F64, I64, Bools
from crossbow.jit import kernel
from crossbow.ranking.bm25 import Part
from crossbow.ranking.forced.evaluate import rounding_error, run
from crossbow.ranking.forced.program import Program
from crossbow.ranking.topk import NEARBY, highest
from crossbow.ranking.weighted import Scores
from crossbow.structures.growable import copy

BLOCK = 1024  # documents bounded at a time
BATCH = 256  # documents valued at a time: wide rows hide the cost per edge
CHUNK = 1 << 14  # documents whose weights are gathered at a time, which bounds the memory


@kernel
def _bound_all(begin, end, docs, saturation, weight, leaves, first, starts, operands, cost, bound, found):
    """The program's value for every document of a segment; marks the documents that have any of the terms."""
    rows = np.zeros((leaves + first.shape[0] - 1, BLOCK), np.float32)
    active = np.zeros(rows.shape[0], np.bool_)
    total = np.empty(BLOCK, np.float32)
    at = begin.copy()
    for base in range(0, bound.shape[0], BLOCK):
        stop = min(base + BLOCK, bound.shape[0])
        for t in range(leaves):
            k = at[t]
            row = rows[t]
            while k < end[t] and docs[k] < stop:
                found[docs[k]] = True
                row[docs[k] - base] = weight[t] * saturation[k]
                k += 1
            active[t] = k > at[t] and weight[t] != 0.0
        run(leaves, first, starts, operands, cost, rows, active, total)
        if active[-1]:
            copy(rows[-1], 0, stop - base, bound, base)
        for t in range(leaves):
            row = rows[t]
            for k in range(at[t], end[t]):
                if docs[k] >= stop:
                    at[t] = k
                    break
                row[docs[k] - base] = 0.0
            else:
                at[t] = end[t]


@kernel
def _gather(begin, end, docs, saturation, weight, wanted, column, matrix):
    """The weights of the wanted documents of a segment, ascending, into the matrix (documents in rows).

    `column` maps every document to its place among the wanted, or -1: the way for lists that are not much longer.
    """
    for t in range(begin.shape[0]):
        if weight[t] == 0.0:
            continue
        k, stop = begin[t], end[t]
        if stop - k < 16 * wanted.shape[0]:
            for i in range(k, stop):
                if column[docs[i]] >= 0:
                    matrix[column[docs[i]], t] = weight[t] * saturation[i]
            continue
        for w in range(wanted.shape[0]):
            step = 1
            while k + step < stop and docs[k + step] <= wanted[w]:
                step *= 2
            low, high = k + step // 2, min(k + step, stop)
            while low < high:
                middle = (low + high) // 2
                if docs[middle] < wanted[w]:
                    low = middle + 1
                else:
                    high = middle
            k = low
            if k == stop:
                break
            if docs[k] == wanted[w]:
                matrix[column[wanted[w]], t] = weight[t] * saturation[k]


@kernel
def _run_exact(leaves, first, starts, operands, cost, matrix, out):
    """The program's value in float64 for each row of the matrix of weights."""
    width = min(BATCH, max(8, matrix.shape[0]))
    rows = np.zeros((leaves + first.shape[0] - 1, width), np.float64)
    active = np.zeros(rows.shape[0], np.bool_)
    total = np.empty(width)
    for base in range(0, matrix.shape[0], width):
        count = min(width, matrix.shape[0] - base)
        active[:leaves] = False
        rows[:leaves] = 0.0
        for d in range(count):
            for t in range(leaves):
                if matrix[base + d, t] != 0.0:
                    rows[t, d] = matrix[base + d, t]
                    active[t] = True
        run(leaves, first, starts, operands, cost, rows, active, total)
        for d in range(count):
            out[base + d] = rows[-1, d] if active[-1] else 0.0


def value(parts: Sequence[Part], weight: F64, exact: Program, docs: I64) -> F64:
    """The exact value of each of the documents, which are given in ascending order."""
    gains = np.zeros(len(docs))
    if weight.any():
        for at in range(0, len(docs), CHUNK):
            here = slice(at, at + CHUNK)
            _run_exact(*exact, gathered(parts, weight, docs[here]), gains[here])
    return gains


def gathered(parts: Sequence[Part], weight: F64, docs: I64) -> F64:
    """What each term (column) weighs in each of the documents (row), which are given in ascending order."""
    matrix = np.zeros((len(docs), len(weight)))
    for part in parts:
        low, high = np.searchsorted(docs, (part.base, part.base + len(part.norm)))
        if low < high:
            wanted = docs[low:high] - part.base
            column = np.full(len(part.norm), -1, np.int32)
            column[wanted] = np.arange(low, high)
            _gather(part.begin, part.end, part.docs, part.saturation, weight, wanted, column, matrix)
    return matrix


def best_documents(
    parts: Sequence[Part], weight: F64, bound: Program, exact: Program, k: int, more: Scores | None = None,
    wanted: Bools | None = None,
) -> tuple[I64, F64]:
    """Documents and their exact values: the k best of those that have a term, and perhaps some more."""
    def gains_of(docs: I64) -> F64:
        gains = value(parts, weight, exact, docs)
        return gains if more is None else gains + more.score[docs]

    slots = sum(len(part.norm) for part in parts)
    found = np.zeros(slots, np.bool_)
    bounds: npt.NDArray[np.floating] = np.zeros(slots, np.float32)
    with np.errstate(over="ignore"):  # a cost may be infinite in float32: an edge that no bound takes
        program = bound._replace(cost=bound.cost.astype(np.float32))
    for part in parts:
        here = slice(part.base, part.base + len(part.norm))
        _bound_all(part.begin, part.end, part.docs, part.saturation, weight, *program, bounds[here], found[here])
        found[here] &= part.alive
    if more is not None:
        bounds, found = bounds + more.score, found | more.found  # in float64: the margin knows of no other rounding
    if wanted is not None:
        found &= wanted
    docs = highest(bounds, found, k)
    gains = gains_of(docs)
    if len(docs) < k:
        return docs, gains
    found[docs] = False
    margin = rounding_error(bound, weight) + NEARBY
    threshold = np.partition(gains, -k)[-k] - margin
    rest = np.flatnonzero(found & (bounds >= threshold))
    rest = rest[np.argsort(-bounds[rest], kind="stable")]
    size = BATCH
    while len(rest):
        batch, rest = np.sort(rest[:size]), rest[size:]
        docs, gains = np.concatenate((docs, batch)), np.concatenate((gains, gains_of(batch)))
        threshold = np.partition(gains, -k)[-k] - margin
        rest = rest[bounds[rest] >= threshold]
        size *= 2  # the threshold rises ever more slowly
    return docs, gains
