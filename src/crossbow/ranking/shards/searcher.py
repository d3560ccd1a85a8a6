"""A searcher over shards, wherever they are; it searches, explains and reranks as one over a whole index does.

    searcher = ShardedSearcher(model, LocalShards("index"), {"method": "bowfd"})
    hits = searcher.search("Haus am See", k=10, filter=Filter(where=("year>=2008",)))
    hits.total, hits.counts("lang"), hits.missing

An answer is that of the whole index, or an error that names the shards which did not answer. With `partial` it is what
the others found, and `missing` says which shards are not in it, and why.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from crossbow import store
from crossbow.arrays import Bools
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.model import Model
from crossbow.model.untranslated import Untranslated
from crossbow.ranking.asks import (
    EVERYTHING,
    UNLIMITED,
    Ask,
    Asking,
    Explain,
    Find,
    Found,
    Original,
    Rank,
    Result,
    Show,
)
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.explain.records import Explanation
from crossbow.ranking.facets import Count, check_offset
from crossbow.ranking.filters import Filter
from crossbow.ranking.hits import Hits, Shown
from crossbow.ranking.methods.contract import Prepared
from crossbow.ranking.searcher import Asked, Folder, Searcher, names_of, pairs
from crossbow.ranking.shards.contract import (
    Answered,
    Missing,
    Question,
    Reply,
    Said,
    Shards,
    ShardsMissing,
)
from crossbow.ranking.syntax import restriction
from crossbow.records import Doc, Hit
from crossbow.threads import in_order


class ShardedSearcher(Searcher):
    """Searches shards with a model under a configuration. Safe to share between threads."""

    def __init__(
        self, model: Model | Folder | None, shards: Shards,
        config: SearchConfig | Folder | Mapping[str, Any] | None = None, *, partial: bool = False,
    ):
        """`partial` allows answers without the shards that do not answer."""
        super().__init__(model, shards.index, config)
        self.shards, self.partial = shards, partial

    def with_config(self, config: SearchConfig) -> ShardedSearcher:
        return ShardedSearcher(self.model, self.shards, config, partial=self.partial)

    def close(self) -> None:
        """Close the shards."""
        self.shards.close()

    @cached_property
    def _untranslated(self) -> ShardedSearcher:
        return ShardedSearcher(Model.untranslated(self.index.analyzer), self.shards, self._given, partial=self.partial)

    def prepare(self, query: Asked) -> Prepared:
        raise CrossbowError("a query over shards is prepared where the shards are; search, explain or rerank instead")

    def question(self, forests: Sequence[Forest]) -> Question:
        """A translated query as shards are asked it."""
        learned = self.config.weights.learned
        if self.model is not None and learned and learned.signature == self.model.learned.signature:
            learned = learned.referred()  # the tables may be large, and every shard has the model
        config = replace(self.config, weights=replace(self.config.weights, learned=learned)).to_json()
        sent = [forest.without_features() for forest in forests]
        rest = config, *self._shared_model, self.index.signature
        return Question(store.digest([one.digest() for one in sent], *rest), sent, *rest)

    @cached_property
    def _shared_model(self) -> tuple[str | None, str]:
        """The folder and the signature of the model that shards have to open."""
        if self.model is None:
            return None, ""
        if isinstance(self.model.decoder, Untranslated):
            return "", ""
        if self.model.folder is None:
            raise CrossbowError("shards open the model by themselves, so it must be one that was opened from a folder")
        return os.fspath(self.model.folder), self.model.signature

    def asking(self, forests: Sequence[Forest]) -> Asking:
        return _AskingShards(self, self.question(forests))

    def ask(self, question: Question, ask: Ask[Any, Result]) -> tuple[Result, dict[int, str]]:
        """The answer of all shards that have a part in it; and those that are missing, with reasons."""
        missing: dict[int, str] = {}
        rounds: list[list[Any]] = []
        homes = ask.homes(self.shards.count)
        while True:
            replies = self._asked(homes, question, rounds, ask, missing)
            if not any(isinstance(reply, Said) for reply in replies.values()):
                parts = [reply.value for reply in replies.values() if isinstance(reply, Answered)]
                return ask.merged(parts), missing
            others = [number for number in range(self.shards.count) if number not in homes]
            replies |= self._asked(others, question, rounds, None, missing)
            said = (replies.get(number) for number in range(self.shards.count))
            rounds.append([one.value if isinstance(one, Said) else None for one in said])

    def _asked(
        self, homes: Sequence[int], question: Question, rounds: Sequence[Sequence[Any]], ask: Ask[Any, Any] | None,
        missing: dict[int, str],
    ) -> dict[int, Reply]:
        """What the shards reply that are not missing yet."""
        asked = [home for home in homes if home not in missing]
        replies = self.shards.ask(asked, question, rounds, ask) if asked else {}
        lost = {home: reply.reason for home, reply in replies.items() if isinstance(reply, Missing)}
        if lost and not self.partial:
            raise ShardsMissing(lost)
        missing |= lost
        return {home: reply for home, reply in replies.items() if home not in lost}

    def search(
        self, query: Asked, k: int | None = None, filter: Filter | None = None, *, offset: int = 0,
        sort: str | None = None, syntax: bool = False,
    ) -> ShardedHits:
        if self._is_text_alone(query):
            return self._untranslated.search(query, k, filter, offset=offset, sort=sort, syntax=syntax)
        check_offset(offset)
        written = self._written(query) if syntax else None
        forests = self.forests(written.text if written else query)
        limits = (restriction(written, forests, self.forests, self.translator.words, self.index) if written
                  else UNLIMITED)
        find = Find(self._size(k), filter or EVERYTHING, limits, offset, sort)
        return self._found(forests, find)

    def _found(self, forests: Sequence[Forest], find: Find) -> ShardedHits:
        question = self.question(forests)
        found, missing = self.ask(question, find)
        return ShardedHits(found.hits, self, question, find, forests, missing)

    def search_all(
        self, queries: Any, threads: int = 1, k: int | None = None, filter: Filter | None = None
    ) -> Iterator[tuple[str, list[Hit]]]:
        find = Find(self._size(k), filter or EVERYTHING)
        for (name, _), hits in in_order(lambda pair: self._found(self.forests(pair[1]), find), pairs(queries), threads):
            yield name, hits

    def explain(self, query: Asked, doc: str, syntax: bool = False) -> Explanation:
        if self._is_text_alone(query):
            return self._untranslated.explain(query, doc, syntax)
        forests = self.forests(self._written(query).text if syntax else query)
        if not forests:
            raise CrossbowError("the query is empty; there is nothing to explain")
        found, missing = self.ask(self.question(forests), Explain((doc,)))
        if doc not in found:
            raise ShardsMissing(missing)
        return found[doc]

    def rerank(self, query: Asked, docs: Iterable[str | Hit | Doc], k: int | None = None) -> ShardedHits:
        if self._is_text_alone(query):
            return self._untranslated.rerank(query, docs, k)
        forests = self.forests(query)
        question, rank = self.question(forests), Rank(tuple(dict.fromkeys(names_of(docs))), self._size(k))
        hits, missing = self.ask(question, rank)
        return ShardedHits(hits, self, question, Find(self._size(k)), forests, missing)


class _AskingShards(Asking):
    """A query over shards."""

    def __init__(self, searcher: ShardedSearcher, question: Question):
        self.searcher, self.question = searcher, question
        self.missing: dict[int, str] = {}

    def ask(self, ask: Ask[Any, Result]) -> Result:
        found, missing = self.searcher.ask(self.question, ask)
        self.missing |= missing
        return found


class ShardedHits(Hits):
    """Hits whose documents are on shards. What is asked of them later is asked of the shards."""

    def __init__(
        self, hits: Iterable[Hit], searcher: ShardedSearcher, question: Question, find: Find,
        forests: Sequence[Forest], missing: Mapping[int, str],
    ):
        list.__init__(self, hits)
        self.searcher, self.question, self.find, self.forests = searcher, question, find, forests
        self.missing = dict(missing)  # shards that are not in the answer, and why
        self.documents = searcher.index

    def _asked_again(self, **changes: Any) -> Found:
        return self.searcher.ask(self.question, replace(self.find, k=0, offset=0, sort=None, **changes))[0]

    @property
    def matching(self) -> Bools:
        raise CrossbowError("documents of shards have no numbers that all share; ask for their total or for counts")

    @cached_property
    def total(self) -> int:
        return self._asked_again(counted=True).total or 0

    @property
    def unfiltered(self) -> int:
        return self.total or self._asked_again(counted=True).unfiltered or 0

    def counts(self, field: str, best: int = 10) -> list[Count]:
        return self._asked_again(facets=(field,), best=best).counts[field]

    def originals(self) -> list[Doc]:
        found, _ = self.searcher.ask(self.question, Original(tuple(hit.doc for hit in self)))
        return [found[hit.doc] for hit in self]

    def shown(self) -> Iterator[Shown]:
        found, _ = self.searcher.ask(self.question, Show(tuple(hit.doc for hit in self)))
        for hit in self:
            if hit.doc in found:
                yield Shown(hit, *found[hit.doc])
