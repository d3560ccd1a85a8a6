"""Transformers that make, rank or explain results.

    CrossbowRetriever(model, index, {"method": "bowfd"}, num_results=100)       # Q → R
    CrossbowReranker(model, index, {"method": "bowfd"})                         # R → R
    CrossbowExplainer(model, index, {"method": "bowfd"})                        # R → R with further columns
    CrossbowTexts(index)                                                        # R → R with the documents' texts

A query is its text or, if there is a column `query_forests`, its forests, which any system may have made. Without a
model, text is searched as it is, in the language of the documents. PyTerrier can tune settings under their paths:
pt.GridSearch(bowfd, {bowfd: {"weights.v": [.5, 1]}}, …). A retriever, its reranker and its explainer ask the same
prepared query, so their scores agree.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
import pyterrier as pt

from crossbow.arrays import I64
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.model import Model
from crossbow.pyterrier.base import CrossbowTransformer
from crossbow.pyterrier.queries import FORESTS, asked
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.explain.records import Explanation
from crossbow.ranking.searcher import Searcher
from crossbow.records import Hit
from crossbow.settings import value_at
from crossbow.threads import in_order

Config = SearchConfig | str | os.PathLike[str] | Mapping[str, Any] | None
TRANSLATION, BEST, MATCHES = "translation", "best_translation", "matches"
COLUMNS = {TRANSLATION: str, BEST: str, MATCHES: object}  # of explanations


class Group(NamedTuple):
    """A query of a frame of results."""

    query: Mapping[str, Any]  # what its first row says of it
    places: I64  # of its rows
    docs: list[str]


class _Searching(CrossbowTransformer):
    """A model, an index and a configuration, and what PyTerrier wants to know of them."""

    def __init__(self, model: Model | None, index: Index, config: Config = None, *, threads: int = 1):
        self.searcher = Searcher(model, index, config)
        self.model, self.index, self.threads = self.searcher.model, self.searcher.index, threads

    @property
    def config(self) -> SearchConfig:
        """Everything that decides what a query finds."""
        return self.searcher.config

    def _key(self) -> tuple[Any, ...]:
        return (self.config,)

    def __repr__(self) -> str:
        model = self.model.signature if self.model else "none"
        return (f"{type(self).__name__}({self.config.method} {self.config.signature}, model {model}, "
                f"index {self.index.signature}{''.join(f', {part}' for part in self._key()[1:])})")

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, _Searching) and type(other) is type(self) and other.model is self.model
                and other.index is self.index and other._key() == self._key())

    __hash__ = pt.Transformer.__hash__

    def get_parameter(self, name: str) -> Any:
        """A setting by its path, such as weights.v; or an attribute."""
        return value_at(self.config, name) if self._has_setting(name) else super().get_parameter(name)

    def set_parameter(self, name: str, value: Any) -> None:
        """Change a setting by its path, or an attribute."""
        if self._has_setting(name):
            self.searcher = self.searcher.with_config(self.config.set(name, value))
        else:
            super().set_parameter(name, value)

    def _has_setting(self, path: str) -> bool:
        return any(one.path == path for one in self.config.described())

    def with_feedback(self, documents: int = 10, **settings: Any) -> Self:
        """The same with a second search, by terms of the best documents of the first; settings: terms, weight, …"""
        config = replace(self.config, feedback=replace(self.config.feedback, documents=documents, **settings))
        if config.method == "bowfd":
            config = config.set("bowfd.join", True)  # several rankings cannot take further terms
        return self._changed(config=config)

    def _changed(self, **attributes: Any) -> Self:
        """The same with other attributes."""
        changed: Any = pt.inspect.transformer_apply_attributes(self, **attributes)
        return changed  # type: ignore[no-any-return]

    def label(self) -> str:
        return f"{self.config.method} {super().label()}"

    def _check_queries(self, inp: pd.DataFrame, with_docs: bool) -> None:
        with pt.validate.any(inp, context=self) as valid:
            check = valid.result_frame if with_docs else valid.query_frame
            check(["query"], mode="text")
            check([FORESTS], mode="forests")


class CrossbowRetriever(_Searching):
    """Q → R: the best documents for each query, by any method of crossbow.METHODS."""

    def __init__(self, model: Model | None, index: Index, config: Config = None, *, num_results: int | None = None,
                 threads: int = 1):
        super().__init__(model, index, config, threads=threads)
        self.num_results = self.config.k if num_results is None else num_results

    def _key(self) -> tuple[Any, ...]:
        return (self.config, self.num_results)

    def fuse_rank_cutoff(self, k: int) -> CrossbowRetriever:
        """The same as `self % k`, without finding more than k documents."""
        return self if k >= self.num_results else self._changed(num_results=k)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self._check_queries(inp, with_docs=False)
        queries = [(str(at), asked(row)) for at, row in enumerate(_rows(inp))]
        places: list[int] = []
        hits: list[Hit] = []
        for at, found in self.searcher.search_all(queries, self.threads, self.num_results):
            places += [int(at)] * len(found)
            hits += found
        out = inp.iloc[places].reset_index(drop=True).assign(docno=pd.Series([hit.doc for hit in hits], dtype=str))
        return _with_hits(out, hits)


class CrossbowReranker(_Searching):
    """R → R: the documents that others have found, with our scores and ranks, best first."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self._check_queries(inp, with_docs=True)
        ranked: list[tuple[int, Hit]] = []  # the place of each row, in the new order, and its hit
        for group, hits in in_order(self._ranked, _groups(inp), self.threads):
            found = {hit.doc: hit for hit in hits}
            rows = [(place, found[doc]) for place, doc in zip(group.places.tolist(), group.docs)]
            ranked += sorted(rows, key=lambda row: row[1].rank)
        out = inp.iloc[[place for place, _ in ranked]].reset_index(drop=True)
        return _with_hits(out, [hit for _, hit in ranked])

    def _ranked(self, group: Group) -> list[Hit]:
        return self.searcher.rerank(asked(group.query), group.docs, len(group.docs))


class CrossbowExplainer(_Searching):
    """R → R: which translation each document chose, the query's best one, and the terms that it matched.

    The columns are `translation`, `best_translation` and `matches`, a dict of what each term adds to the score. The
    settings must be those of the retriever, so that it explains what was done.
    """

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        self._check_queries(inp, with_docs=True)
        found: dict[str, list[Any]] = {name: [None] * len(inp) for name in COLUMNS}
        for group, explanations in in_order(self._explained, _groups(inp), self.threads):
            for at, explanation in zip(group.places.tolist(), explanations):
                found[TRANSLATION][at] = " ".join(word for one in explanation.sentences for word in one.target)
                found[BEST][at] = " ".join(word for one in explanation.sentences for word in one.best_target)
                found[MATCHES][at] = _gains(explanation)
        return inp.assign(**{name: pd.Series(found[name], index=inp.index, dtype=kind)
                             for name, kind in COLUMNS.items()})

    def _explained(self, group: Group) -> list[Explanation]:
        prepared = self.searcher.prepare(asked(group.query))
        return [prepared.explain(_number(self.index, doc)) for doc in group.docs]


class CrossbowTexts(CrossbowTransformer):
    """D → D and R → R: with columns of the documents' titles and texts, for rerankers that read them."""

    def __init__(self, index: Index, fields: Sequence[str] = ("title", "text")):
        unknown = [name for name in fields if name not in ("title", "text")]
        if unknown:
            raise CrossbowError(f"documents have no field {unknown[0]!r}; there are title and text")
        self.index, self.fields = index, tuple(fields)

    def __repr__(self) -> str:
        return f"CrossbowTexts(index {self.index.signature}, {', '.join(self.fields)})"

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.columns(inp, includes=["docno"], context=self)
        docs = [self.index[str(name)] for name in inp["docno"]]
        return inp.assign(**{name: pd.Series([getattr(doc, name) for doc in docs], index=inp.index, dtype=str)
                             for name in self.fields})


def _rows(inp: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The columns of each row that say what is asked."""
    names = [name for name in ("qid", "query", FORESTS) if name in inp.columns]
    for values in zip(*(inp[name].tolist() for name in names)):
        yield dict(zip(names, values))


def _groups(inp: pd.DataFrame) -> Iterator[Group]:
    """The queries of a frame of results."""
    rows, docs = list(_rows(inp)), inp["docno"].tolist()
    for places in inp.groupby("qid", sort=False).indices.values():
        yield Group(rows[places[0]], places, [docs[at] for at in places])


def _with_hits(frame: pd.DataFrame, hits: Sequence[Hit]) -> pd.DataFrame:
    """The frame with the score and rank of a hit for each row; also if there are none."""
    return frame.assign(score=np.array([hit.score for hit in hits], np.float64),
                        rank=np.array([hit.rank - 1 + pt.model.FIRST_RANK for hit in hits], np.int64))


def _gains(explanation: Explanation) -> dict[str, float]:
    """What each term adds to a score, the largest first."""
    gains: dict[str, float] = {}
    for match in explanation.matches():
        gains[match.term] = gains.get(match.term, 0.0) + match.gain
    return dict(sorted(gains.items(), key=lambda pair: (-pair[1], pair[0])))


def _number(index: Index, doc: str) -> int:
    number = index.number(doc)
    if number < 0:
        raise CrossbowError(f"the index has no document {doc!r}; explain results of the same index")
    return number
