"""Expected terms: counts from PSQ's tables, and rankings and explanations in which they have a share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.expected import Expected, counted_terms, expected_terms
from crossbow.ranking.structured.tables import PsqConfig, query_tables
from crossbow.vocab import Vocab
from crossbow.weights import TermWeights
from reference.decode import derivations
from reference.forests import Edge, forest_of, forests
from reference.ranking import (
    VOCABULARY,
    Collection,
    Texts,
    check_hits,
    collections,
    direct,
    forced_scores,
    forest_terms,
    random_collection,
    ranked,
    sharing,
    weight_of,
    weights,
)
from reference.structured import Distribution, table, translations
from searching import everything, explain, part, score_documents, search_forced, search_forests

SOME = random_collection(4, 40, segments=2)
POWERS = st.sampled_from([1.0, 0.7, 0.3])


class Lexicon:
    """Word translations from a dictionary."""

    def __init__(self, words: dict[str, Distribution]):
        self.words = words
        self.source = Vocab([" ", *words])
        self.target = Vocab(dict.fromkeys(other for row in words.values() for other in row))

    def of_id(self, word: int) -> tuple[np.ndarray, np.ndarray]:
        row = self.words.get(self.source.words[word], {})
        return self.target.ids(row), np.array([float(p) for p in row.values()])


def counted(
    sentences: Sequence[Forest], texts: Texts, config: Expected, lexicon: Lexicon | None = None
) -> dict[str, float]:
    """Expected counts to the power, word by word, without those that mostly become words that are no terms."""
    known = lexicon.words if lexicon else None
    rows = table(sentences, config.tables, known, texts.analyzer, set(texts.df))
    words = translations(sentences, config.tables, known)
    total: Counter[str] = Counter()
    for word in (word for sentence in sentences for word in sentence.source):
        if sum(p for other, p in words[word].items() if not texts.analyzer.terms(other)) <= 0.8:
            for term, p in rows[word].items():
                total[term] += float(p)  # type: ignore[assignment]
    return {term: value**config.power for term, value in total.items()}


def averaged(sentences: Sequence[Forest], texts: Texts, power: float) -> dict[str, float]:
    """Without a lexicon: how often the derivations of each sentence have a term, each as probable as its score says."""
    total: Counter[str] = Counter()
    for forest in sentences:
        found = derivations(forest)
        weight = [math.exp(one.score - found[0].score) for one in found]
        for one, share in zip(found, weight):
            for word in one.words:
                for term in texts.analyzer.terms(word):
                    total[term] += share / sum(weight)  # type: ignore[assignment]
    return {term: value**power for term, value in total.items() if texts.df[term]}


def gains(expected: dict[str, float], texts: Texts, chosen: TermWeights, doc: str) -> float:
    return sum(chosen.expected * weight_of(chosen, term) * value * texts.weight(term, doc)
               for term, value in expected.items())  # fmt: skip


def shared(chosen: TermWeights, share: float) -> TermWeights:
    return replace(chosen, expected=share)


@given(forest=forests(), mix=st.sampled_from([0.0, 0.5, 1.0]), power=POWERS, known=st.booleans())
@settings(deadline=None, max_examples=150)
def test_counts(forest: Forest, mix: float, power: float, known: bool) -> None:
    config = Expected(power, PsqConfig(mix=mix, forest=True))
    lexicon: Any = Lexicon({word: {"a": 0.5, "x": 0.25, "nowhere": 0.25} for word in forest.source}) if known else None
    found = expected_terms(query_tables([forest], SOME.index, config.tables, lexicon), config.power)
    assert found == pytest.approx(counted([forest], SOME.texts, config, lexicon))


@given(sentences=st.lists(forests(), min_size=1, max_size=2), power=POWERS)
@settings(deadline=None, max_examples=100)
def test_counts_without_a_lexicon(sentences: list[Forest], power: float) -> None:
    assert counted_terms(sentences, SOME.index, power) == pytest.approx(averaged(sentences, SOME.texts, power))


def test_a_word_that_stands_twice_counts_less_than_twice() -> None:
    config = Expected(0.5, PsqConfig(mix=0.0))
    lexicon: Any = Lexicon({"s": {"a": 0.5, "b": 0.5}})
    once = forest_of([Edge(0, [], -1.0, ["a"])], ["s"])
    twice = forest_of([Edge(0, [], -1.0, ["a"], (0, 2))], ["s", "s"])
    first, second = (query_tables([forest], SOME.index, config.tables, lexicon) for forest in (once, twice))
    assert expected_terms(first, config.power) == pytest.approx({"a": 0.5**0.5, "b": 0.5**0.5})
    assert expected_terms(second, config.power) == pytest.approx({"a": 1.0, "b": 1.0})


def test_function_words_give_no_terms() -> None:
    """A word that mostly becomes stop words is one; one that mostly becomes words without documents is not."""
    lexicon: Any = Lexicon({"die": {"c": 0.85, "a": 0.15}, "haus": {"nowhere": 0.75, "b": 0.125, "c": 0.125},
                            "mit": {"c": 0.6, "x": 0.4}})
    forest = forest_of([Edge(0, [], -1.0, ["a"], (0, 3))], ["die", "haus", "mit"])
    found = expected_terms(query_tables([forest], SOME.index, PsqConfig(mix=0.0), lexicon), power=1.0)
    assert found == pytest.approx({"b": 0.125, "x": 0.4})


@given(forest=forests(), collection=collections(), chosen=weights(), k=st.sampled_from([1, 2, 5, 1000]),
       share=st.sampled_from([0.1, 2.0, -1.0]), extra=st.dictionaries(st.sampled_from(VOCABULARY),
       st.sampled_from([0.1, 1.0, 3.0]), max_size=4))  # fmt: skip
@settings(deadline=None, max_examples=600)
def test_rankings(
    forest: Forest, collection: Collection, chosen: TermWeights, k: int, share: float, extra: dict[str, float]
) -> None:
    """Exact, also for documents that have expected terms only, with any weights."""
    index, texts = collection
    extra = {term: value for term, value in extra.items() if texts.df[term]}
    chosen = shared(chosen, share)
    found = search_forced(forest, index, chosen, k, texts.bm25, extra)
    scores = {doc: score + gains(extra, texts, chosen, doc)
              for doc, score in forced_scores(forest, texts, chosen).items()}  # fmt: skip
    listed = sharing(forest_terms(forest, texts) | set(extra), texts)
    check_hits(found, ranked({doc: scores[doc] for doc in listed}, k))
    numbers = [index.number(doc) for doc in scores]
    assert score_documents(forest, index, chosen, numbers, texts.bm25, extra).tolist() == pytest.approx(
        list(scores.values()), rel=1e-9, abs=1e-9)  # fmt: skip


@given(forest=forests(), chosen=weights(), power=POWERS)
@settings(deadline=None, max_examples=100)
def test_search_and_explanation_agree(forest: Forest, chosen: TermWeights, power: float) -> None:
    index, texts = SOME
    config = everything(weights=shared(chosen, 1.5), expected=Expected(power))
    hits = search_forests([forest], index, None, config)
    for hit in hits[:5]:
        explanation = explain([forest], index, hit.doc, config)
        assert explanation.score == pytest.approx(hit.score, abs=1.1e-6)
        assert explanation.score == pytest.approx(sum(one.value for one in explanation.parts), abs=1.1e-6)
        total = part(explanation, "expected")
        assert total == pytest.approx(gains(averaged([forest], texts, power), texts, config.weights, hit.doc))
        matches = [match for one in explanation.parts if one.label == "expected" for match in one.matches]
        assert [match.gain for match in matches] == sorted(
            (match.weight * match.idf * match.saturation for match in matches), reverse=True)  # fmt: skip


@given(forest=forests(), chosen=weights())
@settings(deadline=None, max_examples=50)
def test_without_a_share_nothing_is_expected(forest: Forest, chosen: TermWeights) -> None:
    plain = search_forests([forest], SOME.index, None, SearchConfig(weights=chosen))
    assert plain == search_forests([forest], SOME.index, None, SearchConfig(weights=chosen, expected=Expected(0.3)))
    if plain:
        explanation = explain([forest], SOME.index, plain[0].doc, SearchConfig(weights=chosen))
        assert [one.label for one in explanation.parts] == ["best", "cost", "gain"]


@given(sentences=st.lists(forests(max_nodes=4), min_size=1, max_size=2), k=st.sampled_from([1, 5, 1000]))
@settings(deadline=None, max_examples=50)
def test_the_method_of_their_own(sentences: list[Forest], k: int) -> None:
    """BM25 for the expected terms of all sentences together."""
    index, texts = SOME
    config = SearchConfig("expected", k)
    bag = averaged(sentences, texts, config.expected.power)
    check_hits(search_forests(sentences, index, None, config), direct(bag, texts, k))


@pytest.mark.parametrize("power", [0.0, -1.0, 1.1, float("nan")])
def test_bad_powers(power: float) -> None:
    with pytest.raises(CrossbowError, match=r"power is .*; it must be"):
        Expected(power)
