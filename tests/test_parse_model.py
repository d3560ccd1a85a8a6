"""The dependency model: rows are distributions, parameters are found, trees are the most probable ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.parse.em import EmConfig, initial
from crossbow.parse.model import OTHER, ParseConfig, ParseModel, Table, parse, parse_with_likelihood
from crossbow.parse.texts import Texts
from crossbow.vocab import Vocab
from reference.parse import arc_posteriors, projective_trees, weight

UNITS = 4


def some_texts(seed: int, texts: int = 6) -> Texts:
    """Random texts of up to three sentences of up to five words; some have none."""
    rng = np.random.default_rng(seed)
    sizes = [[int(rng.integers(1, 6)) for _ in range(rng.integers(0, 4))] for _ in range(texts)]
    unit = rng.integers(0, UNITS, sum(map(sum, sizes))).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum([sum(text) for text in sizes])]).astype(np.int64)
    sentences = np.concatenate([[0], np.cumsum([n for text in sizes for n in text])]).astype(np.int64)
    return Texts(starts, sentences, unit.astype(np.int64), unit.astype(np.int64), unit)


def random_model(seed: int, method: str) -> ParseModel:
    """Rows that list some units, with random values; some are 0."""
    rng = np.random.default_rng(seed)
    rows = [[OTHER, *sorted(rng.choice(UNITS, rng.integers(0, UNITS + 1), replace=False).tolist())]
            for _ in range(UNITS + 1)]
    value = np.concatenate([rng.dirichlet(np.ones(len(row))) for row in rows])
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    table = Table(starts, np.concatenate(rows).astype(np.int32), value)
    return ParseModel(Vocab(["<unk>", "a", "b", "c"]), table, ParseConfig(method))


def theta(model: ParseModel, parent: int, child: int) -> tuple[int, float]:
    """The parameter by looking through the row."""
    starts, children, value = model.table
    for at in range(starts[parent], starts[parent + 1]):
        if children[at] == child:
            return at, float(value[at])
    return int(starts[parent]), float(value[starts[parent]])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["posterior", "viterbi"]))
def test_trees_and_their_parameters(seed: int, method: str) -> None:
    model, texts = random_model(seed, method), some_texts(seed)
    trees, likelihood = parse_with_likelihood(model, texts)
    expected = 0.0
    for t in range(texts.size):
        begin, end = texts.starts[t : t + 2]
        for first, last in zip(texts.sentences[:-1], texts.sentences[1:]):
            if not begin <= first < end:
                continue
            units, n = texts.unit[first:last].tolist(), int(last - first)
            arcs = np.array([[theta(model, p, c)[1] for c in units] for p in [*units, UNITS]])
            head = [int(h) - int(first - begin) if h >= 0 else -1 for h in trees.head[first:last]]
            assert [int(e) for e in trees.edge[first:last]] == [
                theta(model, units[h] if h >= 0 else UNITS, c)[0] for h, c in zip(head, units)]
            if method == "viterbi":
                best = max(weight(heads, arcs) for heads in projective_trees(n))
                assert weight(tuple(head), arcs) == pytest.approx(best)
                expected += math.log(best)
            else:
                posterior = arc_posteriors(arcs)[1]
                top = [max(posterior[:, c]) for c in range(n)]
                likely = all(posterior[h, c] == pytest.approx(top[c]) for c, h in enumerate(head))
                assert likely or _is_repaired(head, posterior)
    assert likelihood == pytest.approx(expected)


def _is_repaired(head: list[int], posterior: np.ndarray) -> bool:
    """The best heads were no tree, and this is the projective tree of the largest sum."""
    def total(heads: tuple[int, ...]) -> float:
        return float(sum(posterior[h, c] for c, h in enumerate(heads)))

    return math.isclose(total(tuple(head)), max(map(total, projective_trees(len(head)))))


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossbow.parse.model.BATCH", 2)
    model, texts = random_model(3, "viterbi"), some_texts(3, 20)
    one, two = (parse_with_likelihood(model, texts, threads) for threads in (1, 2))
    np.testing.assert_array_equal(one[0].head, two[0].head)
    assert one[1] == two[1]


def test_parameters_that_are_zero_still_leave_a_tree() -> None:
    model = initial(some_texts(1), Vocab(["<unk>", "a", "b", "c"]), EmConfig(least_pairs=1))
    model = model.with_value(np.zeros(len(model.table.value)))
    for method in ("posterior", "viterbi"):
        trees = parse(model._replace(config=ParseConfig(method)), some_texts(2))
        assert np.all(trees.head >= -1)


def test_no_texts() -> None:
    empty = Texts(np.zeros(1, np.int64), np.zeros(1, np.int64), *(np.empty(0, np.int64),) * 2, np.empty(0, np.int32))
    assert len(parse(random_model(1, "viterbi"), empty).head) == 0


def test_unknown_method() -> None:
    with pytest.raises(CrossbowError, match="posterior, viterbi"):
        ParseConfig("greedy")
