"""An index as its readers see it: a snapshot of segments that no later commit changes.

    index = Index.load("index")
    index["d7"].text, "d8" in index, [doc.id for doc in index]
    index.df("hous"), len(index), index.mean_length
    for segment in index.segments:
        t = segment.term("hous")
        ...                              # segment.postings.docs[starts[t]:starts[t + 1]] + segment.base

    Index.load("index", shard=2)         # the documents of one shard, which score as they do in the whole index
    Index.outline("index")               # no documents, but what is known of all of them

Segments are mapped, and terms and ids are found by binary search, so opening takes milliseconds whatever the size. A
writer may remove files of an older state: what is mapped stays, and a reader that comes too late reads the manifest
again.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from crossbow import hub, store
from crossbow.arrays import I64, Bools
from crossbow.errors import CrossbowError, InputError, UnknownDocument
from crossbow.index.fields import FIELDS, Column, Fields
from crossbow.index.fields import load as load_fields
from crossbow.index.manifest import DELETIONS, KIND, SEGMENTS, STATISTICS, Entry, Manifest, read
from crossbow.index.postings import Postings, document, fingerprint, load
from crossbow.index.statistics import Statistics
from crossbow.index.strings import encode, find
from crossbow.index.values import KEYWORD, STORED
from crossbow.records import Doc
from crossbow.records.types import NO_FIELDS
from crossbow.text.analyzer import Analyzer
from crossbow.text.memo import Memo

TRIES = 20  # each failure means that another commit came in between


class Segment:
    """A segment inside a snapshot.

    Its arrays may be mapped from a damaged file, so numbers of theirs that are places in other arrays are checked when
    they are first used: here, and in the kernels that read a posting list for the first time.
    """

    def __init__(
        self, base: int, postings: Postings, alive: Bools, complete: bool, folder: Path | None = None,
        fields: Fields | None = None,
    ):
        self.base = base  # what to add to its document numbers to get the index's
        self.postings = postings
        self.alive = alive  # by document
        self.complete = complete  # nothing was deleted from it
        self.folder = folder
        self.fields = fields
        self._columns: Memo[Column | None] = Memo(lambda name: fields.column(name) if fields else None)
        self._terms: Memo[int] = Memo(lambda term: find(postings.term_starts, postings.term_bytes, encode(term)))

    def damaged(self, problem: object) -> InputError:
        """The error to raise when the arrays say something impossible."""
        return InputError(self.folder or "a segment", None, f"the index is damaged ({problem})",
                          "build it again; `crossbow info INDEX --check` names the file")

    @cached_property
    def _ids(self) -> str | bytes:
        """All ids one after another; as a string, which is quicker to cut, if a character is a byte."""
        data = self.postings.id_bytes.tobytes()
        return data.decode() if data.isascii() else data

    def ids(self, numbers: I64) -> list[str]:
        """The ids of documents of the segment."""
        try:
            data = self._ids
            low, high = self.postings.id_starts[numbers], self.postings.id_starts[numbers + 1]
            if ((low < 0) | (low >= high) | (high > len(data))).any():
                raise ValueError("an id has no place")
            bounds = zip(low.tolist(), high.tolist())
            if isinstance(data, str):
                return [data[start:end] for start, end in bounds]
            return [data[start:end].decode() for start, end in bounds]
        except ValueError as error:
            raise self.damaged(error) from None

    def doc(self, number: int) -> Doc:
        """A document as it was given."""
        try:
            name, title, text = document(self.postings, number)
            more = self.fields.of(number) if self.fields else {}
            return Doc(name.decode(), text.decode(), title.decode(), more or NO_FIELDS)
        except ValueError as error:
            raise self.damaged(error) from None

    def fingerprint(self, number: int) -> int:
        """What the document adds to the fingerprint of the index."""
        try:
            return fingerprint(self.postings, [number], self.fields)
        except ValueError as error:
            raise self.damaged(error) from None

    def column(self, name: str) -> Column | None:
        """A field of the documents, if any has it."""
        try:
            return self._columns[name]
        except ValueError as error:
            raise self.damaged(error) from None

    def term(self, term: str) -> int:
        """The number of a term, or -1."""
        try:
            return self._terms[term]
        except ValueError as error:
            raise self.damaged(error) from None

    def df(self, term: str) -> int:
        """How many documents that are not deleted have the term."""
        number = self.term(term)
        if number < 0:
            return 0
        start, end = map(int, self.postings.starts[number:number + 2])
        if not 0 <= start <= end <= min(len(self.postings.docs), start + len(self.alive)):
            raise self.damaged(f"the list of term {number} has no place")
        if self.complete:
            return end - start
        docs = self.postings.docs[start:end]
        if docs.min(initial=0) < 0 or docs.max(initial=0) >= len(self.alive):
            raise self.damaged(f"the list of term {number} names a document that is not there")
        return int(self.alive[docs].sum())

    def number(self, name: bytes) -> int:
        """The number inside the segment of the document with this id, or -1 if there is none or it was deleted."""
        try:
            number = find(self.postings.id_starts, self.postings.id_bytes, name, self.postings.id_order)
        except ValueError as error:
            raise self.damaged(error) from None
        return number if number >= 0 and self.alive[number] else -1


class Index:
    """A consistent snapshot of an index. Safe to share between threads.

    A pickled index is only the name of its folder; unpickling opens the folder again, which must still hold the same
    documents.
    """

    def __init__(
        self, manifest: Manifest, segments: list[Segment], folder: Path | None = None, shard: int | None = None,
        statistics: Statistics | None = None,
    ):
        """`statistics` are those of the whole index, if the segments are only a part of it."""
        self.folder = folder  # the absolute path that it was opened from
        self.shard, self.shards = shard, manifest.shards
        self._statistics = statistics
        self.meta = manifest.meta()
        self.analyzer = Analyzer.from_json(manifest.analyzer)
        self.segments = segments
        self.slots = sum(len(segment.alive) for segment in segments)  # deleted documents have numbers too
        self.mean_length = manifest.tokens / manifest.documents if manifest.documents else 0.0
        self.signature = manifest.signature
        self.searched = manifest.searched
        self.scale = manifest.searched.scale  # what lengths and frequencies are multiplied by, to be whole numbers
        self._documents = manifest.documents
        self._bases = [segment.base for segment in segments]
        self.frequencies: Memo[int] = Memo(  # df by term; a reference to them does not keep the index alive
            statistics.df if statistics else lambda term: sum(segment.df(term) for segment in segments))

    @classmethod
    def load(cls, folder: str | os.PathLike[str], shard: int | None = None) -> Index:
        """Open the present state of an index, or of one of its shards."""
        def open_now(manifest: Manifest) -> Index:
            if shard is not None and not 0 <= shard < manifest.shards:
                raise CrossbowError(f"{folder}: has no shard {shard}; there are {manifest.shards}, from 0 on")
            entries = manifest.segments if shard is None else manifest.shard(shard)
            return cls(manifest, open_segments(Path(folder), entries, manifest.checksums), Path(folder).absolute(),
                       shard, None if shard is None else open_statistics(Path(folder), manifest))

        return _while_it_changes(folder, open_now)

    @classmethod
    def outline(cls, folder: str | os.PathLike[str]) -> Index:
        """Open what is known of all documents, but no documents: other machines may hold these.

        If there are no shards, this opens the whole index.
        """
        return cls.load(folder) if read(folder).shards == 1 else _while_it_changes(folder, lambda manifest: cls(
            manifest, [], Path(folder).absolute(), None, open_statistics(Path(folder), manifest)))

    def push(self, name: str, license: str, **about: Any) -> str:
        """Upload the folder to the hub under a name such as someone/docs-en; returns a digest for `pull` to check.

        `data` and `results` are texts for the card, and `private` says who may see it.
        """
        if self.folder is None:
            raise CrossbowError("only an index that was opened from a folder can be pushed; build it in one first")
        rows = {"language": self.analyzer.settings.lang, "documents": len(self), "segments": len(self.segments),
                "signature": self.signature}
        return hub.push(self.folder, name, rows, license=license, **about)

    @classmethod
    def pull(cls, name: str, *, revision: str | None = None, digest: str | None = None) -> Index:
        """Download an index from the hub, unless it is there, check it and open it."""
        return cls.load(hub.pull(name, KIND, revision=revision, digest=digest))

    def __len__(self) -> int:
        return self._documents

    def __iter__(self) -> Iterator[Doc]:
        """All documents that are not deleted, in the order in which they are stored."""
        for segment in self.segments:
            for number in np.flatnonzero(segment.alive).tolist():
                yield segment.doc(number)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.number(id) >= 0

    def __getitem__(self, id: str) -> Doc:
        """The document with this id."""
        number = self.number(id) if isinstance(id, str) else -1
        if number < 0:
            hint = "is the id spelled right?" if isinstance(id, str) else "ids are strings, and index.doc takes numbers"
            raise UnknownDocument(f"the index has no document {id!r}; {hint}")
        return self.doc(number)

    def __repr__(self) -> str:
        folder = None if self.folder is None else str(self.folder)
        return (f"Index(language={self.analyzer.settings.lang!r}, documents={len(self)}, "
                f"segments={len(self.segments)}, signature={self.signature!r}, folder={folder!r})")

    def __reduce__(self) -> tuple[Callable[[str, str, int | None], Index], tuple[str, str, int | None]]:
        if self.folder is None:
            raise CrossbowError("only an index that was opened from a folder can be pickled, for unpickling opens "
                                "the folder again; use Index.load")
        return _reopened, (str(self.folder), self.signature, self.shard)

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What the fields of documents are: number, date or keyword; or stored, if they can only be shown."""
        return self._statistics.kinds if self._statistics else kinds_of(self.segments)

    def df(self, term: str) -> int:
        """How many documents have the term."""
        return self.frequencies[term]

    def id(self, number: int) -> str:
        """The id of a document."""
        segment, inside = self._place(number)
        return segment.ids(np.array([inside]))[0]

    def ids(self, numbers: I64) -> list[str]:
        """The ids of many documents, quicker than one by one."""
        if len(self.segments) == 1:
            return self.segments[0].ids(numbers)
        names = np.empty(len(numbers), object)
        home = np.searchsorted(self._bases, numbers, "right") - 1
        for at, segment in enumerate(self.segments):
            names[home == at] = segment.ids(numbers[home == at] - segment.base)
        return list(names)

    def number(self, id: str) -> int:
        """The number of a document, or -1 if there is none with this id."""
        name = encode(id)
        for segment in self.segments:
            inside = segment.number(name)
            if inside >= 0:
                return segment.base + inside
        return -1

    def doc(self, number: int) -> Doc:
        """A document as it was given."""
        segment, inside = self._place(number)
        return segment.doc(inside)

    def shown(self, number: int) -> Doc:
        """A document whose text is all of it that is searched, except its title."""
        return self.searched.shown(self.doc(number))

    def _place(self, number: int) -> tuple[Segment, int]:
        if not 0 <= number < self.slots:
            raise UnknownDocument(f"there is no document {number} of {self.slots}; numbers begin with 0")
        segment = self.segments[bisect_right(self._bases, number) - 1]
        return segment, number - segment.base


def kinds_of(segments: Iterable[Segment]) -> dict[str, str]:
    """The kinds of the fields that documents of these segments have; a field of several kinds is the broadest."""
    found: dict[str, str] = {}
    for segment in segments:
        for name, (_, kind) in segment.fields.columns.items() if segment.fields else ():
            there = found.setdefault(name, kind)
            if there != kind:
                found[name] = STORED if STORED in (there, kind) else KEYWORD
    return dict(sorted(found.items()))


def _while_it_changes(folder: str | os.PathLike[str], open_now: Callable[[Manifest], Index]) -> Index:
    """Open what a manifest lists; if it is gone, another commit came in between, and its manifest is tried."""
    manifest = read(folder)
    for _ in range(TRIES):
        try:
            return open_now(manifest)
        except (InputError, OSError):
            tried, manifest = manifest, read(folder)
            if tried == manifest:
                raise
    raise InputError(folder, None, "changes too often to be opened", "try again when fewer commits are made")


def _reopened(folder: str, signature: str, shard: int | None = None) -> Index:
    """What unpickling gives: the index in this folder, if it is still the one that was pickled."""
    index = Index.load(folder, shard)
    if index.signature != signature:
        raise CrossbowError(f"{folder}: has other documents now (signature {index.signature}) than when the index was "
                            f"pickled ({signature}); open it with Index.load and start again")
    return index


def open_statistics(folder: Path, manifest: Manifest) -> Statistics | None:
    """What is known of all shards, if there are several."""
    return Statistics.load(folder / STATISTICS / manifest.statistics) if manifest.statistics else None


def open_segments(folder: Path, entries: Sequence[Entry], checksums: Mapping[str, str]) -> list[Segment]:
    """Map segments that a manifest lists, and read their deletions."""
    segments, base = [], 0
    for entry in entries:
        place = folder / SEGMENTS / entry.name
        postings, fields = open_segment(place)
        if len(postings.lengths) != entry.documents:
            raise InputError(place, None, f"has {len(postings.lengths)} documents, the manifest says "
                             f"{entry.documents}", "build the index again")
        segments.append(Segment(base, postings, _alive(folder, entry, checksums), not entry.deleted, place, fields))
        base += entry.documents
    return segments


def open_segment(place: Path) -> tuple[Postings, Fields | None]:
    """Map the arrays of one segment."""
    postings, meta = load(place)
    return postings, load_fields(place / FIELDS, len(postings.lengths)) if meta.get(FIELDS) else None


def _alive(folder: Path, entry: Entry, checksums: Mapping[str, str]) -> Bools:
    alive = np.ones(entry.documents, np.bool_)
    if entry.deletions is None:
        return alive
    file = folder / DELETIONS / entry.deletions
    try:
        alive[store.read_array(file, checksums.get(f"{DELETIONS}/{entry.deletions}"))] = False
        if entry.documents - int(alive.sum()) != entry.deleted:
            raise ValueError("another number of documents than the manifest says")
    except Exception as error:  # NumPy has many ways to fail on a damaged file
        raise InputError(file, None, f"missing, truncated or damaged ({error})", "build the index again") from None
    return alive
