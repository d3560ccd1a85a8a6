"""Who may work: as many as there are threads, some wait, others are told to come back, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from typing import Any

import pytest

from crossbow.web.admission import Admission, Turns
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


# --- clients take turns ---


def test_clients_take_turns() -> None:
    turns: Turns[str] = Turns(10)
    for item in ("a1", "a2", "a3", "a4", "b1", "c1", "c2"):
        assert turns.push(item[0], item) is None
    assert [turns.pop() for _ in range(3)] == ["a1", "b1", "c1"]
    assert turns.push("b", "b2") is None  # comes behind those who wait already
    assert [turns.pop() for _ in range(len(turns))] == ["a2", "c2", "b2", "a3", "a4"]


def test_who_has_most_waiting_makes_room() -> None:
    turns: Turns[str] = Turns(4)
    for item in ("a1", "a2", "a3", "a4"):
        assert turns.push("a", item) is None
    assert turns.push("a", "a5") == "a5"
    assert turns.push("b", "b1") == "a4"  # who has waited least
    assert turns.push("c", "c1") == "a3"
    assert turns.push("d", "d1") == "a2"
    assert turns.push("e", "e1") == "e1"  # each has one
    turns.drop("a", "a1")
    turns.drop("a", "a1")  # is not there any more
    assert [turns.pop() for _ in range(len(turns))] == ["b1", "c1", "d1"]
    assert Turns[str](0).push("a", "a1") == "a1"


def test_shares_are_fair_whatever_comes() -> None:
    """A client that has fewer waiting than another is never refused, and nothing is lost or served twice."""
    rng = random.Random(9)
    turns: Turns[tuple[str, int]] = Turns(8)
    waiting: list[tuple[str, int]] = []
    for number in range(2000):
        if waiting and rng.random() < 0.45:
            item = turns.pop()
            assert item == min((one for one in waiting if one[0] == item[0]), key=lambda one: one[1])
            waiting.remove(item)
        else:
            item = (rng.choice("aaaaaaaabc"), number)
            counts = {client: sum(one[0] == client for one in waiting) for client in "abc"}
            left = turns.push(item[0], item)
            if left == item:
                assert len(waiting) == 8
                assert counts[item[0]] + 1 >= max(counts.values())
                continue
            waiting.append(item)
            if left is not None:
                waiting.remove(left)
                assert counts[left[0]] == max(counts.values())
        assert len(turns) == len(waiting) <= 8


def test_a_light_client_is_next_while_another_floods() -> None:
    order: list[str] = []
    release = threading.Event()

    async def main() -> list[Any]:
        admission = Admission(threads=1, waiting=20)

        def work(name: str) -> Any:
            return lambda deadline: (release.wait(10), order.append(name))

        tasks = [asyncio.create_task(admission.run(work("heavy"), there, "heavy")) for _ in range(100)]
        await asyncio.sleep(0)
        light = [asyncio.create_task(admission.run(work("light"), there, "light")) for _ in range(2)]
        await asyncio.sleep(0)
        assert admission.waiting == 20
        release.set()
        await asyncio.gather(*light)
        done = await asyncio.gather(*tasks, return_exceptions=True)
        await settled(admission)
        assert admission.taken == 0
        return done

    done = asyncio.run(main())
    assert order[:5] == ["heavy", "heavy", "light", "heavy", "light"]
    refused = [one for one in done if isinstance(one, Refused)]
    assert (len(refused), {one.status for one in refused}) == (81, {429})  # 79 at once, 2 to make room


def test_whoever_gives_up_waiting_gives_up_his_turn() -> None:
    release = threading.Event()

    async def main() -> None:
        admission = Admission(threads=1)
        first = asyncio.create_task(admission.run(lambda deadline: release.wait(10), there))
        waiting = [asyncio.create_task(admission.run(lambda deadline: 1, there, "b")) for _ in range(3)]
        await asyncio.sleep(0.01)
        waiting[0].cancel()
        await asyncio.sleep(0.01)
        assert admission.waiting == 2
        release.set()
        assert await asyncio.gather(first, *waiting[1:]) == [True, 1, 1]
        await settled(admission)
        assert admission.taken == 0

    asyncio.run(main())
