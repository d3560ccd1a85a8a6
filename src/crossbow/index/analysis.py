"""Documents to pieces of an index, in several processes when there are many.

    with contextlib.closing(analyzed(docs, How(analyzer), workers=2)) as pieces:
        for piece, fingerprint, shard in pieces: ...

Documents travel in chunks, and only a few at a time (processes.py), so memory stays small however many there are.
Pieces come in the order of the documents, whatever the number of workers; a chunk gives a piece for each shard that its
documents belong to.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import NamedTuple

from crossbow.index.fields import Fields, gather
from crossbow.index.manifest import shard_of
from crossbow.index.postings import Part, Postings, fingerprint, invert
from crossbow.index.searched import STANDARD, Searched
from crossbow.index.strings import encode
from crossbow.processes import in_processes
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer

CHUNK_DOCS = 2000
CHUNK_CHARS = 1 << 20

Report = Callable[[str, int, int], None]  # (what, done, of how many; 0 if that is not known)


class Piece(NamedTuple):
    """Documents of a chunk or a segment: their postings, and their fields if any has some."""

    postings: Part | Postings
    fields: Fields | None = None

    def bytes(self) -> int:
        """What its arrays take up."""
        return sum(array.nbytes for array in (*self.postings, *(self.fields.arrays if self.fields else ())))


class Analyzed(NamedTuple):
    """The documents of a chunk that belong to a shard, and what they add to the fingerprint of the index."""

    piece: Piece
    fingerprint: int
    shard: int


class How(NamedTuple):
    """How documents are analyzed."""

    analyzer: Analyzer
    searched: Searched = STANDARD
    shards: int = 1


def analyzed(
    docs: Iterable[Doc], how: How, workers: int = 2, report: Report | None = None,
) -> Generator[Analyzed, None, None]:
    """Pieces in the order of the documents. Close it when you stop before its end."""
    pieces = in_processes(analyze, chunks(docs, CHUNK_DOCS, CHUNK_CHARS), how, workers, "analyze documents")
    done = 0
    try:
        for row in pieces:
            done += sum(len(one.piece.postings.lengths) for one in row)
            if report:
                report("analyze", done, 0)
            yield from row
    finally:
        pieces.close()
    if report and done:
        report("analyze", done, done)


def chunks(docs: Iterable[Doc], most: int, chars: int) -> Iterator[list[Doc]]:
    """Documents in chunks that take about as long each: of so many documents or characters."""
    chunk: list[Doc] = []
    size = 0
    for doc in docs:
        chunk.append(doc)
        size += len(doc.text) + sum(len(value) for value in doc.fields.values() if isinstance(value, str))
        if len(chunk) >= most or size >= chars:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def analyze(chunk: list[Doc], how: How) -> list[Analyzed]:
    """The documents of a chunk, shard by shard."""
    by_shard: dict[int, list[Doc]] = {}
    for doc in chunk:
        by_shard.setdefault(shard_of(encode(doc.id), how.shards), []).append(doc)
    found = []
    for shard, docs in sorted(by_shard.items()):
        piece = Piece(invert(docs, how.analyzer, how.searched), gather(docs))
        found.append(Analyzed(piece, fingerprint(piece.postings, range(len(docs)), piece.fields), shard))
    return found
