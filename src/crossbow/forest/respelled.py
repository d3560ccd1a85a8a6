"""A forest with other spellings of some of its words: further edges, at a cost, so that a document decides.

    respelled(forest, {"ロンドン": [("london", 0.0), ("rondon", -1.2)]}, literal=-1.0)

An edge that has such a word gets a copy for each spelling, with the same tails, links and place; what a spelling scores
is added to the edge's score, and `literal` to that of the edge as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from crossbow.arrays import I32, I64
from crossbow.forest.hypergraph import Forest
from crossbow.vocab import Vocab


def respelled(forest: Forest, spellings: Mapping[str, Sequence[tuple[str, float]]], literal: float) -> Forest:
    """The forest with copies of edges for other spellings; of an edge with several such words the first varies."""
    meant = {number: spellings[word] for number, word in enumerate(forest.words) if spellings.get(word)}
    starts = forest.target_starts
    owners = np.repeat(np.arange(forest.edges), np.diff(starts))
    at = np.flatnonzero(np.isin(forest.target, list(meant)))
    edges, first = np.unique(owners[at], return_index=True)
    if not len(edges):
        return forest
    vocab, copies = Vocab(forest.words), np.ones(forest.edges, np.int64)
    copies[edges] += [len(meant[symbol]) for symbol in forest.target[at[first]].tolist()]
    rows = np.repeat(np.arange(forest.edges), copies)
    begins = np.concatenate(([0], np.cumsum(copies)))
    score = forest.score[rows]
    target_starts, target = _gathered(starts, forest.target, rows)
    for edge, place in zip(edges.tolist(), at[first].tolist()):
        new = int(begins[edge])
        score[new] += literal
        for number, (word, value) in enumerate(meant[int(forest.target[place])], new + 1):
            score[number] += value
            target[target_starts[number] + place - starts[edge]] = vocab.add(word)
    tail_starts, tails = _gathered(forest.tail_starts, forest.tails, rows)
    lex_starts, lex = _gathered(forest.lex_starts, forest.lex, rows)
    align_starts, align = _gathered(forest.align_starts, forest.align, rows)
    return replace(forest.without_features(), words=vocab.words, first=begins[forest.first].astype(np.int32),
                   tail_starts=tail_starts, tails=tails, score=score, span=forest.span[rows],
                   target_starts=target_starts, target=target, lex_starts=lex_starts, lex=lex,
                   align_starts=align_starts, align=align)


def _gathered(starts: I32, flat: I32, rows: I64) -> tuple[I32, I32]:
    """These rows of a ragged array, one after another."""
    widths = np.diff(starts)[rows]
    new = np.concatenate(([0], np.cumsum(widths)))
    places = np.arange(new[-1]) - np.repeat(new[:-1] - starts[rows], widths)
    return new.astype(np.int32), flat[places]
