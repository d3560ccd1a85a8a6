"""Many small records of arrays in one stored folder, and long work that is stored chunk by chunk.

    chunks = stored_chunks(stages, "examples", key, items, work, Hands(2))              # work(item) gives its rows
    for chunk in chunks:
        for row in load_rows(chunk, "examples", Example): ...          # arrays are parts of mapped ones

A field of all rows becomes one array; its parts may differ in their first dimension only.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from crossbow import store
from crossbow.learn.hands import Hands
from crossbow.pipeline import Report, Stages
from crossbow.threads import in_order

CHUNK = 50  # items whose rows are kept in memory until they are stored
Row = TypeVar("Row", bound=tuple[Any, ...])  # a NamedTuple class


def _packed(row: type[Row]) -> Any:
    """The class of what is stored: the fields of all rows, and how long each row's are."""
    return namedtuple("_packed", (*row._fields, "lengths"))  # type: ignore[attr-defined]


def save_rows(folder: Path, kind: str, rows: Sequence[Row]) -> None:
    """Write rows, one at least, into a new folder."""
    lengths = np.array([[len(value) for value in row] for row in rows], np.int64)
    store.save(folder, kind, _packed(type(rows[0]))(*map(np.concatenate, zip(*rows)), lengths), {})


def load_rows(folder: Path, kind: str, row: type[Row]) -> list[Row]:
    """The rows that `save_rows` wrote."""
    packed, _ = store.load(folder, kind, _packed(row))
    ends = np.cumsum(packed.lengths, axis=0)
    places = zip((ends - packed.lengths).tolist(), ends.tolist())
    return [row(*(column[a:b] for column, a, b in zip(packed, *place))) for place in places]


class Chunk(NamedTuple):
    """Items whose rows are stored together, which chunk it is, and the number of its first item."""

    number: int
    at: int
    items: Sequence[Any]


class Making(NamedTuple):
    """Where chunks are stored, and what makes the rows of an item."""

    folder: Path
    kind: str
    key: object
    work: Callable[[Any], list[Any]]


def stored_chunks(
    stages: Stages, kind: str, key: object, items: Sequence[Any], work: Callable[[Any], list[Any]], hands: Hands
) -> list[Path]:
    """Work on all items, which `key` stands for; the rows of each chunk are a stage of their own."""
    making = Making(stages.folder.absolute(), kind, key, work)
    parts = [Chunk(number, at, items[at : at + CHUNK]) for number, at in enumerate(range(0, len(items), CHUNK))]
    if hands.spread:
        made = hands.elsewhere(make_chunk, parts, making, f"make {kind}")
    else:
        made = (make_chunk(part, making, hands.workers, lambda what, done, _: stages.report(what, done, len(items)))
                for part in parts)
    chunks = []
    for part, place in zip(parts, made):
        chunks.append(place)
        stages.report(kind, part.at + len(part.items), len(items))
    return chunks


def make_chunk(part: Chunk, making: Making, threads: int = 1, report: Report | None = None) -> Path:
    """The folder of a chunk, made unless it is there."""

    def make(folder: Path) -> None:
        rows: list[Any] = []
        for done, (_, made) in enumerate(in_order(making.work, part.items, threads), part.at):
            if report:
                report(making.kind, done, 0)
            rows += made
        save_rows(folder, making.kind, rows)

    return Stages(making.folder).run(f"{making.kind}-{part.number}", [making.key, part.at], make)
