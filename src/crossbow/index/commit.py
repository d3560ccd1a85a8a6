"""The next state of an index, put together beside the present one.

    commit = Commit(folder, analyzer, manifest)
    commit.delete(["d1"])
    commit.add(docs, workers=2)
    commit.finish()                      # until here no reader sees any of it

New documents become a segment of their own, which absorbs earlier ones up to twice its size (the logarithmic method).
So there are few segments, and a document is moved a logarithmic number of times. A segment of which more than a third
was deleted is moved too. Moving copies arrays; texts are not analysed again. All files of a segment are checked before
it is moved: the copy gets checksums of its own, which would hide damage for ever.
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
from crossbow.index.analysis import Piece, Report, analysed
from crossbow.index.manifest import DELETIONS, SEGMENTS, Entry, Manifest
from crossbow.index.postings import SEGMENT, WHOLE, merge
from crossbow.index.searched import STANDARD
from crossbow.index.segments import Segment, open_segment, open_segments
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


def committed(folder: Path, manifest: Manifest) -> list[Committed]:
    """The segments of a manifest."""
    return [Committed(*pair) for pair in zip(manifest.segments, open_segments(folder, manifest))]


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


class Commit:
    """What the manifest after the present one will list."""

    def __init__(self, folder: Path, analyzer: Analyzer, present: Manifest):
        self.folder, self.analyzer = folder, analyzer
        self.generation, self.old = present.generation + 1, committed(folder, present)
        self.documents, self.tokens, self.fingerprint = present.documents, present.tokens, present.fingerprint
        self.checksums, self.searched = present.checksums, present.searched
        self.pieces: list[Piece] = []  # new documents that are not written yet
        self.size = 0  # their bytes
        self.written: list[Entry] = []
        self.full: list[Segment] = []  # of new documents, when they are too many for one segment

    def delete(self, ids: Iterable[str]) -> None:
        """Leave out documents."""
        unknown = [name for name in dict.fromkeys(ids) if not self._remove(encode(name))]
        if unknown:
            more = f" and {len(unknown) - 3} others" if len(unknown) > 3 else ""
            raise CrossbowError(f"{self.folder}: no document has the id {', '.join(map(repr, unknown[:3]))}{more}; "
                                "nothing was changed")

    def add(self, docs: Iterable[Doc], workers: int, report: Report | None = None) -> None:
        """Analyse documents; they take the places of those with the same ids."""
        with contextlib.closing(analysed(docs, self.analyzer, workers, report, self.searched)) as stream:
            for piece, number in stream:
                if self.pieces and self.size + piece.bytes() > LARGEST:
                    place = self._write(self.pieces, [*map(_all, self.pieces)])
                    self.pieces, self.size = [], 0
                    postings, fields = open_segment(place)  # mapped, so that memory is free again
                    self.full.append(Segment(0, postings, _all(Piece(postings)), True, place, fields))
                for name in unpack(piece.postings.id_starts, piece.postings.id_bytes):
                    self._remove(name)
                    if any(segment.number(name) >= 0 for segment in self.full):
                        raise CrossbowError(f"the document id {name.decode()!r} was given twice; ids must be unique")
                self.pieces.append(piece)
                self.size += piece.bytes()
                self._count(1, piece.postings.lengths, number)

    def check_searched(self) -> None:
        """Raise an error if a field is to be searched that no document has."""
        fields = [*(piece.fields for piece in self.pieces), *(segment.fields for segment in self.full)]
        there = {*STANDARD.names, *(name for one in fields if one for name in one.columns)}
        for name in self.searched.names:
            if name not in there and self.documents:
                raise CrossbowError(f"no document has the field {name!r}, which is to be searched"
                                    f"{suggestion(name, there)}; there are {', '.join(sorted(there))}")

    def finish(self, report: Report | None = None) -> Manifest:
        """Write what is new, make it safe on the disk, and only then replace the manifest."""
        if report:
            report("write", 0, 0)
        new = Size(sum(len(piece.postings.lengths) for piece in self.pieces), 0, self.size)
        together, alone = plan(new, [old.size() for old in self.old])
        for number in (*together, *alone):
            check_files(self.folder / SEGMENTS / self.old[number].entry.name)
        moved = [self.old[number] for number in together]
        if moved or self.pieces:
            self._write([*(old.piece for old in moved), *self.pieces],
                        [*(old.alive for old in moved), *map(_all, self.pieces)])
        for number in alone:
            self._write([self.old[number].piece], [self.old[number].alive])
        gone = {*together, *alone}
        kept = [self._keep(old) for n, old in enumerate(self.old) if n not in gone and old.alive.any()]
        for folder in (SEGMENTS, DELETIONS):
            if (self.folder / folder).is_dir():
                store.sync_folder(self.folder / folder)
        entries = (*kept, *self.written)
        checksums = {file: self.checksums.get(file) or store.checksum(self.folder / file)
                     for entry in entries for file in entry.files()}
        manifest = Manifest(self.analyzer.to_json(), self.generation, entries, self.documents, self.tokens,
                            self.fingerprint, checksums, self.searched)
        files.write(self.folder, manifest)
        if report:
            report("write", 1, 1)
        return manifest

    def _remove(self, name: bytes) -> bool:
        """Leave out the document with this id, if there is one."""
        for old in self.old:
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

    def _write(self, pieces: Sequence[Piece], kept: Sequence[Bools]) -> Path:
        """A new segment. Its name tells its content too, should another index take this one's place in the folder."""
        postings = merge([piece.postings for piece in pieces], kept)
        fields = columns.merge([piece.fields for piece in pieces], [*map(len, kept)], kept)
        name = f"{self.generation:06d}-{len(self.written)}-{store.digest(postings.id_bytes, postings.lengths)}"
        place = self.folder / SEGMENTS / name
        if fields:
            columns.save(place / columns.FIELDS, fields)
        meta = {"documents": len(postings.lengths), **({columns.FIELDS: True} if fields else {})}
        store.save(place, SEGMENT, postings, meta)
        store.sync(place)
        self.written.append(Entry(name, len(postings.lengths), len(postings.starts) - 1, len(postings.docs), 0, None))
        return place

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


def _all(piece: Piece) -> Bools:
    return np.ones(len(piece.postings.lengths), np.bool_)
