"""Documents to pieces of an index, in several processes when there are many.

    with contextlib.closing(analysed(docs, analyzer, workers=2)) as pieces:
        for piece, fingerprint in pieces: ...

Documents travel in chunks, and only a few at a time, so memory stays small however many there are. Pieces come in the
order of the documents, whatever the number of workers. A few thousand documents are analysed in this process: starting
others would take longer.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from typing import NamedTuple

from crossbow.errors import CrossbowError
from crossbow.index.fields import Fields, gather
from crossbow.index.postings import Part, Postings, fingerprint, invert
from crossbow.index.searched import STANDARD, Searched
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer

CHUNK_DOCS = 2000
CHUNK_CHARS = 1 << 20
ALONE = 2  # so many chunks are not worth starting processes for

Report = Callable[[str, int, int], None]  # (what, done, of how many; 0 if that is not known)


class Piece(NamedTuple):
    """Documents of a chunk or a segment: their postings, and their fields if any has some."""

    postings: Part | Postings
    fields: Fields | None = None

    def bytes(self) -> int:
        """What its arrays take up."""
        return sum(array.nbytes for array in (*self.postings, *(self.fields.arrays if self.fields else ())))


Analysed = tuple[Piece, int]

_worker: tuple[Analyzer, Searched]  # of a worker process


def analysed(
    docs: Iterable[Doc], analyzer: Analyzer, workers: int = 2, report: Report | None = None,
    searched: Searched = STANDARD,
) -> Generator[Analysed, None, None]:
    """Pieces and their fingerprints, in the order of the documents. Close it when you stop before its end."""
    chunks = _chunks(docs)
    first = list(islice(chunks, ALONE + 1))
    everything = chain(first, chunks)
    pieces: Generator[Analysed, None, None]
    if len(first) <= ALONE or workers < 2:
        pieces = (_analyse(chunk, analyzer, searched) for chunk in everything)
    else:
        pieces = _in_processes(everything, (analyzer, searched), workers)
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


def _analyse(chunk: list[Doc], analyzer: Analyzer, searched: Searched) -> Analysed:
    piece = Piece(invert(chunk, analyzer, searched), gather(chunk))
    return piece, fingerprint(piece.postings, range(len(chunk)), piece.fields)


def _in_processes(
    chunks: Iterable[list[Doc]], how: tuple[Analyzer, Searched], workers: int
) -> Generator[Analysed, None, None]:
    """The same in other processes. They are spawned, not forked: this one may have threads that hold locks."""
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start, how)
    waiting: deque[Future[Analysed]] = deque()
    try:
        for chunk in chunks:
            with interrupts_held():  # a process may be started
                waiting.append(pool.submit(_work, chunk))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise CrossbowError("a process that analyses documents ended unexpectedly; if memory is short, use one thread; "
                            "a script of your own must start its work under `if __name__ == '__main__':`") from None
    finally:
        pool.shutdown(cancel_futures=True)  # the few chunks that were begun take no second


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the end. Processes that are started meanwhile never hear it, not even as they start.

    Ctrl-C reaches all processes; the one that was started by the user ends the others.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(analyzer: Analyzer, searched: Searched) -> None:
    """What a worker does first."""
    global _worker
    _worker = analyzer, searched
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be held back
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed parent cannot tell its workers to stop, and they would wait for it for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(chunk: list[Doc]) -> Analysed:
    return _analyse(chunk, *_worker)
