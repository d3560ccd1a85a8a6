"""Direct translation (DT): BM25 for the bag of words of the best translation; sentences are joined into one bag.

    hits = search_terms(bag_of_words(forests, index), index, k=1000)
    scores = score_terms({"hous": 0.9, "home": 0.2}, index)                 # of all documents, for weighted terms
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, Bools
from crossbow.decode.kbest import kbest
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.jit import kernel
from crossbow.ranking.bm25 import Bm25, term_lists
from crossbow.ranking.topk import highest, top
from crossbow.records import Hit


class Scores(NamedTuple):
    """The score of each document, and whether it has any of the terms."""

    score: F64
    found: Bools


@kernel
def _accumulate(begin, end, docs, saturation, weight, score, found):
    """Add the weights of all lists up, document by document."""
    for t in range(begin.shape[0]):
        w = weight[t]
        for k in range(begin[t], end[t]):
            score[docs[k]] += w * saturation[k]
            found[docs[k]] = True


def bag_of_words(forests: Iterable[Forest], index: Index) -> Counter[str]:
    """The index terms of the best translations of a query's sentences."""
    bag: Counter[str] = Counter()
    for forest in forests:
        for word in kbest(forest, 1).words.tolist():
            bag.update(index.analyzer.terms(forest.words[word]))
    return bag


def score_terms(bag: Mapping[str, float], index: Index, bm25: Bm25 = Bm25()) -> Scores:
    """The BM25 scores of all documents for weighted terms."""
    terms: Sequence[str] = [term for term in bag if index.df(term)]
    lists = term_lists(index, terms, bm25)
    weight = lists.rsj * np.array([bag[term] for term in terms], np.float64)
    score, found = np.zeros(index.slots), np.zeros(index.slots, np.bool_)
    for part in lists.parts:
        here = slice(part.base, part.base + len(part.alive))
        _accumulate(part.begin, part.end, part.docs, part.saturation, weight, score[here], found[here])
        found[here] &= part.alive
    return Scores(score, found)


def search_terms(bag: Mapping[str, float], index: Index, k: int, bm25: Bm25 = Bm25()) -> list[Hit]:
    """The k best documents for weighted terms."""
    score, found = score_terms(bag, index, bm25)
    docs = highest(score, found, k)
    return top(index, docs, score[docs], k)
