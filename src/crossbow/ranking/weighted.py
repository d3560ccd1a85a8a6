"""BM25 for weighted terms: what DT and expected terms are scored by, and what may be added to any method.

    scores = score_terms({"hous": 0.9, "home": 0.2}, index, Bm25())         # of all documents
    hits = search_terms({"hous": 1.0}, index, k=1000)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, Bools
from crossbow.index import Index
from crossbow.jit import kernel
from crossbow.ranking.bm25 import Bm25, in_document, term_lists, times
from crossbow.ranking.explain.records import Match
from crossbow.ranking.topk import highest, top
from crossbow.records import Hit


class Scores(NamedTuple):
    """The score of each document, and whether it has any of the terms."""

    score: F64
    found: Bools

    def plus(self, other: Scores) -> Scores:
        """The sums of both scores, and the documents that either found."""
        return Scores(self.score + other.score, self.found | other.found)


@kernel
def _accumulate(begin, end, docs, saturation, weight, score, found):
    """Add the weights of all lists up, document by document."""
    for t in range(begin.shape[0]):
        w = weight[t]
        for k in range(begin[t], end[t]):
            score[docs[k]] += w * saturation[k]
            found[docs[k]] = True


def score_terms(bag: Mapping[str, float], index: Index, bm25: Bm25 = Bm25()) -> Scores:
    """The BM25 scores of all documents for weighted terms."""
    terms: Sequence[str] = [term for term in bag if index.df(term)]
    lists = term_lists(index, terms, bm25)
    weight = lists.idf * np.array([bag[term] for term in terms], np.float64)
    score, found = np.zeros(index.slots), np.zeros(index.slots, np.bool_)
    for part in lists.parts:
        here = slice(part.base, part.base + len(part.alive))
        _accumulate(part.begin, part.end, part.docs, part.saturation, weight, score[here], found[here])
        found[here] &= part.alive
    return Scores(score, found)


def best_of(scores: Scores, index: Index, k: int, wanted: Bools | None = None) -> list[Hit]:
    """The k best of scored documents; only of the wanted ones, if these are given."""
    found = scores.found if wanted is None else scores.found & wanted
    docs = highest(scores.score, found, k)
    return top(index, docs, scores.score[docs], k)


def search_terms(bag: Mapping[str, float], index: Index, k: int, bm25: Bm25 = Bm25()) -> list[Hit]:
    """The k best documents for weighted terms."""
    return best_of(score_terms(bag, index, bm25), index, k)


def matched(bag: Mapping[str, float], index: Index, number: int, bm25: Bm25) -> list[Match]:
    """The terms that a document has, those first that gain most."""
    terms = [term for term in bag if index.df(term)]
    if not terms:
        return []
    lists = term_lists(index, terms, bm25)
    saturation, tfs = in_document(lists.parts, number)
    matches = [
        Match(term, term, times(tf, index), index.df(term), float(bag[term]), float(idf), float(sat),
              float(bag[term] * idf * sat))
        for term, idf, sat, tf in zip(terms, lists.idf, saturation, tfs) if tf
    ]
    return sorted(matches, key=lambda match: -match.gain)
