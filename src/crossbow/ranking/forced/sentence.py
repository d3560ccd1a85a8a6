"""One sentence of a query, or several joined, as forced decoding sees it under a configuration.

    sentence = ForcedSentence(forest, index, model, config)
    sentence.query.best_documents(1000)
    parts, translated = sentence.explain(doc)

score = best − cost + gain: the score of the best translation, what the document's own translation costs against it, and
what its terms gain in the document, each weight × idf × saturation. If expected terms have a share in the score, what
they gain is a fourth part.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crossbow.arrays import I64, Bools
from crossbow.forest.compose import chosen_systems
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.bm25 import times
from crossbow.ranking.expected import expected_by
from crossbow.ranking.explain.derivation import derivation, derived_words, steps_of, words_by_position
from crossbow.ranking.explain.gloss import forced_gloss
from crossbow.ranking.explain.readings import reader
from crossbow.ranking.explain.records import Match, Part, Sentence, Step
from crossbow.ranking.forced.beam import within_beam
from crossbow.ranking.forced.lexical import rescored
from crossbow.ranking.forced.lower import WordTerms
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.ranking.methods.weighted import added_part, summed
from crossbow.ranking.repeats import Repeats, factors
from crossbow.ranking.structured.tables import LIKELY
from crossbow.ranking.weighted import matched
from crossbow.weights import TermWeights

if TYPE_CHECKING:
    from crossbow.ranking.config import SearchConfig


class Derived(NamedTuple):
    """The derivation that a document supports best."""

    value: float
    gain: float  # of the matches
    words: list[str]  # of the translation
    steps: list[Step]  # its rules
    systems: list[str]  # that it comes from, if there are several
    read: dict[str, str]  # unknown words, and the known ones that they are read as


class ForcedSentence:
    """The forest scored with the learned weights, cut to the beam if there is one, and compiled for the index."""

    def __init__(self, plain: Forest, index: Index, model: Model | None, config: SearchConfig):
        self.index, self.systems, self.read = index, model.systems if model else [], reader(model, config)
        self.forest = forced_forest(plain, config)
        changed = repeat_factors(plain, index, config.repeats)
        self.expected: Mapping[str, float] = {}  # what is expected, before weights
        self.weighted: Mapping[str, float] = {}  # and with them
        self.added: Mapping[str, float] = {}
        if config.weights.expected:
            self.expected = expected_by([plain], index, config.expected, [model.lexicon for model in self.systems])
            self.weighted = _expected_weights(self.expected, config.weights, changed)
        self.query = ForcedQuery(self.forest, index, config.weights, config.bm25, changed,
                                 self.weighted if config.weights.expected else None)

    def with_added(self, added: Mapping[str, float]) -> ForcedSentence:
        """The sentence with weighted terms that count too; all that does not depend on them is shared."""
        other = copy(self)
        other.added = summed(self.added, added)
        other.__dict__.pop("_besides", None)  # has what was added before
        other.query = self.query.with_added(added)
        return other

    @cached_property
    def _best(self) -> tuple[list[int], list[str]]:
        """The edges and the words of the best translation."""
        return derivation(self.forest, self.query.derive(np.zeros(len(self.query.weight)))[1])

    @cached_property
    def _best_steps(self) -> list[Step]:
        return steps_of(self.forest, self._best[0])

    @cached_property
    def _best_at(self) -> dict[int, tuple[int, list[str]]]:
        return words_by_position(self._best_steps)

    def has_best_term(self, docs: I64) -> Bools:
        """Which of these documents have a term of the best translation, whatever it weighs."""
        names = {term for word in self._best[1] for term in self.index.analyzer.terms(word)}
        chosen = [t for t, name in enumerate(self.query.terms.names) if name in names]
        found = np.zeros(len(docs), np.bool_)
        for part in self.query.parts:
            inside = docs - part.base
            for t in chosen:
                postings = part.docs[part.begin[t] : part.end[t]]
                if len(postings):
                    place = np.minimum(np.searchsorted(postings, inside), len(postings) - 1)
                    found |= postings[place] == inside
        return found

    def derive(self, doc: int) -> Derived:
        """A document's derivation."""
        query, forest = self.query, self.forest
        saturation, tfs = query.in_document(doc)
        value, choice = query.derive(saturation)
        edges, words = derivation(forest, choice)

        def match(word: int) -> list[Match]:
            terms = query.terms.terms[query.terms.starts[word] : query.terms.starts[word + 1]].tolist()
            return [
                Match(forest.words[word], query.terms.names[t], times(tfs[t], self.index),
                      self.index.df(query.terms.names[t]), float(query.own[t]), float(query.idf[t]),
                      float(saturation[t]), float(query.weight[t] * saturation[t]))
                for t in terms if tfs[t]
            ]

        steps = steps_of(forest, edges, self._best_at, match)
        gain = sum(found.gain for step in steps for found in step.matches)
        return Derived(value, gain, words, steps, self._systems(edges), self.read(forest, edges))

    def _systems(self, edges: list[int]) -> list[str]:
        """The systems of a derivation by kind, numbered if several are of one kind; none if there is but one."""
        if len(self.systems) < 2:
            return []
        kinds = [model.kind for model in self.systems]
        names = [kind if kinds.count(kind) == 1 else f"{kind} {number}" for number, kind in enumerate(kinds, 1)]
        return [names[at] for at in chosen_systems(self.forest, edges)]

    def explain(self, doc: int) -> tuple[list[Part], Sentence]:
        """The parts of a document's score, and the sentence as the document has it translated."""
        value, gain, words, steps, systems, read = self.derive(doc)
        matches = [found for step in steps for found in step.matches]
        parts = [Part("best", self.query.best, "of the best translation"),
                 Part("cost", value - gain, "of this one against it"),
                 Part("gain", gain, "of the matches", matches)]
        more = matched(self.weighted, self.index, doc, self.query.bm25)
        if more:
            parts.append(Part("expected", sum(match.gain for match in more), "of expected terms", more))
        parts += added_part(self.added, self.index, doc, self.query.bm25)
        units = forced_gloss(steps, self._best_steps)
        return parts, Sentence(self.forest.source, words, self._best[1], units, steps, systems, read)

    def terms(self, doc: int) -> dict[str, float]:
        """The terms of the derivation that the document has, likely expected and added ones, with what each gains."""
        more = ({match.term: match.gain} for match in matched(self._besides, self.index, doc, self.query.bm25))
        return summed(self._gains(doc), *more)

    @cached_property
    def _besides(self) -> Mapping[str, float]:
        """Likely expected terms, and added ones."""
        return summed({term: weight for term, weight in self.weighted.items() if self.expected[term] >= LIKELY},
                      self.added)

    def _gains(self, doc: int) -> dict[str, float]:
        """The terms of the derivation that the document has, without its steps: these take five times as long."""
        saturation, tfs = self.query.in_document(doc)
        gains, names, found = self.query.weight * saturation, self.query.terms.names, dict[str, float]()
        for word in derived_words(self.forest, self.query.derive(saturation)[1]):
            for t in self._terms_of[word]:
                if tfs[t]:
                    found[names[t]] = found.get(names[t], 0.0) + float(gains[t])
        return found

    @cached_property
    def _terms_of(self) -> list[list[int]]:
        """The terms of each word of the forest."""
        terms, starts = self.query.terms.terms.tolist(), self.query.terms.starts.tolist()
        return [terms[begin:end] for begin, end in pairwise(starts)]

    def weights(self) -> Mapping[str, float]:
        """The best translation as a bag of weighted terms, with expected and added ones."""
        own = dict(zip(self.query.terms.names, self.query.own.tolist()))
        best = ({term: own[term]} for word in self._best[1] for term in self.index.analyzer.terms(word) if term in own)
        return summed(*best, self.weighted, self.added)


def forced_forest(forest: Forest, config: SearchConfig) -> Forest:
    """The forest as forced decoding sees it: scored with the lexical weights, and what the configured beam leaves."""
    forest = rescored(forest, config.weights.learned.lex)
    beam = config.bowfd.beam
    return forest if beam is None else within_beam(forest, beam, config.bowfd.sort_edges)


def repeat_factors(forest: Forest, index: Index, repeats: Repeats) -> dict[str, float]:
    """What the weights of those terms are multiplied by that the sentence is expected to repeat."""
    if repeats == Repeats():
        return {}
    terms = WordTerms.of(forest, index)
    found = factors(forest, terms, repeats)
    return {terms.names[t]: float(found[t]) for t in np.flatnonzero(found != 1).tolist()}


def _expected_weights(
    expected: Mapping[str, float], weights: TermWeights, changed: Mapping[str, float]
) -> dict[str, float]:
    """What expected terms weigh, before BM25."""
    own = weights.of(list(expected)) * np.array([changed.get(term, 1.0) for term in expected])
    return dict(zip(expected, (weights.expected * own * np.array(list(expected.values()))).tolist()))
