"""Who does the work of learning: threads of this process, or tasks elsewhere, for instance on a cluster.

    Hands(2)                                                # two threads
    Hands(cpus(), in_tasks)                                 # a task for each processor (cluster/tasks.py)
    for result in hands.elsewhere(work, chunks, state, "search"): ...         # work(chunk, state) of each, in order

What is learned is the same to the last bit. What goes elsewhere must be picklable; models and indexes are, as the names
of their folders, so all machines must see these folders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import NamedTuple, TypeVar

from crossbow.processes import Spread

Chunk = TypeVar("Chunk")
State = TypeVar("State")
Result = TypeVar("Result")


class Hands(NamedTuple):
    """How many work at a time, and how work gets to them if they are not threads of this process."""

    workers: int = 2
    spread: Spread | None = None

    def elsewhere(
        self, work: Callable[[Chunk, State], Result], chunks: Iterable[Chunk], state: State, doing: str
    ) -> Iterator[Result]:
        """The results in order; `doing` tells in an error what the work was."""
        assert self.spread is not None
        with closing(self.spread(work, chunks, state, self.workers, doing)) as results:
            yield from results


HERE = Hands()  # two threads
