"""Data sets of the ir_datasets package, named `irds:<id>`; needs the extra `crossbow[irds]`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from crossbow.errors import CrossbowError
from crossbow.records.types import Doc, Qrel, Query

PREFIX = "irds:"


def is_irds(source: str | os.PathLike[str]) -> bool:
    return isinstance(source, str) and source.startswith(PREFIX)


def docs(source: str) -> Iterator[Doc]:
    for record in _records(source, "docs"):
        title = getattr(record, "title", "") or ""
        text = getattr(record, "text", None)
        yield Doc(record.doc_id, _line(text if text is not None else record.default_text()),
                  _line(title) if text is not None else "")


def queries(source: str) -> Iterator[Query]:
    for record in _records(source, "queries"):
        yield Query(record.query_id, _line(record.default_text()))


def qrels(source: str) -> Iterator[Qrel]:
    for record in _records(source, "qrels"):
        yield Qrel(record.query_id, record.doc_id, int(record.relevance))


def _records(source: str, part: str) -> Iterator[Any]:
    dataset = _dataset(source, part)
    try:
        yield from getattr(dataset, f"{part}_iter")()
    except RuntimeError as error:  # what ir_datasets raises when nothing can be fetched
        raise CrossbowError(f"{source}: ir_datasets cannot read its {part} ({error.args[0] if error.args else error}); "
                            "is this machine connected, and has it the data set's files?") from None


def _dataset(source: str, part: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise CrossbowError(f"{source}: needs the package ir_datasets; install crossbow[irds]") from None
    try:
        dataset = ir_datasets.load(source.removeprefix(PREFIX))
    except KeyError:
        raise CrossbowError(f"{source}: ir_datasets knows no such data set; is the id spelt right?") from None
    if not getattr(dataset, f"has_{part}")():
        raise CrossbowError(f"{source}: this data set has no {part}; give another id for them")
    return dataset


def _line(text: str) -> str:
    return " ".join(text.split())
