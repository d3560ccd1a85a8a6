"""Whether the files of a stored folder are as they were written: what `crossbow info --check` says.

    checked = check_files("index", report)              # raises an error that names the files which are damaged
    checked.files, checked.unknown

Every header holds the checksums of the files beside it and of the headers below it, so one header leads to all files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from crossbow import store
from crossbow.errors import InputError

SHOWN = 3  # damaged files that are named
TRIES = 20  # each failure means that a writer committed another state
Report = Callable[[str, int, int], None]  # (what, done, of how many)


class Checked(NamedTuple):
    """How many files a folder has, and how many of them have no checksum, as an older version wrote them."""

    files: int
    unknown: int


def check_files(folder: str | os.PathLike[str], report: Report | None = None) -> Checked:
    """Read all files of a folder and compare them with their checksums; those that are damaged are an error.

    A file may be missing because a writer replaced it meanwhile; then the new state is looked at.
    """
    path = Path(folder)
    for _ in range(TRIES):
        head = store.header(path)
        listed = dict(_listed(path, head))
        damaged = _damaged(path, listed, report)
        if not damaged:
            return Checked(len(listed) + 1, list(listed.values()).count(None) + ("checksum" not in head))
        if store.header(path) == head:
            some = ", ".join(f"{name} ({problem})" for name, problem in list(damaged.items())[:SHOWN])
            more = f" and {len(damaged) - SHOWN} others" if len(damaged) > SHOWN else ""
            raise InputError(path, None, f"{len(damaged)} of {len(listed) + 1} files are damaged: {some}{more}",
                             "build the folder again, or take it from a copy")
    raise InputError(path, None, "changes too often to be checked", "try again when fewer commits are made")


def listed(folder: str | os.PathLike[str]) -> dict[str, str | None]:
    """The files that a folder's header leads to, by their paths in it, with their checksums."""
    path = Path(folder)
    return dict(_listed(path, store.header(path)))


def _listed(path: Path, head: store.Meta, inside: str = "") -> Iterator[tuple[str, str | None]]:
    """The files that a header leads to, by their paths in the folder, with their checksums."""
    for name, value in head.get("checksums", {}).items():
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise InputError(path, None, f"its header names {name!r}, which is not a file of this folder",
                             "somebody has changed it; take the folder from a copy that you trust")
        yield f"{inside}{name}", value
        if name.endswith(f"/{store.HEADER}"):
            below = f"{inside}{name.removesuffix(store.HEADER)}"
            try:
                further = store.header(path / below)
            except InputError:
                continue  # missing or damaged, as its checksum will tell
            yield from _listed(path, further, below)
    if "checksums" not in head:  # format 1, which does not say what lies below it either
        yield from ((file.relative_to(path).as_posix(), None) for file in sorted((path / inside).rglob("*.npy")))


def _damaged(path: Path, listed: dict[str, str | None], report: Report | None) -> dict[str, str]:
    """What is wrong with files."""
    sizes = {name: (path / name).stat().st_size if (path / name).is_file() else 0 for name in listed}
    damaged, done = {}, 0
    for name, expected in listed.items():
        try:
            if expected is not None and store.checksum(path / name) != expected:
                damaged[name] = "its checksum is another"
        except OSError as error:
            damaged[name] = "missing" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
        done += sizes[name]
        if report:
            report("checking", done, sum(sizes.values()))
    return damaged
