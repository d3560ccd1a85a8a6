"""Queries in several languages over one index: each is searched with the model of the language it is in.

    polyglot = Polyglot(["model.de-en", "model.ja-en"], "index")
    hits = polyglot.search("Haus am See")               # by the German model
    polyglot.search("a house by the lake")              # in the documents' language: no model is needed
    polyglot.search("Haus am See 図書館")               # each piece by the model of its language
    polyglot.heard("Haus am See")                       # Heard("de", 0.99, [Piece("de", "Haus am See")])
    polyglot.search("Gift", language="de")              # a caller who knows the language can say so

Every language has a searcher of its own, with the configuration of its model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.model import Model
from crossbow.model.mixed import MixedModel
from crossbow.model.tongues import Piece, Tongue, Tongues
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.explain.records import Explanation
from crossbow.ranking.filters import Filter
from crossbow.ranking.hits import Hits
from crossbow.ranking.searcher import Folder, Searcher, Wrap
from crossbow.records import Hit
from crossbow.records.sources import as_queries
from crossbow.text.language import language_code, primary
from crossbow.threads import in_order

Configured = Callable[[Model], SearchConfig]


class Heard(NamedTuple):
    """The language of a query, how sure that is, and its pieces; of several languages it is "de+ja"."""

    language: str
    probability: float
    pieces: list[Piece]


class Languages:
    """Models by the language of their queries; and the documents' own language, whose words need none."""

    def __init__(self, models: Iterable[Model], index: Index):
        self.models: dict[str, Model] = {}
        for model in models:
            code = primary(model.source.settings.lang)
            if code in self.models:
                raise CrossbowError(f"two models translate from {code!r}; give one for each language")
            self.models[code] = model
        given = list(self.models.values())
        self.documents = primary(index.analyzer.settings.lang)
        self.models.setdefault(self.documents, Model.untranslated(index.analyzer, among_others=True))
        self._given, self._analyzer = given, index.analyzer

    @cached_property
    def tongues(self) -> Tongues:
        """What is known of each language; those of the models first."""
        found = [Tongue.of(model) for model in self._given]
        known = {tongue.code for tongue in found}
        return Tongues([*found, *([] if self.documents in known else
                                  [Tongue.of_documents(self._given, self._analyzer)])])

    @cached_property
    def mixed(self) -> MixedModel:
        """For queries in several of them."""
        return MixedModel(self.models, self.tongues)

    def heard(self, text: str, language: str | None = None) -> Heard:
        """The language of a text: the given one, or else the one that it seems to be in."""
        if language is not None:
            return Heard(self.code(language), 1.0, [Piece(self.code(language), text)])
        if len(self.models) == 1:
            return Heard(self.documents, 1.0, [Piece(self.documents, text)])
        pieces = self.tongues.pieces(text)
        if len(pieces) == 1:
            best = self.tongues.guesses(text)[0]
            return Heard(*best, [Piece(best.language, text)])
        sure = min(guess.probability for piece in pieces for guess in self.tongues.guesses(piece.text)
                   if guess.language == piece.language)
        return Heard("+".join(dict.fromkeys(piece.language for piece in pieces)), sure, pieces)

    def code(self, language: str) -> str:
        """The code under which the language's model is listed; an error if there is no model for it."""
        code = primary(language_code(language))
        if code not in self.models:
            raise CrossbowError(f"there is no model for {language!r}; there are {', '.join(self.models)}")
        return code

    def model(self, heard: Heard) -> Model:
        """The model that makes forests for a text of this language."""
        return self.mixed if len({piece.language for piece in heard.pieces}) > 1 else self.models[heard.language]


class Polyglot:
    """Searches an index in several languages. Safe to share between threads."""

    def __init__(
        self, models: Iterable[Model | Folder], index: Index | Folder,
        config: SearchConfig | Folder | Mapping[str, Any] | Configured | None = None, *, wrap: Wrap | None = None,
    ):
        self.index = Index.load(index) if isinstance(index, str | os.PathLike) else index
        self.languages = Languages(
            (Model.load(model) if isinstance(model, str | os.PathLike) else model for model in models), self.index)
        self._config, self._wrap = config, wrap
        self._searchers = {code: self._made(model) for code, model in self.languages.models.items()}

    def __repr__(self) -> str:
        return f"Polyglot({', '.join(self.languages.models)}, {self.index!r})"

    def close(self) -> None:
        """Do nothing: there is nothing to release. The method is here because Searcher has it."""

    def _made(self, model: Model) -> Searcher:
        config = self._config(model) if callable(self._config) else self._config
        return Searcher(model, self.index, config, wrap=self._wrap)

    @cached_property
    def _mixed(self) -> Searcher:
        return self._made(self.languages.mixed)

    def heard(self, text: str, language: str | None = None) -> Heard:
        """The language of a query and how sure that is."""
        return self.languages.heard(text, language)

    def searcher(self, heard: Heard) -> Searcher:
        """The searcher for a query of this language."""
        model = self.languages.model(heard)
        return self._mixed if model is self.languages.mixed else self._searchers[heard.language]

    def only(self, language: str) -> Searcher:
        """The searcher for queries that are all in this language."""
        return self._searchers[self.languages.code(language)]

    def search(
        self, query: str, k: int | None = None, filter: Filter | None = None, *, language: str | None = None,
        offset: int = 0, sort: str | None = None, syntax: bool = False,
    ) -> Hits:
        """The k best documents; see Searcher.search."""
        return self.searcher(self.heard(query, language)).search(query, k, filter, offset=offset, sort=sort,
                                                                 syntax=syntax)

    def search_all(
        self, queries: Any, threads: int = 1, k: int | None = None, filter: Filter | None = None
    ) -> Iterator[tuple[str, list[Hit]]]:
        """The names and hits of many queries, in their order. Each thread searches for one query at a time."""
        for query, hits in in_order(lambda one: self.search(one.text, k, filter), as_queries(queries), threads):
            yield query.id, hits

    def explain(self, query: str, doc: str, syntax: bool = False, *, language: str | None = None) -> Explanation:
        """How a document, given by its id, gets its score."""
        return self.searcher(self.heard(query, language)).explain(query, doc, syntax)
