"""Shards: how their weights are mixed, what they keep, and that neither threads nor storing change anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from crossbow import store
from crossbow.learn.config import LearnConfig
from crossbow.learn.examples import Example
from crossbow.learn.hands import Hands
from crossbow.learn.shards import Shard, State

V = 0.8
ONE_STEP = (1e-6 / (0.05 * 4 + 1e-6)) ** 0.5 * 2  # for a gradient of 2


def example(names: list[str], values: list[float], margin: float = 50.0, times: int = 1) -> Example:
    """A query of one edge per term, all in one derivation: the first document has these values, the second none."""
    count = len(names)
    return Example(
        np.array([0, 1], np.int32), np.array([0, count], np.int32), np.arange(count, dtype=np.int32), np.zeros(1),
        np.zeros((1, 0), np.float32), np.zeros(2, np.int32), np.zeros(0, np.int32), np.arange(count, dtype=np.int32),
        np.array([*values, *[0.0] * count]), np.zeros(1, np.int32), np.array([0, times], np.int32),
        np.ones(times, np.int32), np.full(times, margin), store.pack_strings(names))


class Given:
    """Training data that is just there."""

    def __init__(self, *shards: list[Example]):
        self.shards = shards
        self.queries = [each for shard in shards for each in shard]
        self.model = SimpleNamespace(decoder=SimpleNamespace(names=()))

    def examples(self, shard: int, smt: Callable[[], dict[str, float]]) -> Iterator[Example]:
        yield from self.shards[shard]


def run(state: State, given: Given, threads: int = 1, freeze: tuple[str, ...] = ()) -> tuple[int, int, float]:
    return state.run(given, lambda name: V, LearnConfig(freeze=freeze), Hands(threads),  # type: ignore[arg-type]
                     lambda *report: None, "")


def new(shards: int) -> State:
    return State([Shard() for _ in range(shards)])


def test_what_a_shard_did_not_touch_counts_as_it_was() -> None:
    """`both` moves in two shards of three, `one` in one, `idle` is seen but has no gradient, `shy` violates nothing."""
    state = new(3)
    given = Given([example(["IR:both", "IR:one", "IR:idle"], [2.0, 2.0, 0.0])], [example(["IR:both"], [2.0])],
                  [example(["IR:shy", "IR:one"], [2.0, 0.0], margin=0.1)])
    assert run(state, given) == (3, 2, pytest.approx(50 - 4 * V + 50 - 2 * V))
    assert state.weights == pytest.approx({"IR:both": V + 2 * ONE_STEP / 3, "IR:one": V + ONE_STEP / 3})
    first = dict(zip(state.shards[0].vocab.words, state.shards[0].used.T.tolist()))
    assert first["IR:both"][:2] == [state.weights["IR:both"]] * 2
    assert first["IR:idle"] == [V, V, 0.0, 0.0, 0.0]
    assert state.shards[2].used[:2, state.shards[2].vocab.index["IR:one"]].tolist() == [state.weights["IR:one"]] * 2
    assert first["IR:both"][2] == pytest.approx(0.05 * 4)


def test_sums_stay_with_their_shard() -> None:
    state = new(2)
    given = Given([example(["IR:a"], [2.0])], [example(["IR:a"], [1.0])])
    run(state, given)
    run(state, given)
    squares = [float(shard.used[2, 0]) for shard in state.shards]
    assert squares == pytest.approx([(0.95 * 0.05 + 0.05) * 4, (0.95 * 0.05 + 0.05) * 1])


def test_untouched_weights_stay_to_the_last_bit() -> None:
    """Averages of three equal numbers need not be that number."""
    state = State([Shard() for _ in range(3)], {"IR:old": 0.1})
    run(state, Given([example(["IR:old", "IR:a"], [0.0, 2.0])], [example(["IR:old"], [0.0])], []))
    assert state.weights["IR:old"] == 0.1
    assert state.shards[1].used[:2, 0].tolist() == [0.1, 0.1]


def test_a_weight_of_zero_is_kept(tmp_path: Path) -> None:
    state = State([Shard(["IR:a"], np.array([[0.0], [0.0], [0.3], [0.1], [0.0]]))], {"IR:a": 0.0, "IR:b": 1.0})
    state.save(tmp_path / "state", {"number": 3})
    again = State.load(tmp_path / "state", 1)
    assert again.weights == {"IR:a": 0.0, "IR:b": 1.0}
    assert again.shards[0].vocab.words == ["IR:a"]
    assert np.array_equal(again.shards[0].used, state.shards[0].used)
    assert store.header(tmp_path / "state")["meta"] == {"number": 3}


def random_data(seed: int, shards: int = 3) -> Given:
    rng = np.random.default_rng(seed)
    words = [f"IR:w{n}" for n in range(12)]

    def some() -> Example:
        names = rng.choice(words, rng.integers(1, 6), replace=False).tolist()
        return example(names, rng.normal(size=len(names)).tolist(), float(rng.uniform(-1, 6)), int(rng.integers(1, 5)))

    return Given(*([some() for _ in range(20)] for _ in range(shards)))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_neither_threads_nor_storing_change_a_bit(tmp_path: Path, threads: int) -> None:
    data, straight, stored = random_data(3), new(3), new(3)
    for epoch in range(3):
        expected = run(straight, data)
        assert run(stored, data, threads) == expected
        stored.save(tmp_path / str(epoch), {})
        stored = State.load(tmp_path / str(epoch), 3)
    assert stored.weights == straight.weights
    assert list(stored.weights) == list(straight.weights)
    assert len(stored.weights) == 12
    for left, right in zip(stored.shards, straight.shards):
        assert left.vocab.words == right.vocab.words
        assert np.array_equal(left.used, right.used)


def test_frozen_features_are_not_touched() -> None:
    state = new(1)
    run(state, Given([example(["IR:a", "IR:b"], [1.0, 1.0])]), freeze=("IR:b",))
    assert state.weights.keys() == {"IR:a"}


def test_an_error_in_one_shard_ends_all_of_them() -> None:
    seen: list[int] = []

    class Broken(Given):
        def examples(self, shard: int, smt: Callable[[], dict[str, float]]) -> Iterator[Example]:
            if shard == 0:
                raise KeyboardInterrupt
            for n in range(100_000):
                seen.append(n)
                yield example(["IR:a"], [1.0])

    with pytest.raises(KeyboardInterrupt):
        run(new(2), Broken([], []), threads=2)
    assert len(seen) < 100_000
