"""The next state of an index, put together beside the present one.

    commit = Commit(folder, analyzer, manifest)
    commit.delete(["d1"])
    commit.add(docs, workers=2)
    commit.finish()                      # until here no reader sees any of it

Shards do not depend on each other, and most indexes have only one. Its new documents become a segment, which absorbs
earlier ones up to twice its size (the logarithmic method). So there are few segments, and a document is moved a
logarithmic number of times. A segment of which more than a third was deleted is moved too. Moving copies arrays; texts
are not analyzed again. All files of a segment are checked before it is moved: the copy gets checksums of its own, which
would hide damage forever. If there are several shards, what each must know of the others is summed up at the end.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import I32, Bools
from crossbow.errors import CrossbowError
from crossbow.index import fields as columns
from crossbow.index import manifest as files
from crossbow.index import statistics
from crossbow.index.analysis import How, Piece, Report, analyzed
from crossbow.index.manifest import DELETIONS, SEGMENTS, STATISTICS, Entry, Manifest, shard_of
from crossbow.index.postings import SEGMENT, WHOLE, everything, merge
from crossbow.index.searched import STANDARD
from crossbow.index.segments import Segment, kinds_of, open_segment, open_segments
from crossbow.index.strings import encode, unpack
from crossbow.integrity import check_files
from crossbow.records import Doc
from crossbow.settings import suggestion
from crossbow.text.analyzer import Analyzer

LARGEST = 3 << 28  # bytes of a segment: what is merged must fit into memory, and is there more than twice


class Size(NamedTuple):
    """What decides whether a segment is merged."""

    live: int  # documents
    dead: int
    bytes: int


class Committed:
    """A segment of the present state, and which of its documents the next state keeps."""

    def __init__(self, entry: Entry, segment: Segment):
        self.entry, self.segment = entry, segment
        self.piece, self.alive = Piece(segment.postings, segment.fields), segment.alive
        self.changed = False

    def size(self) -> Size:
        live = int(self.alive.sum())
        return Size(live, len(self.alive) - live, self.piece.bytes())


def plan(new: Size, old: Sequence[Size]) -> tuple[list[int], list[int]]:
    """Which old segments are merged with what is new, and which are rewritten alone because all would be too large."""
    live, size = new.live, new.bytes
    heavy = {number for number, one in enumerate(old) if 2 * one.dead > one.live}
    together, alone = [], []
    for number in sorted(range(len(old)), key=lambda n: (n not in heavy, old[n].live)):
        one = old[number]
        if one.live and (number in heavy or one.live <= 2 * live):
            if size + one.bytes <= LARGEST:
                together.append(number)
                live, size = live + one.live, size + one.bytes
            elif number in heavy:
                alone.append(number)
    return sorted(together), sorted(alone)


class Shard:
    """What becomes of one shard: its segments of the present state, and its new documents."""

    def __init__(self, number: int, old: Sequence[Committed]):
        self.number, self.old = number, old
        self.pieces: list[Piece] = []  # new documents that are not written yet
        self.full: list[Segment] = []  # of new documents, when they are too many to be kept in memory

    def size(self) -> Size:
        """The size of the new documents which are not written yet."""
        return Size(sum(len(piece.postings.lengths) for piece in self.pieces), 0,
                    sum(piece.bytes() for piece in self.pieces))

    def has_new(self, name: bytes) -> bool:
        """Whether a document with this id is among the new ones that are written."""
        return any(segment.number(name) >= 0 for segment in self.full)


class Commit:
    """What the manifest after the present one will list."""

    def __init__(self, folder: Path, analyzer: Analyzer, present: Manifest):
        self.folder, self.analyzer, self.present = folder, analyzer, present
        self.generation, self.searched = present.generation + 1, present.searched
        self.documents, self.tokens, self.fingerprint = present.documents, present.tokens, present.fingerprint
        opened = open_segments(folder, present.segments, present.checksums)
        old = [Committed(*pair) for pair in zip(present.segments, opened)]
        self.shards = [Shard(number, [one for one in old if one.entry.shard == number])
                       for number in range(present.shards)]
        self.pending = 0  # bytes of pieces that are not written yet
        self.written: list[Entry] = []

    def delete(self, ids: Iterable[str]) -> None:
        """Leave out documents."""
        unknown = [name for name in dict.fromkeys(ids) if not self._remove(encode(name))]
        if unknown:
            more = f" and {len(unknown) - 3} others" if len(unknown) > 3 else ""
            raise CrossbowError(f"{self.folder}: no document has the id {', '.join(map(repr, unknown[:3]))}{more}; "
                                "nothing was changed")

    def add(self, docs: Iterable[Doc], workers: int, report: Report | None = None) -> None:
        """Analyze documents; they take the places of those with the same ids."""
        how = How(self.analyzer, self.searched, len(self.shards))
        with contextlib.closing(analyzed(docs, how, workers, report)) as stream:
            for piece, number, home in stream:
                if self.pending and self.pending + piece.bytes() > LARGEST:
                    self._write_pending()
                shard = self.shards[home]
                for name in unpack(piece.postings.id_starts, piece.postings.id_bytes):
                    self._remove(name)
                    if shard.has_new(name):
                        raise CrossbowError(f"the document id {name.decode()!r} was given twice; ids must be unique")
                shard.pieces.append(piece)
                self.pending += piece.bytes()
                self._count(1, piece.postings.lengths, number)

    def take(self, entry: Entry, segment: Segment, number: int) -> None:
        """A segment of new documents that is written already, and what these add to the fingerprint."""
        self.written.append(entry)
        self.shards[entry.shard].full.append(segment)
        self._count(1, segment.postings.lengths, number)

    def check_searched(self) -> None:
        """Raise an error if a field is to be searched that no document has."""
        fields = [fields for shard in self.shards
                  for fields in (*(piece.fields for piece in shard.pieces), *(one.fields for one in shard.full))]
        there = {*STANDARD.names, *(name for one in fields if one for name in one.columns)}
        for name in self.searched.names:
            if name not in there and self.documents:
                raise CrossbowError(f"no document has the field {name!r}, which is to be searched"
                                    f"; there are {', '.join(sorted(there))}{suggestion(name, there)}")

    def finish(self, report: Report | None = None) -> Manifest:
        """Write what is new, make it safe on the disk, and only then replace the manifest."""
        if report:
            report("write", 0, 0)
        kept = [entry for shard in self.shards for entry in self._settle(shard)]
        for folder in (SEGMENTS, DELETIONS):
            if (self.folder / folder).is_dir():
                store.sync_folder(self.folder / folder)
        entries = (*kept, *self.written)
        checksums = {file: self.present.checksums.get(file) or store.checksum(self.folder / file)
                     for entry in entries for file in entry.files()}
        statistics = self._sum_up(entries, checksums) if len(self.shards) > 1 else None
        manifest = Manifest(self.analyzer.to_json(), self.generation, entries, self.documents, self.tokens,
                            self.fingerprint, checksums, self.searched, len(self.shards), statistics)
        files.write(self.folder, manifest)
        if report:
            report("write", 1, 1)
        return manifest

    def _settle(self, shard: Shard) -> list[Entry]:
        """Write the new documents of a shard with the segments that they absorb; the entries that stay are returned."""
        together, alone = plan(shard.size(), [old.size() for old in shard.old])
        for number in (*together, *alone):
            check_files(self.folder / SEGMENTS / shard.old[number].entry.name)
        moved = [shard.old[number] for number in together]
        if moved or shard.pieces:
            self._write(shard.number, [*(old.piece for old in moved), *shard.pieces],
                        [*(old.alive for old in moved), *(everything(piece.postings) for piece in shard.pieces)])
        for number in alone:
            self._write(shard.number, [shard.old[number].piece], [shard.old[number].alive])
        gone = {*together, *alone}
        return [self._keep(old) for n, old in enumerate(shard.old) if n not in gone and old.alive.any()]

    def _sum_up(self, entries: Sequence[Entry], checksums: dict[str, str]) -> str:
        """What all shards must know of each other, as a folder of its own."""
        segments = open_segments(self.folder, entries, checksums)
        name = f"{self.generation:06d}"
        place = self.folder / STATISTICS / name
        statistics.save(place, statistics.sum_up((one.postings, one.alive) for one in segments), kinds_of(segments))
        store.sync_folder(self.folder / STATISTICS)
        checksums[f"{STATISTICS}/{name}/{store.HEADER}"] = store.checksum(place / store.HEADER)
        return name

    def _remove(self, name: bytes) -> bool:
        """Leave out the document with this id, if there is one."""
        for old in self.shards[shard_of(name, len(self.shards))].old:
            number = old.segment.number(name)
            if number >= 0:
                self._count(-1, old.piece.postings.lengths[number:number + 1], old.segment.fingerprint(number))
                old.alive[number], old.changed = False, True
                return True
        return False

    def _count(self, sign: int, lengths: I32, number: int) -> None:
        """Documents came (sign 1) or went (sign -1)."""
        self.documents += sign * len(lengths)
        self.tokens += sign * int(lengths.sum(dtype=np.int64))
        self.fingerprint = (self.fingerprint + sign * number) % WHOLE

    def _write_pending(self) -> None:
        """Make segments of all pieces and map these, so that memory is free again."""
        for shard in self.shards:
            if shard.pieces:
                place = self._write(shard.number, shard.pieces, [everything(piece.postings) for piece in shard.pieces])
                shard.pieces = []
                shard.full.append(new_segment(place))
        self.pending = 0

    def _write(self, shard: int, pieces: Sequence[Piece], kept: Sequence[Bools]) -> Path:
        """A new segment."""
        entry = write_segment(self.folder, f"{self.generation:06d}-{len(self.written)}", shard, pieces, kept)
        self.written.append(entry)
        return self.folder / SEGMENTS / entry.name

    def _keep(self, old: Committed) -> Entry:
        """An old segment that stays, with a new file of deletions if it lost documents."""
        if not old.changed:
            return old.entry
        dead = np.flatnonzero(~old.alive).astype(np.int32)
        name = f"{self.generation:06d}-{old.entry.name}.npy"
        place = self.folder / DELETIONS / name
        place.parent.mkdir(exist_ok=True)
        with place.open("wb") as handle:
            np.save(handle, dead, allow_pickle=False)
            handle.flush()
            os.fsync(handle.fileno())
        return old.entry._replace(deleted=len(dead), deletions=name)


def write_segment(folder: Path, prefix: str, shard: int, pieces: Sequence[Piece], kept: Sequence[Bools]) -> Entry:
    """A new segment of an index. Its name tells its content too, should another index take its place in the folder."""
    postings = merge([piece.postings for piece in pieces], kept)
    fields = columns.merge([piece.fields for piece in pieces], [*map(len, kept)], kept)
    name = f"{prefix}-{store.digest(postings.id_bytes, postings.lengths)}"
    place = folder / SEGMENTS / name
    if fields:
        columns.save(place / columns.FIELDS, fields)
    meta = {"documents": len(postings.lengths), **({columns.FIELDS: True} if fields else {})}
    store.save(place, SEGMENT, postings, meta)
    store.sync(place)
    return Entry(name, len(postings.lengths), len(postings.starts) - 1, len(postings.docs), 0, None, shard)


def new_segment(place: Path) -> Segment:
    """A segment that was just written, mapped."""
    postings, fields = open_segment(place)
    return Segment(0, postings, everything(postings), True, place, fields)

