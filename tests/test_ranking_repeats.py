"""Repeated words count what the formula says, by every method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.datasets.demo.load import documents, queries
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.model import Model
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.forced.sentence import repeat_factors
from crossbow.ranking.repeats import Repeats
from crossbow.ranking.structured.search import StructuredQuery
from crossbow.ranking.structured.tables import PsqConfig, query_tables
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.weights import TermWeights
from reference.decode import derivations
from reference.forests import forests
from reference.ranking import (
    Texts,
    check_hits,
    direct,
    forced,
    index_of,
    random_collection,
    weight_of,
    weights,
)
from searching import everything, explain, search_forests, weighing
from training import corpus

ENGLISH = Analyzer(Settings("en"))
Formula = Callable[[float], float]
SOME = random_collection(5, 30, segments=2)
WAYS: list[tuple[Repeats, Formula]] = [
    (Repeats(), lambda n: n), (Repeats(power=0.5), lambda n: n**0.5), (Repeats(power=0), lambda n: 1),
    (Repeats(k3=2.0), lambda n: 3 * n / (2 + n)), (Repeats(k3=0.0), lambda n: 1)]  # fmt: skip


@pytest.mark.parametrize(("repeats", "formula"), WAYS)
def test_formulas(repeats: Repeats, formula: Formula) -> None:
    counts = np.arange(1, 9)
    assert repeats.of(counts) == pytest.approx([formula(n) for n in counts.tolist()])


@pytest.mark.parametrize(("repeats", "formula"), WAYS)
def test_direct_translation_and_structured_queries(
    tmp_path_factory: pytest.TempPathFactory, repeats: Repeats, formula: Formula
) -> None:
    model = Model.load(corpus(tmp_path_factory) / "model")
    index, texts = index_of(documents(), ENGLISH, segments=2), Texts(documents(), ENGLISH)
    for query in queries("test")[:4]:
        forests = model.forests(f"{query.text}. {query.text}. {queries('test')[5].text}")
        words = Counter(texts.terms([word for forest in forests for word in Model.best(forest)]))
        expected = direct({term: formula(count) for term, count in words.items()}, texts, 50)
        check_hits(search_forests(forests, index, model, SearchConfig("dt", 50, repeats=repeats)), expected)
        tables = query_tables(forests, index, PsqConfig(), model.lexicon)
        weighted = tables._replace(counts=np.array([formula(count) for count in tables.counts.tolist()]))
        found = search_forests(forests, index, model, SearchConfig("psq", 50, repeats=repeats))
        assert found == StructuredQuery(weighted, index, Bm25()).search(50)


@given(forest=forests(), way=st.sampled_from(WAYS), weights=weights(), k=st.sampled_from([3, 100]))
@settings(deadline=None, max_examples=150)
def test_forced_decoding(forest: Forest, way: tuple[Repeats, Formula], weights: TermWeights, k: int) -> None:
    """A term's weight is that of its expected count, divided by the count."""
    repeats, formula = way
    listed = [(one.score, Counter(SOME.texts.terms(one.words))) for one in derivations(forest)]
    shares = np.exp(np.array([score for score, _ in listed]) - max(score for score, _ in listed))
    counts: Counter[str] = Counter()
    for share, (_, terms) in zip(shares / shares.sum(), listed):
        for term, times in terms.items():
            counts[term] += share * times
    known = {term: max(1.0, count) for term, count in counts.items() if term in SOME.texts.df}
    factor = {term: formula(count) / count for term, count in known.items()}
    expected = weighing(weights.v, {**weights.learned.terms, **{
        term: weight_of(weights, term) * value for term, value in factor.items()}})
    found = repeat_factors(forest, SOME.index, repeats)
    assert [found.get(term, 1.0) for term in known] == pytest.approx([factor[term] for term in known])
    config = everything(k=k, weights=weights, repeats=repeats)
    hits = search_forests([forest], SOME.index, None, config)
    check_hits(hits, forced(forest, SOME.texts, expected, k))
    for hit in hits[:3]:
        assert explain([forest], SOME.index, hit.doc, config).score == pytest.approx(hit.score, abs=2e-6)


@pytest.mark.parametrize("chosen", [{"power": -1}, {"power": 1.5}, {"k3": -0.1}, {"k3": float("inf")}])
def test_settings_that_make_no_sense(chosen: dict[str, float]) -> None:
    with pytest.raises(CrossbowError, match=f"{next(iter(chosen))} is .*; it must be"):
        Repeats(**chosen)
