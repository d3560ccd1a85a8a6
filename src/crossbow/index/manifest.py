"""The manifest of an index: which segments and which deletions make up its present state.

    manifest = read(folder)
    manifest.segments[0].name, manifest.signature
    write(folder, manifest)              # atomic: readers see the old state or the new one, also after a power cut

    INDEX/header.json                    the manifest, with checksums; replaced by each commit, read by store.header
    INDEX/segments/NAME/                 arrays of a segment, written by store.save and never changed
    INDEX/segments/NAME/fields/          those of other fields than title and text, if documents have any
    INDEX/deletions/NAME.npy             documents deleted from a segment; never changed, a commit writes another
    INDEX/statistics/NAME/               in how many documents each term is, if there are several shards
    INDEX/writer.lock                    held by the process that writes

A shard is some of the segments. An id says which shard its document is in, so that each can be held by another machine,
and statistics say what a shard cannot know of the others.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.index.postings import WHOLE
from crossbow.index.searched import STANDARD, Searched

KIND = "index"
SEGMENTS, DELETIONS, STATISTICS, FRESH = "segments", "deletions", "statistics", "header.json.new"
MOST_SHARDS = 10_000


class Entry(NamedTuple):
    """A segment as the manifest lists it."""

    name: str
    documents: int  # deleted ones included
    terms: int
    postings: int
    deleted: int
    deletions: str | None  # file of the deleted documents' numbers
    shard: int = 0

    def files(self) -> list[str]:
        """The files that the manifest answers for, by their paths in the index; arrays are in the segment's header."""
        deletions = [f"{DELETIONS}/{self.deletions}"] if self.deletions else []
        return [f"{SEGMENTS}/{self.name}/{store.HEADER}", *deletions]


@dataclass(frozen=True)
class Manifest:
    """One committed state. Documents, tokens and fingerprint are those of the documents that are not deleted."""

    analyzer: dict[str, Any]
    generation: int  # the number of the commit
    segments: tuple[Entry, ...]
    documents: int
    tokens: int
    fingerprint: int
    checksums: dict[str, str] = field(default_factory=dict)  # of the entries' files
    searched: Searched = STANDARD
    shards: int = 1
    statistics: str | None = None  # the name of their folder, if there are several shards

    @property
    def signature(self) -> str:
        """The analyzer, the fields and the documents in one word; neither their order nor the segments matter."""
        return store.digest(self.analyzer, self.documents, f"{self.fingerprint:016x}", *self._fields().values())

    def shard(self, number: int) -> tuple[Entry, ...]:
        """The segments of a shard."""
        return tuple(entry for entry in self.segments if entry.shard == number)

    def _fields(self) -> store.Meta:
        """The fields that are searched; nothing if these are title and text, so that such headers stay as they were."""
        return {} if self.searched == STANDARD else {"fields": self.searched.weights()}

    def meta(self) -> store.Meta:
        """What goes into the header. Of shards it speaks only if there are several."""
        entries = [entry._asdict() for entry in self.segments]
        if self.shards == 1:
            for entry in entries:
                del entry["shard"]
        return {
            "analyzer": self.analyzer, "generation": self.generation, "segments": entries, "documents": self.documents,
            "tokens": self.tokens, "fingerprint": f"{self.fingerprint:016x}", "signature": self.signature,
            **self._fields(), **({} if self.shards == 1 else {"shards": self.shards, STATISTICS: self.statistics}),
        }


def shard_of(name: bytes, shards: int) -> int:
    """The shard that the document with this id belongs to."""
    if shards == 1:
        return 0
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little") % shards


def read(folder: str | os.PathLike[str]) -> Manifest:
    """The manifest of an index; raises a readable error for anything else."""
    path = Path(folder)
    head = store.header(path)
    if head["kind"] != KIND:
        raise InputError(path, None, f"of kind {head['kind']!r}, expected {KIND!r}", "is this the right path?")
    meta = head["meta"]
    try:
        segments = tuple(Entry(**entry) for entry in meta["segments"])
        numbers = [meta[name] for name in ("generation", "documents", "tokens")]
        numbers += [number for entry in segments for number in entry[1:5]]
        shards, statistics = meta.get("shards", 1), meta.get(STATISTICS)
        names = [entry.name for entry in segments] + [entry.deletions for entry in segments if entry.deletions]
        names += [statistics] if statistics else []
        if not all(type(number) is int and number >= 0 for number in numbers) or any("/" in name for name in names):
            raise ValueError("a count or a name is wrong")
        if not all(0 <= entry.shard < shards for entry in segments) or (shards > 1 and not statistics):
            raise ValueError("its shards are wrong")
        return Manifest(dict(meta["analyzer"]), meta["generation"], segments, meta["documents"], meta["tokens"],
                        int(meta["fingerprint"], 16) % WHOLE, dict(head.get("checksums", {})),
                        Searched.of(dict(meta["fields"])) if "fields" in meta else STANDARD, shards, statistics)
    except (KeyError, TypeError, ValueError, CrossbowError) as error:
        raise InputError(path / store.HEADER, None, f"damaged manifest ({error})", "build the index again") from None


def write(folder: Path, manifest: Manifest) -> None:
    """Put a manifest in the place of the one that is there; what it lists must be safe on the disk already."""
    with (folder / FRESH).open("w", encoding="utf8") as handle:
        handle.write(store.header_text(KIND, manifest.meta(), {}, manifest.checksums))
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(folder / FRESH, folder / store.HEADER)
    store.sync_folder(folder)
