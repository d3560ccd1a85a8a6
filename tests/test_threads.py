"""Threads over a stream: results in the order of the items, and errors where they belong."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import pytest

from crossbow.errors import CrossbowError
from crossbow.threads import in_order

COUNTS = [1, 2, 4]
WAIT = 30  # seconds until a test gives up; none gets there


@pytest.mark.parametrize("threads", COUNTS)
def test_results_come_in_order(threads: int) -> None:
    assert list(in_order(lambda n: n * n, range(100), threads)) == [(n, n * n) for n in range(100)]
    assert list(in_order(str, [], threads)) == []


def test_also_if_later_items_are_done_first() -> None:
    done = [threading.Event() for _ in range(10)]

    def work(n: int) -> int:
        if n % 2 == 0:
            assert done[n + 1].wait(WAIT)
        done[n].set()
        return n

    assert [item for item, _ in in_order(work, range(10), 2)] == list(range(10))


def test_several_at_a_time() -> None:
    together = threading.Barrier(4, timeout=WAIT)
    assert len(list(in_order(lambda _: together.wait(), range(8), 4))) == 8


@pytest.mark.parametrize("threads", COUNTS)
def test_only_a_few_are_under_way(threads: int) -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            yield taken

    results = in_order(str, items(), threads)
    for _ in range(10):
        next(results)
    assert taken <= 10 + 2 * threads
    results.close()  # the others are never done
    assert taken <= 10 + 2 * threads


@pytest.mark.parametrize("threads", COUNTS[1:])
def test_the_rest_may_be_dropped_on_a_thread_of_the_work(threads: int) -> None:
    """As when a consumer failed and the collector happens to run there: the thread cannot wait for itself."""
    suspended, dropped = threading.Event(), threading.Event()
    problems: list[BaseException] = []

    def work(n: int) -> int:
        if n == 3:
            assert suspended.wait(WAIT)
            try:
                results.close()
            except BaseException as error:
                problems.append(error)
            dropped.set()
        return n

    results = in_order(work, itertools.count(), threads)
    next(results)
    suspended.set()
    assert dropped.wait(WAIT)
    assert problems == []


@pytest.mark.parametrize("error", [CrossbowError("bad"), ValueError("bad"), OSError("bad")], ids=repr)
@pytest.mark.parametrize("threads", COUNTS)
@pytest.mark.parametrize("bad", [0, 1, 7, 29])
def test_work_that_fails(error: Exception, threads: int, bad: int) -> None:
    """What precedes comes, what follows does not: a result that is missing must not go unnoticed."""

    def work(n: int) -> int:
        if n == bad:
            raise error
        return n

    check_failure(in_order(work, range(30), threads), error, bad)


@pytest.mark.parametrize("error", [CrossbowError("bad"), ValueError("bad"), OSError("bad")], ids=repr)
@pytest.mark.parametrize("threads", COUNTS)
@pytest.mark.parametrize("bad", [0, 1, 7, 29])
def test_items_that_cannot_be_had(error: Exception, threads: int, bad: int) -> None:
    """As when a line of a file is not valid: all before it is done, then the error comes."""

    def items() -> Iterator[int]:
        yield from range(bad)
        raise error

    check_failure(in_order(lambda n: n, items(), threads), error, bad)


def check_failure(results: Iterator[tuple[int, int]], error: Exception, good: int) -> None:
    for n in range(good):
        assert next(results) == (n, n)
    with pytest.raises(type(error), match="bad"):
        next(results)
