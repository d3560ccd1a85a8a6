"""Work on chunks in other processes, results in the order of the chunks.

    with contextlib.closing(in_processes(work, chunks, state, workers=2, doing="analyze documents")) as results:
        for result in results: ...                      # work(chunk, state) of each chunk

For work in Python, which holds the interpreter's lock, so that threads would not help. Only a few chunks are under way
at a time, so memory stays small however many there are. A few chunks are worked on in this process: starting others
would take longer. So are all chunks in a daemon, such as a worker of a multiprocessing.Pool, which may not start any
processes. `work` is a function of a module, `state` is sent to each process once; both must be picklable.
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
from typing import Any, TypeVar

from crossbow.errors import CrossbowError

ALONE = 2  # for this many chunks or fewer, starting processes is not worth while

# What in_processes is, and what does the same elsewhere: work, chunks, state, how many at a time, and what for.
Spread = Callable[[Callable[[Any, Any], Any], Iterable[Any], Any, int, str], Generator[Any, None, None]]

Chunk = TypeVar("Chunk")
State = TypeVar("State")
Result = TypeVar("Result")

_worker: tuple[Callable[[Any, Any], Any], Any]  # of a worker process: what it does, and its state


def in_processes(
    work: Callable[[Chunk, State], Result], chunks: Iterable[Chunk], state: State, workers: int, doing: str
) -> Generator[Result, None, None]:
    """The results, in order. Close it when you stop before its end. `doing` tells in an error what the work was."""
    source = iter(chunks)
    first = list(islice(source, ALONE + 1))
    everything = chain(first, source)
    if len(first) <= ALONE or workers < 2 or multiprocessing.current_process().daemon:
        return (work(chunk, state) for chunk in everything)
    return _spread(work, everything, state, workers, doing)


def _spread(
    work: Callable[[Chunk, State], Result], chunks: Iterable[Chunk], state: State, workers: int, doing: str
) -> Generator[Result, None, None]:
    """The same in other processes. They are spawned, not forked: this one may have threads that hold locks."""
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start, (work, state))
    waiting: deque[Future[Result]] = deque()
    try:
        for chunk in chunks:
            with interrupts_held():  # a process may be started
                waiting.append(pool.submit(_work, chunk))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise CrossbowError(f"a process that was to {doing} ended unexpectedly; if memory is short, use one thread; "
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


def _start(work: Callable[[Any, Any], Any], state: Any) -> None:
    """What a worker does first."""
    global _worker
    _worker = work, state
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be held back
    when_orphaned(lambda: os._exit(1))


def when_orphaned(end: Callable[[], None]) -> None:
    """Call this when the process that started us is gone: once killed it cannot tell us to stop."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        end()

    threading.Thread(target=wait, daemon=True, name="orphaned").start()


def _work(chunk: Any) -> Any:
    work, state = _worker
    return work(chunk, state)
