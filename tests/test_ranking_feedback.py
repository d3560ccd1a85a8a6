"""Feedback: terms of the best documents, added to the query of every method, exactly and explained."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from crossbow.datasets.demo.load import documents, queries
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.index.make import build_index
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.feedback import Feedback, WithFeedback, document_weights
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods import METHODS, Prepared
from crossbow.ranking.searcher import Searcher
from crossbow.text.analyzer import Analyzer, Settings
from training import corpus

QUERIES = [query.text for query in queries("test")][::8]
TEXT = "Die Bank verleiht Geld"
FORCED = SearchConfig().set("weights.expected", 2.0).set("bowfd.join", True)
ALONE = FORCED.set("weights.expected", 0.0)
CONFIGS = [SearchConfig("dt"), SearchConfig("psq"), SearchConfig("expected"), FORCED, ALONE]
NAMES = ["dt", "psq", "expected", "both", "bowfd"]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("feedback") / "index"
    build_index(documents(), folder, lang="en")
    return Index.load(folder)


def terms_of(index: Index, doc: str) -> set[str]:
    return set(index.analyzer.analyze(f"{index[doc].title} {index[doc].text}")[0])


def rocchio(
    index: Index, docs: dict[str, float], terms: int, length: float, k1: float = 1.2, b: float = 0.75
) -> dict[str, float]:
    """From the texts, by the formulas; documents come with what they count."""
    analyzer, mean = Analyzer(Settings("en")), Counter[str]()
    texts = {doc.id: analyzer.analyze(f"{doc.title} {doc.text}") for doc in index}
    average = sum(size for _, size in texts.values()) / len(texts)
    df = Counter(term for found, _ in texts.values() for term in set(found))
    for doc, count in docs.items():
        found, size = texts[doc]
        vector = {term: max(0.0, math.log((len(texts) - df[term] + 0.5) / (df[term] + 0.5)))
                  * tf / (tf + k1 * (1 - b + b * size / average)) for term, tf in Counter(found).items()}
        norm = math.sqrt(sum(weight**2 for weight in vector.values()))
        for term, weight in vector.items():
            mean[term] += count * weight / norm
    best = sorted(mean, key=lambda term: (-mean[term], term))[:terms]
    norm = math.sqrt(sum(mean[term] ** 2 for term in best))
    return {term: length * mean[term] / norm for term in best}


def gains(first: Prepared, index: Index, count: int) -> dict[str, float]:
    """What the best documents gain over the best translation, which methods that do not choose one have no part of."""
    found = {}
    for hit in first.search(count):
        parts = {part.label: part.value for part in first.explain(index.number(hit.doc)).parts}
        found[hit.doc] = hit.score - parts.get("best", 0.0)
    return found


@pytest.mark.parametrize("sharpness", [0.0, 3.0])
@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_terms_of_the_best_documents(model: Model, index: Index, config: SearchConfig, sharpness: float) -> None:
    asked = config.set("feedback.documents", 4).set("feedback.terms", 12).set("feedback.weight", 0.7).set(
        "feedback.sharpness", sharpness)
    for text in QUERIES:
        first = Searcher(model, index, config).prepare(text)
        prepared = Searcher(model, index, asked).prepare(text)
        assert isinstance(prepared, WithFeedback)
        docs = gains(first, index, 4)
        best = max(docs.values(), default=1.0)
        length = math.sqrt(sum(weight**2 for weight in first.weights().values()))
        counts = {doc: (gain / best) ** sharpness for doc, gain in docs.items()}
        expected = rocchio(index, counts, 12, 0.7 * length)
        assert {lent.term: lent.weight for lent in prepared.found} == pytest.approx(expected)
        for lent in prepared.found:
            assert lent.docs == [doc for doc in docs if lent.term in terms_of(index, doc)]


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_the_second_search_is_the_query_with_these_terms(model: Model, index: Index, config: SearchConfig) -> None:
    """Scores are those of the first search plus BM25 of the terms, whichever documents are asked for."""
    searcher = Searcher(model, index, config.set("feedback.documents", 5))
    everything = np.arange(index.slots)
    for text in QUERIES:
        first, prepared = Searcher(model, index, config).prepare(text), searcher.prepare(text)
        assert isinstance(prepared, WithFeedback)
        added = {lent.term: lent.weight for lent in prepared.found}
        more = METHODS["dt"].prepare([], index, None, SearchConfig("dt")).with_added(added).score(everything)
        total = first.score(everything) + more
        assert prepared.score(everything) == pytest.approx(total)
        hits = prepared.search(index.slots)
        scores = [total[index.number(hit.doc)] for hit in hits]
        assert [hit.score for hit in hits] == pytest.approx(scores, abs=1e-6)
        assert scores == sorted(scores, reverse=True)
        assert hits[:7] == prepared.search(7)
        assert {index.id(doc) for doc in np.flatnonzero(more)} <= {hit.doc for hit in hits}


@pytest.mark.parametrize("config", CONFIGS, ids=NAMES)
def test_explanations_add_up_and_name_the_documents(model: Model, index: Index, config: SearchConfig) -> None:
    searcher = Searcher(model, index, config.set("feedback.documents", 5))
    hits = searcher.search(TEXT, k=20)
    for hit in hits:
        explanation = searcher.explain(TEXT, hit.doc)
        assert explanation.score == hit.score == pytest.approx(sum(part.value for part in explanation.parts), abs=2e-6)
        added = [part for part in explanation.parts if part.label == "feedback"]
        lent = {one.term: one.weight for one in explanation.feedback}
        for part in added:
            assert part.value == pytest.approx(sum(match.gain for match in part.matches))
            assert {match.term: match.weight for match in part.matches}.items() <= lent.items()
            assert {match.word for match in part.matches} <= set(lent)
        found = terms_of(index, hit.doc)
        assert {match.term for part in added for match in part.matches} == found & set(lent)
        own = Searcher(model, index, config).prepare(TEXT).terms(index.number(hit.doc))
        assert set(searcher.prepare(TEXT).terms(index.number(hit.doc))) == (set(own) or set(lent) & found)
    assert all(one.docs for one in explanation.feedback)
    assert explanation.to_json()["feedback"][0].keys() == {"term", "weight", "docs"}


def test_a_filter_changes_no_score(model: Model, index: Index) -> None:
    searcher = Searcher(model, index, FORCED.set("feedback.documents", 5))
    scores = {hit.doc: hit.score for hit in searcher.search(TEXT)}
    filtered = searcher.search(TEXT, filter=Filter(id_prefix="b"))
    assert filtered
    assert all(scores[hit.doc] == hit.score for hit in filtered)


def test_nothing_to_take_terms_from(model: Model, index: Index) -> None:
    for config in CONFIGS:
        searcher = Searcher(model, index, config.set("feedback.documents", 5))
        for text in ("", "qqqqxyz"):
            assert searcher.search(text) == Searcher(model, index, config).search(text)
    idle = Searcher(model, index, FORCED.set("feedback.documents", 5).set("feedback.weight", 0.0))
    assert idle.search(TEXT) == Searcher(model, index, FORCED).search(TEXT)


def test_several_sentences_have_to_be_joined(model: Model, index: Index) -> None:
    config = SearchConfig().set("feedback.documents", 5)
    with pytest.raises(CrossbowError, match=r"set bowfd\.join"):
        Searcher(model, index, config).search("Das Schloss ist alt. Die Bank verleiht Geld.")


def test_a_method_without_weighted_terms() -> None:
    class Bare(Prepared):
        def search(self, k, wanted=None):  # type: ignore[no-untyped-def]
            return []

        score = terms = explain = search  # type: ignore[assignment]

    with pytest.raises(CrossbowError, match="Bare has no weighted terms, so there can be no feedback"):
        Bare().weights()


def test_limits() -> None:
    with pytest.raises(CrossbowError, match="documents"):
        Feedback(documents=1000)
    with pytest.raises(CrossbowError, match="weight"):
        Feedback(weight=-1.0)
    assert document_weights([], 8.0) == []
    assert document_weights([-1.0, -2.0], 8.0) == [1.0, 1.0]
    assert document_weights([2.0, 1.0, -1.0], 2.0) == [1.0, 0.25, 0.0]
