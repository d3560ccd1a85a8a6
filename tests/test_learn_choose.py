"""Settings chosen on the development queries: what is tried, what is kept, and what a model says afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossbow.decode.translation import Translation
from crossbow.learn import choose
from crossbow.learn.axes import BUDGET
from crossbow.learn.choose import AXES, GRID, choose_settings, choose_v
from crossbow.learn.config import LearnConfig
from crossbow.learn.develop import Development
from crossbow.learn.driver import learn
from crossbow.learn.hands import Hands
from crossbow.model import Model
from crossbow.ranking.config import STANDARD, SearchConfig
from crossbow.settings import changed, value_at
from crossbow.weights import TermWeights
from learning import Place, demo_place
from searching import weighing
from training import litter


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


def test_tuning_starts_from_a_value_of_every_axis() -> None:
    start = changed(SearchConfig(), STANDARD)
    for axis in AXES:
        assert value_at(start, axis.path) in axis.values, axis.path


def test_settings_are_chosen_and_saved_with_the_model(place: Place, tmp_path: Path) -> None:
    summary = choose_settings(place.model, place.index, place.development, LearnConfig(), folder=place.folder,
                              out=tmp_path / "out")
    model = Model.load(tmp_path / "out")
    search = SearchConfig.of(model)
    assert model.signature == summary["signature"] != place.model.signature
    assert search.differences_to(SearchConfig()) == summary["chosen"]
    direct = Development(place.development, place.model, place.index, LearnConfig())
    start, best = direct.measure(SearchConfig.of(place.model), Hands(1)), direct.measure(search, Hands(1))
    assert summary["AP with standard settings"] == round(start, 4)
    assert summary["AP with chosen settings"] == round(best, 4)
    assert best >= start
    assert 1 < summary["settings tried"] <= BUDGET + len(place.model.decoder.candidates)
    assert SearchConfig.of(model, "bowfd") == SearchConfig()  # whoever names a method gets the paper's settings
    assert litter(tmp_path) == []


def test_the_way_to_translate_is_chosen_first(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among those that the translator proposes; the other settings are tuned for the forests of the best."""
    def measure(self: Development, search: SearchConfig, hands: Hands) -> float:
        weights = {name: round(weight, 6) for name, weight in self.model.decoder.weights.items()}
        asked.append((search.translation, weights))
        return -abs(search.translation.tuned - 0.5) - abs(search.translation.lm_scale - 0.5)

    asked: list[tuple[Translation, dict[str, float]]] = []
    monkeypatch.setattr(Development, "measure", measure)
    monkeypatch.setattr(choose, "AXES", AXES[:1])
    summary = choose_settings(place.model, place.index, place.development, LearnConfig(), folder=place.folder,
                              out=tmp_path / "out")
    candidates = place.model.decoder.candidates
    assert [translation for translation, _ in asked[: len(candidates)]] == list(candidates)
    chosen = Translation(tuned=0.5, lm_scale=0.5)
    assert {translation for translation, _ in asked[len(candidates) :]} == {chosen}
    for translation, weights in asked:  # each was measured with its own forests
        own = place.model.with_translation(translation).decoder.weights
        assert weights == {name: round(weight, 6) for name, weight in own.items()}
    assert SearchConfig.of(Model.load(tmp_path / "out")).translation == chosen
    assert summary["AP with standard settings"] == -0.5 - 0.5
    assert summary["settings tried"] == len(asked)


def test_learning_ends_with_settings_for_what_it_learned(place: Place, tmp_path: Path,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose, "AXES", AXES[:2])
    summary = learn(place.model, place.index, place.training, place.development,
                    LearnConfig(epochs=2, negatives=8, hard=4, lex=True), folder=place.folder, out=tmp_path / "out")
    model = Model.load(tmp_path / "out")
    search = SearchConfig.of(model)
    assert search.weights.learned == model.learned
    assert (search.weights.expected, search.bowfd.join, search.feedback.documents) == (2.0, True, 10)
    paper = SearchConfig.of(model, "bowfd")
    assert (paper.weights.learned, paper.weights.expected, paper.feedback.documents) == (model.learned, 0.0, 0)
    assert summary["AP with chosen settings"] >= summary["AP with standard settings"]


def test_a_configuration_that_was_given_is_kept(place: Place, tmp_path: Path) -> None:
    """Its expected terms and its feedback are not looked at while learning, but stay."""
    given = changed(SearchConfig(), {**STANDARD, "bm25.k1": 0.7, "feedback.weight": 3.0})
    summary = learn(place.model, place.index, place.training, place.development,
                    LearnConfig(epochs=1, negatives=8, hard=4), folder=place.folder, out=tmp_path / "out",
                    search=given)
    found = SearchConfig.of(Model.load(tmp_path / "out")).differences_to(given)
    assert all(path.startswith("weights.learned") for path in found)
    assert "chosen" not in summary
    plain = Development(place.development, place.model, place.index, LearnConfig())
    assert summary["AP"][0] == round(plain.measure(SearchConfig(bm25=given.bm25, bowfd=given.bowfd), Hands(1)), 4)


# --- v alone ---


def test_the_best_v_of_a_grid(place: Place, tmp_path: Path) -> None:
    tried: dict[float, float] = {}
    summary = choose_v(place.model, place.index, place.development, GRID, LearnConfig(measure="nDCG"),
                       folder=place.folder, out=tmp_path / "out", each=tried.__setitem__)
    assert tuple(tried) == GRID
    best = SearchConfig.of(Model.load(tmp_path / "out")).weights
    assert tried[best.v] == max(tried.values())
    assert best.v == min(v for v in tried if tried[v] == max(tried.values()))
    assert summary["nDCG"] == round(max(tried.values()), 4)
    assert best == TermWeights(best.v)
    assert litter(tmp_path) == []
    direct = Development(place.development, place.model, place.index, LearnConfig(measure="nDCG", joint=True))
    assert direct.measure(SearchConfig(weights=TermWeights(1.6)), Hands(1)) == tried[1.6]


def test_v_is_chosen_among_weights_that_stay(place: Place, tmp_path: Path) -> None:
    start = SearchConfig(weights=weighing(9.0, {"bank": 0.0}, {"LEX:I:the": -0.5}))
    choose_v(place.model, place.index, place.development, [0.4], LearnConfig(), folder=place.folder,
             out=tmp_path / "out", search=start)
    assert SearchConfig.of(Model.load(tmp_path / "out")).weights == weighing(0.4, {"bank": 0.0}, {"LEX:I:the": -0.5})
