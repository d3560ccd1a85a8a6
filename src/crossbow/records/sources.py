"""Documents, queries, judgments and runs from many sources: a file, records, dicts, tuples or a DataFrame.

    as_docs("docs.tsv"), as_docs([{"docno": "d1", "text": "…"}]), as_docs(frame)
    as_queries([("q1", "Haus am See")]), as_qrels(frame), as_run("run.txt")

Columns and keys go by the names of TREC, PyTerrier and ir_datasets. DataFrames are recognized by their methods, so that
pandas need not be installed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from crossbow.errors import CrossbowError
from crossbow.records.texts import IDS, TEXTS, read_docs, read_queries
from crossbow.records.trec import Run, load_qrels, rank, read_run
from crossbow.records.types import NO_FIELDS, Doc, Qrel, Query

QUERY_NAMES = ("qid", "query_id")  # what frames call a query, and below a document
DOC_NAMES = ("docno", "doc_id", "doc")
QUERY_IDS = (*QUERY_NAMES, "id", "_id")  # what a record calls its own id
QUERY_TEXTS = ("query", *TEXTS)
DOC_IDS = ("docno", *IDS)
LEVELS = ("label", "relevance", "level")
Record = TypeVar("Record", Doc, Query, Qrel)


def as_docs(source: Any, textless: bool = False) -> Iterator[Doc]:
    """Documents one after another. Each has a text, unless `textless` says that other fields stand for it."""
    if isinstance(source, str | os.PathLike):
        yield from read_docs(source, textless)
        return
    for number, row in enumerate(_rows(source)):
        if isinstance(row, Doc):
            yield row
        elif isinstance(row, Mapping):
            name = _name(row, DOC_IDS, "document", number)
            text = next((one for one in TEXTS if row.get(one) is not None), "") if textless else \
                _name(row, TEXTS, "document", number)
            inner = row["fields"] if isinstance(row.get("fields"), Mapping) else None  # as Doc._asdict gives them
            used = (name, text, "title", "fields" if inner is not None else "title")
            others = {str(key): plain(value) for key, value in (*row.items(), *(inner or {}).items())
                      if key not in used and value is not None}
            yield Doc(str(row[name]), str(row[text]) if text else "", str(row.get("title") or ""), others or NO_FIELDS)
        else:
            row = tuple(map(str, _tuple(row, (2, 3), "a document is (id, text) or (id, text, title)")))
            yield Doc(row[0], row[1], row[2] if len(row) > 2 else "")


def as_queries(source: Any) -> Iterator[Query]:
    """Queries one after another."""
    if isinstance(source, str | os.PathLike):
        yield from read_queries(source)
        return
    for number, row in enumerate(_rows(source)):
        if isinstance(row, Query):
            yield row
        elif isinstance(row, Mapping):
            yield Query(str(_value(row, QUERY_IDS, "query", number)), str(_value(row, QUERY_TEXTS, "query", number)))
        else:
            yield Query(*map(str, _tuple(row, (2,), "a query is (id, text)")))


def as_qrels(source: Any) -> Mapping[str, Mapping[str, int]]:
    """The levels of judged documents by query and document."""
    if isinstance(source, str | os.PathLike):
        return load_qrels(source)
    if isinstance(source, Mapping):
        return source
    found: dict[str, dict[str, int]] = {}
    for number, row in enumerate(_rows(source)):
        if isinstance(row, Mapping):
            fields = (*QUERY_NAMES, "query"), DOC_NAMES, LEVELS
            row = tuple(_value(row, names, "judgment", number) for names in fields)
        query, doc, level = _tuple(row, (3,), "a judgment is (query, document, level)")
        found.setdefault(str(query), {})[str(doc)] = int(level)
    return found


def as_run(source: Any) -> Run:
    """The hits of each query in their order: a TREC run, hits or scores by query, or a frame of results."""
    if isinstance(source, str | os.PathLike):
        return read_run(source)
    if isinstance(source, Mapping):
        return {query: rank(hits) if isinstance(hits, Mapping) else list(hits) for query, hits in source.items()}
    if hasattr(source, "columns"):
        scores: dict[str, dict[str, float]] = {}
        for number, row in enumerate(_rows(source)):
            query, doc, score = (_value(row, names, "result", number) for names in (QUERY_NAMES, DOC_NAMES, ("score",)))
            scores.setdefault(str(query), {})[str(doc)] = float(score)
        return {query: rank(found) for query, found in scores.items()}
    return {query: list(hits) for query, hits in source}


def _rows(source: Any) -> Iterable[Any]:
    """The rows of a DataFrame as dicts of the cells that are not missing, anything else as it is."""
    if hasattr(source, "columns") and hasattr(source, "isna"):
        rows = zip(source.to_dict("records"), source.isna().to_dict("records"))
        return ({name: value for name, value in row.items() if not missing[name]} for row, missing in rows)
    if isinstance(source, Iterable) and not isinstance(source, Mapping | bytes):
        return source
    raise CrossbowError(f"expected a file, records or a DataFrame, found {type(source).__name__}")


def plain(value: Any) -> Any:
    """A value of JSON: NumPy's numbers as Python's, dates as ISO spells them, tuples and sets as lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in (sorted(value, key=str) if isinstance(value, set | frozenset) else value)]
    if hasattr(value, "isoformat"):
        return value.isoformat()
    found = value.item() if hasattr(value, "item") else value
    if found is None or isinstance(found, str | int) or (isinstance(found, float) and math.isfinite(found)):
        return found
    raise CrossbowError(f"a field of a document is {value!r:.80}; it must be a text, a number, a date, or several in a "
                        "list or a dict")


def _value(row: Mapping[str, Any], names: tuple[str, ...], what: str, number: int) -> Any:
    return row[_name(row, names, what, number)]


def _name(row: Mapping[str, Any], names: tuple[str, ...], what: str, number: int) -> str:
    """The first of these names that the row has."""
    for name in names:
        if row.get(name) is not None:
            return name
    raise CrossbowError(f"{what} {number + 1} has none of the fields {', '.join(names)}; it has "
                        f"{', '.join(map(str, row)) or 'none at all'}")


def _tuple(row: Any, sizes: tuple[int, ...], shape: str) -> tuple[Any, ...]:
    if not isinstance(row, tuple | list) or len(row) not in sizes:
        raise CrossbowError(f"{shape}; found {row!r:.80}")
    return tuple(row)


