"""Queries with their judgments: what systems are measured with, tuned on and learned from.

    judged = read_judged("queries.tsv", "qrels.txt", groups="queries.groups")
    qrels_of(judged)                            # {query: {document: level}}, as measures take them
    check_found(relevant_in(judged, index), "queries.tsv", "qrels.txt")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from typing import NamedTuple, Protocol

from crossbow.errors import CrossbowError, InputError
from crossbow.records.lines import PathLike, open_lines
from crossbow.records.texts import read_queries
from crossbow.records.trec import load_qrels


class Numbered(Protocol):
    """What has documents by number: an index."""

    def number(self, id: str, /) -> int:
        """The number of a document, or -1 if there is none with this id."""


class JudgedQuery(NamedTuple):
    """A query, and what is known of documents for it."""

    id: str
    text: str
    levels: Mapping[str, int]  # of the judged documents, by id; empty if there are none
    group: str  # of the training text that is left out when the query is translated to learn from it

    @property
    def has_relevant(self) -> bool:
        """Whether any document is known to be relevant."""
        return any(level > 0 for level in self.levels.values())

    def levels_in(self, index: Numbered) -> dict[int, int]:
        """The levels of those documents that an index has, by number."""
        found = {index.number(doc): level for doc, level in self.levels.items()}
        return {number: level for number, level in found.items() if number >= 0}


def read_judged(queries: PathLike, qrels: PathLike, groups: PathLike | None = None) -> list[JudgedQuery]:
    """All queries of a file. The group of a query is its line in the file of groups, or else its id."""
    asked = list(read_queries(queries))
    names = [query.id for query in asked]
    if groups is not None:
        names = [line.strip() for _, line in open_lines(groups)]
        if len(names) != len(asked):
            raise InputError(groups, None, f"{len(names)} lines for the {len(asked)} queries of {queries}",
                             "give the group of every query, one per line")
    levels = load_qrels(qrels)
    return [JudgedQuery(query.id, query.text, levels.get(query.id, {}), group) for query, group in zip(asked, names)]


def qrels_of(judged: Iterable[JudgedQuery]) -> dict[str, Mapping[str, int]]:
    """The levels by query and document, of the queries that have any."""
    return {query.id: query.levels for query in judged if query.levels}


def relevant_in(judged: Iterable[JudgedQuery], index: Numbered) -> list[JudgedQuery]:
    """The queries that have a relevant document in an index."""
    return [query for query in judged if any(level > 0 for level in query.levels_in(index).values())]


def check_found(found: Sized, queries: PathLike, qrels: PathLike) -> None:
    """Raise an error if none is left of the queries that have a relevant document in the index."""
    if not len(found):
        raise CrossbowError(f"no query of {queries} has a relevant document in the index by {qrels}; do the files and "
                            "the index belong together?")
