"""What the server knows and does: a model and an index, and the answers to requests as JSON values.

    engine = Engine(Served.load(model_folder, index_folder))
    engine.search(asked, Deadline(10.0))    # runs in a thread; so do explain and document
    engine.served = Served.load(…)          # requests that are under way keep what they began with
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from crossbow import __version__
from crossbow.errors import CrossbowError, UnknownDocument
from crossbow.index import Index
from crossbow.model import Model
from crossbow.model.mixed import MIXED
from crossbow.model.tongues import Piece
from crossbow.ranking.asks import Explain, Find, Original
from crossbow.ranking.config import Decided, SearchConfig
from crossbow.ranking.facets import Sort
from crossbow.ranking.feedback import Feedback
from crossbow.ranking.methods import METHODS
from crossbow.ranking.polyglot import Heard, Languages
from crossbow.ranking.searcher import Searcher, check_languages
from crossbow.ranking.shards import ShardedSearcher, Shards, ShardsMissing
from crossbow.ranking.syntax import Asked, parse, restriction
from crossbow.text.language import language_code, primary
from crossbow.web.backgloss import BackGlosses
from crossbow.web.forests import Forests
from crossbow.web.pagefile import PLAIN, PageSettings
from crossbow.web.reasons import (
    HitRecords,
    Json,
    explanation_record,
    language_record,
    method_record,
    sentence_record,
)
from crossbow.web.requests import USUAL, ExplainRequest, GlossRequest, Limits, Refused, SearchRequest
from crossbow.web.whole import WholeRecords

WARMING = 100  # characters
Configure = Callable[[Model, str | None], SearchConfig]  # how to search with a model, by a method if one is named


class Deadline:
    """The time at which work is given up. Work checks now and then whether it has come."""

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
    configured: Callable[[str | None], SearchConfig]  # the configuration for a method that a request names, or for None
    glosses: BackGlosses | None = None  # what words of documents mean, if the model has a lexicon
    languages: Languages | None = None  # if queries may be in several languages
    others: Mapping[str, Served] = field(default_factory=dict)  # by language, or MIXED, what serves its queries
    shards: Shards | None = None  # if other processes hold the documents

    @classmethod
    def load(
        cls, model: str | os.PathLike[str], index: str | os.PathLike[str] | Shards,
        configure: Configure = SearchConfig.of,
    ) -> Served:
        """Open both; `configure` says how to search with the model, by default as it says itself."""
        if isinstance(index, Shards):
            return replace(cls.of(Model.load(model), index.index, configure), shards=index)
        return cls.of(Model.load(model), Index.load(index), configure)

    @classmethod
    def load_all(
        cls, models: Iterable[str | os.PathLike[str]], index: str | os.PathLike[str],
        configure: Configure = SearchConfig.of,
    ) -> Served:
        """Models for several languages; queries may also be in the documents' own, or mixed."""
        found = Index.load(index)
        languages = Languages(map(Model.load, models), found)
        others = {code: cls.of(model, found, configure)
                  for code, model in {**languages.models, MIXED: languages.mixed}.items()}
        return replace(next(iter(others.values())), languages=languages, others=others)

    @classmethod
    def of(cls, model: Model, index: Index, configure: Configure) -> Served:
        """One model and an index."""
        configured = cache(lambda method: configure(model, method).resolved(model))
        configured(None)  # says now what is wrong with it
        glosses = BackGlosses(model.lexicon, model.source, model.target) if model.lexicon else None
        return cls(model, index, Forests(model), configured, glosses).checked()

    def hearing(self, asked: SearchRequest | ExplainRequest) -> tuple[Served, Heard]:
        """What serves a request, by the language that it names or that its query seems to be in."""
        own = primary(self.model.source.settings.lang)
        try:
            if self.languages is not None:
                heard = self.languages.heard(asked.query, asked.language)
                return self.others[MIXED if len({one.language for one in heard.pieces}) > 1 else heard.language], heard
            if asked.language is not None and primary(language_code(asked.language)) != own:
                raise CrossbowError(f"there is no model for {asked.language!r}; queries are in {own!r}")
        except CrossbowError as error:
            raise Refused(422, str(error)) from None
        return self, Heard(own, 1.0, [Piece(own, asked.query)])

    @property
    def config(self) -> SearchConfig:
        """The configuration for requests that name no method."""
        return self.configured(None)

    def with_index(self, index: Index | Shards) -> Served:
        """The same model with another index."""
        if isinstance(index, Shards):
            return replace(self, index=index.index, shards=index).checked()
        others = {code: replace(other, index=index).checked() for code, other in self.others.items()}
        return replace(self, index=index, others=others).checked()

    def checked(self) -> Served:
        check_languages(self.model, self.index)
        return self

    def searcher(self, config: SearchConfig, partial: bool = False) -> Searcher:
        """A searcher with a configuration. A warning that it was decided elsewhere was given at the start."""
        plain = replace(config, decided=Decided())
        if self.shards is not None:
            return ShardedSearcher(self.model, self.shards, plain, partial=partial)
        return Searcher(self.model, self.index, plain)

    def warm(self) -> None:
        """Search and explain once by each method, so that no request waits for kernels to load or lists to be made."""
        text = self.index.doc(0).text[:WARMING] if self.index.slots else "."  # words pass through and find documents
        for other in self.others.values():
            replace(other, others={}).warm()
        engine, later = Engine(replace(self, languages=None, others={})), Deadline(math.inf)
        for method in (None, *METHODS):
            found = engine.search(SearchRequest(text, explain=True, method=method), later)
            for hit in found["hits"][:1]:
                engine.explain(ExplainRequest(text, hit["id"], method=method), later)


class Engine:
    """Answers requests with what is served at present. Safe to share between threads."""

    def __init__(self, served: Served, page: PageSettings = PLAIN, limits: Limits = USUAL):
        self.served, self.page, self.limits = served, page, limits

    def info(self) -> Json:
        """What is served."""
        served = self.served
        return {
            "version": __version__, "model": served.model.signature, "index": served.index.signature,
            "documents": len(served.index), "source": served.model.source.settings.lang,
            "target": served.index.analyzer.settings.lang, "languages": self.languages,
            "examples": list(self.page.examples),
            "method": served.config.method, "config": served.config.signature, "own": self._own(),
            "searched": served.index.searched.weights(),
            "fields": served.index.kinds, "longest_query": self.limits.longest_query,
            "most_hits": self.limits.most_hits, "title": self.page.title, "lead": self.page.lead,
            "facets": self.page.shown_facets(served.index),
            "glosses": served.glosses is not None,
            "methods": [method_record(served.configured(method), served.model) for method in METHODS],
        }

    @property
    def languages(self) -> list[str]:
        """The languages in which queries may be."""
        served = self.served
        return list(served.languages.models) if served.languages else [primary(served.model.source.settings.lang)]

    def _own(self) -> Json | None:
        """The settings for requests that name no method, shown as a method; None if they are a method's usual ones."""
        own = self.served.config
        if own.signature == self.served.configured(own.method).signature:
            return None
        more = " Words of the best hits count too, so more documents match." if own.feedback.documents else ""
        return {**method_record(own, self.served.model), "name": "", "label": "Recommended",
                "help": f"All settings that were found to work best for this model.{more}"}

    def search(self, asked: SearchRequest, deadline: Deadline) -> Json:
        """The best documents, with snippets; and why, if that was asked for."""
        clock = _Clock()
        served, heard = self.served.hearing(asked)
        config = asked.config(served.configured)
        written = _written(asked)
        forests = served.forests[config.translation, written.text]
        clock.lap("translate")
        deadline.check()
        asking = served.searcher(config, asked.partial).asking(forests)
        try:
            limits = restriction(written, forests, lambda text: served.forests[config.translation, text],
                                 served.model.words, served.index)
            found = asking.ask(Find(asked.k, asked.filter, limits, asked.offset, asked.sort, True, asked.facets))
        except ShardsMissing:
            raise
        except CrossbowError as error:  # no such field, or a value that is of another kind
            raise Refused(422, str(error)) from None
        clock.lap("search")
        records, sorted_by = dict[str, Json](), (Sort.parse(asked.sort).field,) if asked.sort else ()
        for batch in asking.batches([hit.doc for hit in found.hits]):
            deadline.check()
            more = asking.ask(HitRecords(tuple(batch), asked.explain, sorted_by))
            records |= more
        sentences = [sentence_record(forest, config, served.model, asked.explain)
                     for forest in METHODS[config.method].sentences(forests, config)]
        clock.lap("explain")
        return {
            "query": asked.query, "language": language_record(heard), "method": config.method,
            "config": config.signature, "sentences": sentences,
            "hits": [{"rank": hit.rank, "score": hit.score, "id": hit.doc, **records[hit.doc]} for hit in found.hits
                     if hit.doc in records],  # a shard may be gone by now
            "total": found.total, "unfiltered": found.unfiltered, "ground": found.ground,
            "facets": {field: [count._asdict() for count in counts] for field, counts in found.counts.items()},
            "documents": len(served.index),
            "missing": [{"shard": shard, "reason": reason} for shard, reason in sorted(asking.missing.items())],
            "model": served.model.signature, "index": served.index.signature, "milliseconds": clock.laps,
        }

    def explain(self, asked: ExplainRequest, deadline: Deadline) -> Json:
        """How a document gets its score."""
        served, _ = self.served.hearing(asked)
        config = asked.config(served.configured)
        forests = served.forests[config.translation, _written(asked).text]
        deadline.check()
        asking = served.searcher(config).asking(forests)
        try:
            whole = {"document": asking.ask(WholeRecords((asked.id,)))[asked.id]} if asked.document else {}
            if not forests:
                asking.ask(Original((asked.id,)))
                return {"id": asked.id, "method": config.method, "config": config.signature, "score": 0.0, "parts": [],
                        "sentences": [], "feedback": [], **whole}
            explanation = asking.ask(Explain((asked.id,)))[asked.id]
        except UnknownDocument:
            raise Refused(404, "there is no document with this id") from None
        spoken = METHODS[config.method].sentences(forests, config)
        return {**explanation_record(explanation, spoken, config, served.model), "config": config.signature, **whole}

    def document(self, id: str) -> Json:
        """A document as it was indexed."""
        served = self.served
        try:
            found = served.searcher(replace(served.config, feedback=Feedback())).asking([]).ask(Original((id,)))
        except UnknownDocument:
            raise Refused(404, "there is no document with this id") from None
        return found[id]._asdict()

    def gloss(self, asked: GlossRequest, deadline: Deadline) -> Json:
        """What the words of texts in the documents' language mean in that of queries."""
        glosses = self.served.glosses
        if glosses is None:
            raise Refused(422, "this model has no lexicon of words, so it cannot say what each word means")
        found = []
        for text in asked.texts:
            deadline.check()
            found.append([{"text": text, "means": means} for text, means in glosses.pieces(text)])
        return {"texts": found}


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
