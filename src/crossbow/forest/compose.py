"""Forests made of forests: several sentences side by side, or what several systems make of the same sentence.

    whole = joined([forest_of_the_first, forest_of_the_second])     # derivations are one of each sentence
    either = united([ours, theirs], [0.0, -1.0])                    # derivations are those of one or the other
    parts_of(either)                                                # what it was made of

The goal of such a forest has edges without words. Where several systems translate the same sentence, each one's best
translation scores 0, plus what is given: scores of different systems have nothing to do with each other, and as they
are, one system would always win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from crossbow.arrays import F64, I32
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest, ragged
from crossbow.forest.infer import inside
from crossbow.vocab import Vocab


def joined(forests: Sequence[Forest]) -> Forest:
    """One forest for all sentences; its score is the sum of theirs. Features are left out, as the new goal has none."""
    if len(forests) == 1:
        return forests[0]
    begins = np.concatenate(([0], np.cumsum([len(forest.source) for forest in forests])))[:-1].tolist()
    return _composed(forests, begins, [word for forest in forests for word in forest.source],
                     [list(range(len(forests)))], [0.0])


def united(forests: Sequence[Forest], priors: Sequence[float] | None = None) -> Forest:
    """One forest for what several systems make of a sentence, whose source tokens are the same; without features."""
    source = forests[0].source
    if any(forest.source != source for forest in forests):
        raise CrossbowError("forests of different sentences cannot be united; give those of one, with the same tokens")
    scores = [prior - float(inside(forest)[-1]) for forest, prior in zip(forests, priors or [0.0] * len(forests))]
    return _composed(forests, [0] * len(forests), source, [[at] for at in range(len(forests))], scores)


def parts_of(forest: Forest) -> list[tuple[int, int]]:
    """The first and the last node of each part that a forest was composed of; none if it was not.

    It is seen in the forest itself: edges of the goal have no words, and below each of their tails lie nodes that no
    other part uses.
    """
    goal = forest.nodes - 1
    top = slice(int(forest.first[goal]), int(forest.first[goal + 1]))
    below = forest.tails[forest.tail_starts[top.start] : forest.tail_starts[top.stop]]
    words = forest.target[forest.target_starts[top.start] : forest.target_starts[top.stop]]
    ends = np.sort(below)
    if len(ends) < 2 or (words >= 0).any() or (np.diff(ends) == 0).any() or ends[-1] != goal - 1:
        return []
    begins = np.concatenate(([0], ends[:-1] + 1))
    heads = np.repeat(np.arange(forest.nodes), np.diff(forest.first))
    users = np.repeat(heads, np.diff(forest.tail_starts))
    inner = users != goal
    if (forest.tails[inner] < begins[np.searchsorted(ends, users[inner])]).any():
        return []
    return list(zip(begins.tolist(), ends.tolist()))


def part(forest: Forest, begin: int, end: int) -> Forest:
    """The part between two nodes as a forest of its own; words and positions keep their numbers."""
    edges = slice(int(forest.first[begin]), int(forest.first[end + 1]))
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    for name, starts in (("tails", "tail"), ("target", "target"), ("lex", "lex"), ("align", "align")):
        rows = getattr(forest, f"{starts}_starts")[edges.start : edges.stop + 1]
        arrays |= {f"{starts}_starts": rows - rows[0], name: getattr(forest, name)[rows[0] : rows[-1]]}
    arrays["tails"] = forest.tails[forest.tail_starts[edges.start] : forest.tail_starts[edges.stop]] - np.int32(begin)
    return replace(forest, first=forest.first[begin : end + 2] - forest.first[begin], score=forest.score[edges],
                   span=forest.span[edges], names=(), features=np.zeros((0, 0), np.float32), **arrays)  # type: ignore[arg-type]


def with_edges(forest: Forest, edges: Sequence[int]) -> Forest:
    """The forest with these edges alone, and their words; each node that they use must have one of them."""
    kept = np.unique(np.asarray(edges, np.int64))
    heads, counts = np.unique(np.repeat(np.arange(forest.nodes), np.diff(forest.first))[kept], return_counts=True)
    arrays: dict[str, I32] = {"first": _starts([], counts.tolist())}
    for name, starts in (("tails", "tail"), ("target", "target"), ("lex", "lex"), ("align", "align")):
        begins = getattr(forest, f"{starts}_starts")
        rows = [getattr(forest, name)[begins[e] : begins[e + 1]] for e in kept.tolist()]
        arrays |= {f"{starts}_starts": _starts([], [len(row) for row in rows]), name: np.concatenate(rows)}
    target = arrays["target"]
    words = np.unique(target[target >= 0])
    arrays["target"] = np.where(target < 0, target, np.searchsorted(words, target)).astype(np.int32)
    arrays["tails"] = np.searchsorted(heads, arrays["tails"]).astype(np.int32)
    return replace(forest, words=[forest.words[word] for word in words.tolist()], score=forest.score[kept],
                   span=forest.span[kept], names=(), features=np.zeros((0, 0), np.float32),
                   **arrays)  # type: ignore[arg-type]


def systems_of(forest: Forest, count: int) -> list[Forest]:
    """What each of several systems makes of the sentences; nothing if it was not so many that made the forest."""
    parts = parts_of(forest)
    if not parts:
        return []
    if int(forest.first[-1] - forest.first[-2]) > 1:
        return [part(forest, *nodes) for nodes in parts] if len(parts) == count else []
    sentences = [systems_of(part(forest, *nodes), count) for nodes in parts]
    if not all(sentences):
        return []
    return [_composed(row, [0] * len(row), forest.source, [list(range(len(row)))], [0.0]) for row in zip(*sentences)]


def chosen_systems(forest: Forest, edges: Sequence[int]) -> list[int]:
    """Of each sentence in a derivation the number of the system that it comes from; none if there is only one."""
    goal, first = forest.nodes - 1, int(forest.first[-2])
    parts = parts_of(forest)
    if not parts:
        return []
    if int(forest.first[goal + 1]) - first > 1:
        return [next(edge for edge in edges if edge >= first) - first]
    found = []
    for begin, end in parts:
        own = range(int(forest.first[begin]), int(forest.first[end + 1]))
        found += chosen_systems(part(forest, begin, end), [edge - own.start for edge in edges if edge in own])
    return found


def _composed(
    forests: Sequence[Forest], begins: Sequence[int], source: list[str], top: list[list[int]], scores: list[float]
) -> Forest:
    """Forests one after the other, whose positions begin at these, and a goal: edges with the forests they use."""
    vocab, nodes = Vocab(), 0
    parts: list[dict[str, npt.NDArray[np.generic]]] = []
    goals = []
    for forest, position in zip(forests, begins):
        number = vocab.add_all(forest.words)
        is_word = forest.target >= 0
        target = forest.target.copy()
        target[is_word] = number[forest.target[is_word]]
        align = forest.align + np.array([position, 0], np.int32)
        parts.append({"tails": forest.tails + nodes, "span": forest.span + position, "target": target,
                      "lex": forest.lex + position, "align": align})
        nodes += forest.nodes
        goals.append(nodes - 1)
    widths, used = [len(row) for row in top], [goals[at] for row in top for at in row]
    symbols = ragged([[-1 - at for at in range(width)] for width in widths])[1]
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    starts = {name: _starts([getattr(forest, f"{name}_starts") for forest in forests], last)
              for name, last in (("tail", widths), ("target", widths), ("lex", [0] * len(top)),
                                 ("align", [0] * len(top)))}
    score: F64 = np.concatenate([*(forest.score for forest in forests), scores])
    return Forest(
        forests[0].id, source, vocab.words, _starts([forest.first for forest in forests], [len(top)]),
        starts["tail"], np.append(arrays["tails"], used).astype(np.int32), score,
        np.concatenate((arrays["span"], np.tile(np.array([0, len(source)], np.int32), (len(top), 1)))),
        starts["target"], np.append(arrays["target"], symbols).astype(np.int32), starts["lex"], arrays["lex"],
        starts["align"], arrays["align"],
    )


def _starts(parts: Sequence[I32], last: Sequence[int]) -> I32:
    """Ragged starts one after the other, and those of last rows of these widths."""
    widths = np.concatenate([*(np.diff(part) for part in parts), last])
    return np.concatenate(([0], np.cumsum(widths))).astype(np.int32)
