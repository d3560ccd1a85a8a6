"""One object to search with: a model, an index and a configuration.

    searcher = Searcher("model", "index", "decided.json")
    hits = searcher.search("Haus am See", k=10)
    searcher.explain("Haus am See", hits[0].doc)
    for name, hits in searcher.search_all([("q1", "Haus am See"), …], threads=2): ...
    searcher.rerank("Haus am See", ["d7", "d3"])

A query is a text; or a forest, or the forests of a query's sentences, which any system may have made. Without a model
a text is searched as it is: it is in the language of the documents. `search` and `explain` are the same for a single
query.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from crossbow.arrays import I64
from crossbow.errors import CrossbowError, CrossbowWarning
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.asks import Asking, AskingHere
from crossbow.ranking.config import PAPER, SearchConfig
from crossbow.ranking.explain.records import Explanation
from crossbow.ranking.facets import page
from crossbow.ranking.feedback import WithFeedback
from crossbow.ranking.filters import Filter, both
from crossbow.ranking.hits import Hits
from crossbow.ranking.methods.contract import METHODS, Prepared
from crossbow.ranking.syntax import Asked as Written
from crossbow.ranking.syntax import parse, restriction
from crossbow.ranking.topk import top
from crossbow.records import Doc, Hit, Query
from crossbow.records.sources import as_queries
from crossbow.text.languages import language
from crossbow.threads import in_order

Asked = str | Query | Forest | Sequence[Forest]
Folder = str | os.PathLike[str]
Wrap = Callable[[Prepared, Sequence[Forest]], Prepared]  # what ranks the documents of a prepared query again


class Searcher:
    """Searches an index with a model under a configuration. Safe to share between threads."""

    def __init__(
        self, model: Model | Folder | None, index: Index | Folder,
        config: SearchConfig | Folder | Mapping[str, Any] | None = None, *, wrap: Wrap | None = None,
    ):
        """Take a model and an index, open or by their folders. Without a model, text is searched untranslated.

        `config` is a configuration, the name of its file, "paper", or a mapping of changes such as {"bm25.k1": 0.4}.
        `wrap` makes a reranker of a prepared query and its forests: a prepared query that ranks the best hits again.
        """
        self.model = Model.load(model) if isinstance(model, str | os.PathLike) else model
        self.index = Index.load(index) if isinstance(index, str | os.PathLike) else index
        self._given, self.config = config, as_config(config, self.model)
        self.method = METHODS[self.config.method]
        self.wrap = wrap
        if self.model is not None:
            check_languages(self.model, self.index)
        for sentence in self.config.differences(self.model, self.index):
            warnings.warn(sentence, CrossbowWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f"Searcher({self.model!r}, {self.index!r}, {self.config.method} {self.config.signature})"

    def with_config(self, config: SearchConfig) -> Searcher:
        """The same model and index with another configuration."""
        return Searcher(self.model, self.index, config, wrap=self.wrap)

    def close(self) -> None:
        """Release what is held elsewhere, such as connections to shards; this class holds nothing."""

    @cached_property
    def translator(self) -> Model:
        """The model with the translation settings of the configuration."""
        if self.model is None:
            raise CrossbowError("there is no model to translate with; give one, or give forests")
        return self.model.with_translation(self.config.translation)

    def _is_text_alone(self, query: Asked) -> bool:
        """Whether a query is a text without a model, for which there is a searcher that leaves words as they are."""
        return self.model is None and isinstance(query, str | Query)

    @cached_property
    def _untranslated(self) -> Searcher:
        return Searcher(Model.untranslated(self.index.analyzer), self.index, self._given, wrap=self.wrap)

    def forests(self, query: Asked) -> Sequence[Forest]:
        """The forests of a query's sentences."""
        if self._is_text_alone(query):
            return self._untranslated.forests(query)
        if isinstance(query, Forest):
            return [query]
        if isinstance(query, Query):
            return self.translator.forests(query.text, query.id)
        if isinstance(query, str):
            return self.translator.forests(query)
        if isinstance(query, list | tuple) and all(isinstance(one, Forest) for one in query):
            return query
        raise CrossbowError(f"a query is a text, a Query, a Forest or several forests, not {type(query).__name__}")

    def prepare(self, query: Asked) -> Prepared:
        """The query, compiled once for the index: it searches, scores and explains."""
        if self._is_text_alone(query):
            return self._untranslated.prepare(query)
        forests = self.forests(query)
        prepared = self.method.prepare(forests, self.index, self.model, self.config)
        if self.config.feedback.documents:
            prepared = WithFeedback(prepared, self.index, self.config.feedback, self.config.bm25)
        return self.wrap(prepared, forests) if self.wrap else prepared

    def asking(self, forests: Sequence[Forest]) -> Asking:
        """A translated query, about which several things may be asked (asks.py), here or wherever its documents are."""
        return AskingHere(self.prepare(forests), self.index)

    def search(
        self, query: Asked, k: int | None = None, filter: Filter | None = None, *, offset: int = 0,
        sort: str | None = None, syntax: bool = False,
    ) -> Hits:
        """The k best documents that pass a filter, or as many as the configuration says.

        `offset` leaves out this many hits at the beginning. `sort` orders hits by a field instead of the score, with
        the lowest values first ("year") or the highest ("-year"). With `syntax`, documents must have the words that a
        text has in quotes, and must not have its -words (syntax.py).
        """
        if self._is_text_alone(query):
            return self._untranslated.search(query, k, filter, offset=offset, sort=sort, syntax=syntax)
        written = self._written(query) if syntax else None
        forests = self.forests(written.text if written else query)
        prepared = self.prepare(forests)
        wanted = filter.passing(self.index) if filter else None
        if written:
            limits = restriction(written, forests, self.forests, self.translator.words, self.index)
            wanted = both(wanted, limits.passing(self.index))
        found = page(prepared, self.index, self._size(k), wanted, offset, sort)
        return Hits(found, prepared, forests, self.index, wanted)

    def search_all(
        self, queries: Any, threads: int = 1, k: int | None = None, filter: Filter | None = None
    ) -> Iterator[tuple[str, list[Hit]]]:
        """The names and hits of many queries, in their order. Each thread searches for one query at a time.

        Queries are pairs of a name and a query, records, dicts, a DataFrame, or a file of them.
        """
        size, wanted = self._size(k), filter.passing(self.index) if filter else None
        for (name, _), hits in in_order(lambda pair: self.prepare(pair[1]).search(size, wanted), pairs(queries),
                                        threads):
            yield name, hits

    def _written(self, query: Asked) -> Written:
        if not isinstance(query, str | Query):
            raise CrossbowError("only a text has a syntax; forests are searched as they are")
        return parse(query if isinstance(query, str) else query.text)

    def explain(self, query: Asked, doc: str, syntax: bool = False) -> Explanation:
        """How a document, given by its id, gets its score."""
        if self._is_text_alone(query):
            return self._untranslated.explain(query, doc, syntax)
        forests = self.forests(self._written(query).text if syntax else query)
        if not forests:
            raise CrossbowError("the query is empty; there is nothing to explain")
        return self.prepare(forests).explain(int(self._numbers([doc])[0]))

    def rerank(self, query: Asked, docs: Iterable[str | Hit | Doc], k: int | None = None) -> Hits:
        """The given documents, by id or as hits of another search, ranked by this one's scores."""
        if self._is_text_alone(query):
            return self._untranslated.rerank(query, docs, k)
        numbers, forests = self._numbers(dict.fromkeys(names_of(docs))), self.forests(query)
        prepared = self.prepare(forests)
        scores = prepared.score(numbers) if len(numbers) else np.empty(0)
        return Hits(top(self.index, numbers, scores, self._size(k)), prepared, forests, self.index)

    def _numbers(self, ids: Iterable[str]) -> I64:
        found = {name: self.index.number(name) for name in ids}
        unknown = [name for name, number in found.items() if number < 0]
        if unknown:
            raise CrossbowError(f"the index has no document {unknown[0]!r}; is the id spelled right?")
        return np.array(list(found.values()), np.int64)

    def _size(self, k: int | None) -> int:
        if k is None:
            return self.config.k
        if type(k) is not int or k < 1:
            raise CrossbowError(f"k is {k!r}; it must be at least 1")
        return k


def as_config(config: SearchConfig | Folder | Mapping[str, Any] | None, model: Model | None) -> SearchConfig:
    """The configuration that is given: one, the name of its file, "paper", or changes by path to the default one.

    The default is the model's own, or that of the paper if the changes name a method.
    """
    if isinstance(config, SearchConfig):
        return config.resolved(model)
    if config == PAPER:
        return SearchConfig.of(model, SearchConfig.method)
    if isinstance(config, str | os.PathLike):
        return SearchConfig.load(config).resolved(model)
    found = SearchConfig.of(model, (config or {}).get("method"))
    for path, value in (config or {}).items():
        found = found.set(path, value)
    found.check_read(config or ())
    return found.resolved(model)


def check_languages(model: Model, index: Index) -> None:
    """Raise an error if the model does not translate into the language of the documents."""
    ours, theirs = model.target.settings.lang, index.analyzer.settings.lang
    if language(ours).code != language(theirs).code:  # pt-BR and pt are analyzed alike, and so are no and nb
        raise CrossbowError(f"the model translates into {ours!r}, but the documents are in {theirs!r}; "
                            "use an index and a model that fit")


def names_of(docs: Iterable[str | Hit | Doc]) -> list[str]:
    """The ids of documents, whichever way they are given."""
    return [doc if isinstance(doc, str) else doc.doc if isinstance(doc, Hit) else doc.id for doc in docs]


def pairs(queries: Any) -> Iterator[tuple[str, Asked]]:
    """Names and queries, whichever way they are given."""
    if isinstance(queries, Iterable) and not isinstance(queries, str | os.PathLike) and not hasattr(queries, "columns"):
        for query in queries:
            if isinstance(query, tuple) and len(query) == 2 and not isinstance(query[1], str):
                yield query
            elif isinstance(query, Forest):
                yield query.id, query
            else:
                one = next(iter(as_queries([query])))
                yield one.id, one
        return
    for one in as_queries(queries):
        yield one.id, one


def search(
    query: Asked, index: Index | Folder, model: Model | Folder | None = None, method: str | None = None,
    v: float | None = None, k: int | None = None, config: SearchConfig | Folder | Mapping[str, Any] | None = None,
    unmatched: bool | None = None,
) -> Hits:
    """The k best documents (1,000 unless a configuration says otherwise) for a text, a forest or several forests.

    Without a model, a text is in the documents' language. Settings are those of `config`. Without it they are the
    paper's if a method is named, and otherwise the model's own. The other arguments change single settings.
    `unmatched` says whether forced decoding keeps documents that match nothing.
    """
    changes = {"weights.v": v, "bowfd.unmatched": unmatched}
    return _searcher(query, index, model, method, changes, config).search(query, k)


def explain(
    query: Asked, doc: str, index: Index | Folder, model: Model | Folder | None = None, method: str | None = None,
    v: float | None = None, config: SearchConfig | Folder | Mapping[str, Any] | None = None,
) -> Explanation:
    """How a document gets its score. The other arguments are those of `search`."""
    return _searcher(query, index, model, method, {"weights.v": v}, config).explain(query, doc)


def _searcher(
    query: Asked, index: Index | Folder, model: Model | Folder | None, method: str | None, changes: Mapping[str, Any],
    config: SearchConfig | Folder | Mapping[str, Any] | None,
) -> Searcher:
    opened = Model.load(model) if isinstance(model, str | os.PathLike) else model
    if opened is None and isinstance(query, str | Query):
        index = Index.load(index) if isinstance(index, str | os.PathLike) else index
        opened = Model.untranslated(index.analyzer)
    found = SearchConfig.of(opened, method) if config is None else as_config(config, opened)
    if method is not None:
        found = replace(found, method=method)
    for path, value in changes.items():
        if value is not None:
            found = found.set(path, value)
            found.check_read([path])
    return Searcher(opened, index, found)
