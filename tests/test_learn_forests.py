"""Stored forests: they come back as they were, leave out their group, and are made once for several runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossbow.forest.hypergraph import Forest, forest_to_json
from crossbow.learn import rows
from crossbow.learn.forests import ForestRow, Shelf
from crossbow.learn.hands import Hands
from crossbow.learn.rows import load_rows, save_rows
from crossbow.model import Model
from crossbow.pipeline import Stages
from learning import Place, demo_place
from reference.forests import random_forest


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


def test_forests_come_back(tmp_path: Path) -> None:
    forests: list[Forest] = [random_forest(seed) for seed in range(20)]
    save_rows(tmp_path / "rows", "forest", [ForestRow.of(forest, n // 2) for n, forest in enumerate(forests)])
    rows = load_rows(tmp_path / "rows", "forest", ForestRow)
    for n, (row, forest) in enumerate(zip(rows, forests, strict=True)):
        assert row.query.tolist() == [n // 2]
        assert forest_to_json(row.forest()) == {**forest_to_json(forest), "id": ""}


def plain(forests: list[Forest]) -> list[dict]:
    return [{**forest_to_json(forest), "id": ""} for forest in forests]


def test_a_shelf_gives_what_decoding_gives(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever chunk a query is in, and in any order; with its own group left out."""
    monkeypatch.setattr(rows, "CHUNK", 2)
    monkeypatch.setattr("crossbow.learn.forests.CHUNK", 2)
    tasks = place.training[:5]
    exclude = [-1, 3, -1, 0, 1]
    shelf = Shelf(Stages(tmp_path), tasks, place.model, exclude)
    shelf.fill(Hands(2))
    assert len(shelf.chunks) == 3
    for at in (4, 0, 3, 1, 2):
        assert plain(shelf.forests(at)) == plain(place.model.forests(tasks[at].text, "", exclude[at]))


def test_forests_are_made_once(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the queries, what is left out or the translation's weights are others."""
    made = []
    decode = Model.forests
    monkeypatch.setattr(Model, "forests", lambda self, *arguments: made.append(1) or decode(self, *arguments))
    tasks, weights = place.training[:2], dict(place.model.decoder.weights)

    def count(tasks: list, model: Model, exclude: list[int]) -> int:
        made.clear()
        Shelf(Stages(tmp_path), tasks, model, exclude).fill(Hands(1))
        return len(made)

    assert count(tasks, place.model, [-1, -1]) == 2
    assert count(tasks, place.model, [-1, -1]) == 0
    assert count(tasks, place.model, [-1, 5]) == 2
    assert count(tasks[:1], place.model, [-1]) == 1
    assert count(tasks, place.model.with_weights({**weights, "Glue": 0.7}), [-1, -1]) == 2
    assert count(tasks, place.model.with_settings(pop_limit=7), [-1, -1]) == 2
    assert count(tasks, place.model, [-1, -1]) == 0
