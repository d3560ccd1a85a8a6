"""Transformers of queries: text into its best translation, or into its forests.

    CrossbowTranslate(model) >> bm25            # Q → Q: `query` is translated, `query_0` what it was
    CrossbowForests(model) >> bowfd             # Q → Q: with the column `query_forests`, which retrievers take as it is

Several pipelines that begin with the same forests translate once in pt.Experiment(…, plan="tree").
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyterrier as pt

from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.model import Model
from crossbow.pyterrier.base import CrossbowTransformer
from crossbow.ranking.config import SearchConfig
from crossbow.records import Query

FORESTS = "query_forests"  # a list of forests per query; PyTerrier carries columns that begin with q along


def asked(row: Any) -> Any:
    """The query of a row: its forests if it has any, else its text."""
    if FORESTS in row:
        return row[FORESTS]
    if not isinstance(row["query"], str):
        raise CrossbowError(f"query {row['qid']!r} has no text but {row['query']!r}; fill it or leave the query out")
    return Query(str(row["qid"]), row["query"])


class _Translating(CrossbowTransformer):
    """What both have in common: a model that translates as a configuration has it."""

    def __init__(self, model: Model, translation: Translation | None = None):
        self.model = model
        self.translation = SearchConfig.of(model).translation if translation is None else translation
        self._translator = model.with_translation(self.translation)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model {self.model.signature}, {self.translation})"

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, _Translating) and type(other) is type(self) and other.model is self.model
                and other.translation == self.translation)

    __hash__ = pt.Transformer.__hash__


class CrossbowTranslate(_Translating):
    """Q → Q: the best translation of each query becomes the query."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, ["query"], context=self)
        out = pt.model.push_queries(inp)
        texts = [asked({"qid": name, "query": text}).text for name, text in zip(inp["qid"], inp["query"])]
        best = [self._translator.translate(text) for text in texts]
        out["query"] = pd.Series([found[0].text if found else "" for found in best], index=out.index, dtype=str)
        return out


class CrossbowForests(_Translating):
    """Q → Q: with the forests of each query, so that several retrievers can share them."""

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, ["query"], context=self)
        queries = [asked({"qid": name, "query": text}) for name, text in zip(inp["qid"], inp["query"])]
        forests = [self._translator.forests(query.text, query.id) for query in queries]
        return inp.assign(**{FORESTS: pd.Series(forests, index=inp.index, dtype=object)})
