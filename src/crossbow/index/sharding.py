"""A new index of several shards, made chunk by chunk and shard by shard, on one machine or on many.

    make_shards(commit, docs, stages, workers=2)                 # in processes of this machine
    make_shards(commit, docs, stages, workers=8, spread=in_tasks)    # or on a cluster (cluster/tasks.py)

First every chunk of documents is analyzed into a piece for each shard, then the pieces of a shard are merged into its
segments. Both are tasks that read and write files and pass on paths, so it does not matter which machine does them if
all see the same folders. A task that was finished once, also in a run that was interrupted, is not done again: its
folder is named by a digest of what went into it, and appears when it is complete. So the bytes of an index do not
depend on what happened on the way.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import __version__, store
from crossbow.errors import CrossbowError
from crossbow.index import fields as columns
from crossbow.index.analysis import How, Piece, Report, analyze, chunks
from crossbow.index.commit import LARGEST, Commit, new_segment, write_segment
from crossbow.index.fields import encoded
from crossbow.index.manifest import SEGMENTS, Entry
from crossbow.index.postings import Part, everything
from crossbow.index.strings import unpack
from crossbow.pipeline import Stages
from crossbow.processes import Spread, in_processes
from crossbow.records import Doc

CHUNK, PIECE, MADE = "chunk", "piece", "made"  # kinds of folders
CHUNK_DOCS, CHUNK_CHARS = 20_000, 8 << 20  # larger than those that stay in memory: each becomes files


class Nothing(NamedTuple):
    """The empty record of a folder that has no arrays, only other folders."""


class Task(NamedTuple):
    """A chunk of documents to analyze into a folder; without documents if that was done before."""

    place: Path
    docs: list[Doc] | None


class Merging(NamedTuple):
    """Pieces of a shard that become a segment in a folder."""

    place: Path
    shard: int
    pieces: tuple[Path, ...]


class Found(NamedTuple):
    """A piece in its folder."""

    place: Path
    bytes: int
    fingerprint: int


def make_shards(
    commit: Commit, docs: Iterable[Doc], stages: Stages, workers: int, report: Report | None = None,
    spread: Spread = in_processes,
) -> None:
    """Analyze the documents of a new index, and hand the segments of all its shards to the commit."""
    how = How(commit.analyzer, commit.searched, len(commit.shards))
    rows: list[list[Found]] = [[] for _ in commit.shards]
    done = 0
    with closing(spread(analyze_chunk, _tasks(docs, how, stages), how, workers, "analyze documents")) as results:
        for place, found in results:
            for name, (documents, size, fingerprint) in sorted(found.items()):
                rows[int(name)].append(Found(Path(place) / name, size, int(fingerprint, 16)))
                done += documents
            if report:
                report("analyze", done, 0)
    groups = [(shard, group) for shard, row in enumerate(rows) for group in _groups(row)]
    merging = [_merging(stages, shard, group) for shard, group in groups]
    with closing(spread(merge_pieces, merging, None, workers, "merge documents")) as results:
        for number, ((_, group), (task, row)) in enumerate(zip(groups, zip(merging, results))):
            made = Entry(*row)
            entry = made._replace(name=f"{commit.generation:06d}-{made.name}")  # an older state may have the same
            place = commit.folder / SEGMENTS / entry.name
            store.adopt(task.place / SEGMENTS / made.name, place)
            commit.take(entry, new_segment(place), sum(piece.fingerprint for piece in group))
            if report:
                report("merge", number + 1, len(merging))
    _check_ids(commit)


def _tasks(docs: Iterable[Doc], how: How, stages: Stages) -> Iterator[Task]:
    """Chunks of documents, each with the folder that its pieces belong in."""
    settings = [__version__, how.analyzer.to_json(), how.searched.weights(), how.shards]
    for number, chunk in enumerate(chunks(docs, CHUNK_DOCS, CHUNK_CHARS)):
        place = stages.folder / f"{CHUNK}-{number:06d}-{store.digest(settings, _content(chunk))}"
        yield Task(place, None if (place / store.HEADER).exists() else chunk)


def _content(chunk: Sequence[Doc]) -> bytes:
    sha = hashlib.sha256()
    for doc in chunk:
        for part in (doc.id, doc.title, doc.text):
            data = part.encode("utf8", "surrogatepass")
            sha.update(b"%d " % len(data) + data)
        sha.update(encoded(doc) + b"\n")
    return sha.digest()


def analyze_chunk(task: Task, how: How) -> tuple[str, dict[str, tuple[int, int, str]]]:
    """The folder of a chunk, and for each of its shards how many documents, bytes and which fingerprint are there."""
    if task.docs is not None:
        with store.replacing(task.place, CHUNK) as fresh:
            facts = {}
            for piece, number, shard in analyze(task.docs, how):
                _save(fresh / f"{shard}", piece)
                facts[f"{shard}"] = len(piece.postings.lengths), piece.bytes(), f"{number:016x}"
            store.save(fresh, CHUNK, Nothing(), {"pieces": facts})
    return str(task.place), store.header(task.place)["meta"]["pieces"]


def _save(folder: Path, piece: Piece) -> None:
    if piece.fields:
        columns.save(folder / columns.FIELDS, piece.fields)
    store.save(folder, PIECE, Part(*piece.postings), {columns.FIELDS: bool(piece.fields)})


def _load(folder: Path) -> Piece:
    part, meta = store.load(folder, PIECE, Part)
    documents = len(part.lengths)
    return Piece(part, columns.load(folder / columns.FIELDS, documents) if meta[columns.FIELDS] else None)


def _groups(pieces: Sequence[Found]) -> Iterator[list[Found]]:
    """Pieces of a shard, as many as fit into a segment."""
    group: list[Found] = []
    for piece in pieces:
        if group and sum(one.bytes for one in group) + piece.bytes > LARGEST:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _merging(stages: Stages, shard: int, group: Sequence[Found]) -> Merging:
    places = tuple(piece.place for piece in group)
    name = store.digest(__version__, shard, [[place.parent.name, place.name] for place in places])
    return Merging(stages.folder / f"{MADE}-{name}", shard, places)


def merge_pieces(task: Merging, _: None) -> tuple[Any, ...]:
    """The entry of the segment that the pieces of a shard make."""
    if not (task.place / store.HEADER).exists():
        with store.replacing(task.place, MADE) as fresh:
            pieces = [_load(place) for place in task.pieces]
            entry = write_segment(fresh, f"{task.shard:04d}", task.shard, pieces,
                                  [everything(piece.postings) for piece in pieces])
            store.save(fresh, MADE, Nothing(), {"entry": entry._asdict()})
    return tuple(Entry(**store.header(task.place)["meta"]["entry"]))


def _check_ids(commit: Commit) -> None:
    """Raise an error if two segments of a shard have the same id; within a segment it was looked for already."""
    for shard in commit.shards:
        seen: set[bytes] = set()
        for segment in shard.full if len(shard.full) > 1 else ():
            ids = set(unpack(segment.postings.id_starts, segment.postings.id_bytes))
            twice = min(seen & ids, default=None)
            if twice is not None:
                raise CrossbowError(f"the document id {twice.decode()!r} was given twice; ids must be unique")
            seen |= ids
