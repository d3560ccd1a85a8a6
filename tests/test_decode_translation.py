"""What a search configuration changes about decoding: the language model, its weight, the limit, the tuning."""

from __future__ import annotations

import numpy as np
import pytest

from crossbow.decode.translation import Translation
from crossbow.model import Model
from training import corpus

TEXT = "Die Bank in der alten Stadt verleiht Geld"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


def test_nothing_changes_unless_it_is_said(model: Model) -> None:
    decoder = model.decoder.with_translation(Translation())
    assert (decoder.config, decoder.weights) == (model.decoder.config, model.decoder.weights)


def test_without_the_language_model_the_forest_is_whole(model: Model) -> None:
    """As large as without any limit, and nothing in it that the language model knows."""
    without = model.with_translation(Translation(language_model=False))
    forest = without.forest(TEXT)
    assert without.decoder.config.pop_limit == 0 < model.decoder.config.pop_limit
    assert forest == without.with_settings(pop_limit=10**6).forest(TEXT)
    for name in ("LanguageModel", "LanguageModel_OOV"):
        assert not forest.features[:, forest.names.index(name)].any()
    limited = model.with_translation(Translation(language_model=False, pop_limit=2))
    assert limited.decoder.config.pop_limit == 2
    assert limited.forest(TEXT).edges < forest.edges


@pytest.mark.parametrize("tuned", [0.0, 0.25, 1.0])
def test_weights_between_those_before_and_after_tuning(model: Model, tuned: float) -> None:
    start, end = model.decoder.start_weights, {**model.decoder.weights, "LanguageModel": 3.0}
    found = model.with_weights(end).decoder.with_translation(Translation(tuned=tuned, lm_scale=0.5)).weights
    expected = {name: tuned * end[name] + (1 - tuned) * start[name] for name in end}
    expected["LanguageModel"] *= 0.5
    assert list(found) == list(end)
    np.testing.assert_allclose(list(found.values()), [expected[name] for name in found])
