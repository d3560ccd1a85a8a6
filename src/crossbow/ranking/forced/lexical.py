"""Features of the words that an edge puts for others, and forests scored with weights of such features.

    features = lex_features(forest)         # features.names; those of each edge
    forest = rescored(forest, {"LEX:A:haus:house": 0.3, "LEX:I:the": -0.1})

An edge has LEX:A:s:t for each of its alignment links, LEX:I:t for each target word without a link (an insertion) and
LEX:D:s for each source word that it translates by none (a deletion). In a word, ":" is written %3A and "%" %25.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32
from crossbow.forest.hypergraph import Forest
from crossbow.jit import kernel
from crossbow.vocab import Vocab


class LexFeatures(NamedTuple):
    """The distinct features of a forest; edge e has features[starts[e]:starts[e + 1]], as often as they are there."""

    names: list[str]
    starts: I32
    features: I32


@kernel
def _collect(source, lex_starts, lex, target_starts, target, align_starts, align, number, kinds, starts, out):
    """Number the features as they come.

    `number` has a row for each source word, and a last row for no word; columns are the same for target words.
    """
    no_source, no_target = number.shape[0] - 1, number.shape[1] - 1
    used_source, used_target = np.full(source.shape[0], -1), np.full(target.shape[0], -1)  # the last edge that did
    count, at = 0, 0
    for e in range(starts.shape[0] - 1):
        begin = target_starts[e]
        size = align_starts[e + 1] - align_starts[e]
        pairs = size + target_starts[e + 1] - begin + lex_starts[e + 1] - lex_starts[e]
        for i in range(pairs):
            s, t = no_source, no_target
            if i < size:
                p, q = align[align_starts[e] + i, 0], begin + align[align_starts[e] + i, 1]
                used_source[p], used_target[q] = e, e
                s, t = source[p], target[q]
            elif i < size + target_starts[e + 1] - begin:
                q = begin + i - size
                if target[q] < 0 or used_target[q] == e:
                    continue
                t = target[q]
            else:
                p = lex[lex_starts[e + 1] - (pairs - i)]
                if used_source[p] == e:
                    continue
                s = source[p]
            if number[s, t] < 0:
                number[s, t] = count
                kinds[count, 0], kinds[count, 1] = s, t
                count += 1
            out[at] = number[s, t]
            at += 1
        starts[e + 1] = at
    return count


def lex_features(forest: Forest) -> LexFeatures:
    """The lexical features of all edges."""
    vocab = Vocab()
    source = vocab.add_all(forest.source)
    most = len(forest.align) + len(forest.target) + len(forest.lex)
    number = np.full((len(vocab) + 1, len(forest.words) + 1), -1, np.int32)
    kinds, starts = np.empty((min(most, number.size), 2), np.int32), np.zeros(forest.edges + 1, np.int32)
    out = np.empty(most, np.int32)
    count = _collect(source, forest.lex_starts, forest.lex, forest.target_starts, forest.target,
                     forest.align_starts, forest.align, number, kinds, starts, out)
    left, right = [*map(_spelled, vocab.words), ""], [*map(_spelled, forest.words), ""]
    names = [_name(left[s], right[t], s < len(vocab), t < len(forest.words)) for s, t in kinds[:count].tolist()]
    return LexFeatures(names, starts, out[: starts[-1]])


def _spelled(word: str) -> str:
    return word.replace("%", "%25").replace(":", "%3A")


def _name(left: str, right: str, has_source: bool, has_target: bool) -> str:
    if not has_source:
        return f"LEX:I:{right}"
    return f"LEX:A:{left}:{right}" if has_target else f"LEX:D:{left}"


def rescored(forest: Forest, lex: Mapping[str, float]) -> Forest:
    """The forest with the weights of its edges' features added to their scores; a feature without a weight adds 0."""
    if not lex:
        return forest
    found = lex_features(forest)
    weights = np.array([lex.get(name, 0.0) for name in found.names], np.float64)
    owner = np.repeat(np.arange(forest.edges), np.diff(found.starts))
    added = np.bincount(owner, weights[found.features], forest.edges)
    return replace(forest, score=forest.score + added)
