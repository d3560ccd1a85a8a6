"""A query that became a bag of weighted terms, scored by BM25: DT, expected terms, and most methods one may think of.

    return WeightedTerms("dt", {"hous": 1.0, "lake": 2.0}, forests, index, config.bm25)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property

from crossbow.arrays import F64, I64, Bools
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.explain.derivation import best_derivation
from crossbow.ranking.explain.gloss import best_gloss, marked
from crossbow.ranking.explain.readings import Reader, nothing_read
from crossbow.ranking.explain.records import Explanation, Match, Part, Sentence, Unit
from crossbow.ranking.methods.contract import ADDED, Prepared
from crossbow.ranking.topk import DIGITS
from crossbow.ranking.weighted import Scores, best_of, matched, score_terms
from crossbow.records import Hit


class WeightedTerms(Prepared):
    """The terms of a query with their weights. Documents are explained by the terms that they have."""

    def __init__(
        self, method: str, bag: Mapping[str, float], forests: Sequence[Forest], index: Index, bm25: Bm25,
        least: float = 0.0, read: Reader = nothing_read,
    ):
        self.method, self.bag, self.forests, self.index, self.bm25 = method, bag, forests, index, bm25
        self.added: Mapping[str, float] = {}
        self.least = least  # terms that weigh less are not marked, if there are others
        self.read = read

    @cached_property
    def scores(self) -> Scores:
        """The scores of all documents."""
        return score_terms(self.weights(), self.index, self.bm25)

    def weights(self) -> Mapping[str, float]:
        return summed(self.bag, self.added)

    def with_added(self, added: Mapping[str, float]) -> WeightedTerms:
        other = copy(self)
        other.added = summed(self.added, added)
        other.scores = self.scores.plus(score_terms(added, self.index, self.bm25))
        return other

    def search(self, k: int, wanted: Bools | None = None) -> list[Hit]:
        return best_of(self.scores, self.index, k, wanted)

    def matching(self) -> Bools:
        return self.scores.found

    def score(self, docs: I64) -> F64:
        return self.scores.score[docs]

    def matches(self, doc: int) -> list[Match]:
        """The terms of the query that a document has."""
        return matched(self.bag, self.index, doc, self.bm25)

    def terms(self, doc: int) -> Mapping[str, float]:
        matches, more = self.matches(doc), matched(self.added, self.index, doc, self.bm25)
        heavy = [match for match in matches if match.weight >= self.least]
        return summed(*({match.term: match.gain} for match in [*(heavy or matches), *more]))

    def explain(self, doc: int) -> Explanation:
        matches = self.matches(doc)
        parts = [Part("terms", sum(match.gain for match in matches), "of the terms that the document has", matches),
                 *added_part(self.added, self.index, doc, self.bm25)]
        return Explanation(self.index.id(doc), self.method, round(float(self.scores.score[doc]), DIGITS) + 0.0, parts,
                           [Sentence(forest.source, best, best, self.units(forest, units, doc, matches), read=read)
                            for forest, (best, units, read) in zip(self.forests, self._best)])

    @cached_property
    def _best(self) -> list[tuple[list[str], list[Unit], dict[str, str]]]:
        """The best translation of each sentence, the same word by word, and what unknown words are read as."""
        found = ((forest, *best_derivation(forest)) for forest in self.forests)
        return [(words, best_gloss(forest), self.read(forest, edges)) for forest, edges, words in found]

    def units(self, forest: Forest, best: Sequence[Unit], doc: int, matches: Sequence[Match]) -> list[Unit]:
        """A sentence word by word: its best translation, with the words marked that the document has."""
        terms = {match.term for match in matches}
        words = {word.text for unit in best for word in unit.words}
        return marked(best, {word for word in words if not terms.isdisjoint(self.index.analyzer.terms(word))})


def summed(*bags: Mapping[str, float]) -> dict[str, float]:
    """The terms of all bags, with the sum of their weights."""
    total: dict[str, float] = {}
    for bag in bags:
        for term, weight in bag.items():
            total[term] = total.get(term, 0.0) + weight
    return total


def added_part(added: Mapping[str, float], index: Index, doc: int, bm25: Bm25) -> list[Part]:
    """What added terms give a document, as a part of its score; none if it has none of them."""
    matches = matched(added, index, doc, bm25)
    return [Part(ADDED, sum(match.gain for match in matches), "of added terms", matches)] if matches else []
