"""The queries to learn from, and those to measure with: read, checked against model and index, thinned out.

    training = read_usable("queries.train.tsv", "qrels.train.txt", model, index, limit=300, groups="train.groups")
    development = usable(judged, model, index)
"""

from __future__ import annotations

from collections.abc import Iterable

from crossbow.index import Index
from crossbow.model import Model
from crossbow.records.judged import JudgedQuery, check_found, read_judged, relevant_in
from crossbow.records.lines import PathLike


def usable(judged: Iterable[JudgedQuery], model: Model, index: Index) -> list[JudgedQuery]:
    """The queries that have words and a relevant document in the index."""
    return [query for query in relevant_in(judged, index) if any(map(model.pieces, model.sentences(query.text)))]


def read_usable(
    queries: PathLike, qrels: PathLike, model: Model, index: Index, limit: int | None = None,
    groups: PathLike | None = None,
) -> list[JudgedQuery]:
    """The usable queries of a file; `limit` of them at even distances."""
    found = usable(read_judged(queries, qrels, groups), model, index)
    check_found(found, queries, qrels)
    if limit is None or limit >= len(found):
        return found
    return [found[at * len(found) // limit] for at in range(limit)]
