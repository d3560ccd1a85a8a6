"""A phrase-based model does all that a hierarchical one does: it is tuned and learned for, searches exactly, explains.

Nothing above the decoder knows of grammars; these tests see to it that forests that are chains of edges pass through
everything that was built for those with nested spans.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from commands import good, runner
from crossbow import store
from crossbow.datasets.demo.load import queries
from crossbow.decode.phrases import PhraseDecoder
from crossbow.forest.hypergraph import Forest, write_jsonl
from crossbow.learn.config import LearnConfig
from crossbow.learn.driver import learn
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.forced.lower import span_program
from crossbow.ranking.forced.positions import position_program
from crossbow.ranking.forced.potentials import pushed_down
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.ranking.searcher import search
from crossbow.training.parallel import train
from crossbow.weights import TermWeights
from learning import Place, demo_place
from searching import explain, score_documents, search_forced
from training import QUICK_PHRASES, corpus, phrase_model, write_pairs

QUERIES = [query.text for query in queries("dev")[:6]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return phrase_model(tmp_path_factory)


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return Model.load(folder)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


@pytest.fixture(scope="module")
def forests(model: Model) -> list[Forest]:
    return [model.forest(text) for text in QUERIES]


def test_a_model_knows_its_grammar(folder: Path, model: Model) -> None:
    assert type(model.decoder) is PhraseDecoder
    assert model.decoder.config == QUICK_PHRASES.decode
    assert set(model.decoder.weights) == set(PhraseDecoder.names)
    assert model.decoder.weights != PhraseDecoder.start_weights  # it was tuned
    assert len(model.meta["summary"]["bleu"]) == 2
    assert store.header(folder)["meta"]["summary"]["grammar"] == "phrase"
    forest = model.with_settings(distortion_limit=0).forest("Das Wetter ist schlecht.")
    assert not forest.features[:, forest.names.index("Distortion")].any()
    assert " ".join(model.best(forest)) == "the weather is bad ."


def test_training_again_gives_the_same_weights(folder: Path, model: Model, tmp_path: Path) -> None:
    pairs = [write_pairs(tmp_path, name, list(zip(*(
        (folder.parent / f"{name}.{side}").read_text("utf8").splitlines() for side in ("de", "en")))))
        for name in ("train", "tune")]
    summary = train(pairs[0], tmp_path / "again", QUICK_PHRASES, tuning=pairs[1], threads=1)
    assert summary["signature"] == model.signature


@pytest.mark.parametrize("weights", [TermWeights(v=0.8), TermWeights(v=3.0)])
def test_search_is_exact(forests: list[Forest], place: Place, weights: TermWeights) -> None:
    for forest in forests:
        hits = search_forced(forest, place.index, weights, k=20)
        scores = score_documents(forest, place.index, weights, range(place.index.slots))
        assert [hit.score for hit in hits] == pytest.approx(np.sort(scores)[::-1][: len(hits)], abs=1e-5)


def test_both_bounds_hold_for_such_forests(forests: list[Forest], place: Place) -> None:
    """By source positions, as no word is translated twice; and by spans, as those of tails lie within their heads'."""
    for forest in forests:
        query = ForcedQuery(forest, place.index, TermWeights(v=0.8))
        pushed = pushed_down(query.exact)
        by_position = position_program(forest, query.terms, pushed)
        assert by_position is not None
        assert span_program(forest, pushed) is not None
        assert query.bound.edges < query.exact.edges / 5


@pytest.mark.parametrize("method", ["dt", "psq", "expected", "bowfd"])
def test_every_method_searches(model: Model, place: Place, method: str) -> None:
    found = [search(text, place.index, model, config=SearchConfig(method=method, k=5)) for text in QUERIES]
    assert sum(map(len, found)) > 3 * len(QUERIES)


def test_an_explanation_adds_up(model: Model, place: Place) -> None:
    config = SearchConfig(k=1)
    for text in QUERIES:
        for hit in search(text, place.index, model, config=config):
            found = explain(model.forests(text), place.index, hit.doc, config)
            assert found.score == pytest.approx(hit.score, abs=1e-5)


def test_learning(model: Model, folder: Path, place: Place, tmp_path: Path) -> None:
    for name, config in (("frozen", LearnConfig(epochs=1, negatives=6, lex=True)),
                         ("joint", LearnConfig(epochs=1, negatives=6, joint=True))):
        learn(model, place.index, place.training[:4], place.development[:3], config, folder=folder, out=tmp_path / name)
        learned = Model.load(tmp_path / name)
        assert type(learned.decoder) is PhraseDecoder
        assert learned.decoder.config == model.decoder.config


def test_the_commands(
    tmp_path_factory: pytest.TempPathFactory, model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str]
) -> None:
    text = corpus(tmp_path_factory)
    run = runner(monkeypatch, capsys)
    lines = good(run("train", text / "train.de", text / "train.en", "-o", tmp_path / "model", "--grammar", "phrase",
                     "--distortion-limit", "4", "--pop-limit", "50", "--quiet"))
    assert [line.split() for line in lines.splitlines()[:3]] == [["source", "de"], ["target", "en"],
                                                                 ["grammar", "phrase"]]
    decode = json.loads(good(run("info", tmp_path / "model", "--json")))["meta"]["decode"]
    assert (decode["distortion_limit"], decode["pop_limit"]) == (4, 50)
    assert "grammar" in good(run("info", tmp_path / "model"))


def test_forests_can_be_exchanged(forests: list[Forest], place: Place, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "forests.jsonl", forests)
    for read, forest in zip(Forest.read_jsonl(tmp_path / "forests.jsonl"), forests, strict=True):
        assert search_forced(read, place.index, k=10) == search_forced(forest, place.index, k=10)
