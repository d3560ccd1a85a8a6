"""The learning kernel against a learner that lists derivations, and its gradient against finite differences."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow import store
from crossbow.forest.hypergraph import Forest
from crossbow.learn.config import LearnConfig
from crossbow.learn.examples import Example, joined, make_example
from crossbow.learn.sampling import Pairs, alive_documents, sample
from crossbow.learn.update import learn_pairs
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.forced.lexical import rescored
from crossbow.ranking.forced.program import Program
from crossbow.ranking.forced.viterbi import best_edges
from reference.learn import EPSILON, RHO, SMT, SlowLearner, featured_forest, named_pairs
from reference.ranking import Collection, program_value, programs, random_collection
from searching import score_documents, weighing

SOME = random_collection(5, 25)
SMT_WEIGHTS = dict(zip(SMT, (0.6, -0.3, 0.2)))


def start(name: str) -> float:
    return SMT_WEIGHTS.get(name, 0.8 if name.startswith("IR:") else 0.0)


class Fast:
    """The kernel with weights by name, as the slow learner has them."""

    def __init__(self, config: LearnConfig):
        self.config = config
        self.table: dict[str, list[float]] = {}

    def learn(self, example: Example) -> tuple[int, float]:
        names = store.unpack_strings(example.names)
        columns = [np.array(column) for column in zip(*(self.table.get(name, [start(name), 0.0, 0.0])
                                                        for name in names))]  # fmt: skip
        frozen = np.array([self.config.frozen(name) for name in names])
        found = learn_pairs(*example[:-1], frozen, *columns)
        self.table.update(zip(names, map(list, zip(*(column.tolist() for column in columns)))))
        return found


def random_pairs(seed: int, config: LearnConfig, collection: Collection = SOME) -> Pairs:
    rng = random.Random(seed)
    alive = alive_documents(collection.index)
    levels = {number: rng.randint(1, 3) for number in rng.sample(alive.tolist(), 3)}
    return sample(str(seed), levels, alive, alive[:5], config)


CONFIGS = {
    "terms": LearnConfig(), "dense": LearnConfig(dense=True), "lexical": LearnConfig(lex=True),
    "joint": LearnConfig(joint=True), "everything": LearnConfig(joint=True, lex=True),
    "frozen": LearnConfig(joint=True, lex=True, freeze=("LEX:A:*", "Rule", "IR:a")),
}


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("seed", range(6))
def test_weights_and_sums_equal_those_of_the_slow_learner(kind: str, seed: int) -> None:
    config = replace(CONFIGS[kind], negatives=4, hard=1)
    slow, fast = SlowLearner(SOME.texts, config, start), Fast(config)
    violations = 0
    for query in range(3):
        forests = [featured_forest(100 * seed + 10 * query + k, SMT_WEIGHTS) for k in range(1 + query)]
        pairs = random_pairs(10 * seed + query, config)
        example = make_example(forests, SOME.index, pairs, SearchConfig(), config)
        for _ in range(2):
            expected = slow.learn(forests, named_pairs(pairs, SOME.index))
            assert fast.learn(example) == pytest.approx(expected, abs=1e-9)
            violations += expected[0]
    assert violations > 5
    for name, (weight, squares, steps) in fast.table.items():
        assert weight == pytest.approx(slow.weight(name), abs=1e-9), name
        assert squares == pytest.approx(slow.squares.get(name, 0.0), abs=1e-9), name
        assert steps == pytest.approx(slow.steps.get(name, 0.0), abs=1e-9), name
        assert not (config.frozen(name) and squares)
    assert slow.weights.keys() <= fast.table.keys()


@pytest.mark.parametrize("kind", ["terms", "dense", "everything"])
@pytest.mark.parametrize("seed", range(8))
def test_gradients_are_those_of_finite_differences(kind: str, seed: int) -> None:
    """What a single step says about the gradient, against the loss a little to both sides of every weight."""
    config = replace(CONFIGS[kind], negatives=1)
    forests = [featured_forest(seed, SMT_WEIGHTS), featured_forest(seed + 50, SMT_WEIGHTS)]
    pairs = random_pairs(seed, config)
    for p, (plus, minus, margin) in enumerate(named_pairs(pairs, SOME.index)[:2]):
        one = pairs._replace(positive=pairs.positive[p : p + 1], starts=np.array([0, 1], np.int32),
                             negative=pairs.negative[p : p + 1], margin=pairs.margin[p : p + 1] + 5.0)
        fast = Fast(config)
        example = make_example(forests, SOME.index, one, SearchConfig(), config)
        violations, loss = fast.learn(example)
        slow = SlowLearner(SOME.texts, config, start)
        assert violations == 1
        assert loss == pytest.approx(slow.hinge(forests, plus, minus, margin + 5.0)[0])
        for name, (weight, squares, _) in fast.table.items():
            gradient = math.copysign(math.sqrt(squares / (1 - RHO)), weight - start(name))
            sides = []
            for step in (1e-6, -1e-6):
                slow.weights = {name: start(name) + step}
                sides.append(slow.hinge(forests, plus, minus, margin + 5.0)[0])
            assert -gradient == pytest.approx((sides[0] - sides[1]) / 2e-6, abs=1e-6), name


def test_adadelta_by_hand() -> None:
    """One term, in one of two documents, three times the same pair: three steps of the recurrences."""
    example = Example(
        *(np.array(column, np.int32) for column in ([0, 1], [0, 1], [0])), np.zeros(1), np.zeros((1, 0), np.float32),
        np.zeros(2, np.int32), np.zeros(0, np.int32), np.zeros(1, np.int32), np.array([2.0, 0.0]),
        *(np.array(column, np.int32) for column in ([0], [0, 3], [1, 1, 1])), np.full(3, 50.0),
        store.pack_strings(["IR:a"]))
    weights, squares, steps = np.array([0.8]), np.zeros(1), np.zeros(1)
    violations, loss = learn_pairs(*example[:-1], np.zeros(1, np.bool_), weights, squares, steps)
    w, big, small, expected = 0.8, 0.0, 0.0, 0.0
    for _ in range(3):
        expected += 50 - 2 * w
        big = RHO * big + (1 - RHO) * 4
        u = 2 * math.sqrt(small + EPSILON) / math.sqrt(big + EPSILON)
        small = RHO * small + (1 - RHO) * u * u
        w += u
    assert (violations, loss) == (3, pytest.approx(expected))
    assert (weights[0], squares[0], steps[0]) == pytest.approx((w, big, small), rel=1e-12)
    assert weights[0] == pytest.approx(0.8 + 3 * 0.0045, abs=0.003)  # first steps are √(ε/.05), whatever the gradient


def test_no_update_without_a_violation() -> None:
    config = LearnConfig(negatives=4, lex=True)
    forests = [featured_forest(3, SMT_WEIGHTS)]
    pairs = random_pairs(3, config)
    fast = Fast(config)
    example = make_example(forests, SOME.index, pairs._replace(margin=pairs.margin - 1000.0), SearchConfig(), config)
    assert fast.learn(example) == (0, 0.0)
    assert {name: row[0] for name, row in fast.table.items()} == {name: start(name) for name in fast.table}


@given(parts=st.lists(programs(), min_size=1, max_size=3), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=80)
def test_joined_programs_add_up(parts: Sequence, seed: int) -> None:
    rng = np.random.default_rng(seed)
    leaves = [rng.normal(size=program.leaves) for program in parts]
    whole = joined(parts)
    expected = sum(program_value(program, leaf) for program, leaf in zip(parts, leaves))
    assert program_value(whole, np.concatenate(leaves)) == pytest.approx(expected)
    assert best_edges(whole, np.concatenate(leaves))[0] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_an_example_scores_as_the_search_does(seed: int) -> None:
    """The program of an example, its leaves weighted, gives a document the sum of its sentences' scores."""
    rng = random.Random(seed)
    config = LearnConfig(lex=True, negatives=9)
    forests: list[Forest] = [featured_forest(seed, SMT_WEIGHTS), featured_forest(seed + 9, SMT_WEIGHTS)]
    pairs = random_pairs(seed, config)
    example = make_example(forests, SOME.index, pairs, SearchConfig(), config)
    names = store.unpack_strings(example.names)
    values = {name: rng.uniform(-1, 2) for name in names}
    terms = {name[3:]: value for name, value in values.items() if name.startswith("IR:")}
    lex = {name: value for name, value in values.items() if name.startswith("LEX:")}
    expected = sum(score_documents(rescored(forest, lex), SOME.index, weighing(terms=terms), pairs.docs.tolist())
                   for forest in forests)
    weights = np.array([values[name] for name in names])
    cost = -example.score - [weights[example.lex[a:b]].sum()
                             for a, b in zip(example.lex_starts[:-1], example.lex_starts[1:])]  # fmt: skip
    program = Program(len(example.leaf), example.first, example.starts, example.operands, cost)
    for row, score in enumerate(expected):
        leaf = weights[example.leaf] * example.values.reshape(len(pairs.docs), -1)[row]
        assert best_edges(program, leaf)[0] == pytest.approx(score)


@pytest.mark.parametrize("kind", ["terms", "joint"])
def test_lexical_weights_of_earlier_learning_count_as_part_of_the_score(kind: str) -> None:
    config = replace(CONFIGS[kind], negatives=4)
    forests = [featured_forest(seed, SMT_WEIGHTS) for seed in (3, 4)]
    pairs = random_pairs(3, config)
    plain, lexical = (make_example(forests, SOME.index, pairs, SearchConfig(weights=weighing(lex=lex)), config)
                      for lex in ({}, {"LEX:I:a": -2.0, "LEX:A:s0:b": 1.5}))
    added = [rescored(forest, {"LEX:I:a": -2.0, "LEX:A:s0:b": 1.5}).score - forest.score for forest in forests]
    assert np.abs(np.concatenate(added)).max() >= 1.5
    assert lexical.score == pytest.approx(plain.score + np.concatenate([*added, [0.0]]))
    assert all(np.array_equal(a, b) for name, a, b in zip(plain._fields, plain, lexical) if name != "score")
