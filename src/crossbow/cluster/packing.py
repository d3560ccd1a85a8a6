"""Questions as they are sent: only what the method needs of the forests, and numbers in as few bytes as hold them.

    sent = Packed.of(question)
    sent.question()                 # the same question to all that asks and answers it

Nearly all numbers of a forest are small, so the starts of rows travel as lengths, and everything as bytes where that is
enough. A forest that was unpacked has arrays of its own. What comes from the cluster's memory itself cannot be written
to, and kernels would be compiled a second time for such arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.methods import METHODS
from crossbow.ranking.shards.contract import Question

STARTS = ("first", "tail_starts", "target_starts", "lex_starts", "align_starts")
OTHERS = ("tails", "span", "target", "lex", "align")
KINDS = (np.uint8, np.int8, np.uint16, np.int16)  # what numbers of 32 bits may fit into


class PackedForest(NamedTuple):
    """A forest without features."""

    id: str
    source: Sequence[str]
    words: Sequence[str]
    score: npt.NDArray[np.float64]
    arrays: Mapping[str, npt.NDArray[Any]]

    @classmethod
    def of(cls, forest: Forest) -> PackedForest:
        arrays = {name: narrow(np.diff(getattr(forest, name), prepend=np.int32(0))) for name in STARTS}
        arrays |= {name: narrow(getattr(forest, name)) for name in OTHERS}
        return cls(forest.id, forest.source, forest.words, forest.score, arrays)

    def forest(self) -> Forest:
        """The forest that was packed."""
        arrays: dict[str, Any] = {name: np.cumsum(self.arrays[name], dtype=np.int32) for name in STARTS}
        arrays |= {name: self.arrays[name].astype(np.int32) for name in OTHERS}
        return Forest(self.id, list(self.source), list(self.words), score=self.score.copy(), **arrays)


class Packed(NamedTuple):
    """A question, and its forests."""

    rest: Question
    forests: Sequence[PackedForest]

    @classmethod
    def of(cls, question: Question) -> Packed:
        needed = METHODS[question.config["method"]].needed
        return cls(replace(question, forests=[]), [PackedForest.of(needed(forest)) for forest in question.forests])

    def question(self) -> Question:
        """The question that was packed, as far as the method needs it."""
        return replace(self.rest, forests=[one.forest() for one in self.forests])


def narrow(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The numbers in the shortest type that holds all of them."""
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    kind = next((kind for kind in KINDS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max), None)
    return numbers if kind is None else numbers.astype(kind)
