"""Several sentences as one: a forest whose derivations are one derivation of each sentence, side by side.

    whole = joined([forest_of_the_first, forest_of_the_second])
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crossbow.arrays import I32
from crossbow.forest.hypergraph import Forest
from crossbow.vocab import Vocab


def joined(forests: Sequence[Forest]) -> Forest:
    """One forest for all; its score is the sum of theirs. Features are left out, as the new goal has none."""
    if len(forests) == 1:
        return forests[0]
    vocab, nodes, position = Vocab(), 0, 0
    parts: list[dict[str, npt.NDArray[np.generic]]] = []
    goals = []
    for forest in forests:
        number = vocab.add_all(forest.words)
        is_word = forest.target >= 0
        target = forest.target.copy()
        target[is_word] = number[forest.target[is_word]]
        align = forest.align + np.array([position, 0], np.int32)
        parts.append({"tails": forest.tails + nodes, "span": forest.span + position, "target": target,
                      "lex": forest.lex + position, "align": align})
        nodes += forest.nodes
        goals.append(nodes - 1)
        position += len(forest.source)
    top = np.array([[0, position]], np.int32)
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    starts = {name: _starts([getattr(forest, f"{name}_starts") for forest in forests], own)
              for name, own in (("tail", len(forests)), ("target", len(forests)), ("lex", 0), ("align", 0))}
    return Forest(
        forests[0].id, [word for forest in forests for word in forest.source], vocab.words,
        _starts([forest.first for forest in forests], 1), starts["tail"],
        np.append(arrays["tails"], goals).astype(np.int32),
        np.append(np.concatenate([forest.score for forest in forests]), 0.0), np.concatenate((arrays["span"], top)),
        starts["target"], np.append(arrays["target"], -1 - np.arange(len(forests))).astype(np.int32),
        starts["lex"], arrays["lex"], starts["align"], arrays["align"],
    )


def _starts(parts: Sequence[I32], last: int) -> I32:
    """Ragged starts one after the other, and those of a last row of this width."""
    widths = np.concatenate([*(np.diff(part) for part in parts), [last]])
    return np.concatenate(([0], np.cumsum(widths))).astype(np.int32)
