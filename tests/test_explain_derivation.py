"""Explanations: a derivation of the forest whose parts add up to the score that the search gives."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.decode.kbest import kbest
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import inside
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.config import Forced, SearchConfig
from crossbow.ranking.explain.derivation import derivation, derived_words
from crossbow.ranking.explain.records import Explanation, Part, Sentence
from crossbow.ranking.methods import bowfd
from crossbow.ranking.searcher import Searcher
from crossbow.records import Doc
from crossbow.weights import TermWeights
from reference.decode import derivations
from reference.forests import Edge, edges_of, forest_of, forests, random_forest
from reference.ranking import (
    Collection,
    Texts,
    collections,
    forced,
    forced_scores,
    index_of,
    random_collection,
    weight_of,
    weights,
)
from searching import everything, explain, part, search_forests

SOME = random_collection(4, 30, segments=2)


@given(forests())
@settings(max_examples=60, deadline=None)
def test_the_words_of_a_derivation(forest: Forest) -> None:
    best = kbest(forest, 1)
    choice = forest.first[:-1].copy()
    heads = np.searchsorted(forest.first, best.edges, "right") - 1
    choice[heads] = best.edges
    words = derivation(forest, choice)[1]
    assert sorted(forest.words[word] for word in derived_words(forest, choice)) == sorted(words)


def test_a_derivation_of_any_length() -> None:
    """A word below each node of a chain that is longer than what there is room for at first."""
    chain = forest_of([Edge(0, [], 0.0, ["a"]), *(Edge(at + 1, [at], 0.0, [0, "b"]) for at in range(999))], ["x"])
    choice = chain.first[:-1].copy()
    assert len(derived_words(chain, choice)) == len(derivation(chain, choice)[1]) == 1000


def check_sentence(
    sentence: Sentence, parts: list[Part], forest: Forest, texts: Texts, doc: str, chosen: TermWeights
) -> None:
    """All that a sentence and its parts say, by listing all derivations."""
    best, cost, gain = (part.value for part in parts)
    assert [part.label for part in parts] == ["best", "cost", "gain"]
    listed = {d.words for d in derivations(forest)}
    assert tuple(sentence.target) in listed
    assert tuple(sentence.best_target) in listed
    assert sentence.source == forest.source
    assert best == pytest.approx(inside(forest)[-1], abs=1e-8)
    assert best + cost + gain == pytest.approx(forced_scores(forest, texts, chosen)[doc], abs=1.1e-6)
    assert cost <= 1e-9
    assert sum(len(unit.words) for unit in sentence.units) == len(sentence.target)
    assert Counter(word for step in sentence.steps for word in step.target) == Counter(sentence.target)
    matches = [match for step in sentence.steps for match in step.matches]
    terms = [term for term in texts.terms(sentence.target) if texts.bags[doc][term]]
    assert Counter(match.term for match in matches) == Counter(terms)
    for match in matches:
        assert match.term in texts.analyzer.terms(match.word)
        assert (match.tf, match.df) == (texts.bags[doc][match.term], texts.df[match.term])
        assert match.weight == weight_of(chosen, match.term)
        assert match.idf == pytest.approx(texts.rsj(match.term))
        assert match.saturation == pytest.approx(texts.saturation(match.term, doc))
        assert match.gain == pytest.approx(match.weight * match.idf * match.saturation)
    assert gain == pytest.approx(sum(match.gain for match in matches))
    assert parts[2].matches == matches


def check_steps(sentence: Sentence, forest: Forest) -> None:
    """Steps are edges of the forest, or several that share positions; what the best translation has stands beside."""
    edges = Counter((tuple(sorted(edge.lex)), tuple(s for s in edge.target if isinstance(s, str)))
                    for edge in edges_of(forest))  # fmt: skip
    for step in sentence.steps:
        if (tuple(step.source), tuple(step.target)) not in edges:
            inside = [(lex, words) for lex, words in edges if lex and set(lex) <= set(step.source)]
            assert {position for lex, _ in inside for position in lex} == set(step.source)
            assert set(step.target) <= {word for _, words in inside for word in words}
        assert step.source or step.target
        assert not Counter(step.best) - Counter(sentence.best_target)
    assert [step.source for step in sentence.steps] == sorted(step.source for step in sentence.steps)
    positions = [position for step in sentence.steps for position in step.source]
    assert len(positions) == len(set(positions))


@given(forest=forests(), collection=collections(), chosen=weights(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=150)
def test_one_sentence(forest: Forest, collection: Collection, chosen: TermWeights, seed: int) -> None:
    index, texts = collection
    if not texts.bags:
        return
    doc = sorted(texts.bags)[seed % len(texts.bags)]
    config = SearchConfig(weights=chosen, bm25=texts.bm25)
    explanation = explain([forest], index, doc, config)
    (sentence,) = explanation.sentences
    check_sentence(sentence, explanation.parts, forest, texts, doc, chosen)
    check_steps(sentence, forest)
    assert (explanation.doc, explanation.method) == (doc, "bowfd")
    assert explanation.score == pytest.approx(sum(part.value for part in explanation.parts), abs=1.1e-6)
    found = {hit.doc: hit.score for hit in search_forests([forest], index, None, config)}
    if doc in found:
        assert explanation.score == pytest.approx(found[doc], abs=1e-6)
    gains: Counter[str] = Counter()
    for match in explanation.matches():
        gains[match.term] += match.gain
    assert Searcher(None, index, config).prepare(forest).terms(index.number(doc)) == pytest.approx(dict(gains))
    assert json.loads(json.dumps(explanation.to_json())) == explanation.to_json()


@given(sentences=st.lists(forests(max_nodes=4, max_derivations=40), min_size=2, max_size=3), chosen=weights(),
       length=st.sampled_from([1, 5, 1000]), seed=st.integers(0, 99))  # fmt: skip
@settings(deadline=None, max_examples=60)
def test_several_sentences(sentences: list[Forest], chosen: TermWeights, length: int, seed: int) -> None:
    """A sentence in whose list the document is not counts as the list's last; one without a list counts nothing."""
    index, texts = SOME
    config, doc = everything(weights=chosen), sorted(texts.bags)[seed % len(texts.bags)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bowfd, "LIST_LENGTH", length)
        explanation = explain(sentences, index, doc, config)
        hits = search_forests(sentences, index, None, config)
    rest, counted = list(explanation.parts), []
    for sentence, forest in zip(explanation.sentences, sentences, strict=True):
        own, rest = rest[:3], rest[3:]
        check_sentence(sentence, own, forest, texts, doc, chosen)
        listed = forced(forest, texts, chosen, length)
        counted.append(dict(listed).get(doc, listed[-1][1] if listed else 0.0))
        moved = [rest.pop(0).value] if rest and rest[0].label == "not listed" else []
        assert sum(part.value for part in own) + sum(moved) == pytest.approx(counted[-1], abs=2e-6)
        assert bool(moved) <= (doc not in dict(listed))
    assert rest == []
    assert explanation.score == pytest.approx(sum(counted), abs=5e-6)
    score = {hit.doc: hit.score for hit in hits}
    if doc in score:
        assert explanation.score == pytest.approx(score[doc], abs=5e-6)


def test_by_hand() -> None:
    """The document knows the word that the best translation does not use."""
    docs = [Doc("lakes", "a lake and another lake"), Doc("sea", "the sea"), *(Doc(f"d{n}", "x") for n in range(8))]
    texts, index = Texts(docs), index_of(docs)
    edges = [Edge(0, [], -1.0, ["sea"], (1, 2), (1,)), Edge(0, [], -3.0, ["lake"], (1, 2), (1,)),
             Edge(1, [0], -0.5, ["house", 0], (0, 2), (0,))]  # fmt: skip
    forest = forest_of(edges, ["haus", "see"])
    explanation = explain([forest], index, "lakes", SearchConfig(weights=TermWeights(v=4.0)))
    (sentence,) = explanation.sentences
    gain = 4.0 * texts.weight("lake", "lakes")
    assert (sentence.target, sentence.best_target) == (["house", "lake"], ["house", "sea"])
    assert [part.value for part in explanation.parts] == pytest.approx([-1.5, -2.0, gain])
    assert explanation.score == pytest.approx(-3.5 + gain, abs=1e-6)
    first, second = sentence.steps
    assert (first.source, first.target, first.best, first.matches) == ([0], ["house"], ["house"], [])
    assert (second.source, second.target, second.best) == ([1], ["lake"], ["sea"])
    assert [(match.word, match.term, match.tf, match.df) for match in second.matches] == [("lake", "lake", 2, 1)]
    plain = explain([forest], index, "sea", SearchConfig(weights=TermWeights(v=0.01)))
    assert (plain.sentences[0].target, part(plain, "cost")) == (plain.sentences[0].best_target, 0)


@pytest.mark.parametrize("sort", [True, False])
def test_within_a_beam(sort: bool) -> None:
    """What the search with a beam found is explained with the same beam."""
    config = SearchConfig(bowfd=Forced(beam=1, sort_edges=sort), bm25=Bm25(0.9, 0.4), weights=TermWeights(v=3.0))
    for seed in range(15):
        forest = random_forest(seed)
        for hit in search_forests([forest], SOME.index, None, config)[:5]:
            explanation = explain([forest], SOME.index, hit.doc, config)
            assert explanation.score == pytest.approx(hit.score, abs=1e-6)
            if sort:
                assert part(explanation, "cost") == pytest.approx(0, abs=1e-9)


def test_edges_without_words_or_positions_are_no_steps() -> None:
    edges = [Edge(0, [], 0.0, [], (0, 1), (0,)), Edge(1, [0], 0.0, [0, "a"], (0, 2)), Edge(2, [1], 0.0, [0], (0, 2))]
    (sentence,) = explain([forest_of(edges, ["s", "t"])], SOME.index, SOME.index.id(0)).sentences
    assert [(step.source, step.target) for step in sentence.steps] == [([], ["a"]), ([0], [])]


def test_deep_forests() -> None:
    """A derivation with more steps than Python has room for calls."""
    edges = [Edge(v, [v - 1] if v else [], 0.0, [0, "a"] if v else ["b"]) for v in range(5000)]
    (sentence,) = explain([forest_of(edges, ["s"])], SOME.index, SOME.index.id(0)).sentences
    assert sentence.target == ["b"] + ["a"] * 4999


def test_nothing_to_explain() -> None:
    with pytest.raises(CrossbowError, match="the index has no document 'nowhere'"):
        explain([random_forest(1)], SOME.index, "nowhere")
    with pytest.raises(CrossbowError, match="the query is empty"):
        explain([], SOME.index, SOME.index.id(0))
    deleted = index_of([Doc("d", "a"), Doc("e", "a")], dead=frozenset(["d"]))
    with pytest.raises(CrossbowError, match="no document 'd'"):
        explain([random_forest(1)], deleted, "d")
    assert isinstance(explain([random_forest(1)], deleted, "e"), Explanation)


def test_links_count_words_only() -> None:
    """Alignments point into the whole target side of a rule, links into its words."""
    edges = [Edge(0, [], 0.0, ["b"], (1, 2), (1,)),
             Edge(1, [0], 0.0, ["a", 0, "c", "d"], (0, 3), (0, 2), ((0, 0), (2, 3), (0, 2)))]
    forest = forest_of(edges, ["x", "y", "z"])
    step = explain([forest], index_of([Doc("d", "a")]), "d").sentences[0].steps[0]
    assert (step.source, step.target) == ([0, 2], ["a", "c", "d"])
    assert step.links == [[0, 0], [2, 2], [0, 1]]


SHARED = forest_of([  # a lattice, in which x is translated by a and c, beside the word b that y became
    Edge(0, [], 0.0, ["a"], (0, 2), (0,), ((0, 0),)), Edge(1, [0], 0.0, [0, "b"], (0, 2), (1,), ((1, 1),)),
    Edge(1, [0], -0.5, [0, "e"], (0, 2), (1,), ((1, 1),)), Edge(2, [1], 0.0, [0, "c", "d"], (0, 2), (0,), ((0, 1),)),
], ["x", "y"])


def test_edges_that_share_a_position_are_one_step() -> None:
    """A source word is in one row, with all words that stand for it in their order."""
    index = index_of([Doc("b", "a b d"), Doc("e", "e c"), Doc("none", "x")])
    config = SearchConfig(weights=TermWeights(v=9.0))
    same, other = (explain([SHARED], index, doc, config).sentences[0] for doc in ("b", "e"))
    assert [(step.source, step.target, step.best) for step in same.steps] == [
        ([0], ["a", "c", "d"], ["a", "c", "d"]), ([1], ["b"], ["b"])]
    assert [(unit.source, [word.text for word in unit.words], unit.best) for unit in same.units] == [
        ([0], ["a", "c", "d"], ["a", "c", "d"]), ([1], ["b"], ["b"])]
    assert [(step.source, step.target, step.best) for step in other.steps] == [
        ([0], ["a", "c", "d"], ["a", "c", "d"]), ([1], ["e"], ["b"])]
    assert same.steps[0].links == [[0, 0], [0, 1]]
    assert [match.word for match in same.steps[0].matches] == ["a", "d"]


def test_words_that_translate_nothing_keep_their_order() -> None:
    edges = [Edge(0, [], 0.0, ["a"]), Edge(1, [0], 0.0, [0, "b"]), Edge(2, [1], 0.0, [0, "c"], (0, 1), (0,))]
    (sentence,) = explain([forest_of(edges, ["x"])], SOME.index, SOME.index.id(0)).sentences
    assert [(step.source, step.target) for step in sentence.steps] == [([], ["a"]), ([], ["b"]), ([0], ["c"])]
