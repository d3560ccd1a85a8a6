"""A derivation of a forest as steps: which rule puts which words for which words of the query.

    edges, words = derivation(forest, choice)           # choice: the best edge of every node, see forced/viterbi.py
    steps = steps_of(forest, edges, best_at, match)     # in the order of the source
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from crossbow.arrays import I32
from crossbow.decode.kbest import kbest
from crossbow.forest.hypergraph import Forest
from crossbow.jit import loop
from crossbow.ranking.explain.records import Match, Step

ByPosition = Mapping[int, tuple[int, list[str]]]  # for a source position the step that translates it, and its words
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
    edges = kbest(forest, 1).edges
    choice = forest.first[:-1].copy()
    choice[np.searchsorted(forest.first, edges, "right") - 1] = edges
    return derivation(forest, choice)


def steps_of(
    forest: Forest, edges: Sequence[int], best: ByPosition = NOWHERE,
    match: Callable[[int], list[Match]] = lambda word: [],
) -> list[Step]:
    """The rules of a derivation in the order of the source; `best` says what the best translation has by position.

    Edges are as `derivation` gives them. Those that translate the same source word, as in lattices of words with links,
    make one step, so that every source word is in one step at most.
    """
    places, steps = _places(forest, edges), []
    for numbers in _sharing(forest, edges):
        parts = sorted(((edges[number], places[number]) for number in numbers), key=lambda part: part[1])
        own = sorted((place, word) for e, at in parts for place, word in zip(at, _own_words(forest, e)))
        lex = sorted({position for e, _ in parts for position in _lex(forest, e)})
        if own or lex:
            index = {place: number for number, (place, _) in enumerate(own)}
            links = [[position, index[at[word]]] for e, at in parts for position, word in _links(forest, e)]
            steps.append((own[:1], Step(lex, [forest.words[word] for _, word in own], links, _best_for(best, lex),
                                        [found for _, word in own for found in match(word)])))
    return [step for _, step in sorted(steps, key=lambda placed: (placed[1].source, placed[0]))]


def words_by_position(steps: Iterable[Step]) -> dict[int, tuple[int, list[str]]]:
    """For each source position the number of the step that translates it, and that step's words."""
    return {position: (number, step.target) for number, step in enumerate(steps) for position in step.source}


def _places(forest: Forest, edges: Sequence[int]) -> list[list[int]]:
    """Where the words of each edge of a derivation stand in the translation."""
    places: list[list[int]] = []
    stack, count = [-1], 0  # a word waits as the number of its edge, -1 stands for the next edge
    while stack:
        number = stack.pop()
        if number >= 0:
            places[number].append(count)
            count += 1
            continue
        e = edges[len(places)]
        target = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]].tolist()
        stack += [len(places) if symbol >= 0 else -1 for symbol in reversed(target)]
        places.append([])
    return places


def _sharing(forest: Forest, edges: Sequence[int]) -> list[list[int]]:
    """The numbers of the edges in groups, so that no two groups translate the same source position."""
    groups: dict[int, list[int]] = {}
    group_of: dict[int, int] = {}  # by position
    for number, e in enumerate(edges):
        lex = _lex(forest, e)
        met = sorted({group_of[position] for position in lex if position in group_of})
        group = groups[number] = [other for name in met for other in groups.pop(name)] + [number]
        for position in lex if not met else (one for other in group for one in _lex(forest, edges[other])):
            group_of[position] = number
    return list(groups.values())


def _lex(forest: Forest, e: int) -> list[int]:
    return list(forest.lex[forest.lex_starts[e] : forest.lex_starts[e + 1]].tolist())


def _own_words(forest: Forest, e: int) -> list[int]:
    target = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]]
    return [int(s) for s in target if s >= 0]


def _links(forest: Forest, e: int) -> list[list[int]]:
    """The word alignment of an edge, over its words without its gaps."""
    is_word = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]] >= 0
    place = np.cumsum(is_word) - 1
    return [[i, int(place[j])] for i, j in forest.align[forest.align_starts[e] : forest.align_starts[e + 1]].tolist()]


def _best_for(by_position: ByPosition, lex: list[int]) -> list[str]:
    """The words of all steps that translate these positions in the best translation, each step once."""
    used = dict(by_position[position] for position in lex if position in by_position)
    return [word for words in used.values() for word in words]
