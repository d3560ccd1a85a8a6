"""Several processes that serve together, and the one that looks after them.

    supervise(sockets, start, more, said, log)      # start(number, socket, tell, *more) serves, in a process of its own

Each process has a socket of its own at the same port, and Linux shares connections out among them. The sockets stay
open here, so that connections which wait for a process that has died are taken by the one that is started in its place.
On SIGTERM or Ctrl-C all processes end as one alone would: requests that are under way get their answers. A process
whose parent has gone, even by a kill, ends too.
"""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Sequence
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Any

from crossbow.errors import CrossbowError
from crossbow.web.middleware import Log, tell

PAUSE = 1.0  # seconds between two starts of the same process, so that one that cannot live is not started all the time
Start = Callable[..., None]  # start(number, socket, tell, *more): serves, and calls tell(sentence) when it has begun


def supervise(
    sockets: Sequence[socket.socket], start: Start, more: Sequence[Any], said: Callable[[str], None],
    log: Log | None = None,
) -> None:
    """Run a process for each socket until a signal comes; `said` gets the last one's sentence when all have begun."""
    team = _Team(sockets, start, more, log)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, team.stop)
    said(team.begin())
    team.watch()


class _Team:
    """The processes by number."""

    def __init__(self, sockets: Sequence[socket.socket], start: Start, more: Sequence[Any], log: Log | None):
        self.sockets, self.start, self.more, self.log = sockets, start, more, log
        self.processes: dict[int, SpawnProcess] = {}
        self.begun: dict[int, float] = {}
        self.stopping = False

    def stop(self, number: int = 0, frame: FrameType | None = None) -> None:
        """End them all, each when its requests are answered."""
        self.stopping = True
        for process in self.processes.values():
            if process.is_alive():
                process.terminate()

    def begin(self) -> str:
        """Start all of them, and wait until each of them serves."""
        context, sentence = get_context("spawn"), ""
        ends = []
        for number in range(len(self.sockets)):
            ours, theirs = context.Pipe(duplex=False)
            self._start(number, theirs)
            theirs.close()
            ends.append(ours)
        for number, end in enumerate(ends):
            with end:
                try:
                    sentence = end.recv()
                except EOFError:
                    stopped = self.stopping
                    self.stop()
                    self.watch()
                    if not stopped:
                        raise CrossbowError(f"worker {number} could not start; see above") from None
        return sentence

    def _start(self, number: int, tell: Any = None) -> None:
        process = get_context("spawn").Process(
            target=_run, args=(self.start, number, self.sockets[number], tell, *self.more), name=f"worker {number}")
        process.start()
        self.processes[number], self.begun[number] = process, time.monotonic()
        if self.stopping:  # a signal came meanwhile
            process.terminate()

    def watch(self) -> None:
        """Until all have ended as they were asked to; one that ends by itself is started again."""
        while self.processes:
            connection.wait([process.sentinel for process in self.processes.values()], timeout=PAUSE)
            for number, process in list(self.processes.items()):
                if process.is_alive():
                    continue
                process.join()
                if self.stopping:
                    del self.processes[number]
                elif time.monotonic() - self.begun[number] >= PAUSE:
                    tell(self.log, "restart", f"worker {number} (process {process.pid}) has ended "
                         f"{_how(process.exitcode)}; a new one takes its place", worker=number)
                    self._start(number)
                else:
                    time.sleep(PAUSE / 10)


def _how(code: int | None) -> str:
    return f"by signal {-code}" if code is not None and code < 0 else f"with status {code}"


def _run(start: Start, number: int, bound: socket.socket, tell: Any, *more: Any) -> None:
    """What runs in a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent says when to end

    def say(sentence: str) -> None:
        if tell is not None:
            tell.send(sentence)
            tell.close()

    start(number, bound, say, *more)
