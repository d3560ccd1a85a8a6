"""Data sets of the ir_datasets package, named `irds:<id>`; needs the extra `crossbow-clir[irds]`.

    irds:neuclir/1/zh/trec-2022                     titles and texts of documents; of queries what the data set prefers
    irds:neuclir/1/zh/trec-2022#title,description   only these fields, one after the other
    irds:csl/trec-2023#ht_title                     the titles of queries as people translated them

Whatever stands behind # names fields of the records; docs/languages.md lists those of collections in several languages.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crossbow.errors import CrossbowError, full_disk
from crossbow.records.types import NO_FIELDS, Doc, Qrel, Query

PREFIX = "irds:"
FIELDS = "#"  # parts the id and the names of fields
_BODIES = ("text", "abstract")  # what a document says apart from its title
_OWN = ("doc_id", "title", "text")  # what our documents call so themselves


def is_irds(source: str | os.PathLike[str]) -> bool:
    return isinstance(source, str) and source.startswith(PREFIX)


def docs(source: str) -> Iterator[Doc]:
    source, fields = _fields(source)
    for record in _records(source, "docs"):
        title = _line(getattr(record, "title", "") or "")
        if fields:
            text = _chosen(source, record, [name for name in fields if name != "title"] or fields)
            yield Doc(record.doc_id, text, title if "title" in fields and len(fields) > 1 else "",
                      _others(record, fields))
            continue
        body = next((name for name in _BODIES if getattr(record, name, None) is not None), None)
        text = record.default_text() if body is None else getattr(record, body)
        yield Doc(record.doc_id, _line(text), "" if body is None else title, _others(record, [body]))


def _others(record: Any, used: Sequence[str | None]) -> Mapping[str, Any]:
    """The other fields of a record that are a word, a number or several of them; dates as ISO spells them."""
    found = {}
    for name, value in record._asdict().items():
        if hasattr(value, "isoformat"):
            value = value.isoformat()
        if name not in (*_OWN, *used) and value not in (None, "") and _plain(value):
            found[name] = value
    return found or NO_FIELDS


def _plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_plain, value))
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def queries(source: str) -> Iterator[Query]:
    source, fields = _fields(source)
    for record in _records(source, "queries"):
        yield Query(record.query_id, _chosen(source, record, fields) if fields else _line(record.default_text()))


def qrels(source: str) -> Iterator[Qrel]:
    for record in _records(_fields(source)[0], "qrels"):
        yield Qrel(record.query_id, record.doc_id, int(record.relevance))


def language_of_docs(source: str) -> str | None:
    """The language of the documents, if ir_datasets knows it."""
    told = _dataset(_fields(source)[0], "docs").docs_lang()
    return None if told is None else str(told)


def _fields(source: str) -> tuple[str, list[str]]:
    """The id, and the fields that it asks for."""
    plain, _, names = source.partition(FIELDS)
    return plain, [name.strip() for name in names.split(",") if name.strip()]


def _chosen(source: str, record: Any, fields: list[str]) -> str:
    """The text of these fields. Some records lack a translation; then the field is empty."""
    unknown = [name for name in fields if name not in record._fields]
    if unknown:
        raise CrossbowError(f"{source}: the records have no field {unknown[0]!r}; there are "
                            f"{', '.join(record._fields)}")
    return _line(" ".join(_words(getattr(record, name)) for name in fields))


def _words(value: Any) -> str:
    """The value of a field as text: several values one after the other."""
    if isinstance(value, list | tuple):
        return " ".join(map(_words, value))
    return str(value or "")


def _records(source: str, part: str) -> Iterator[Any]:
    dataset = _dataset(source, part)
    try:
        yield from getattr(dataset, f"{part}_iter")()
    except (OSError, RuntimeError) as error:  # what ir_datasets and its downloads raise when nothing can be fetched
        if (full := full_disk(error, source) if isinstance(error, OSError) else None) is not None:
            raise full from error
        raise CrossbowError(f"{source}: ir_datasets cannot read its {part} ({_why(error)}); is this machine connected, "
                            "and does it have the data set's files?") from None


def _why(error: OSError | RuntimeError) -> str:
    """What an error says in a few words. Those of connections say little but addresses, so only their kind is told."""
    if isinstance(error, RuntimeError):
        return str(error.args[0] if error.args else error)
    return f"{error.strerror}: {error.filename}" if error.strerror and error.filename else type(error).__name__


def _dataset(source: str, part: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise CrossbowError(f"{source}: needs the package ir_datasets; install crossbow-clir[irds]") from None
    try:
        dataset = ir_datasets.load(source.removeprefix(PREFIX))
    except KeyError:
        raise CrossbowError(f"{source}: ir_datasets knows no such data set; is the id spelled right?") from None
    except (OSError, RuntimeError) as error:  # some data sets fetch a list of their files at once
        raise CrossbowError(f"{source}: ir_datasets cannot load it ({type(error).__name__}); is this machine "
                            "connected, and does it have the data set's files?") from None
    if not getattr(dataset, f"has_{part}")():
        raise CrossbowError(f"{source}: this data set has no {part}; give another id for them")
    return dataset


def _line(text: str) -> str:
    return " ".join(text.split())
