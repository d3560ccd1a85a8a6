"""A forest compiled for one index and one set of weights, so that searches, scores and derivations cannot disagree.

    query = ForcedQuery(forest, index, TermWeights(v=0.8), Bm25())
    docs, gains = query.best_documents(k=1000)          # exact
    query.best + query.gains(docs)                      # the scores of any documents
    value, choice = query.derive(doc)                   # the best edge of every node, for one document

score(d) = max over derivations of the forest of SMT score + Σ over its terms t of w_t · BM25(t, d), in logarithms. A
gain is what a document's score lies above that of the best translation. Weighted terms may be added to it: expected
terms, terms of feedback. The forest is taken as it is; weights of lexical features are put into it beforehand, by
`rescored`. The search is exact, for any weights and any forest: see cascade.py for how, and positions.py for the bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import pairwise

import numpy as np

from crossbow.arrays import F64, I32, I64, Bools
from crossbow.forest.compose import part, parts_of
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.ranking.bm25 import Bm25, Part, documents_with, in_document, term_lists
from crossbow.ranking.forced.cascade import best_documents, gathered, value
from crossbow.ranking.forced.lower import WordTerms, exact_program, span_program
from crossbow.ranking.forced.positions import position_program
from crossbow.ranking.forced.potentials import pushed_down, reduced
from crossbow.ranking.forced.program import Program, composed, sliced, undominated
from crossbow.ranking.forced.viterbi import best_edges
from crossbow.ranking.weighted import Scores, score_terms
from crossbow.weights import TermWeights


class ForcedQuery:
    """See the module's docstring. `factors` change the weights of single terms, as of those that a query repeats."""

    def __init__(
        self, forest: Forest, index: Index, weights: TermWeights = TermWeights(), bm25: Bm25 = Bm25(),
        factors: Mapping[str, float] | None = None, added: Mapping[str, float] | None = None,
    ):
        self.forest, self.index, self.bm25, self.added = forest, index, bm25, added
        self.terms = WordTerms.of(forest, index)
        names = self.terms.names
        self.own = weights.of(names) * np.array([(factors or {}).get(name, 1.0) for name in names])
        lists = term_lists(index, names, bm25)
        self.parts: list[Part] = lists.parts
        self.idf = lists.idf
        self.weight = lists.idf * self.own  # what a term adds at most
        self.exact, self.best = reduced(exact_program(forest, self.terms))

    @cached_property
    def bound(self) -> Program:
        """An upper bound that is cheap to run: by source positions, else by spans, else the exact program itself."""
        return self._bound(self.forest, self.exact)

    def _bound(self, forest: Forest, exact: Program) -> Program:
        """The bound; for a composed forest, its parts' bounds combined: a sum over sentences, the best of systems."""
        parts = parts_of(forest)
        if parts:
            bounds = [self._bound(part(forest, *nodes), sliced(exact, *nodes)) for nodes in parts]
            top = slice(int(forest.first[-2]), int(forest.first[-1]))
            ends = [end for _, end in parts]
            rows = [[ends.index(tail) for tail in forest.tails[begin:end].tolist()]
                    for begin, end in pairwise(forest.tail_starts[top.start : top.stop + 1].tolist())]
            return composed(bounds, rows, exact.cost[top])
        pushed = pushed_down(exact)
        bound = position_program(forest, self.terms, pushed)
        if bound is None and (forest.span != forest.span[0]).any():  # in lattices all spans are the whole sentence
            bound = span_program(forest, pushed)
        return exact if bound is None else undominated(bound, self.weight >= 0.0)

    @cached_property
    def more(self) -> Scores | None:
        """What the added terms add to every document."""
        return None if self.added is None else score_terms(self.added, self.index, self.bm25)

    def with_added(self, added: Mapping[str, float]) -> ForcedQuery:
        """The query with further terms; the forest is not compiled again."""
        other, scores = copy(self), score_terms(added, self.index, self.bm25)
        other.more = scores if self.more is None else self.more.plus(scores)
        return other

    def best_documents(self, k: int, wanted: Bools | None = None) -> tuple[I64, F64]:
        """The k documents with the highest gains of those that have a term, and perhaps some more."""
        return best_documents(self.parts, self.weight, self.bound, self.exact, k, self.more, wanted)

    def matching(self) -> Bools:
        """The documents that have a term of the forest, or one that is added."""
        found = documents_with(self.parts)
        return found if self.more is None else found | self.more.found

    def gains(self, docs: Sequence[int] | I64) -> F64:
        """The exact gains of documents given by number, in any order."""
        numbers, places = np.unique(np.asarray(docs, np.int64), return_inverse=True)
        if len(numbers) and not 0 <= numbers[0] <= numbers[-1] < self.index.slots:
            wrong = numbers[0] if numbers[0] < 0 else numbers[-1]
            raise IndexError(f"there is no document {wrong} of {self.index.slots}; numbers begin with 0")
        found = value(self.parts, self.weight, self.exact, numbers)
        return (found if self.more is None else found + self.more.score[numbers])[places]

    def term_values(self, docs: I64) -> F64:
        """What each term (column) would add in each document (row; by number, ascending) if its weight were 1."""
        return gathered(self.parts, self.idf, docs)

    def in_document(self, doc: int) -> tuple[F64, I32]:
        """The saturation and the tf of every term in a document."""
        return in_document(self.parts, doc)

    def derive(self, saturation: F64) -> tuple[float, I32]:
        """The gain of the best derivation of a document with these saturations, and the best edge of every node."""
        return best_edges(self.exact, self.weight * saturation)
