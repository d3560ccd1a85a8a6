"""End-to-end learning: every update lowers the objective, rows stay distributions, the best round is kept."""

from __future__ import annotations

import numpy as np
import pytest

from crossbow.errors import CrossbowError
from crossbow.experiments.poster import alternatives as module
from crossbow.experiments.poster.alternatives import alternatives, of_field, with_field
from crossbow.index import Index
from crossbow.parse.endtoend import TINY, LearningConfig, descend, learn, trees_and_scripts, tune_alpha
from crossbow.parse.objective import Problem
from crossbow.parse.parser import Parser, ParserConfig
from crossbow.parse.pool import ndcg
from crossbow.parse.train import pool_of, train
from parsing import CONFIG, LESSON, Place, parse_place


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return parse_place(tmp_path_factory)


def test_every_update_lowers_the_objective(place: Place) -> None:
    rounds = place.trained.rounds
    assert [one.number for one in rounds] == [0, 1, 2, 3]
    assert (rounds[0].before, rounds[0].after) == (None, None)
    for one in rounds[1:]:
        assert one.after is not None
        assert one.before is not None
        assert one.after < one.before


def test_parameters_stay_distributions(place: Place) -> None:
    likely = place.trained.likely.replace(alpha=1.0)
    pool = pool_of(place.judged["train"], likely, place.index, 8)
    table = likely.model.table
    problem = Problem(pool, *trees_and_scripts(likely, pool), 1.0)
    value, before, after, step = descend(problem, table.starts, table.value, 1.0)
    assert after < before
    assert step <= 1.0
    assert not np.array_equal(value, table.value)
    assert value.min() >= 0
    np.testing.assert_allclose(np.add.reduceat(value, table.starts[:-1]), 1.0)


def test_a_point_from_which_no_step_leads_down_stays(place: Place) -> None:
    likely = place.trained.likely
    pool = pool_of(place.judged["train"], likely, place.index, 8)
    problem = Problem(pool, *trees_and_scripts(likely, pool), 0.0)  # distances do not count, so the gradient is 0
    value, before, after, _ = descend(problem, likely.model.table.starts, likely.model.table.value, 1.0)
    assert before == after
    np.testing.assert_array_equal(value, likely.model.table.value)


def test_the_best_round_is_kept(place: Place) -> None:
    trained = place.trained
    best = max(trained.rounds, key=lambda one: one.ndcg)
    pool = pool_of(place.judged["dev"], trained.parser, place.index)
    distance = trees_and_scripts(trained.parser, pool)[1].distance
    assert trained.parser.config.alpha == best.alpha
    assert ndcg(pool, pool.base - best.alpha * distance).mean() == pytest.approx(best.ndcg)


def test_learning_again_gives_the_same(place: Place) -> None:
    likely = place.trained.likely
    pools = [pool_of(place.judged[split], likely, place.index, depth) for split, depth in (("train", 8), ("dev", None))]
    again, rounds = learn(likely, *pools, LESSON, threads=2)
    assert again.signature == place.trained.parser.signature
    assert [one._replace(seconds=0.0) for one in rounds] == [one._replace(seconds=0.0) for one in place.trained.rounds]


def test_patience_and_tiny_steps(place: Place) -> None:
    likely = place.trained.likely
    training, development = (pool_of(place.judged[split], likely, place.index, 8) for split in ("train", "dev"))
    settled = development._replace(base=1e6 * development.base)  # no distance changes this ranking
    assert len(learn(likely, training, settled, LearningConfig(rounds=9, patience=2))[1]) == 3
    assert len(learn(likely, training, development, LearningConfig(rounds=9, step=TINY / 2))[1]) == 2


def test_distances_that_did_not_count_before_learning_are_learned_from(place: Place) -> None:
    """With α = 0 the objective would not depend on any parameter."""
    likely = place.trained.likely.replace(alpha=0.0)
    pools = [pool_of(place.judged[split], likely, place.index, 8) for split in ("train", "dev")]
    _, rounds = learn(likely, *pools, LearningConfig(rounds=1))
    assert rounds[1].before is not None
    assert rounds[1].after is not None
    assert rounds[1].after < rounds[1].before


def test_only_likelihood(place: Place) -> None:
    made = train(place.index, place.judged["train"], place.judged["dev"], CONFIG, LearningConfig(rounds=0))
    assert made.parser.signature == made.likely.signature == place.trained.likely.signature
    assert len(made.rounds) == 1
    assert made.facts()["likelihood"] == place.trained.likelihood


def test_alpha_is_the_smallest_of_the_best(place: Place) -> None:
    pool = pool_of(place.judged["dev"], place.trained.likely, place.index)
    assert tune_alpha(pool, np.zeros(len(pool.base)))[0] == 0.0


def test_alternatives(place: Place) -> None:
    rows = alternatives(place.trained.likely, [query.text for query in place.judged["train"]],
                        place.judged["dev"], place.index, None)
    assert rows[0].field == "as chosen"
    assert rows[0].ndcg == pytest.approx(place.trained.rounds[0].ndcg)
    fields = {(row.field, row.value) for row in rows}
    assert {("parsing.method", "viterbi"), ("costs.replace", "fraction"), ("similarity.kinds", "exact"),
            ("text.sentences", "1"), ("em.start", "uniform"), ("em.rounds", "0")} <= fields
    assert ("parsing.method", "posterior") not in fields
    assert all(0 <= row.ndcg <= 1 and 0 <= row.long <= 1 for row in rows)


def test_alternatives_are_estimated_from_the_documents_of_training(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Index] = []

    def estimated(index: Index, *_: object) -> tuple[Parser, list[float]]:
        asked.append(index)
        return place.trained.likely, []

    monkeypatch.setattr(module, "estimate", estimated)
    dev = Index.load(place.folder / "index")
    alternatives(place.trained.likely, [], place.judged["dev"], place.index, None, development_index=dev)
    assert asked
    assert all(index is place.index for index in asked)


def test_fields_by_path() -> None:
    changed = with_field(ParserConfig(), "em.start", "uniform")
    assert of_field(changed, "em.start") == "uniform"
    assert of_field(ParserConfig(), "em.start") == "distance"


def test_bad_settings() -> None:
    for wrong in ({"candidates": 1}, {"rounds": -1}, {"patience": 0}, {"step": 0.0}):
        with pytest.raises(CrossbowError):
            LearningConfig(**wrong)
