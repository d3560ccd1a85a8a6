"""Documents and queries: TSV (`id TAB text`), JSONL, TREC's own form, or a data set of ir_datasets (`irds:<id>`).

    for doc in read_docs("docs.tsv.xz"): ...
    for query in read_queries("irds:msmarco-passage/dev/small"): ...

JSONL objects spell the id `id`, `doc_id`, `query_id` or `_id`, the text `text` or `contents`, and may have a `title`.
A file that begins with `<DOC>` or `<top>` is in TREC's form (sgml.py).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from crossbow.errors import CrossbowWarning, InputError
from crossbow.records import irds, sgml
from crossbow.records.lines import PathLike, open_lines, plain_suffix, write_lines
from crossbow.records.types import Doc, Query

IDS = ("id", "doc_id", "docid", "query_id", "qid", "_id")
TEXTS = ("text", "contents")
JSONL = (".jsonl", ".ndjson", ".json")


def read_docs(source: PathLike) -> Iterator[Doc]:
    """Stream documents. Ids must be unique; a document without text is legal, a file without documents is not."""
    if irds.is_irds(source):
        yield from irds.docs(str(source))
        return
    for _, identifier, text, title in _texts(source, "document"):
        yield Doc(identifier, text, title)


def read_queries(source: PathLike) -> Iterator[Query]:
    """Stream queries. Ids must be unique and every query must have text."""
    if irds.is_irds(source):
        yield from irds.queries(str(source))
        return
    for number, identifier, text, _ in _texts(source, "query"):
        if not text.strip():
            raise InputError(source, number, f"query {identifier!r} is empty", "write its text or delete the line")
        yield Query(identifier, text)


def write_docs(path: PathLike, docs: Iterable[Doc]) -> None:
    """Write documents: JSONL when the name says so, else TSV (title and text joined into one line)."""
    if plain_suffix(path) in JSONL:
        write_lines(path, (_json({"id": d.id, "title": d.title, "text": d.text} if d.title else
                                 {"id": d.id, "text": d.text}) for d in docs))
    else:
        write_lines(path, (_row(path, d.id, f"{d.title}. {d.text}" if d.title else d.text) for d in docs))


def write_queries(path: PathLike, queries: Iterable[Query]) -> None:
    """Write queries: JSONL when the name says so, else TSV."""
    if plain_suffix(path) in JSONL:
        write_lines(path, (_json({"id": q.id, "text": q.text}) for q in queries))
    else:
        write_lines(path, (_row(path, q.id, q.text) for q in queries))


def _texts(source: PathLike, what: str) -> Iterator[tuple[int, str, str, str]]:
    """(line number, id, text, title) of each record, after the checks that documents and queries share."""
    first: dict[str, int] = {}
    for number, identifier, text, title in _records(source):
        if not identifier or any(map(str.isspace, identifier)):
            raise InputError(source, number, f"the {what} id {identifier!r} is empty or has white space in it",
                             "TREC files cannot hold such an id")
        if identifier in first:
            raise InputError(source, number, f"{what} id {identifier!r} was already used in line {first[identifier]}",
                             "ids must be unique")
        first[identifier] = number
        yield number, identifier, text, title
    if not first:
        raise InputError(source, None, "the file is empty", f"expected at least one {what}")


def _records(source: PathLike) -> Iterator[tuple[int, str, str, str]]:
    """The same without the checks, in whatever form the file is."""
    rest = ((number, line) for number, line in open_lines(source) if line.strip())
    start = next(rest, None)
    if start is None:
        return
    lines = chain([start], rest)
    if plain_suffix(source) not in JSONL and sgml.BEGIN.match(start[1]):
        yield from sgml.records(source, lines)
        return
    ignored: set[str] = set()
    parse = _from_json if plain_suffix(source) in JSONL else _from_tsv
    for number, line in lines:
        yield number, *parse(source, number, line, ignored)
    if ignored:
        warnings.warn(f"{source}: only id, title and text are kept, not {', '.join(sorted(ignored))}", CrossbowWarning,
                      stacklevel=2)


def _from_tsv(source: PathLike, number: int, line: str, ignored: set[str]) -> tuple[str, str, str]:
    identifier, tab, text = line.partition("\t")
    if not tab:
        remedy = "JSON lines need a name ending in .jsonl" if line.startswith("{") else "expected `id TAB text`"
        raise InputError(source, number, "there is no tab in this line", remedy)
    return identifier.strip(), text.replace("\t", " ").strip(), ""


def _from_json(source: PathLike, number: int, line: str, ignored: set[str]) -> tuple[str, str, str]:
    """Id, text and title; names of other fields are added to `ignored`."""
    try:
        record = json.loads(line)
    except ValueError as error:
        raise InputError(source, number, f"not valid JSON ({error})", "expected one JSON object a line") from None
    if not isinstance(record, dict):
        raise InputError(source, number, "not a JSON object", 'expected {"id": …, "text": …}')
    title = record.get("title") or ""
    ignored |= record.keys() - {*IDS, *TEXTS, "title"}
    return str(_field(source, number, record, IDS)), _string(source, number, _field(source, number, record, TEXTS)), \
        _string(source, number, title)


def _field(source: PathLike, number: int, record: dict[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if record.get(name) is not None:
            return record[name]
    raise InputError(source, number, f"the field {names[0]!r} is missing", f"one of {', '.join(names)} must be there")


def _string(source: PathLike, number: int, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(source, number, f"expected a string, found {type(value).__name__}", "put the text in quotes")
    return " ".join(value.split())


def _row(path: PathLike, identifier: str, text: str) -> str:
    if not identifier or any(map(str.isspace, identifier)):
        raise InputError(path, None, f"the id {identifier!r} cannot be written: it is empty or has white space in it")
    return f"{identifier}\t{' '.join(text.split())}"


def _json(record: dict[str, str]) -> str:
    return json.dumps(record, ensure_ascii=False)
