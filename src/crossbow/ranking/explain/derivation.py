"""A derivation of a forest as steps: which rule puts which words for which words of the query.

    edges, words = derivation(forest, choice)           # choice: the best edge of every node, see forced/viterbi.py
    steps = steps_of(forest, edges, best_at, match)     # in the order of the source
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import numpy as np

from crossbow.arrays import I32
from crossbow.decode.kbest import kbest
from crossbow.forest.hypergraph import Forest
from crossbow.jit import loop
from crossbow.ranking.explain.records import Match, Step

ByPosition = Mapping[int, tuple[int, list[str]]]  # for a source position the edge that translates it, and its words
NOWHERE: ByPosition = MappingProxyType({})


def derivation(forest: Forest, choice: I32) -> tuple[list[int], list[str]]:
    """The edges of the derivation that takes these edges, from the top, and the words it yields."""
    edges, words = [], []
    stack = [-forest.nodes]  # a node v waits as -1 - v, a word as itself
    while stack:
        symbol = stack.pop()
        if symbol >= 0:
            words.append(forest.words[symbol])
            continue
        e = int(choice[-1 - symbol])
        edges.append(e)
        tails = forest.tails[forest.tail_starts[e] : forest.tail_starts[e + 1]].tolist()
        target = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]].tolist()
        stack += [s if s >= 0 else -1 - tails[-1 - s] for s in reversed(target)]
    return edges, words


@loop
def _walk(choice, tail_starts, tails, target_starts, target, stack, words):
    """Fill the words of a derivation, in no order, and return how many there are; -1 if there is too little room."""
    stack[0], waiting, found = choice.shape[0] - 1, 1, 0
    while waiting:
        waiting -= 1
        e = choice[stack[waiting]]
        if found + target_starts[e + 1] - target_starts[e] > words.shape[0]:
            return -1
        if waiting + tail_starts[e + 1] - tail_starts[e] > stack.shape[0]:
            return -1
        for k in range(target_starts[e], target_starts[e + 1]):
            if target[k] >= 0:
                words[found] = target[k]
                found += 1
        for k in range(tail_starts[e], tail_starts[e + 1]):
            stack[waiting] = tails[k]
            waiting += 1
    return found


def derived_words(forest: Forest, choice: I32) -> list[int]:
    """The words of the derivation that takes these edges, by number and in no order."""
    room = 256
    while True:
        stack, words = np.empty(room, np.int32), np.empty(room, np.int32)
        count = _walk(choice, forest.tail_starts, forest.tails, forest.target_starts, forest.target, stack, words)
        if count >= 0:
            return list(words[:count].tolist())
        room *= 2


def best_derivation(forest: Forest) -> tuple[list[int], list[str]]:
    """The edges and the words of the best translation."""
    best = kbest(forest, 1)
    return best.edges.tolist(), [forest.words[w] for w in best.words.tolist()]


def steps_of(
    forest: Forest, edges: Iterable[int], best: ByPosition = NOWHERE,
    match: Callable[[int], list[Match]] = lambda word: [],
) -> list[Step]:
    """The rules of a derivation in the order of the source; `best` says what the best translation has by position."""
    steps = []
    for e in edges:
        own = _own_words(forest, e)
        lex = sorted(forest.lex[forest.lex_starts[e] : forest.lex_starts[e + 1]].tolist())
        if own or lex:
            steps.append(Step(lex, [forest.words[w] for w in own], _links(forest, e), _best_for(best, lex),
                              [found for w in own for found in match(w)]))
    return sorted(steps, key=lambda step: step.source)


def words_by_position(forest: Forest, edges: Iterable[int]) -> dict[int, tuple[int, list[str]]]:
    """For each source position the edge that translates it, and that edge's words."""
    found = {}
    for e in edges:
        for position in forest.lex[forest.lex_starts[e] : forest.lex_starts[e + 1]].tolist():
            found[position] = (e, [forest.words[w] for w in _own_words(forest, e)])
    return found


def _own_words(forest: Forest, e: int) -> list[int]:
    target = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]]
    return [int(s) for s in target if s >= 0]


def _links(forest: Forest, e: int) -> list[list[int]]:
    """The word alignment of an edge, over its words without its gaps."""
    is_word = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]] >= 0
    place = np.cumsum(is_word) - 1
    return [[i, int(place[j])] for i, j in forest.align[forest.align_starts[e] : forest.align_starts[e + 1]].tolist()]


def _best_for(by_position: ByPosition, lex: list[int]) -> list[str]:
    """The words of all edges that translate these positions in the best translation, each edge once."""
    used = dict(by_position[position] for position in lex if position in by_position)
    return [word for words in used.values() for word in words]
