"""The fields of documents in a segment: all of them as JSON, and columns to filter, count and sort by.

    fields = gather(docs)                                # None if no document has any
    fields = merge([fields, None, ...], [documents, ...], kept)
    save(folder, fields); fields = load(folder, documents)
    column = fields.column("year")                       # which documents have which values

A column is a list of pairs (document, value), ascending, where values are numbers of a sorted list of strings. If all
values are numbers or all are dates, each has a key to compare it by. The arrays of all columns lie one after another,
so a segment has as many files whether it has two columns or two hundred.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F64, I32, I64, U8, Bools
from crossbow.errors import CrossbowError, InputError
from crossbow.index.strings import join_strings, pack, string, union, unpack
from crossbow.index.values import DATE, KEYWORD, NUMBER, STORED, infer, spelled
from crossbow.records import Doc

FIELDS = "fields"  # the kind of its folder, and its name inside of a segment's
MOST = 1000  # columns; documents with more use names as data
KINDS = (NUMBER, DATE, KEYWORD, STORED)


class Arrays(NamedTuple):
    """What is stored; columns are in the order of their names."""

    json_starts: I64  # document d is json_bytes[json_starts[d]:json_starts[d + 1]]; nothing if it has no fields
    json_bytes: U8
    pair_starts: I64  # column c has the pairs pair_starts[c] to pair_starts[c + 1]
    docs: I32
    ordinals: I32  # values by their number in the column
    first_values: I64  # column c has the values first_values[c] to first_values[c + 1]
    value_starts: I64
    value_bytes: U8
    keys: F64  # of each value: the number that it is, when it begins, or NaN


class Column(NamedTuple):
    """One field of the documents of a segment."""

    kind: str
    docs: I32  # of each pair; a document has several if it has several values
    ordinals: I32
    value_starts: I64
    value_bytes: U8
    keys: F64

    def values(self) -> list[bytes]:
        """All values, sorted."""
        return unpack(self.value_starts, self.value_bytes)


class Fields(NamedTuple):
    """The fields of the documents of a chunk or a segment."""

    columns: Mapping[str, tuple[int, str]]  # by name: the number of the column, and its kind
    arrays: Arrays

    def column(self, name: str) -> Column | None:
        """A field by its name. Raises ValueError if the arrays, which may be mapped from a damaged file, are wrong."""
        if name not in self.columns:
            return None
        (number, kind), arrays = self.columns[name], self.arrays
        low, high = arrays.pair_starts[number:number + 2].tolist()
        first, last = arrays.first_values[number:number + 2].tolist()
        docs, ordinals = arrays.docs[low:high], arrays.ordinals[low:high]
        starts = arrays.value_starts[first:last + 1]
        documents = len(arrays.json_starts) - 1
        if (docs.min(initial=0) < 0 or docs.max(initial=-1) >= documents or (np.diff(docs) < 0).any()
                or ordinals.min(initial=0) < 0 or ordinals.max(initial=-1) >= last - first
                or (np.diff(starts) < 0).any() or starts[0] < 0 or starts[-1] > len(arrays.value_bytes)):
            raise ValueError(f"the column {name!r} is impossible")
        return Column(kind, docs, ordinals, starts - starts[0], arrays.value_bytes[starts[0]:starts[-1]],
                      arrays.keys[first:last])

    def of(self, number: int) -> dict[str, Any]:
        """All fields of a document, as they were given."""
        text = self.json(number)
        try:
            found = json.loads(text) if text else {}
        except RecursionError:
            raise ValueError("the fields of a document are nested too deeply") from None
        if not isinstance(found, dict):
            raise ValueError("the fields of a document are not an object")
        return found

    def json(self, number: int) -> bytes:
        """All fields of a document as they are stored, in JSON."""
        return string(self.arrays.json_starts, self.arrays.json_bytes, number)


def gather(docs: Sequence[Doc]) -> Fields | None:
    """The fields of a chunk of documents."""
    if not any(doc.fields for doc in docs):
        return None
    pairs: dict[str, list[tuple[int, str]]] = {}
    refused: set[str] = set()
    for number, doc in enumerate(docs):
        for name, value in doc.fields.items():
            values, row = spelled(value), pairs.setdefault(name, [])
            if values is None:
                refused.add(name)
            else:
                row += [(number, one) for one in values]
    columns = {name: _stored() if name in refused else _column(row) for name, row in pairs.items()}
    return _assembled(columns, pack([encoded(doc) for doc in docs]))


def encoded(doc: Doc) -> bytes:
    """The fields of a document in one spelling: what documents are does not depend on the order of their fields."""
    if not doc.fields:
        return b""
    try:
        return json.dumps(doc.fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"),
                          allow_nan=False).encode("utf8", "replace")
    except (TypeError, ValueError, RecursionError) as error:
        raise CrossbowError(f"the fields of document {doc.id!r} cannot be written as JSON ({error})") from None


def _column(pairs: Sequence[tuple[int, str]]) -> Column:
    encoded = [value.encode("utf8", "replace") for _, value in pairs]
    values, (ordinals,) = union([encoded])
    kind, keys = infer(values)
    return Column(kind, np.array([doc for doc, _ in pairs], np.int32), ordinals.astype(np.int32), *pack(values), keys)


def _stored() -> Column:
    """A field that can be neither filtered nor counted."""
    nothing = np.empty(0, np.int32)
    return Column(STORED, nothing, nothing, *pack([]), np.empty(0))


def _assembled(columns: Mapping[str, Column], text: tuple[I64, U8]) -> Fields:
    """Columns one after another; those without any values left are dropped."""
    names = sorted(name for name, one in columns.items() if len(one.docs) or one.kind == STORED)
    if len(names) > MOST:
        raise CrossbowError(f"the documents have {len(names):,} different fields, but at most {MOST:,} are possible; "
                            "put those whose names are data into one object, which is stored as it is")
    ordered = [columns[name] for name in names]
    sizes = [len(one.keys) for one in ordered]
    starts, data = join_strings([(one.value_starts, one.value_bytes) for one in ordered],
                                [np.ones(size, np.bool_) for size in sizes])
    arrays = Arrays(
        *text, _offsets(len(one.docs) for one in ordered), _joined([one.docs for one in ordered], np.int32),
        _joined([one.ordinals for one in ordered], np.int32), _offsets(sizes), starts, data,
        _joined([one.keys for one in ordered], np.float64))
    return Fields({name: (number, columns[name].kind) for number, name in enumerate(names)}, arrays)


def _offsets(sizes: Iterable[int]) -> I64:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _joined(pieces: Sequence[Any], dtype: Any) -> Any:
    return np.concatenate([np.empty(0, dtype), *pieces])


def merge(parts: Sequence[Fields | None], sizes: Sequence[int], kept: Sequence[Bools]) -> Fields | None:
    """The fields of the documents that are kept of each part; `sizes` says how many documents each has."""
    if not any(parts):
        return None
    text = join_strings([(part.arrays.json_starts, part.arrays.json_bytes) if part else pack([b""] * size)
                         for part, size in zip(parts, sizes)], kept)
    bases = np.cumsum([0, *(int(keep.sum()) for keep in kept)]).tolist()
    fresh = [(np.cumsum(keep) + (base - 1)).astype(np.int32) for keep, base in zip(kept, bases)]
    columns = {}
    for name in sorted({name for part in parts if part for name in part.columns}):
        rows = [(column, keep, numbers) for part, keep, numbers in zip(parts, kept, fresh)
                if part and (column := part.column(name))]
        columns[name] = _merged(rows)
    return _assembled(columns, text) if len(text[1]) else None


def _merged(rows: Sequence[tuple[Column, Bools, I32]]) -> Column:
    """One column out of several, without the values that no document has any longer."""
    if any(column.kind == STORED for column, *_ in rows):
        return _stored()
    docs, ordinals, lists, keys = [], [], [], []
    for column, keep, numbers in rows:
        alive = keep[column.docs]
        used, inside = np.unique(column.ordinals[alive], return_inverse=True)
        values = column.values()
        docs.append(numbers[column.docs[alive]])
        ordinals.append(inside)
        lists.append([values[value] for value in used.tolist()])
        keys.append(column.keys[used])
    names, ids = union(lists)
    kinds = {column.kind for (column, *_), values in zip(rows, lists) if values}
    if len(kinds) == 1 and kinds <= {NUMBER, DATE}:  # what was parsed need not be parsed again
        kind, found = kinds.pop(), np.empty(len(names))
        for places, own in zip(ids, keys):
            found[places] = own
    else:
        kind, found = infer(names)
    moved = [places[inside] for places, inside in zip(ids, ordinals)]
    return Column(kind, _joined(docs, np.int32), _joined(moved, np.int64).astype(np.int32), *pack(names), found)


def save(folder: Path, fields: Fields) -> None:
    """Write the fields of a segment into a folder of their own."""
    kinds = {name: kind for name, (_, kind) in fields.columns.items()}
    store.save(folder, FIELDS, fields.arrays, {"columns": kinds})


def load(folder: Path, documents: int) -> Fields:
    """Map the fields of a segment, and check that its arrays fit together."""
    arrays, meta = store.load(folder, FIELDS, Arrays)
    kinds = meta.get("columns")
    if not isinstance(kinds, dict) or not set(kinds.values()) <= set(KINDS) or list(kinds) != sorted(kinds):
        raise InputError(folder / store.HEADER, None, "its columns are not those of an index", "build the index again")
    store.check_fit(
        folder, arrays,
        {"json_starts": (documents, len(arrays.json_bytes)), "pair_starts": (len(kinds), len(arrays.docs)),
         "first_values": (len(kinds), len(arrays.keys)), "value_starts": (len(arrays.keys), len(arrays.value_bytes))},
        {"ordinals": len(arrays.docs)})
    for name in ("pair_starts", "first_values"):
        if (np.diff(getattr(arrays, name)) < 0).any():
            raise InputError(folder / f"{name}.npy", None, "does not fit the other arrays", "build the index again")
    return Fields({name: (number, kind) for number, (name, kind) in enumerate(kinds.items())}, arrays)
