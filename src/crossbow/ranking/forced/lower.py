"""From a forest to programs: the exact one, and an upper bound that forgets the language model's states.

    terms = WordTerms.of(forest, index)
    exact, best = reduced(exact_program(forest, terms))
    bound = span_program(forest, pushed_down(exact))      # None if the forest's spans do not allow it
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.jit import kernel
from crossbow.ranking.forced.potentials import reduced
from crossbow.ranking.forced.program import Program, offsets


class WordTerms(NamedTuple):
    """The index terms that a forest can produce, and which of them each word gives: word w has terms[starts[w]:…]."""

    names: list[str]
    starts: I32
    terms: I32

    @classmethod
    def of(cls, forest: Forest, index: Index) -> WordTerms:
        """Terms that occur in no document are left out: they can never match. So are words that no edge has."""
        used = np.bincount(forest.target[forest.target >= 0], minlength=len(forest.words)).tolist()
        number: dict[str, int] = {}
        counts: list[int] = []
        flat: list[int] = []
        for word, times in zip(forest.words, used):
            terms = index.analyzer.terms(word) if times else ()
            found = [number.setdefault(term, len(number)) for term in terms if index.df(term)]
            counts.append(len(found))
            flat += found
        return cls(list(number), offsets(counts), np.array(flat, np.int32))


@kernel
def _lower(tail_starts, tails, target_starts, target, word_starts, word_terms, leaves, starts, operands):
    """The operands of every edge, tails first; with an empty `operands` only count them."""
    at = 0
    for e in range(starts.shape[0] - 1):
        starts[e] = at
        for k in range(tail_starts[e], tail_starts[e + 1]):
            if operands.shape[0]:
                operands[at] = leaves + tails[k]
            at += 1
        for k in range(target_starts[e], target_starts[e + 1]):
            if target[k] >= 0:
                for i in range(word_starts[target[k]], word_starts[target[k] + 1]):
                    if operands.shape[0]:
                        operands[at] = word_terms[i]
                    at += 1
    starts[-1] = at


def exact_program(forest: Forest, terms: WordTerms) -> Program:
    """The forest itself: tails and terms are operands, and a score is a negative cost."""
    leaves, starts, operands = len(terms.names), np.empty(forest.edges + 1, np.int32), np.empty(0, np.int32)
    for _ in range(2):  # first to count, then to fill
        _lower(forest.tail_starts, forest.tails, forest.target_starts, forest.target, terms.starts, terms.terms,
               leaves, starts, operands)
        operands = np.empty(starts[-1], np.int32) if not len(operands) else operands
    return Program(leaves, forest.first, starts, operands, -forest.score)


@kernel
def _levels(first, tail_starts, tails, span, level):
    """How many nodes of the same span lie below each node; False if the spans of tails do not lie in their heads'."""
    for v in range(first.shape[0] - 1):
        begin, end = span[first[v], 0], span[first[v], 1]
        level[v] = 0
        for e in range(first[v], first[v + 1]):
            if span[e, 0] != begin or span[e, 1] != end:
                return False
            for k in range(tail_starts[e], tail_starts[e + 1]):
                u = tails[k]
                at = first[u]
                if span[at, 0] < begin or span[at, 1] > end:
                    return False
                if span[at, 0] == begin and span[at, 1] == end:
                    level[v] = max(level[v], level[u] + 1)
    return True


def span_program(forest: Forest, exact: Program) -> Program | None:
    """An upper bound: the nodes of a span become one, as if the language model did not tell them apart.

    Nodes of the same span that lie above each other stay apart, or there would be cycles. The goal must come last.
    """
    level = np.empty(forest.nodes, np.int32)
    if not _levels(forest.first, forest.tail_starts, forest.tails, forest.span, level):
        return None
    span = forest.span[forest.first[:-1]].astype(np.int64)
    words, levels = len(forest.source) + 1, int(level.max()) + 1
    _, group = np.unique(((span[:, 1] - span[:, 0]) * words + span[:, 0]) * levels + level, return_inverse=True)
    if group[-1] != group.max():
        return None
    heads = np.repeat(group, np.diff(forest.first))
    order = np.argsort(heads, kind="stable")
    widths = np.diff(exact.starts)[order]
    starts = offsets(widths)
    operands = exact.operands[np.arange(starts[-1]) + np.repeat(exact.starts[:-1][order] - starts[:-1], widths)]
    rows = np.concatenate((np.arange(exact.leaves), exact.leaves + group)).astype(np.int32)
    merged = Program(exact.leaves, offsets(np.bincount(heads)), starts, rows[operands], exact.cost[order])
    return reduced(merged)[0]
