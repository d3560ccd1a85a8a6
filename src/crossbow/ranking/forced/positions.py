"""An upper bound from source positions: in a derivation, every source word is translated by at most one edge.

    program = position_program(forest, terms, pushed_down(exact))    # None if no positions bear the argument

The gain of an edge, its terms less its cost, is shared out among the source positions that it translates. As no other
edge of a derivation translates these, a document's gain is at most the sum over positions of the largest share that
any edge takes there, or 0. Which position gets which term is free to choose: the one that the word alignments most
often link with the term, so that the same translation of the same word is not counted at two places.

Forests of other systems may not say what translates what. Where there is no `lex`, an edge translates what its span has
and the spans of its tails have not; where there is no `align`, a term belongs to the position with which it shares most
edges, and small edges say more than large ones. Guesses make a bound loose at worst: whatever edges are said to
translate, the argument needs only that no derivation has a position twice, and that is checked.
"""

from __future__ import annotations

import numpy as np

from crossbow.arrays import F32, I32
from crossbow.forest.hypergraph import Forest
from crossbow.jit import kernel
from crossbow.ranking.forced.lower import WordTerms
from crossbow.ranking.forced.program import Program, offsets

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@kernel
def _disjoint(first, tail_starts, tails, lex_starts, lex, covered):
    """Whether no derivation translates a position twice; covered[v] are the positions translated below v, as bits."""
    covered[:] = _ZERO
    own = np.empty(covered.shape[1], np.uint64)
    for v in range(first.shape[0] - 1):
        for e in range(first[v], first[v + 1]):
            own[:] = _ZERO
            for k in range(lex_starts[e], lex_starts[e + 1]):
                bit = _ONE << np.uint64(lex[k] & 63)
                if own[lex[k] >> 6] & bit != _ZERO:
                    return False
                own[lex[k] >> 6] |= bit
            for k in range(tail_starts[e], tail_starts[e + 1]):
                for i in range(own.shape[0]):
                    if own[i] & covered[tails[k], i] != _ZERO:
                        return False
                    own[i] |= covered[tails[k], i]
            for i in range(own.shape[0]):
                covered[v, i] |= own[i]
    return True


@kernel
def _uncovered(tail_starts, tails, first, span, starts, positions):
    """The positions of each edge's span that are in no tail's span; with an empty `positions` only count them."""
    at = 0
    for e in range(starts.shape[0] - 1):
        starts[e] = at
        for p in range(span[e, 0], span[e, 1]):
            free = True
            for k in range(tail_starts[e], tail_starts[e + 1]):
                below = first[tails[k]]
                free = free and not span[below, 0] <= p < span[below, 1]
            if free:
                if positions.shape[0]:
                    positions[at] = p
                at += 1
    starts[-1] = at


@kernel
def _links(align_starts, align, target_starts, target, word_starts, word_terms, links):
    """How often each term is aligned with each position."""
    for e in range(align_starts.shape[0] - 1):
        for k in range(align_starts[e], align_starts[e + 1]):
            word = target[target_starts[e] + align[k, 1]]
            for i in range(word_starts[word], word_starts[word + 1]):
                links[word_terms[i], align[k, 0]] += 1


@kernel
def _meetings(leaves, starts, operands, lex_starts, lex, links):
    """How often each term meets each position in an edge; an edge of many positions counts less for each."""
    for e in range(lex_starts.shape[0] - 1):
        for k in range(starts[e], starts[e + 1]):
            if operands[k] < leaves:
                for j in range(lex_starts[e], lex_starts[e + 1]):
                    links[operands[k], lex[j]] += 1 / (lex_starts[e + 1] - lex_starts[e])


@kernel
def _share_out(leaves, starts, operands, cost, lex_starts, lex, links, place, edge, term, share):
    """Give every term of every edge to one of the edge's positions, and each of these an equal part of the cost.

    Fills a row for each term: its position, the edge, itself and the part of the cost. Returns how many there are, or
    -1 if an edge has terms but no positions.
    """
    count = 0
    seen = np.full(links.shape[1], -1, np.int64)  # the last edge that gave the position a term
    for e in range(cost.shape[0]):
        begin, positions = count, 0
        for k in range(starts[e], starts[e + 1]):
            t = operands[k]
            if t >= leaves:
                continue
            if lex_starts[e] == lex_starts[e + 1]:
                return -1
            best = lex[lex_starts[e]]
            for j in range(lex_starts[e], lex_starts[e + 1]):
                if links[t, lex[j]] > links[t, best]:
                    best = lex[j]
            positions += seen[best] != e
            seen[best] = e
            place[count], edge[count], term[count] = best, e, t
            count += 1
        for i in range(begin, count):
            share[i] = cost[e] / positions
    return count


def _translated(forest: Forest) -> tuple[I32, I32]:
    """The positions that each edge translates: starts and positions."""
    if len(forest.lex):
        return forest.lex_starts, forest.lex
    starts, positions = np.empty(forest.edges + 1, np.int32), np.empty(0, np.int32)
    for _ in range(2):  # first to count, then to fill
        _uncovered(forest.tail_starts, forest.tails, forest.first, forest.span, starts, positions)
        positions = np.empty(starts[-1], np.int32) if not len(positions) else positions
    return starts, positions


def _belonging(forest: Forest, terms: WordTerms, program: Program, lex_starts: I32, lex: I32) -> F32:
    """How strongly each term (row) belongs to each position."""
    links = np.zeros((program.leaves, len(forest.source)), np.float32)
    if len(forest.align):
        _links(forest.align_starts, forest.align, forest.target_starts, forest.target, terms.starts, terms.terms, links)
    else:
        _meetings(*program[:1], *program[2:4], lex_starts, lex, links)
    return links


def position_program(forest: Forest, terms: WordTerms, pushed: Program) -> Program | None:
    """The bound as a program: a node for each position, where an edge stands for one edge's share, and their sum."""
    lex_starts, lex = _translated(forest)
    covered = np.empty((forest.nodes, len(forest.source) // 64 + 1), np.uint64)
    if not _disjoint(forest.first, forest.tail_starts, forest.tails, lex_starts, lex, covered):
        return None
    links = _belonging(forest, terms, pushed, lex_starts, lex)
    place, edge, term = (np.empty(len(pushed.operands), np.int32) for _ in range(3))
    share = np.empty(len(pushed.operands))
    count = _share_out(*pushed[:1], *pushed[2:], lex_starts, lex, links, place, edge, term, share)
    if count < 0:
        return None
    order = np.argsort(place[:count], kind="stable")  # the rows of an edge stay together
    place, edge, term, share = place[order], edge[order], term[order], share[order]
    new = np.flatnonzero((np.diff(place, prepend=-1) != 0) | (np.diff(edge, prepend=-1) != 0))
    used, sizes = np.unique(place[new], return_counts=True)
    gaps = np.cumsum(sizes) - sizes  # where the edges of each position start: an edge that gains nothing is put there
    widths = np.insert(np.diff(new, append=count), gaps, 0)
    return Program(
        pushed.leaves, offsets(np.append(sizes + 1, 1)), offsets(np.append(widths, len(used))),
        np.concatenate((term, pushed.leaves + np.arange(len(used)))).astype(np.int32),
        np.append(np.insert(share[new], gaps, 0.0), 0.0),
    )
