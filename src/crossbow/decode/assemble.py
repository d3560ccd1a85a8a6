"""From the edges that cube pruning popped to a Forest: what the goal does not reach is dropped, the rest sorted."""

from __future__ import annotations

import numpy as np

from crossbow.arrays import F64, I32
from crossbow.decode.parse import NONE, Chart
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.rules import Rules
from crossbow.jit import kernel
from crossbow.lm.words import BEGIN, END

DISTORTION = "Distortion"  # the feature that counts how far a phrase begins from where the one before it ended


@kernel
def _reachable(edges, nodes):
    """Which nodes the goal reaches. Heads never precede tails, so one walk backwards over the edges suffices."""
    keep = np.zeros(nodes, np.bool_)
    keep[nodes - 1] = True
    for e in range(edges.shape[0] - 1, -1, -1):
        if keep[edges[e, 0]]:
            if edges[e, 1] != NONE:
                keep[edges[e, 1]] = True
            if edges[e, 2] != NONE:
                keep[edges[e, 2]] = True
    return keep


@kernel
def _lay_out(edges, number, chart, rules, out):
    """Fill the ragged arrays of the forest edge by edge; `out` names them. Returns nothing."""
    tail_starts, tails, span, target_starts, target, lex_starts, lex, align_starts, align = out
    place = np.zeros(64, np.int32)  # source position of each source symbol of the rule
    for e in range(edges.shape[0]):
        rule, item = edges[e, 3], edges[e, 4]
        at = tail_starts[e]
        for k in (1, 2):
            if edges[e, k] != NONE:
                tails[at] = number[edges[e, k]]
                at += 1
        tail_starts[e + 1] = at
        cell = chart.cell[item]
        span[e, 0], span[e, 1] = chart.span[cell, 0], chart.span[cell, 1]
        at = target_starts[e]
        for k in range(rules.target_starts[rule], rules.target_starts[rule + 1]):
            if rules.target[k] != BEGIN and rules.target[k] != END:
                target[at] = rules.target[k]
                at += 1
        target_starts[e + 1] = at
        at = lex_starts[e]
        pattern = chart.pattern[item]
        position = chart.begin[item]
        begin = rules.source_starts[pattern]
        for k in range(begin, rules.source_starts[pattern + 1]):
            if rules.source[k] >= 0:
                lex[at] = position
                at += 1
                place[k - begin] = position
                position += 1
            else:
                position = chart.span[chart.tails[item, -1 - rules.source[k]], 1]
        lex_starts[e + 1] = at
        at = align_starts[e]
        for k in range(rules.align_starts[rule], rules.align_starts[rule + 1]):
            align[at, 0], align[at, 1] = place[rules.align[k, 0]], rules.align[k, 1]
            at += 1
        align_starts[e + 1] = at


def assemble(
    name: str, tokens: list[str], chart: Chart, rules: Rules, edges: I32, edge_scores: F64, nodes: int,
    names: tuple[str, ...], words_of: list[str], extra_words: list[str],
) -> Forest:
    """The forest of the popped edges. `names` are those of the rules' feature columns, the language model's the last;
    target ids beyond the vocabulary are indices into `extra_words`."""
    keep = _reachable(edges, nodes)
    chosen = np.flatnonzero(keep[edges[:, 0]])
    chosen = chosen[np.argsort(edges[chosen, 0], kind="stable")]
    number = np.cumsum(keep, dtype=np.int32) - 1
    edges, scores = edges[chosen], edge_scores[chosen]
    count = len(edges)
    first = np.searchsorted(number[edges[:, 0]], np.arange(int(keep.sum()) + 1)).astype(np.int32)

    symbols = int(np.diff(rules.target_starts)[edges[:, 3]].sum())
    links = int(np.diff(rules.align_starts)[edges[:, 3]].sum())
    starts = [np.zeros(count + 1, np.int32) for _ in range(4)]
    tails, span = np.zeros(2 * count, np.int32), np.zeros((count, 2), np.int32)
    target = np.zeros(symbols, np.int32)
    lex = np.zeros(int(np.diff(rules.source_starts)[chart.pattern[edges[:, 4]]].sum()), np.int32)
    align = np.zeros((links, 2), np.int32)
    _lay_out(edges, number, chart, rules,
             (starts[0], tails, span, starts[1], target, starts[2], lex, starts[3], align))
    target = target[: starts[1][-1]]
    size = len(words_of)
    number_of = np.zeros(size + len(extra_words), np.int32)  # of the words that are used: quicker than sorting
    number_of[target[target >= 0]] = 1
    used = np.flatnonzero(number_of)
    number_of[used] = np.arange(len(used))
    local: I32 = np.where(target < 0, target, number_of[target])
    words = [words_of[w] if w < size else extra_words[w - size] for w in used.tolist()]
    features = rules.features[edges[:, 3]]
    features[:, -1] = scores[:, 1]
    if DISTORTION in names:
        features[:, names.index(DISTORTION)] = chart.jump[edges[:, 4]]
    return Forest(
        name, tokens, words, first, starts[0], tails[: starts[0][-1]], scores[:, 0].copy(), span, starts[1], local,
        starts[2], lex[: starts[2][-1]], starts[3], align, names, features,
    )
