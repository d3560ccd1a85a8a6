"""Repeated words count what the formula says, in both methods that add up words."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crossbow.datasets.demo.load import documents, queries
from crossbow.errors import CrossbowError
from crossbow.model import Model
from crossbow.ranking.repeats import Repeats
from crossbow.ranking.search import SearchConfig, search_forests
from crossbow.ranking.structured import PsqConfig, query_tables, search_structured
from crossbow.text.analyzer import Analyzer, Settings
from reference.ranking import Texts, check_hits, direct, index_of
from training import corpus

ENGLISH = Analyzer(Settings("en"))
WAYS = [(Repeats(), lambda n: n), (Repeats(power=0.5), lambda n: n**0.5), (Repeats(power=0), lambda n: 1),
        (Repeats(k3=2.0), lambda n: 3 * n / (2 + n)), (Repeats(k3=0.0), lambda n: 1)]


@pytest.mark.parametrize(("repeats", "formula"), WAYS)
def test_formulas(repeats: Repeats, formula) -> None:
    counts = np.arange(1, 9)
    assert repeats.of(counts) == pytest.approx([formula(n) for n in counts.tolist()])


@pytest.mark.parametrize(("repeats", "formula"), WAYS)
def test_direct_translation_and_structured_queries(
    tmp_path_factory: pytest.TempPathFactory, repeats: Repeats, formula
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
        assert found == search_structured(weighted, index, 50)


@pytest.mark.parametrize("settings", [{"power": -1}, {"power": 1.5}, {"k3": -0.1}, {"k3": float("inf")}])
def test_settings_that_make_no_sense(settings: dict[str, float]) -> None:
    with pytest.raises(CrossbowError, match="repeated words"):
        Repeats(**settings)
