"""A split of an experiment: judged queries under a name, and the index of their documents.

    dev = Split("dev", tuple(collection.judged("dev")), index)
    dev.qrels, dev.asked, dev.judged
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from crossbow import store
from crossbow.index import Index
from crossbow.records.judged import JudgedQuery, qrels_of


@dataclass(frozen=True)
class Split:
    """The queries of a split with their judgments, and the index of its documents."""

    name: str
    queries: tuple[JudgedQuery, ...]
    index: Index

    @cached_property
    def qrels(self) -> dict[str, Mapping[str, int]]:
        """The judgments by query, as measures take them."""
        return qrels_of(self.queries)

    @cached_property
    def asked(self) -> str:
        """A digest of the queries and documents: what a run depends on."""
        return store.digest([[query.id, query.text] for query in self.queries], self.index.signature)

    @cached_property
    def judged(self) -> str:
        """A digest of that and of the judgments: what values depend on."""
        return store.digest(self.asked, {query: dict(levels) for query, levels in self.qrels.items()})
