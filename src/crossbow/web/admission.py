"""Who may work now: a few threads, a bounded number of requests that wait for one, and a time after which none waits.

    admission = Admission(threads=2)
    answer = await admission.run(work, request.is_disconnected)      # work(deadline) runs in a thread

Kernels run without the GIL, so there are as many threads as cores. Whoever finds too many waiting is refused at once,
with 429, and so is who has waited too long: it is better to be asked again later than to keep everybody waiting.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from crossbow.web.engine import Deadline
from crossbow.web.requests import Refused

SECONDS = 10.0  # that the work on a request may take
PATIENCE = 5.0  # seconds that a request may wait for a thread
WAITING_PER_THREAD = 32
Answer = TypeVar("Answer")


class Admission:
    """Belongs to one event loop."""

    def __init__(
        self, threads: int | None = None, waiting: int | None = None, seconds: float = SECONDS,
        patience: float = PATIENCE,
    ):
        self.threads = threads or os.cpu_count() or 1
        self.most_waiting = WAITING_PER_THREAD * self.threads if waiting is None else waiting
        self.seconds, self.patience = seconds, patience
        self.running = self.admitted = 0  # the admitted who are not running wait
        self._free = asyncio.Semaphore(self.threads)
        self._pool = ThreadPoolExecutor(self.threads, "search")

    @property
    def waiting(self) -> int:
        """How many wait for a thread."""
        return self.admitted - self.running

    @property
    def full(self) -> bool:
        """Whether the next one would be refused."""
        return self.admitted >= self.threads + self.most_waiting

    async def run(self, work: Callable[[Deadline], Answer], gone: Callable[[], Awaitable[bool]]) -> Answer:
        """Do the work in a thread, unless there is too much to do, or the client has gone when its turn comes."""
        if self.full:
            raise _busy()
        self.admitted += 1
        try:
            await asyncio.wait_for(self._free.acquire(), self.patience)
        except BaseException as error:
            self.admitted -= 1
            if isinstance(error, TimeoutError):
                raise _busy() from None
            raise
        if await gone():
            self._leave()
            raise Refused(499, "the client has gone")
        self.running += 1
        deadline = Deadline(self.seconds)
        future = asyncio.get_running_loop().run_in_executor(self._pool, work, deadline)
        future.add_done_callback(self._done)  # the thread is busy until then, even if nobody waits any longer
        done, _ = await asyncio.wait([future], timeout=self.seconds)
        if not done:
            raise deadline.missed()
        return future.result()

    def _done(self, future: asyncio.Future[Answer]) -> None:
        future.exception()  # has been looked at, also if nobody is there to be told
        self.running -= 1
        self._leave()

    def _leave(self) -> None:
        self.admitted -= 1
        self._free.release()


def _busy() -> Refused:
    return Refused(429, "too many requests at once; try again in a moment")
