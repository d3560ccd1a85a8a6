"""What the server knows and does: a model and an index, and the answers to requests as JSON values.

    engine = Engine(Served.load(model_folder, index_folder))
    engine.search(asked, Deadline(10.0))    # runs in a thread; so do explain and document
    engine.served = Served.load(…)          # requests that are under way keep what they began with
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from crossbow import __version__
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.config import Decided, SearchConfig
from crossbow.ranking.facets import page
from crossbow.ranking.filters import both
from crossbow.ranking.hits import Hits
from crossbow.ranking.methods import METHODS
from crossbow.ranking.searcher import Searcher, check_languages
from crossbow.ranking.syntax import Asked, parse, restricted
from crossbow.web.forests import Forests
from crossbow.web.reasons import Json, explanation_record, hit_record, method_record, sentence_record
from crossbow.web.requests import LONGEST_QUERY, ExplainRequest, Refused, SearchRequest

WARMING = 100  # characters
Configure = Callable[[Model, str | None], SearchConfig]  # how to search with a model, by a method if one is named


class Deadline:
    """Work that is not done by then is given up at the next occasion."""

    def __init__(self, seconds: float):
        self.seconds, self._end = seconds, time.monotonic() + seconds

    def check(self) -> None:
        if time.monotonic() > self._end:
            raise self.missed()

    def missed(self) -> Refused:
        return Refused(503, f"this took longer than {self.seconds:g} seconds and was given up; ask for less")


@dataclass(frozen=True)
class Served:
    """What a request works with from its beginning to its end."""

    model: Model
    index: Index
    forests: Forests
    configured: Callable[[str | None], SearchConfig]  # for the method that a request names, or for none

    @classmethod
    def load(
        cls, model: str | os.PathLike[str], index: str | os.PathLike[str], configure: Configure = SearchConfig.of,
    ) -> Served:
        """Open both; `configure` says how to search with the model, by default as it says itself."""
        opened = Model.load(model)
        configured = cache(lambda method: configure(opened, method).resolved(opened))
        configured(None)  # says now what is wrong with it
        return cls(opened, Index.load(index), Forests(opened), configured).checked()

    @property
    def config(self) -> SearchConfig:
        """That of requests that name no method."""
        return self.configured(None)

    def with_index(self, index: Index) -> Served:
        """The same model with another index."""
        return replace(self, index=index).checked()

    def checked(self) -> Served:
        check_languages(self.model, self.index)
        return self

    def searcher(self, config: SearchConfig) -> Searcher:
        """What searches under a configuration. That it may have been decided elsewhere was said at the start."""
        return Searcher(self.model, self.index, replace(config, decided=Decided()))

    def warm(self) -> None:
        """Ask once for everything by each method, so that nobody waits for kernels to load and lists to be made."""
        text = self.index.doc(0).text[:WARMING] if self.index.slots else "."  # words pass through and find documents
        engine, later = Engine(self), Deadline(math.inf)
        for method in (None, *METHODS):
            found = engine.search(SearchRequest(text, explain=True, method=method), later)
            for hit in found["hits"][:1]:
                engine.explain(ExplainRequest(text, hit["id"], method=method), later)


class Engine:
    """Answers requests with what is served at present. Safe to share between threads."""

    def __init__(self, served: Served, examples: Sequence[str] = (), longest_query: int = LONGEST_QUERY):
        self.served, self.examples, self.longest_query = served, list(examples), longest_query

    def info(self) -> Json:
        """What is served."""
        served = self.served
        return {
            "version": __version__, "model": served.model.signature, "index": served.index.signature,
            "documents": len(served.index), "source": served.model.source.settings.lang,
            "target": served.index.analyzer.settings.lang, "examples": self.examples, "method": served.config.method,
            "config": served.config.signature, "own": self._own(), "searched": served.index.searched.weights(),
            "fields": served.index.kinds, "longest_query": self.longest_query,
            "methods": [method_record(served.configured(method), served.model) for method in METHODS],
        }

    def _own(self) -> Json | None:
        """How requests are answered that name no method, as if it were one; none if it is a method's usual way."""
        own = self.served.config
        if own.signature == self.served.configured(own.method).signature:
            return None
        return {**method_record(own, self.served.model), "name": "", "label": "Recommended",
                "help": "All that was found to work best for this model."}

    def search(self, asked: SearchRequest, deadline: Deadline) -> Json:
        """The best documents, with snippets; and why, if that was asked for."""
        served = self.served
        config = asked.config(served.configured)
        clock = _Clock()
        written = _written(asked)
        forests = served.forests[config.translation, written.text]
        clock.lap("translate")
        deadline.check()
        prepared = served.searcher(config).prepare(forests)
        try:
            wanted = both(asked.filter.passing(served.index), restricted(
                written, forests, lambda text: served.forests[config.translation, text], served.model.words,
                served.index))
            hits = Hits(page(prepared, served.index, asked.k, wanted, asked.offset, asked.sort), prepared, forests,
                        served.index, wanted)
            facets = {field: [count._asdict() for count in hits.counts(field)] for field in asked.facets}
        except CrossbowError as error:  # no such field, or a value that is of another kind
            raise Refused(422, str(error)) from None
        total = hits.total
        clock.lap("search")
        found = []
        for hit in hits:
            deadline.check()
            found.append(hit_record(hit, prepared, served.index, asked.explain))
        sentences = [sentence_record(forest, config, asked.explain) for forest in prepared.forests]
        clock.lap("explain")
        return {
            "query": asked.query, "method": config.method, "config": config.signature, "sentences": sentences,
            "hits": found, "total": total, "facets": facets, "documents": len(served.index),
            "model": served.model.signature, "index": served.index.signature, "milliseconds": clock.laps,
        }

    def explain(self, asked: ExplainRequest, deadline: Deadline) -> Json:
        """How a document gets its score."""
        served = self.served
        number = served.index.number(asked.id)
        if number < 0:
            raise Refused(404, "there is no document with this id")
        config = asked.config(served.configured)
        forests = served.forests[config.translation, _written(asked).text]
        deadline.check()
        if not forests:
            return {"id": asked.id, "method": config.method, "config": config.signature, "score": 0.0, "parts": [],
                    "sentences": []}
        prepared = served.searcher(config).prepare(forests)
        return {**explanation_record(prepared.explain(number), prepared, config), "config": config.signature}

    def document(self, id: str) -> Json:
        """A document as it was indexed."""
        index = self.served.index
        number = index.number(id)
        if number < 0:
            raise Refused(404, "there is no document with this id")
        return index.doc(number)._asdict()


def _written(asked: SearchRequest | ExplainRequest) -> Asked:
    """The query as its syntax has it, if it may have one."""
    try:
        return parse(asked.query) if asked.syntax else Asked(asked.query)
    except CrossbowError as error:
        raise Refused(422, str(error)) from None


class _Clock:
    """Milliseconds from lap to lap."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(1000 * (now - self._last), 3)
        self._last = now
