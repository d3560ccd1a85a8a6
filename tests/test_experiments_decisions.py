"""Systems and their settings: paths, what is tried, what is chosen, and how much may be tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.experiments.bowfd.systems import BASELINE, JOIN, NO_LM, POWER, STRONGEST, SYSTEMS
from crossbow.experiments.core.decisions import Decisions, choose_sources, decide_all
from crossbow.experiments.core.systems import Source, System, by_source
from crossbow.learn.axes import Axis
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.repeats import Repeats
from crossbow.settings import changed, value_at


def test_paths_reach_into_settings() -> None:
    search = changed(SearchConfig(), {"bm25.k1": 2.0, "psq.mix": 0.0, "k": 7, "repeats": Repeats(0.5)})
    assert (search.bm25.k1, search.bm25.b, search.psq.mix, search.k, search.repeats.power) == (2.0, 0.75, 0.0, 7, 0.5)
    assert value_at(search, "bm25.k1") == 2.0
    for path in ("bm25.k2", "bogus", "k.k"):
        with pytest.raises(CrossbowError, match="no setting"):
            changed(SearchConfig(), {path: 1})


def test_every_system_can_be_set_up() -> None:
    """Bases come first, axes name real fields and hold where tuning starts, so that the paper's settings are tried."""
    decided: dict[str, SearchConfig] = {}
    for system in SYSTEMS:
        start = decided[system.name] = system.start(decided)
        for axis in system.axes:
            assert value_at(start, axis.path) in axis.values, (system.name, axis.path)
            for value in axis.values:
                assert value_at(changed(start, {axis.path: value}), axis.path) == value
    names = {system.name: system.kind for system in SYSTEMS}
    assert {names[name] for name in STRONGEST} == {BASELINE}
    assert len(names) == len(SYSTEMS)


def test_systems_with_the_same_forests_come_together() -> None:
    systems = [System("a", BASELINE), System("b", BASELINE, source=NO_LM), System("c", BASELINE),
               System("d", BASELINE, source=Source("", Translation(language_model=False)))]
    assert [(source, [system.name for system in group]) for source, group in by_source(systems)] == [
        (Source(), ["a", "c"]), (NO_LM, ["b", "d"])]


def test_a_system_is_searched_as_its_source_translates() -> None:
    """So that its configuration alone says how, whoever searches with it."""
    system = System("a", BASELINE, "b", {"k": 7}, source=NO_LM)
    start = system.start({"b": changed(SearchConfig(), {"translation.lm_scale": 0.5})})
    assert (start.k, start.translation) == (7, Translation(language_model=False))


def test_the_record_says_where_the_grid_ends() -> None:
    systems = [System("a", BASELINE, axes=(Axis("weights.v", (0.1, 0.8)), Axis("bm25.b", (0.2, 0.75, 0.9)),
                                           Axis("repeats", (Repeats(), Repeats(0.5))), JOIN, POWER))]
    settings = changed(SearchConfig(), {"weights.v": 0.1, "expected.power": 1.0})
    decisions = Decisions({"a": settings}, {"a": Source()}, {"a": 0.5})
    record = decisions.record(systems)
    assert record["chosen"] == {"a": {"weights.v": "0.1 (end of the grid)", "bm25.b": "0.75", "repeats": "qtf^1",
                                      "bowfd.join": "False", "expected.power": "1"}}  # nothing can lie beyond these two
    assert record["digest"] == decisions.digest
    assert record["digest"] != Decisions({"a": SearchConfig()}, {"a": Source()}).digest
    assert record["digest"] != replace(decisions, source={"a": Source("phrases")}).digest


class Counting:
    """A cache whose measure prefers a scale of the language model and a v, and that remembers what it was asked."""

    def __init__(self, scale: float, *scales: float) -> None:
        self.scale, self.scales, self.asked, self.report = scale, scales, list[tuple[float, float]](), None

    def choices(self, model: str) -> list[Source]:
        return [Source(model, Translation(lm_scale=scale)) for scale in self.scales]

    def values(self, dev: object, source: Source, search: SearchConfig, measure: str) -> np.ndarray:
        assert search.translation == source.translation
        scale = source.translation.lm_scale
        self.asked.append((scale, search.weights.v))
        return np.array([-abs(scale - self.scale) - abs(search.weights.v - 0.3)])


def test_translations_are_chosen_before_the_rest_and_after_what_it_starts_from() -> None:
    systems = [System("free", BASELINE, "bound", {}, (Axis("weights.v", (0.1, 0.3)),), choosing=True),
               System("bound", BASELINE, axes=(Axis("weights.v", (0.2, 0.8)),))]
    cache, decisions, groups = Counting(0.5, 1.0, 0.5, 0.25), Decisions(), list[list[str]]()
    found = decide_all(cache, None, systems, decisions, lambda group: groups.append([one.name for one in group]))  # type: ignore[arg-type]
    bound, scaled, tuned = [(1.0, 0.8), (1.0, 0.2)], [(1.0, 0.2), (0.5, 0.2), (0.25, 0.2)], [(0.5, 0.1), (0.5, 0.3)]
    assert cache.asked == [*bound, *scaled, (0.5, 0.2), *tuned]
    assert [(system.name, system.source.translation.lm_scale) for system in found] == [("free", 0.5), ("bound", 1.0)]
    assert groups == [["bound"], ["free"]]
    assert [point[:2] for point in decisions.grids["free"]][:3] == [
        ("translation", name) for name in ("the model's own", "lm_scale 0.5", "lm_scale 0.25")]
    assert decisions.record(found)["chosen"]["free"] == {
        "translation": "lm_scale 0.5", "weights.v": "0.3 (end of the grid)"}


def test_of_equal_translations_the_first_is_chosen() -> None:
    cache = Counting(0.5, 0.75, 0.25)
    chosen = choose_sources(cache, None, [System("a", BASELINE, choosing=True)], Decisions())  # type: ignore[arg-type]
    assert [system.source for system in chosen] == cache.choices("")[:1]
