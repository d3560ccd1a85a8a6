"""Many small records of arrays in one stored folder, and long work that is stored chunk by chunk.

    chunks = stored_chunks(stages, "examples", key, tasks, work, threads)              # work(task) gives its rows
    for chunk in chunks:
        for row in load_rows(chunk, "examples", Example): ...          # arrays are parts of mapped ones

A field of all rows becomes one array; its parts may differ in their first dimension only.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from crossbow import store
from crossbow.pipeline import Stages
from crossbow.threads import in_order

CHUNK = 50  # items whose rows are kept in memory until they are stored
Row = TypeVar("Row", bound=tuple[Any, ...])  # a NamedTuple class
Item = TypeVar("Item")


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


def stored_chunks(
    stages: Stages, kind: str, key: object, items: Sequence[Item], work: Callable[[Item], list[Row]], threads: int
) -> list[Path]:
    """Work on all items, which `key` stands for; the rows of each chunk are a stage of their own."""
    quiet = Stages(stages.folder)  # one line for all chunks
    chunks = []

    def make(at: int, folder: Path) -> None:
        rows: list[Row] = []
        for done, (_, made) in enumerate(in_order(work, items[at : at + CHUNK], threads), at):
            stages.report(kind, done, len(items))
            rows += made
        save_rows(folder, kind, rows)

    for at in range(0, len(items), CHUNK):
        chunks.append(quiet.run(f"{kind}-{at // CHUNK}", [key, at], partial(make, at)))
        stages.report(kind, min(at + CHUNK, len(items)), len(items))
    return chunks
