"""Development queries: the measure of a run, from stored forests or from text."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest

from crossbow.errors import CrossbowError
from crossbow.learn.config import LearnConfig
from crossbow.learn.develop import Development
from crossbow.learn.hands import Hands
from crossbow.pipeline import Stages
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.records.judged import qrels_of
from learning import Place, demo_place
from searching import weighing


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


@pytest.mark.parametrize("measure", ["AP", "MAP", "nDCG@10", "R@5"])
def test_stored_forests_and_texts_measure_the_same(place: Place, tmp_path: Path, measure: str) -> None:
    search = SearchConfig(weights=weighing(0.5, {"castl": 2.0, "bank": -1.0}, {"LEX:I:the": 0.5}))
    config = LearnConfig(measure=measure)
    stored = Development(place.development, place.model, place.index, config)
    stored.prepare(Stages(tmp_path), Hands(2))
    joint = LearnConfig(measure=measure, joint=True)
    fresh = Development(place.development, place.model, place.index, joint)
    fresh.prepare(Stages(tmp_path), Hands(1))
    searcher = Searcher(place.model, place.index, search)
    run = searcher.search_all([(query.id, query.text) for query in place.development])
    qrels = qrels_of(place.development)
    expected = ir_measures.calc_aggregate([ir_measures.parse_measure(measure)], qrels, {
        name: {hit.doc: hit.score for hit in hits} for name, hits in run})[ir_measures.parse_measure(measure)]
    assert 0 < expected < 1
    assert stored.measure(search, Hands(1)) == stored.measure(search, Hands(2)) == fresh.measure(search, Hands(1))
    assert stored.measure(search, Hands(1)) == pytest.approx(expected)
    worse = fresh.measure(search, Hands(1), {**place.model.decoder.weights, "LanguageModel": -5.0, "PassThrough": 9.0})
    assert worse < expected


@pytest.mark.parametrize("name", ["MAPP", "", "nDCG@", "AP(", "7", "import os"])
def test_unknown_measures(place: Place, name: str) -> None:
    with pytest.raises(CrossbowError, match="measure"):
        Development(place.development, place.model, place.index, LearnConfig(measure=name))
