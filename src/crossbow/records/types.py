"""The four records of retrieval: a document, a query, a judgment, a hit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

NO_FIELDS: Mapping[str, Any] = {}


class Doc(NamedTuple):
    """A document. Its fields are everything else that was given with it, by name: JSON values of any depth."""

    id: str
    text: str
    title: str = ""
    fields: Mapping[str, Any] = NO_FIELDS


class Query(NamedTuple):
    """A query: the name that runs and judgments have for it, and its text."""

    id: str
    text: str


class Qrel(NamedTuple):
    """One judgment; a level above 0 means relevant, and a higher level more relevant."""

    query: str
    doc: str
    level: int


class Hit(NamedTuple):
    """One line of a ranking. Ranks start at 1."""

    doc: str
    score: float
    rank: int
