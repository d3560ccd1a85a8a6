"""Work on a stream of items by several threads; results come in the order of the items.

    for item, result in in_order(work, items, threads=2): ...

Kernels run without the GIL, so that threads share models and indexes and still use all cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from crossbow.errors import CrossbowError

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[tuple[Item, Result]]:
    """Each item and its result, with only a few under way at once. What precedes a bad item is done all the same."""
    if threads == 1:
        for item in items:
            yield item, work(item)
        return
    waiting: list[tuple[Item, Future[Result]]] = []
    problem: CrossbowError | None = None
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append((item, pool.submit(work, item)))
                if len(waiting) > 2 * threads:
                    done, result = waiting.pop(0)
                    yield done, result.result()
        except CrossbowError as error:
            problem = error
        for done, result in waiting:
            yield done, result.result()
    if problem:
        raise problem
