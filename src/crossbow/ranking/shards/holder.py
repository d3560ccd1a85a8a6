"""What holds a shard: it opens the shard and the models, prepares queries, and answers.

    holder = Holder("index", shard=3)
    holder.reply(question, before, Find(k=10))          # Said, or Answered

What was prepared is kept for the next rounds of a query. After a commit a holder opens the new state when it is first
asked about it, and keeps the previous one for searchers that do not know of the commit yet.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.asks import Ask
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.methods import METHODS
from crossbow.ranking.methods.contract import Prepared
from crossbow.ranking.searcher import Searcher, Wrap
from crossbow.ranking.shards.contract import Answered, Question, Reply, Round, Said

QUERIES, STATES, MODELS = 8, 2, 8  # how many of each are kept
WARMING = 100  # characters

Value = TypeVar("Value")


class Kept(OrderedDict[Any, Value]):
    """The latest values that were made, by key; safe to share between threads, which may make one twice."""

    def __init__(self, most: int):
        super().__init__()
        self._most, self._lock = most, Lock()

    def get_or(self, key: Any, make: Callable[[], Value]) -> Value:
        with self._lock:
            if key in self:
                self.move_to_end(key)
                return self[key]
        value = make()
        with self._lock:
            self[key] = value
            while len(self) > self._most:
                self.popitem(last=False)
        return value


class Holder:
    """A shard, or a whole index if no shard is named."""

    def __init__(self, folder: str | os.PathLike[str], shard: int | None, wrap: Callable[[Index], Wrap] | None = None):
        self.folder, self.shard, self._wrap = folder, shard, wrap
        self._states: Kept[Index] = Kept(STATES)
        self._models: Kept[Model] = Kept(MODELS)
        self._queries: Kept[Prepared] = Kept(QUERIES)
        self._open()

    def _open(self) -> Index:
        """The present state."""
        index = Index.load(self.folder, self.shard)
        return self._states.get_or(index.signature, lambda: index)

    def index(self, signature: str) -> Index:
        """The state with this signature."""
        index = self._states.get_or(signature, self._open)
        if index.signature != signature:
            self._states.pop(signature, None)
            raise CrossbowError(f"{self.folder}: the index was changed meanwhile, from {signature} to "
                                f"{index.signature}; ask again")
        return index

    def model(self, question: Question, index: Index) -> Model | None:
        """The model that translated the query."""
        if question.model is None:
            return None
        if not question.model:
            return self._models.get_or(("", index.signature), lambda: Model.untranslated(index.analyzer))
        folder = question.model
        model = self._models.get_or((folder, question.signature), lambda: Model.load(folder))
        if model.signature != question.signature:
            self._models.pop((folder, question.signature), None)
            raise CrossbowError(f"{folder}: is the model {model.signature} here, not {question.signature}; every "
                                "machine must see the same folder")
        return model

    def prepared(self, question: Question, before: Sequence[Round]) -> Prepared:
        """The query after these rounds."""
        heard = tuple(tuple(one is not None for one in said) for said in before)
        return self._queries.get_or((question.key, heard), lambda: self._prepare(question, before))

    def _prepare(self, question: Question, before: Sequence[Round]) -> Prepared:
        if not before:
            index = self.index(question.index)
            model = self.model(question, index)
            searcher = Searcher(model, index, SearchConfig.from_json(question.config),
                                wrap=self._wrap(index) if self._wrap else None)
            return searcher.prepare(question.forests)
        parts, own = before[-1], self.shard or 0
        here = sum(one is not None for one in parts[:own])
        return self.prepared(question, before[:-1]).with_shared([one for one in parts if one is not None], here)

    def warm(self) -> None:
        """Search once by every method, so that no query waits for kernels to be loaded or compiled."""
        index = self._open()
        model = Model.untranslated(index.analyzer)
        text = next(iter(index)).text[:WARMING] if index.segments else "."
        forests = model.forests(text)
        for method in METHODS:
            prepared = Searcher(model, index, SearchConfig(method)).prepare(forests)
            for hit in prepared.search(2)[:1]:
                prepared.explain(index.number(hit.doc))

    def reply(self, question: Question, before: Sequence[Round], ask: Ask[Any, Any] | None) -> Reply:
        """Reply with what there is to share, or else with the answer."""
        prepared = self.prepared(question, before)
        said = prepared.to_share()
        if said is not None:
            return Said(said)
        return Answered(ask.here(prepared, self.index(question.index)) if ask else None)
