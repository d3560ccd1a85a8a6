"""The messages between a searcher and the holders of the shards.

    replies = shards.ask([0, 1, 2], question, before, Find(k=10))       # by shard: Said, Answered or Missing

A question has all that a shard needs to prepare the query, and `before` what all shards said in earlier rounds. So a
shard that was started again can answer any round: what it keeps between them only saves time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.ranking.asks import Ask


@dataclass(frozen=True)
class Question:
    """A query, translated, and how it is to be searched."""

    key: str  # a digest of all the rest
    forests: Sequence[Forest]
    config: Mapping[str, Any]  # SearchConfig as JSON; learned tables are the model's
    model: str | None  # the folder of the model; "" for texts that need none, None for forests of others
    signature: str  # of the model
    index: str  # the signature of the index


class Said(NamedTuple):
    """What a shard must tell the others before any of them can answer."""

    value: Any


class Answered(NamedTuple):
    """A shard's part of the answer."""

    value: Any


class Missing(NamedTuple):
    """Why a shard did not answer."""

    reason: str


Reply = Said | Answered | Missing
Round = Sequence[Any]  # what each shard said, in their order; None for a missing shard


class ShardsMissing(CrossbowError):
    """Shards that did not answer, with their reasons; the answer would not have been that of the whole index."""

    def __init__(self, missing: Mapping[int, str]):
        self.missing = dict(missing)
        some = "; ".join(f"shard {number}: {reason}" for number, reason in sorted(self.missing.items())[:3])
        more = f" and {len(self.missing) - 3} others" if len(self.missing) > 3 else ""
        super().__init__(f"{len(self.missing)} of the index's shards did not answer ({some}{more}); ask again, or "
                         "allow partial answers")


class Shards(ABC):
    """The holders of the shards of an index."""

    index: Index  # its outline

    @property
    def count(self) -> int:
        """How many shards there are."""
        return self.index.shards

    @abstractmethod
    def ask(
        self, homes: Sequence[int], question: Question, before: Sequence[Round], ask: Ask[Any, Any] | None
    ) -> dict[int, Reply]:
        """What these shards reply; without something to ask they only say what they have to share."""

    @abstractmethod
    def renewed(self) -> Shards:
        """The same shards at the present state of the index; this object stays at its own."""

    @abstractmethod
    def close(self) -> None:
        """Close whatever was opened."""
