"""Who may work: as many as there are threads, some wait, others are told to come back, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from crossbow.web.admission import Admission
from crossbow.web.engine import Deadline
from crossbow.web.requests import Refused


async def there() -> bool:
    return False


async def settled(admission: Admission) -> None:
    """When the threads are free again."""
    while admission.running or admission.waiting:
        await asyncio.sleep(0.005)


def test_as_many_at_once_as_there_are_threads() -> None:
    lock, now, most = threading.Lock(), 0, 0

    def work(deadline: Deadline) -> int:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1
        return 7

    async def main() -> None:
        admission = Admission(threads=3)
        assert await asyncio.gather(*(admission.run(work, there) for _ in range(20))) == [7] * 20
        await settled(admission)

    asyncio.run(main())
    assert most == 3


def test_too_many_are_refused_at_once() -> None:
    release = threading.Event()

    async def main() -> list[Any]:
        admission = Admission(threads=1, waiting=2)
        tasks = [asyncio.create_task(admission.run(lambda deadline: release.wait(10), there)) for _ in range(8)]
        await asyncio.sleep(0.05)
        assert (admission.running, admission.waiting) == (1, 2)
        assert sum(task.done() for task in tasks) == 5
        release.set()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        await settled(admission)
        return done

    done = asyncio.run(main())
    assert done[:3] == [True] * 3
    assert [refused.status for refused in done[3:]] == [429] * 5


def test_waiting_ends() -> None:
    release = threading.Event()

    async def main() -> None:
        admission = Admission(threads=1, seconds=0.2, patience=0.05)
        first = asyncio.create_task(admission.run(lambda deadline: release.wait(10), there))
        await asyncio.sleep(0.01)
        with pytest.raises(Refused) as second:
            await admission.run(lambda deadline: 1, there)
        assert second.value.status == 429
        with pytest.raises(Refused) as late:
            await first
        assert late.value.status == 503
        assert admission.running == 1  # the thread is still busy
        release.set()
        await settled(admission)
        assert await admission.run(lambda deadline: 2, there) == 2

    asyncio.run(main())


def test_no_work_for_clients_that_have_gone() -> None:
    async def gone() -> bool:
        return True

    async def main() -> None:
        admission = Admission(threads=1)
        with pytest.raises(Refused) as caught:
            await admission.run(lambda deadline: pytest.fail("nobody wants this"), gone)
        assert caught.value.status == 499
        assert await admission.run(lambda deadline: 3, there) == 3

    asyncio.run(main())


def test_errors_come_through_and_free_the_thread() -> None:
    def bad(deadline: Deadline) -> None:
        raise ValueError("oops")

    async def main() -> None:
        admission = Admission(threads=1)
        for _ in range(3):
            with pytest.raises(ValueError, match="oops"):
                await admission.run(bad, there)
        await settled(admission)

    asyncio.run(main())


def test_work_can_see_its_deadline() -> None:
    def work(deadline: Deadline) -> None:
        deadline.check()
        time.sleep(0.05)
        deadline.check()

    with pytest.raises(Refused, match=r"longer than 0.01 seconds"):
        work(Deadline(0.01))
    work(Deadline(10.0))
