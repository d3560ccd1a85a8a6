"""Bag-of-words forced decoding (BOW-FD): documents ranked by the best translation of the query that each supports.

    hits = search_forced(forest, index, TermWeights(v=0.8), k=1000)        # exact
    score_documents(forest, index, weights, [index.number("d7")])          # of any documents

score(d) = max over derivations of the forest of SMT score + Σ over its terms t of w_t · BM25(t, d), in logarithms.
If terms are expected (expected.py), what these gain is added.
The forest is taken as it is: weights of lexical features are put into it beforehand, by `rescored`. The search is
exact, for any weights and any forest: see cascade.py for how, and positions.py for the bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I64
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.ranking.bm25 import Bm25, Part, term_lists
from crossbow.ranking.forced.cascade import best_documents, gathered, value
from crossbow.ranking.forced.lower import WordTerms, exact_program, span_program
from crossbow.ranking.forced.positions import position_program
from crossbow.ranking.forced.potentials import pushed_down, reduced
from crossbow.ranking.forced.program import Program, undominated
from crossbow.ranking.topk import top
from crossbow.ranking.weighted import Scores, score_terms
from crossbow.records import Hit
from crossbow.weights import TermWeights


class Compiled(NamedTuple):
    """A forest prepared for one index and one set of weights."""

    terms: WordTerms
    parts: list[Part]
    rsj: F64
    weight: F64  # what a term adds at most: its weight times its rsj
    exact: Program
    best: float  # the score of the best translation, which a document without any of the terms gets


def prepare(forest: Forest, index: Index, weights: TermWeights, bm25: Bm25 = Bm25()) -> Compiled:
    """Find the forest's terms in the index and turn the forest into a programme."""
    terms = WordTerms.of(forest, index)
    lists = term_lists(index, terms.names, bm25)
    exact, best = reduced(exact_program(forest, terms))
    return Compiled(terms, lists.parts, lists.rsj, lists.rsj * weights.of(terms.names), exact, best)


def term_values(query: Compiled, docs: I64) -> F64:
    """What each term (column) would add in each document (row; by number, ascending) if its weight were 1."""
    return gathered(query.parts, query.rsj, docs)


def bound_program(forest: Forest, query: Compiled) -> Program:
    """An upper bound that is cheap to run: by source positions, else by spans, else the exact programme itself."""
    pushed = pushed_down(query.exact)
    bound = position_program(forest, query.terms, pushed) or span_program(forest, pushed)
    return query.exact if bound is None else undominated(bound, query.weight >= 0.0)


def expected_weights(expected: Mapping[str, float], weights: TermWeights) -> dict[str, float]:
    """What expected terms weigh, before BM25."""
    factors = weights.expected * weights.of(list(expected)) * np.array(list(expected.values()))
    return dict(zip(expected, factors.tolist()))


def _expected_scores(
    expected: Mapping[str, float] | None, index: Index, weights: TermWeights, bm25: Bm25
) -> Scores | None:
    return None if expected is None else score_terms(expected_weights(expected, weights), index, bm25)


def search_forced(
    forest: Forest, index: Index, weights: TermWeights = TermWeights(), k: int = 1000, bm25: Bm25 = Bm25(),
    expected: Mapping[str, float] | None = None,
) -> list[Hit]:
    """The k documents with the highest scores of those that have one of the forest's terms or an expected one."""
    query = prepare(forest, index, weights, bm25)
    more = _expected_scores(expected, index, weights, bm25)
    docs, gains = best_documents(query.parts, query.weight, bound_program(forest, query), query.exact, k, more)
    return top(index, docs, query.best + gains, k)


def score_documents(
    forest: Forest, index: Index, weights: TermWeights, docs: Sequence[int], bm25: Bm25 = Bm25(),
    expected: Mapping[str, float] | None = None,
) -> F64:
    """The exact scores of documents given by number, in any order."""
    numbers, places = np.unique(np.asarray(docs, np.int64), return_inverse=True)
    if len(numbers) and not 0 <= numbers[0] <= numbers[-1] < index.slots:
        raise IndexError(f"document {numbers[0] if numbers[0] < 0 else numbers[-1]} of {index.slots}")
    query = prepare(forest, index, weights, bm25)
    scores = query.best + value(query.parts, query.weight, query.exact, numbers)
    more = _expected_scores(expected, index, weights, bm25)
    return (scores if more is None else scores + more.score[numbers])[places]
