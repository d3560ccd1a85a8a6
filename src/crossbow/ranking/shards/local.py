"""Shards in one process, a thread for each that is asked.

    shards = LocalShards("index", threads=4)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from typing import Any

from crossbow.index import Index
from crossbow.ranking.asks import Ask
from crossbow.ranking.searcher import Wrap
from crossbow.ranking.shards.contract import Question, Reply, Round, Shards
from crossbow.ranking.shards.holder import Holder


class LocalShards(Shards):
    """All shards of an index in a folder."""

    def __init__(
        self, folder: str | os.PathLike[str], threads: int | None = None, wrap: Callable[[Index], Wrap] | None = None,
    ):
        self._folder, self._threads, self._wrap = folder, threads, wrap
        self.index = Index.outline(folder)
        self._holders = [Holder(folder, number, wrap) for number in range(self.count)]
        self._pool = ThreadPoolExecutor(threads or min(self.count, os.cpu_count() or 1))

    def ask(
        self, homes: Sequence[int], question: Question, before: Sequence[Round], ask: Ask[Any, Any] | None
    ) -> dict[int, Reply]:
        waiting = {home: self._pool.submit(self._holders[home].reply, question, before, ask) for home in homes}
        return {home: future.result() for home, future in waiting.items()}

    def renewed(self) -> LocalShards:
        index = Index.outline(self._folder)
        if index.shards != self.count:
            return LocalShards(self._folder, self._threads, self._wrap)
        other = copy(self)
        other.index = index
        return other

    def close(self) -> None:
        self._pool.shutdown()
