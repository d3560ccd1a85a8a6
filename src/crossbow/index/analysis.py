"""Documents to pieces of an index, in several processes when there are many.

    with contextlib.closing(analysed(docs, analyzer, workers=2)) as pieces:
        for piece, fingerprint in pieces: ...

Documents travel in chunks, and only a few at a time (processes.py), so memory stays small however many there are.
Pieces come in the order of the documents, whatever the number of workers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import NamedTuple

from crossbow.index.fields import Fields, gather
from crossbow.index.postings import Part, Postings, fingerprint, invert
from crossbow.index.searched import STANDARD, Searched
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


Analysed = tuple[Piece, int]


def analysed(
    docs: Iterable[Doc], analyzer: Analyzer, workers: int = 2, report: Report | None = None,
    searched: Searched = STANDARD,
) -> Generator[Analysed, None, None]:
    """Pieces and their fingerprints, in the order of the documents. Close it when you stop before its end."""
    pieces = in_processes(_analyse, _chunks(docs), (analyzer, searched), workers, "analyze documents")
    done = 0
    try:
        for piece, number in pieces:
            done += len(piece.postings.lengths)
            if report:
                report("analyse", done, 0)
            yield piece, number
    finally:
        pieces.close()
    if report and done:
        report("analyse", done, done)


def _chunks(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Documents in chunks that take about as long each."""
    chunk: list[Doc] = []
    size = 0
    for doc in docs:
        chunk.append(doc)
        size += len(doc.text) + sum(len(value) for value in doc.fields.values() if isinstance(value, str))
        if len(chunk) >= CHUNK_DOCS or size >= CHUNK_CHARS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _analyse(chunk: list[Doc], how: tuple[Analyzer, Searched]) -> Analysed:
    analyzer, searched = how
    piece = Piece(invert(chunk, analyzer, searched), gather(chunk))
    return piece, fingerprint(piece.postings, range(len(chunk)), piece.fields)
