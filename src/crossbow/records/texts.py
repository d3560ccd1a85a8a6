"""Documents and queries: TSV (`id TAB text`), JSON, CSV, TREC's own form, or a data set of ir_datasets (`irds:<id>`).

    for doc in read_docs("docs.tsv.xz"): ...
    for query in read_queries("irds:msmarco-passage/dev/small"): ...

JSON is an object per line (.jsonl) or an array of objects (.json), CSV has the names of its columns in its first row.
They spell the id `id`, `doc_id`, `query_id` or `_id`, the text `text` or `contents`, and may have a `title`; a document
keeps all its other fields. A file that begins with `<DOC>` or `<top>` is in TREC's form (sgml.py).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from crossbow.errors import CrossbowWarning, InputError
from crossbow.records import irds, sgml
from crossbow.records.lines import PathLike, open_lines, plain_suffix, write_lines
from crossbow.records.objects import json_array, json_lines
from crossbow.records.tables import csv_rows
from crossbow.records.types import NO_FIELDS, Doc, Query

IDS = ("id", "doc_id", "docid", "query_id", "qid", "_id")
TEXTS = ("text", "contents")
JSONL = (".jsonl", ".ndjson", ".json")
CSV = ".csv"


class _Text(NamedTuple):
    """A document or a query, and the line on which it begins."""

    line: int
    id: str
    text: str
    title: str = ""
    fields: Mapping[str, Any] = NO_FIELDS


def read_docs(source: PathLike, textless: bool = False) -> Iterator[Doc]:
    """Stream documents. Ids must be unique; a document without text is legal, a file without documents is not.

    The field `text` must be there, if only as an empty string, unless `textless` says that others stand for it.
    """
    if irds.is_irds(source):
        yield from irds.docs(str(source))
        return
    for one in _texts(source, "document", textless):
        yield Doc(one.id, one.text, one.title, one.fields)


def read_queries(source: PathLike) -> Iterator[Query]:
    """Stream queries. Ids must be unique and every query must have text. They have no other fields."""
    if irds.is_irds(source):
        yield from irds.queries(str(source))
        return
    ignored: set[str] = set()
    for one in _texts(source, "query"):
        if not one.text.strip():
            raise InputError(source, one.line, f"query {one.id!r} is empty", "write its text or delete the line")
        ignored |= one.fields.keys()
        yield Query(one.id, one.text)
    if ignored:
        warnings.warn(f"{source}: only id and text of queries are kept, not {', '.join(sorted(ignored))}",
                      CrossbowWarning, stacklevel=2)


def write_docs(path: PathLike, docs: Iterable[Doc]) -> None:
    """Write documents: JSONL when the name says so, else TSV (title and text joined into one line, and no more)."""
    if plain_suffix(path) in JSONL:
        write_lines(path, (_json({"id": d.id, **({"title": d.title} if d.title else {}), "text": d.text, **d.fields})
                           for d in docs))
    else:
        write_lines(path, (_row(path, d.id, f"{d.title}. {d.text}" if d.title else d.text) for d in docs))


def write_queries(path: PathLike, queries: Iterable[Query]) -> None:
    """Write queries: JSONL when the name says so, else TSV."""
    if plain_suffix(path) in JSONL:
        write_lines(path, (_json({"id": q.id, "text": q.text}) for q in queries))
    else:
        write_lines(path, (_row(path, q.id, q.text) for q in queries))


def _texts(source: PathLike, what: str, textless: bool = False) -> Iterator[_Text]:
    """All records, after the checks that documents and queries share."""
    first: dict[str, int] = {}
    for one in _records(source, textless):
        if not one.id or any(map(str.isspace, one.id)):
            raise InputError(source, one.line, f"the {what} id {one.id!r} is empty or has white space in it",
                             "TREC files cannot hold such an id")
        if one.id in first:
            raise InputError(source, one.line, f"{what} id {one.id!r} was already used in line {first[one.id]}",
                             "ids must be unique")
        first[one.id] = one.line
        yield one
    if not first:
        raise InputError(source, None, "the file is empty", f"expected at least one {what}")


def _records(source: PathLike, textless: bool) -> Iterator[_Text]:
    """The same without the checks, in whatever form the file is."""
    kind = plain_suffix(source)
    if kind == CSV:  # with its empty lines, which may be inside of quotes
        yield from (_from_object(source, *row, textless) for row in csv_rows(source, open_lines(source)))
        return
    rest = ((number, line) for number, line in open_lines(source) if line.strip())
    start = next(rest, None)
    if start is None:
        return
    lines = chain([start], rest)
    if kind in JSONL:
        array = kind == ".json" and start[1].lstrip().startswith("[")
        objects = json_array(source) if array else json_lines(source, lines)
        yield from (_from_object(source, *row, textless) for row in objects)
    elif sgml.BEGIN.match(start[1]):
        yield from (_Text(*record) for record in sgml.records(source, lines))
    else:
        yield from (_from_tsv(source, number, line) for number, line in lines)


def _from_tsv(source: PathLike, number: int, line: str) -> _Text:
    identifier, tab, text = line.partition("\t")
    if not tab:
        remedy = "JSON lines need a name ending in .jsonl" if line.startswith("{") else "expected `id TAB text`"
        raise InputError(source, number, "there is no tab in this line", remedy)
    return _Text(number, identifier.strip(), text.replace("\t", " ").strip())


def _from_object(source: PathLike, number: int, record: Mapping[str, Any], textless: bool) -> _Text:
    """Id, text and title, wherever they are; all other fields as they are, without those that are null."""
    name = _field(source, number, record, IDS)
    place = next((one for one in TEXTS if record.get(one) is not None), None) if textless else \
        _field(source, number, record, TEXTS)
    used = {name, place, "title"}
    return _Text(number, str(record[name]), "" if place is None else _string(source, number, record[place]),
                 _string(source, number, record.get("title") or ""),
                 {key: value for key, value in record.items() if key not in used and value is not None} or NO_FIELDS)


def _field(source: PathLike, number: int, record: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of these names that the record has."""
    for name in names:
        if record.get(name) is not None:
            return name
    raise InputError(source, number, f"the field {names[0]!r} is missing", f"one of {', '.join(names)} must be there")


def _string(source: PathLike, number: int, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(source, number, f"expected a string, found {type(value).__name__}", "put the text in quotes")
    return " ".join(value.split())


def _row(path: PathLike, identifier: str, text: str) -> str:
    if not identifier or any(map(str.isspace, identifier)):
        raise InputError(path, None, f"the id {identifier!r} cannot be written: it is empty or has white space in it")
    return f"{identifier}\t{' '.join(text.split())}"


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)
