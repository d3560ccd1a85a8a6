"""Why a document is where it is: the translation it made the decoder choose, word by word, and how the score adds up.

    explanation = explain(forests, index, "d7", config)
    explanation.score == sum(sentence.counted for sentence in explanation.sentences)
    explanation.to_json()

For every sentence, score = best − cost + gain: the score of the best translation, what the document's own translation
costs against it, and what its terms gain in the document, each term weight × rsj × saturation. If expected terms have a
share in the score, what they gain is a fourth part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from crossbow.arrays import F64, I32
from crossbow.decode.kbest import kbest
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index
from crossbow.ranking.bm25 import Part, term_lists
from crossbow.ranking.forced.search import Compiled, expected_weights, prepare
from crossbow.ranking.forced.viterbi import best_edges
from crossbow.ranking.search import (
    SearchConfig,
    expected_by,
    experts,
    forced_forest,
    forced_weights,
    sentence_lists,
)
from crossbow.ranking.topk import DIGITS


@dataclass(frozen=True)
class Match:
    """A term of the translation that the document has: gain = weight · rsj · saturation."""

    word: str
    term: str
    tf: int
    df: int
    weight: float
    rsj: float
    saturation: float
    gain: float


@dataclass(frozen=True)
class Step:
    """One rule of the derivation: the source words it translates, by position, and the words it puts for them."""

    source: list[int]
    target: list[str]
    links: list[list[int]]  # which of them belong together: [source position, index into target]
    best: list[str]  # what the best translation puts for the same source words
    matches: list[Match]


@dataclass(frozen=True)
class Sentence:
    """The forced derivation of one sentence. `counted` differs from `score` if the document is not in its list."""

    source: list[str]
    target: list[str]
    best_target: list[str]
    steps: list[Step]
    best_steps: list[Step]  # of the best translation; what they match is left out
    best: float
    cost: float
    gain: float
    score: float
    counted: float
    expected: list[Match]  # the expected terms that the document has, those first that gain most


@dataclass(frozen=True)
class Explanation:
    """How a document got its score for a query."""

    doc: str
    score: float
    sentences: list[Sentence]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Prepared(NamedTuple):
    """What is the same for all documents: a sentence's forest, its own settings, and its best translation."""

    forest: Forest
    config: SearchConfig
    query: Compiled
    best_words: list[str]
    best_at: dict[int, tuple[int, list[str]]]  # for each source position the edge that translates it, and its words
    best_steps: list[Step]

    @classmethod
    def of(cls, plain: Forest, index: Index, config: SearchConfig) -> Prepared:
        forest, own = forced_forest(plain, config), replace(config, weights=forced_weights(plain, index, config))
        query = prepare(forest, index, own.weights, config.bm25)
        edges, words = derivation(forest, best_edges(query.exact, np.zeros(len(query.weight)))[1])
        return cls(forest, own, query, words, _words_by_position(forest, edges), steps_of(forest, edges))


def derivation(forest: Forest, choice: I32) -> tuple[list[int], list[str]]:
    """The edges of the derivation that takes these edges, from the top, and the words it yields."""
    edges, words = [], []
    stack = [-forest.nodes]  # a node v waits as -1 - v, a word as itself
    while stack:
        symbol = stack.pop()
        if symbol >= 0:
            words.append(forest.words[symbol])
            continue
        e = int(choice[-1 - symbol])
        edges.append(e)
        tails = forest.tails[forest.tail_starts[e] : forest.tail_starts[e + 1]].tolist()
        target = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]].tolist()
        stack += [s if s >= 0 else -1 - tails[-1 - s] for s in reversed(target)]
    return edges, words


def term_weights(parts: Sequence[Part], number: int) -> tuple[F64, I32]:
    """The saturation and the tf of every term in a document; 0 where it does not have the term."""
    terms = len(parts[0].begin) if parts else 0
    saturation, tfs = np.zeros(terms), np.zeros(terms, np.int32)
    for part in parts:
        if 0 <= number - part.base < len(part.norm):
            for t, (begin, end) in enumerate(zip(part.begin.tolist(), part.end.tolist())):
                k = begin + int(np.searchsorted(part.docs[begin:end], number - part.base))
                if k < end and part.docs[k] == number - part.base:
                    saturation[t], tfs[t] = part.saturation[k], part.tfs[k]
    return saturation, tfs


def matched_terms(
    forests: Sequence[Forest], index: Index, docs: Sequence[str], config: SearchConfig
) -> list[dict[str, float]]:
    """For each document the terms of the query's forced derivations that it has, and what each gains there."""
    return [gains_of(sentences) for sentences in derivations(forests, index, docs, config)]


def gains_of(sentences: Iterable[Sentence]) -> dict[str, float]:
    """The terms that a document has of its derivations, and what each gains there."""
    return {match.term: match.gain for sentence in sentences for step in sentence.steps for match in step.matches}


def derivations(
    forests: Sequence[Forest], index: Index, docs: Sequence[str], config: SearchConfig
) -> Iterator[list[Sentence]]:
    """For each document the forced derivations of the query's sentences; expected terms are left out."""
    prepared = [Prepared.of(plain, index, config) for plain in experts(forests, config)]
    for number in map(index.number, docs):
        yield [explain_sentence(sentence, index, number) for sentence in prepared]


def translations(
    forests: Sequence[Forest], index: Index, docs: Sequence[str], config: SearchConfig
) -> list[list[list[str]]]:
    """For each document the words of the query's sentences as this document makes the decoder translate them.

    Methods that do not force a derivation have the best translation for all of them.
    """
    if config.method != "bowfd":
        return [[[forest.words[word] for word in kbest(forest, 1).words.tolist()] for forest in forests]] * len(docs)
    found: list[list[list[str]]] = [[] for _ in docs]
    for forest in (forced_forest(forest, config) for forest in experts(forests, config)):
        query = prepare(forest, index, config.weights, config.bm25)
        for sentences, doc in zip(found, docs):
            saturation, _ = term_weights(query.parts, index.number(doc))
            _, choice = best_edges(query.exact, query.weight * saturation)
            sentences.append(derivation(forest, choice)[1])
    return found


def explain(
    forests: Sequence[Forest], index: Index, doc: str, config: SearchConfig = SearchConfig(),
    lexicon: Lexicon | None = None,
) -> Explanation:
    """The forced derivations of a document for a query's sentences; the model's lexicon is there for expected terms."""
    number = index.number(doc)
    if number < 0:
        raise CrossbowError(f"the index has no document {doc!r}; is the id spelt right?")
    if not forests:
        raise CrossbowError("the query is empty; there is nothing to explain")
    sentences = []
    for plain in experts(forests, config):
        expected = expected_by(plain, index, config, lexicon)
        sentences.append(explain_sentence(Prepared.of(plain, index, config), index, number, expected))
    if len(sentences) > 1:
        sentences = [_in_list(sentence, hits, doc)
                     for sentence, hits in zip(sentences, sentence_lists(forests, index, config, lexicon))]
    return Explanation(doc, round(sum(sentence.counted for sentence in sentences), DIGITS), sentences)


def _in_list(sentence: Sentence, hits: Sequence[Any], doc: str) -> Sentence:
    """In a query of several sentences, a document that is not in a sentence's list counts as the last in it."""
    if any(hit.doc == doc for hit in hits):
        return sentence
    return Sentence(**{**sentence.__dict__, "counted": hits[-1].score if hits else 0.0})


def explain_sentence(
    prepared: Prepared, index: Index, number: int, expected: Mapping[str, float] | None = None
) -> Sentence:
    """The forced derivation of a document for one sentence."""
    forest, config, query = prepared[:3]
    saturation, tfs = term_weights(query.parts, number)
    value, choice = best_edges(query.exact, query.weight * saturation)
    edges, words = derivation(forest, choice)
    weights = config.weights.of(query.terms.names)

    def match(word: int) -> list[Match]:
        terms = query.terms.terms[query.terms.starts[word] : query.terms.starts[word + 1]].tolist()
        return [
            Match(forest.words[word], query.terms.names[t], int(tfs[t]), index.df(query.terms.names[t]),
                  float(weights[t]), float(query.rsj[t]), float(saturation[t]), float(query.weight[t] * saturation[t]))
            for t in terms if tfs[t]
        ]

    steps = steps_of(forest, edges, prepared.best_at, match)
    gain = sum(found.gain for step in steps for found in step.matches)
    more = _expected_matches(expected or {}, index, number, config)
    score = round(query.best + value + sum(match.gain for match in more), DIGITS)
    return Sentence(forest.source, words, prepared.best_words, steps, prepared.best_steps, query.best, gain - value,
                    gain, score, score, more)


def steps_of(
    forest: Forest, edges: Iterable[int], best: Mapping[int, tuple[int, list[str]]] = MappingProxyType({}),
    match: Callable[[int], list[Match]] = lambda word: [],
) -> list[Step]:
    """The rules of a derivation in the order of the source; `best` says what the best translation has by position."""
    steps = []
    for e in edges:
        own = _own_words(forest, e)
        lex = sorted(forest.lex[forest.lex_starts[e] : forest.lex_starts[e + 1]].tolist())
        if own or lex:
            steps.append(Step(lex, [forest.words[w] for w in own], _links(forest, e), _best_for(best, lex),
                              [found for w in own for found in match(w)]))
    return sorted(steps, key=lambda step: step.source)


def _expected_matches(
    expected: Mapping[str, float], index: Index, number: int, config: SearchConfig
) -> list[Match]:
    """The expected terms that the document has; the weight of each has its share and how much it is expected in it."""
    weights = expected_weights(expected, config.weights)
    lists = term_lists(index, list(weights), config.bm25)
    saturation, tfs = term_weights(lists.parts, number)
    matches = [
        Match(term, term, int(tf), index.df(term), weight, float(rsj), float(sat), float(weight * rsj * sat))
        for (term, weight), rsj, sat, tf in zip(weights.items(), lists.rsj, saturation, tfs) if tf
    ]
    return sorted(matches, key=lambda match: -match.gain)


def _own_words(forest: Forest, e: int) -> list[int]:
    target = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]]
    return [int(s) for s in target if s >= 0]


def _links(forest: Forest, e: int) -> list[list[int]]:
    """The word alignment of an edge, over its words without its gaps."""
    is_word = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]] >= 0
    place = np.cumsum(is_word) - 1
    return [[i, int(place[j])] for i, j in forest.align[forest.align_starts[e] : forest.align_starts[e + 1]].tolist()]


def _words_by_position(forest: Forest, edges: list[int]) -> dict[int, tuple[int, list[str]]]:
    """For each source position the edge that translates it, and that edge's words."""
    found = {}
    for e in edges:
        for position in forest.lex[forest.lex_starts[e] : forest.lex_starts[e + 1]].tolist():
            found[position] = (e, [forest.words[w] for w in _own_words(forest, e)])
    return found


def _best_for(by_position: Mapping[int, tuple[int, list[str]]], lex: list[int]) -> list[str]:
    """The words of all edges that translate these positions in the best translation, each edge once."""
    used = dict(by_position[position] for position in lex if position in by_position)
    return [word for words in used.values() for word in words]
