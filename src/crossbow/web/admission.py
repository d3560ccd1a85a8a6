"""Admits requests to a few threads. Only a bounded number of them may wait for a thread, and only for a limited time.

    admission = Admission(threads=2)
    answer = await admission.run(work, request.is_disconnected, "192.0.2.7")     # work(deadline) runs in a thread

Kernels run without the GIL, so there are as many threads as cores. Clients take turns, however many requests each has
waiting. If too many wait, one request of the client that has most of them is refused at once, with 429. A request that
has waited too long is refused too: it is better to be asked again later than to keep everybody waiting.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from crossbow.web.engine import Deadline
from crossbow.web.requests import Refused

SECONDS = 10.0  # the longest time that the work on a request may take
PATIENCE = 5.0  # seconds that a request may wait for a thread
WAITING_PER_THREAD = 32
Answer = TypeVar("Answer")
Item = TypeVar("Item")


class Turns(Generic[Item]):
    """A queue for each client. Clients take turns; if too many items wait, the longest queue loses one."""

    def __init__(self, most: int):
        self.most, self._count = most, 0
        self._queues: OrderedDict[str, deque[Item]] = OrderedDict()  # the client whose turn it is comes first

    def __len__(self) -> int:
        return self._count

    def push(self, client: str, item: Item) -> Item | None:
        """Let an item wait. If too many wait then, return the one that must leave, which may be this one."""
        if self._count < self.most:
            self._queues.setdefault(client, deque()).append(item)
            self._count += 1
            return None
        own = len(self._queues.get(client, ()))
        longest = max(self._queues, key=lambda one: len(self._queues[one]), default=client)
        if own + 1 >= len(self._queues.get(longest, ())):
            return item  # no client has more items waiting than this one would have
        left = self._queues[longest].pop()  # it has waited least; its client keeps at least one item
        self._queues.setdefault(client, deque()).append(item)
        return left

    def pop(self) -> Item:
        """The oldest item of the client whose turn it is."""
        client, queue = next(iter(self._queues.items()))
        item = queue.popleft()
        self._queues.move_to_end(client)
        self._left(client)
        return item

    def drop(self, client: str, item: Item) -> None:
        """Take out an item that waits no longer, if it is still there."""
        if item in self._queues.get(client, ()):
            self._queues[client].remove(item)
            self._left(client)

    def _left(self, client: str) -> None:
        self._count -= 1
        if not self._queues[client]:
            del self._queues[client]


class Admission:
    """Admits requests to the threads of a pool. It belongs to one event loop."""

    def __init__(
        self, threads: int | None = None, waiting: int | None = None, seconds: float = SECONDS,
        patience: float = PATIENCE,
    ):
        self.threads = threads or os.cpu_count() or 1
        self.seconds, self.patience = seconds, patience
        self.running = 0
        self.taken = 0  # threads that run, or are about to
        self._turns: Turns[asyncio.Future[None]] = Turns(
            WAITING_PER_THREAD * self.threads if waiting is None else waiting)
        self._pool = ThreadPoolExecutor(self.threads, "search")

    @property
    def waiting(self) -> int:
        """How many wait for a thread."""
        return len(self._turns)

    @property
    def full(self) -> bool:
        """Whether a new request can only wait if another one is refused."""
        return self.taken >= self.threads and self.waiting >= self._turns.most

    async def run(
        self, work: Callable[[Deadline], Answer], gone: Callable[[], Awaitable[bool]], client: str = ""
    ) -> Answer:
        """Do the work in a thread, unless there is too much to do, or the client has gone when its turn comes."""
        if self.taken < self.threads:
            self.taken += 1
        else:
            await self._wait(client)
        try:
            if await gone():
                raise Refused(499, "the client has gone")
        except BaseException:
            self._leave()
            raise
        self.running += 1
        deadline = Deadline(self.seconds)
        future = asyncio.get_running_loop().run_in_executor(self._pool, work, deadline)
        future.add_done_callback(self._done)  # the thread is busy until then, even if the client has gone
        done, _ = await asyncio.wait([future], timeout=self.seconds)
        if not done:
            raise deadline.missed()
        return future.result()

    async def _wait(self, client: str) -> None:
        """Wait until a thread is free for this request."""
        turn = asyncio.get_running_loop().create_future()
        left = self._turns.push(client, turn)
        if left is not None and not left.done():
            left.set_exception(_busy())
        try:
            await asyncio.wait_for(asyncio.shield(turn), self.patience)
        except BaseException as error:
            self._turns.drop(client, turn)
            if turn.done() and turn.exception() is None:
                self._leave()  # its turn came just then
            if isinstance(error, TimeoutError):
                raise _busy() from None
            raise

    def _done(self, future: asyncio.Future[Answer]) -> None:
        future.exception()  # look at it, or asyncio would complain that nobody did
        self.running -= 1
        self._leave()

    def _leave(self) -> None:
        """Give the thread to the next request, if one waits."""
        if len(self._turns):
            self._turns.pop().set_result(None)
        else:
            self.taken -= 1


def _busy() -> Refused:
    return Refused(429, "too many requests at once; try again in a moment")
