"""The forests of queries, kept for a while: a page asks for one query by several methods at once, and then why.

    forests = Forests(model)
    forests[Translation(), "Haus am See"]       # decoded once, also if several threads ask for it at the same time

Forests belong to the settings they were translated with. What is kept is bounded by the number of edges: a long query's
forests take tens of megabytes.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock

from crossbow.decode.translation import Translation
from crossbow.forest.hypergraph import Forest
from crossbow.model import Model

Key = tuple[Translation, str]
MOST_EDGES = 400_000  # about 25 MB of arrays


class Forests:
    """A model's answers to the latest queries."""

    def __init__(self, model: Model, most_edges: int = MOST_EDGES):
        self.model, self.most_edges = model, most_edges
        self._kept: OrderedDict[Key, Future[list[Forest]]] = OrderedDict()
        self._edges: dict[Key, int] = {}  # the number of edges of those that are done
        self._total = 0
        self._lock = Lock()

    def __getitem__(self, key: Key) -> list[Forest]:
        with self._lock:
            promise = self._kept.get(key)
            mine = promise is None
            if promise is None:
                promise = self._kept[key] = Future()
            self._kept.move_to_end(key)
        if mine:
            try:
                model = self.model.with_translation(key[0])
                forests = [forest.without_features() for forest in model.forests(key[1])]
            except BaseException as error:
                with self._lock:
                    del self._kept[key]
                promise.set_exception(error)
            else:
                promise.set_result(forests)
                self._forget(key, sum(forest.edges + 1 for forest in forests) + 1)
        return promise.result()

    def _forget(self, key: Key, edges: int) -> None:
        """Count what is new, and drop the oldest until the rest is small enough."""
        with self._lock:
            self._edges[key] = edges
            self._total += edges
            for old in [*self._kept] if self._total > self.most_edges else ():
                if self._total > self.most_edges and old in self._edges:  # others are not done yet
                    del self._kept[old]
                    self._total -= self._edges.pop(old)
