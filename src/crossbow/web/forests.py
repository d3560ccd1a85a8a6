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
                promise.set_result([forest.without_features() for forest in model.forests(key[1])])
            except BaseException as error:
                promise.set_exception(error)
            self._forget()
        return promise.result()

    def _forget(self) -> None:
        """Drop what failed, and the oldest until the rest is small enough."""
        with self._lock:
            done = {key: promise for key, promise in self._kept.items() if promise.done()}
            edges = 0
            for key, promise in reversed(done.items()):
                if promise.exception() is None:
                    edges += sum(forest.edges + 1 for forest in promise.result()) + 1
                if promise.exception() is not None or edges > self.most_edges:
                    del self._kept[key]
