"""Work on a stream of items by several threads; results come in the order of the items.

    for item, result in in_order(work, items, threads=2): ...

Kernels run without the GIL, so that threads share models and indexes and still use all cores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[tuple[Item, Result]]:
    """Each item and its result, with only a few under way at once. What precedes a bad item is done all the same."""
    if threads == 1:
        for item in items:
            yield item, work(item)
        return
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    problems: list[Exception] = []
    pool = ThreadPoolExecutor(threads)
    try:
        for item in _until_problem(items, problems):
            waiting.append((item, pool.submit(work, item)))
            if len(waiting) > 2 * threads:
                done, result = waiting.popleft()
                yield done, result.result()
        for done, result in waiting:
            yield done, result.result()
    finally:
        # Without waiting: if nobody takes the rest, this may be closed by whatever thread drops it last, perhaps one of
        # the pool's own, which cannot wait for itself.
        pool.shutdown(wait=False, cancel_futures=True)
    if problems:
        raise problems[0]


def _until_problem(items: Iterable[Item], problems: list[Exception]) -> Iterator[Item]:
    """The items; if no more can be had because of a problem, it is kept for later."""
    try:
        yield from items
    except Exception as error:
        problems.append(error)
