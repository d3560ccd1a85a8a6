"""Writing an index: building it, adding and deleting documents. Each call is one commit, all or nothing.

    build("index", read_docs("docs.tsv"), Analyzer(Settings("en")))
    add("index", [Doc("d7", "a new text")])                   # takes the place of an older d7
    delete("index", ["d1"])
    update("index", docs, ids)                                # both in one commit

A commit writes new files, makes them safe on the disk, and only then replaces the manifest. Files that no manifest
lists, also those of writers that were killed, are removed by the process that holds the lock.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from crossbow import store
from crossbow.errors import CrossbowError, explaining_full_disk
from crossbow.index import manifest as files
from crossbow.index.analysis import Report
from crossbow.index.commit import Commit
from crossbow.index.manifest import DELETIONS, FRESH, KIND, MOST_SHARDS, SEGMENTS, STATISTICS, Manifest
from crossbow.index.searched import STANDARD, Searched
from crossbow.index.sharding import make_shards
from crossbow.lock import LOCK, locked
from crossbow.pipeline import stages_beside
from crossbow.processes import Spread, in_processes
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer

Folder = str | os.PathLike[str]


def build(
    folder: Folder, docs: Iterable[Doc], analyzer: Analyzer, *, workers: int = 2, report: Report | None = None,
    searched: Searched = STANDARD, shards: int = 1, spread: Spread = in_processes,
) -> store.Meta:
    """Index documents into a folder and return the manifest. An index that is there stays until the new one is.

    `searched` says which fields are searched, with which weights; the others are stored, and can be filtered by. An
    index of several shards is made in stages beside it, which a run that was interrupted leaves to the next; `spread`
    says who does the work (sharding.py).
    """
    path = Path(folder)
    if analyzer.splitter:
        raise CrossbowError("an index cannot be built with an analyzer that splits compounds; leave the splitter out")
    if not 1 <= shards <= MOST_SHARDS:
        raise CrossbowError(f"an index can have 1 to {MOST_SHARDS:,} shards, not {shards}")
    _check_target(path)
    with _writing(path):
        nothing = Manifest(analyzer.to_json(), _last_generation(path), (), 0, 0, 0, searched=searched, shards=shards)
        commit = Commit(path, analyzer, nothing)
        if shards == 1:
            commit.add(docs, workers, report)
            return _finished(commit, report)
        with stages_beside(path) as stages:
            make_shards(commit, docs, stages, workers, report, spread)
            return _finished(commit, report)


def _finished(commit: Commit, report: Report | None) -> store.Meta:
    commit.check_searched()
    return commit.finish(report).meta()


def add(folder: Folder, docs: Iterable[Doc], *, workers: int = 2, report: Report | None = None) -> store.Meta:
    """Add documents to an index. A document whose id is there takes the place of the older one."""
    return update(folder, docs, workers=workers, report=report)


def delete(folder: Folder, ids: Iterable[str]) -> store.Meta:
    """Delete documents. An unknown id is an error, and nothing is deleted then."""
    return update(folder, ids=ids)


def update(
    folder: Folder, docs: Iterable[Doc] = (), ids: Iterable[str] = (), *, workers: int = 2, report: Report | None = None
) -> store.Meta:
    """Delete the documents with these ids, then add others, in one commit."""
    path = Path(folder)
    files.read(path)  # raises before a lock file is made where there is no index
    with _writing(path):
        present = files.read(path)
        commit = Commit(path, Analyzer.from_json(present.analyzer), present)
        commit.delete(ids)
        commit.add(docs, workers, report)
        return commit.finish(report).meta()


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Hold the lock, and leave nothing behind that no manifest lists."""
    existed = path.exists()
    with explaining_full_disk(path), locked(path, "index"):
        _sweep(path)
        try:
            yield
        finally:
            _sweep(path)
            if not (path / store.HEADER).exists():  # the first build failed
                (path / LOCK).unlink(missing_ok=True)
                if not existed:
                    with contextlib.suppress(OSError):
                        path.rmdir()


def _sweep(path: Path) -> None:
    """Remove segments and deletions that the present manifest does not list."""
    listed: set[str | None] = set()
    if (path / store.HEADER).exists():
        try:
            manifest = files.read(path)
        except (CrossbowError, OSError):
            return  # damaged or of another version; only a commit may say what can go
        listed = {name for entry in manifest.segments for name in (entry.name, entry.deletions)} | {manifest.statistics}
    (path / FRESH).unlink(missing_ok=True)
    for folder in (path / SEGMENTS, path / DELETIONS, path / STATISTICS):
        names = os.listdir(folder) if folder.is_dir() else []
        for name in names:
            if name not in listed:
                shutil.rmtree(folder / name, ignore_errors=True)
                with contextlib.suppress(OSError):
                    (folder / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()  # if it is empty


def _check_target(path: Path) -> None:
    """Only an index, or what a killed first build left, may be replaced."""
    ours = {LOCK, SEGMENTS, DELETIONS, STATISTICS, FRESH}
    if path.is_dir() and (path / LOCK).exists() and {*os.listdir(path)} <= ours:
        return
    store.check_replaceable(path, KIND)


def _last_generation(path: Path) -> int:
    """The highest number in use; of names too, for the manifest may be one that this version cannot read."""
    found = (name.partition("-")[0] for folder in (SEGMENTS, DELETIONS, STATISTICS) if (path / folder).is_dir()
             for name in os.listdir(path / folder))
    numbers = [int(number) for number in found if number.isdecimal()]
    with contextlib.suppress(CrossbowError):
        numbers.append(files.read(path).generation)
    return max(numbers, default=0)
