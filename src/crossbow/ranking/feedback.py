"""Feedback: the best documents of a first search say which further terms are worth searching for.

    prepared = WithFeedback(first, index, config.feedback, config.bm25)     # first: the query, prepared
    prepared.search(1000)                                       # searches twice
    prepared.found                                              # the terms, their weights, and where they come from

Rocchio's way: every document is a vector of what BM25 gives its terms, of length 1, and the vector of feedback is their
mean, cut to its heaviest terms. A document counts (its score / the best score) ^ `feedback.sharpness`: where one stands
out it speaks almost alone, where many are alike they speak together. The vector is as long as the query's own times
`feedback.weight`, and is added to it. Methods take added terms as they take their own (contract.py), so the second
search is as exact as the first, and an explanation names the documents that a term comes from. The first search always
looks at the whole index: a filter does not change what a document scores.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from crossbow.arrays import F64, I64, Bools
from crossbow.index import Index
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.explain.records import Explanation, Lent
from crossbow.ranking.methods.contract import ADDED, Prepared
from crossbow.records import Hit
from crossbow.settings import Settings, setting

MOST = 100  # documents: more of them are not about the query any longer
LABEL = "feedback"  # of its part in explanations


@dataclass(frozen=True)
class Feedback(Settings):
    """How much the best documents of a first search have to say."""

    documents: int = setting(0, "Search twice, and take terms from this many of the best documents; 0 searches once.",
                             least=0, most=MOST)
    terms: int = setting(30, "Add this many of their terms.", least=1, most=1000)
    weight: float = setting(1.0, "How much these terms count; with 1 as much as the query itself.", least=0, most=100)
    sharpness: float = setting(8.0, "A document counts as much as its score is of the best one's, to this power; with "
                                    "0 all count alike.", least=0, most=100)


class WithFeedback(Prepared):
    """A query that searches a second time, with terms of the documents that it found first."""

    def __init__(self, first: Prepared, index: Index, feedback: Feedback, bm25: Bm25):
        self.first, self.index, self.feedback, self.bm25 = first, index, feedback, bm25
        self.forests, self.ground = first.forests, first.ground

    @cached_property
    def found(self) -> list[Lent]:
        """The terms to add, the heaviest first."""
        hits = self.first.search(self.feedback.documents)
        docs = [self.index.number(hit.doc) for hit in hits]
        counts = document_weights([hit.score - self.first.ground for hit in hits], self.feedback.sharpness)
        vectors = document_vectors(self.index, docs, self.bm25)
        mean = defaultdict[str, float](float)
        for count, vector in zip(counts, vectors):
            for term, weight in vector.items():
                mean[term] += count * weight
        heaviest = sorted(mean, key=lambda term: (-mean[term], term))[: self.feedback.terms]
        length = math.hypot(*(mean[term] for term in heaviest))
        scale = self.feedback.weight * math.hypot(*self.first.weights().values()) / length if length else 0.0
        return [Lent(term, scale * mean[term], [hit.doc for hit, count, has in zip(hits, counts, vectors)
                                                if count and term in has])
                for term in heaviest if mean[term] > 0.0] if scale else []

    @cached_property
    def second(self) -> Prepared:
        """The query with these terms."""
        return self.first.with_added({lent.term: lent.weight for lent in self.found}) if self.found else self.first

    def search(self, k: int, wanted: Bools | None = None) -> list[Hit]:
        return self.second.search(k, wanted)

    def matching(self) -> Bools | None:
        return self.second.matching()

    def score(self, docs: I64) -> F64:
        return self.second.score(docs)

    def terms(self, doc: int) -> Mapping[str, float]:
        """The query's own. What was lent would mark half of a snippet; it stands in where there is nothing else."""
        return self.first.terms(doc) or self.second.terms(doc)

    def weights(self) -> Mapping[str, float]:
        return self.second.weights()

    def explain(self, doc: int) -> Explanation:
        explanation = self.second.explain(doc)
        docs = dict.fromkeys(name for lent in self.found for name in lent.docs)
        parts = [replace(part, label=LABEL, note=f"of terms of {', '.join(docs)}") if part.label == ADDED else part
                 for part in explanation.parts]
        return replace(explanation, parts=parts, feedback=self.found)


def document_weights(gains: Sequence[float], sharpness: float) -> list[float]:
    """How much documents count, by what each gains over one that has nothing of the query; the best one gains most."""
    if not gains or gains[0] <= 0.0:  # only with negative weights
        return [1.0] * len(gains)
    return [(max(0.0, gain) / gains[0]) ** sharpness for gain in gains]


def document_vectors(index: Index, docs: Sequence[int], bm25: Bm25) -> list[dict[str, float]]:
    """What BM25 gives the terms of each document, as vectors of length 1."""
    counted = [index.searched.bag(index.doc(doc), index.analyzer) for doc in docs]
    names = list({term for tfs, _ in counted for term in tfs})
    idf = dict(zip(names, bm25.idfs(len(index), np.array([index.df(term) for term in names], np.float64)).tolist()))
    norms = bm25.norms(np.array([length for _, length in counted], np.int32), index).tolist()
    vectors = []
    for (tfs, _), norm in zip(counted, norms):
        own = {term: idf[term] * tf / (norm + tf) for term, tf in tfs.items()}
        size = math.hypot(*own.values()) or 1.0
        vectors.append({term: weight / size for term, weight in own.items()})
    return vectors
