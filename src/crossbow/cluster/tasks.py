"""Work on chunks by tasks of a cluster, results in the order of the chunks: what processes.py does on one machine.

    with contextlib.closing(in_tasks(work, chunks, state, workers=8, doing="analyze documents")) as results:
        for result in results: ...

A task whose worker dies or has no memory left is done again, perhaps elsewhere, so what it does must be the same when
it is done twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from crossbow.cluster.connect import imported
from crossbow.errors import CrossbowError

RETRIES = 3  # of a task whose worker died or had no memory left

Chunk = TypeVar("Chunk")
State = TypeVar("State")
Result = TypeVar("Result")


def in_tasks(
    work: Callable[[Chunk, State], Result], chunks: Iterable[Chunk], state: State, workers: int, doing: str
) -> Generator[Result, None, None]:
    """The results, in order; only a few more chunks than workers are under way. `doing` tells what the work was."""
    ray = imported()
    task = ray.remote(max_retries=RETRIES, retry_exceptions=[MemoryError])(work)
    shared, waiting = ray.put(state), deque[Any]()
    try:
        for chunk in chunks:
            waiting.append(task.remote(chunk, shared))
            if len(waiting) > 2 * workers:
                yield _result(ray, waiting.popleft(), doing)
        while waiting:
            yield _result(ray, waiting.popleft(), doing)
    finally:
        for left in waiting:
            ray.cancel(left)


def _result(ray: Any, reference: Any, doing: str) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, CrossbowError):
            raise error.cause from None
        if isinstance(error.cause, MemoryError):
            raise CrossbowError(f"a worker of the cluster that was to {doing} ran out of memory {RETRIES + 1} times; "
                                "give each worker more, or have fewer on a machine") from None
        raise
    except ray.exceptions.RayError as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CrossbowError(f"a worker of the cluster that was to {doing} died {RETRIES + 1} times ({reason}); if "
                            "it ran out of memory, give each worker more") from None
