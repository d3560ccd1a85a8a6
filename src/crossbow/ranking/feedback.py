"""Feedback: the best documents of a first search say which further terms are worth searching for.

    prepared = WithFeedback(first, index, config.feedback, config.bm25)     # first: the query, prepared
    prepared.search(1000)                                       # searches twice
    prepared.found                                              # the terms, their weights, and where they come from

As Rocchio did it: every document is a vector of what BM25 gives its terms, of length 1, and the vector of feedback is
their mean, cut to its heaviest terms. A document counts (its score / the best score) ^ `feedback.sharpness`: one that
stands out decides almost alone, and many that are alike decide together. The vector is as long as the query's own times
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
from typing import Any

import numpy as np

from crossbow.arrays import F64, I64, Bools
from crossbow.index import Index
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.explain.records import Explanation, Lent
from crossbow.ranking.methods.contract import ADDED, Prepared
from crossbow.ranking.topk import merged
from crossbow.records import Hit
from crossbow.settings import Settings, setting

MOST = 100  # documents: more of them are not about the query any longer
LABEL = "feedback"  # of its part in explanations


@dataclass(frozen=True)
class Feedback(Settings):
    """How much the best documents of a first search have to say."""

    documents: int = setting(0, "Search twice, and take terms from this many of the best documents; 0 searches once.",
                             least=0, most=MOST)
    terms: int = setting(30, "Add this many terms of these documents.", least=1, most=1000)
    weight: float = setting(1.0, "How much the added terms count; with 1 they count as much as the query "
                                 "itself.", least=0,
                            most=100)
    sharpness: float = setting(8.0, "A document counts its score divided by the best score, to this power; with 0 all "
                                    "documents count the same.", least=0, most=100)


class WithFeedback(Prepared):
    """A query that searches a second time, with terms of the documents that it found first."""

    _shared = 0  # how often shards have heard each other

    def __init__(self, first: Prepared, index: Index, feedback: Feedback, bm25: Bm25):
        self.first, self.index, self.feedback, self.bm25 = first, index, feedback, bm25
        self.forests, self.ground = first.forests, first.ground

    @cached_property
    def hits(self) -> list[Hit]:
        """The documents that lend terms."""
        return self.first.search(self.feedback.documents)

    @cached_property
    def vectors(self) -> Mapping[str, Mapping[str, float]]:
        """Their terms, by id; on a shard, those of its own."""
        numbers = {hit.doc: self.index.number(hit.doc) for hit in self.hits}
        own = {name: number for name, number in numbers.items() if number >= 0}
        return dict(zip(own, document_vectors(self.index, list(own.values()), self.bm25)))

    @cached_property
    def found(self) -> list[Lent]:
        """The terms to add, the heaviest first."""
        counts = document_weights([hit.score - self.first.ground for hit in self.hits], self.feedback.sharpness)
        lenders = [(hit.doc, count, self.vectors[hit.doc]) for hit, count in zip(self.hits, counts)]
        mean = defaultdict[str, float](float)
        for _, count, vector in lenders:
            for term, weight in vector.items():
                mean[term] += count * weight
        heaviest = sorted(mean, key=lambda term: (-mean[term], term))[: self.feedback.terms]
        length = math.hypot(*(mean[term] for term in heaviest))
        scale = self.feedback.weight * math.hypot(*self.first.weights().values()) / length if length else 0.0
        return [Lent(term, scale * mean[term], [name for name, count, has in lenders if count and term in has])
                for term in heaviest if mean[term] > 0.0] if scale else []

    def to_share(self) -> Any:
        """First what each shard finds, then the terms of those documents that are best of all."""
        inner = self.first.to_share()
        if inner is not None:
            return inner
        if self._shared == 0:
            return self.hits
        return dict(self.vectors) if self._shared == 1 else None

    def with_shared(self, parts: Sequence[Any], own: int) -> WithFeedback:
        other = WithFeedback(self.first, self.index, self.feedback, self.bm25)
        if self.first.to_share() is not None:
            other.first = self.first.with_shared(parts, own)
            return other
        other._shared = self._shared + 1
        if self._shared == 0:
            other.hits = merged(parts, self.feedback.documents)
        else:
            other.vectors = {name: vector for part in parts for name, vector in part.items()}
            other.hits = [hit for hit in self.hits if hit.doc in other.vectors]  # a shard may be missing by now
        return other

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
        """The query's own. Terms of feedback would mark half of a snippet; they count only if there is nothing else."""
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
