"""Short ways to search and explain in tests, and configurations that keep what an exhaustive oracle lists.

    config = everything(weights=weighing(0.5, {"hous": 2.0}), k=5)      # forced decoding, with unmatched documents
    search_forests([forest], index, None, config)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from crossbow.arrays import F64
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.config import Forced, SearchConfig
from crossbow.ranking.explain.records import Explanation
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.ranking.searcher import Searcher
from crossbow.ranking.topk import top
from crossbow.records import Hit
from crossbow.weights import Learned, TermWeights


def weighing(
    v: float = 0.8, terms: Mapping[str, float] | None = None, lex: Mapping[str, float] | None = None,
    expected: float = 0.0,
) -> TermWeights:
    return TermWeights(v, expected, Learned(terms or {}, lex or {}))


def with_lex(weights: TermWeights, lex: Mapping[str, float]) -> TermWeights:
    return replace(weights, learned=Learned(weights.learned.terms, lex))


def everything(join: bool = False, beam: int | None = None, sort_edges: bool = True, **settings: Any) -> SearchConfig:
    """Forced decoding that also keeps documents which match nothing."""
    return SearchConfig(bowfd=Forced(join, beam, sort_edges, unmatched=True), **settings)


def query_of(
    forest: Forest, index: Index, weights: TermWeights, bm25: Bm25 = Bm25(), expected: Mapping[str, float] | None = None
) -> ForcedQuery:
    added = None if expected is None else {
        term: weights.expected * weights.learned.terms.get(term, weights.v) * value for term, value in expected.items()}
    return ForcedQuery(forest, index, weights, bm25, added=added)


def search_forced(
    forest: Forest, index: Index, weights: TermWeights = TermWeights(), k: int = 1000, bm25: Bm25 = Bm25(),
    expected: Mapping[str, float] | None = None,
) -> list[Hit]:
    """The k best documents of those that have one of the forest's terms or an expected one."""
    query = query_of(forest, index, weights, bm25, expected)
    docs, gains = query.best_documents(k)
    return top(index, docs, query.best + gains, k)


def score_documents(
    forest: Forest, index: Index, weights: TermWeights, docs: Sequence[int], bm25: Bm25 = Bm25(),
    expected: Mapping[str, float] | None = None,
) -> F64:
    query = query_of(forest, index, weights, bm25, expected)
    return query.best + query.gains(docs)


def search_forests(
    forests: Sequence[Forest], index: Index, model: Model | None, config: SearchConfig
) -> list[Hit]:
    return list(Searcher(model, index, config).search(forests))


def explain(
    forests: Sequence[Forest], index: Index, doc: str, config: SearchConfig = SearchConfig(), model: Model | None = None
) -> Explanation:
    return Searcher(model, index, config).explain(forests, doc)


def part(explanation: Explanation, label: str) -> float:
    """What the parts of this label add."""
    return sum(one.value for one in explanation.parts if one.label == label)
