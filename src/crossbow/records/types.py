"""The four records of retrieval: a document, a query, a judgement, a hit."""

from __future__ import annotations

from typing import NamedTuple


class Doc(NamedTuple):
    id: str
    text: str
    title: str = ""


class Query(NamedTuple):
    id: str
    text: str


class Qrel(NamedTuple):
    """One judgement; a level above 0 means relevant, and a higher level more relevant."""

    query: str
    doc: str
    level: int


class Hit(NamedTuple):
    """One line of a ranking. Ranks start at 1."""

    doc: str
    score: float
    rank: int
