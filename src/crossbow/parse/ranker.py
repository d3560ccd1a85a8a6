"""Ranking by trees: score = base − α · distance between the query's tree and that of the document's opening.

    ranker = Ranker(parser, index)
    hits = ranker.rank("otters open clams with rocks")          # base: BM25 over the index
    Searcher(…, wrap=by_trees(ranker))                          # base: any search; see rerank.py

A document's opening is its title, if it has one, or else its first sentences. Trees of documents are kept once they are
made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I32, I64
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.parse.distance import compare_all
from crossbow.parse.model import Trees
from crossbow.parse.parser import Parser
from crossbow.parse.pool import bm25_hits, opening
from crossbow.parse.texts import Texts
from crossbow.ranking.topk import DIGITS
from crossbow.records import Hit

KEPT = 1 << 17  # documents whose trees are kept


class Tree(NamedTuple):
    """A parsed text: of each word its form and stem, its head, and what it costs to delete it."""

    form: I64
    stem: I64
    head: I32
    cost: F64



class Ranker:
    """Ranks the documents of an index. Safe to share between threads."""

    def __init__(self, parser: Parser, index: Index):
        ours, theirs = parser.analyzer.settings.lang, index.analyzer.settings.lang
        if ours != theirs:
            raise CrossbowError(f"the parser is for {ours!r}, but the documents are in {theirs!r}; use one that fits")
        self.parser, self.index = parser, index
        self._trees: dict[str, Tree] = {}

    def rank(self, text: str) -> list[Hit]:
        """The documents that BM25 finds, ranked again."""
        config = self.parser.config
        hits = bm25_hits(text, self.index, config.depth, config.bm25)
        texts, trees = self.parser.queries([text])
        distances = self.distances_to([hit.doc for hit in hits], texts, trees)
        return reordered(hits, [hit.score for hit in hits] - config.alpha * distances)

    def distances_to(self, names: Sequence[str], queries: Texts, trees: Trees) -> F64:
        """The distance of each document's tree to the query's, or to its own if there are as many queries."""
        if not names:
            return np.empty(0)
        docs = self.documents(names)
        cost = self.parser.model.table.value[trees.edge]
        if queries.size == 1:
            return self._compare(queries, trees.head, cost, 0, docs)
        return np.concatenate([self._compare(queries, trees.head, cost, q, [doc]) for q, doc in enumerate(docs)])

    def documents(self, names: Sequence[str]) -> list[Tree]:
        """The trees of documents, in order."""
        kept = self._trees
        missing = [name for name in dict.fromkeys(names) if name not in kept]
        if missing:
            texts, trees = self.parser.documents(opening(self.index.doc(self.index.number(name))) for name in missing)
            if len(kept) + len(missing) > KEPT:  # other threads go on with the old one
                kept = self._trees = {name: kept[name] for name in names if name in kept}
            cost = self.parser.model.table.value[trees.edge]
            for name, begin, end in zip(missing, texts.starts[:-1].tolist(), texts.starts[1:].tolist()):
                kept[name] = Tree(texts.form[begin:end], texts.stem[begin:end], trees.head[begin:end], cost[begin:end])
        return [kept[name] for name in names]

    def _compare(self, queries: Texts, head: I32, cost: F64, q: int, docs: Sequence[Tree]) -> F64:
        here = slice(queries.starts[q], queries.starts[q + 1])
        starts = np.concatenate([[0], np.cumsum([len(doc[0]) for doc in docs])])
        form, stem, heads, costs = (np.concatenate(column) for column in zip(*docs))
        similar = self.parser.similarity.matrix(queries.form[here], queries.stem[here], form, stem)
        distance, match = np.empty(len(docs)), np.empty((len(docs), here.stop - here.start), np.int32)
        compare_all(head[here], cost[here], starts, heads, costs, similar,
                    self.parser.config.costs.replace == "fraction", distance, match)
        return distance


def reordered(hits: Sequence[Hit], scores: F64) -> list[Hit]:
    """Hits by new scores, in trec_eval's order: equal ones by descending id."""
    rounded = (np.round(scores, DIGITS) + 0.0).tolist()
    order = sorted(zip(rounded, (hit.doc for hit in hits)), reverse=True)
    return [Hit(doc, score, rank) for rank, (score, doc) in enumerate(order, 1)]
