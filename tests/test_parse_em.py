"""Viterbi EM: where it starts, that its objective never falls, what it finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.parse.em import EmConfig, initial, normalized, viterbi_em, vocabulary
from crossbow.parse.model import OTHER, ParseModel, parse
from crossbow.parse.texts import Reader, TextConfig, Texts
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.vocab import Vocab
from test_parse_model import some_texts

VOCAB = Vocab(["<unk>", "a", "b", "c"])


def read(sentences: list[str], config: EmConfig) -> tuple[Texts, Vocab]:
    analyzer = Analyzer(Settings("en"))
    plain = Reader(analyzer, Vocab(), TextConfig())
    vocab = vocabulary((plain.words(sentence) for sentence in sentences), config)
    return Reader(analyzer, vocab, TextConfig()).queries(sentences), vocab


def row(model: ParseModel, parent: str | None) -> dict[str, float]:
    """θ of a parent by child; the parent None is ROOT."""
    at = model.vocab.index[parent] if parent is not None else len(model.vocab)
    starts, children, value = model.table
    here = slice(starts[at], starts[at + 1])
    return {"OTHER" if child == OTHER else model.vocab.words[child]: float(v)
            for child, v in zip(children[here], value[here])}


@pytest.mark.parametrize("start", ["distance", "uniform"])
@pytest.mark.parametrize("least", [1, 2])
def test_the_start_is_the_heuristic(start: str, least: int) -> None:
    texts, config = some_texts(4, 12), EmConfig(least_pairs=least, start=start, prior=0.5)
    model = initial(texts, VOCAB, config)
    weights: dict[tuple[int, int], float] = Counter()
    counts: Counter[tuple[int, int]] = Counter()
    for begin, end in zip(texts.sentences[:-1], texts.sentences[1:]):
        for c in range(begin, end):
            for h in [None, *range(begin, end)]:
                if h != c:
                    pair = len(VOCAB) if h is None else int(texts.unit[h]), int(texts.unit[c])
                    weights[pair] += 1 / (end - begin) if h is None else 1 / abs(h - c) if start == "distance" else 1
                    counts[pair] += 1
    for parent in range(len(VOCAB) + 1):
        expected = {OTHER: 0.5}
        for child in range(len(VOCAB)):
            if counts[parent, child] >= least:
                expected[child] = 0.5 + weights[parent, child]
            else:
                expected[OTHER] += weights[parent, child]
        starts, children, value = model.table
        here = slice(starts[parent], starts[parent + 1])
        assert children[here].tolist() == list(expected)
        np.testing.assert_allclose(value[here], np.array(list(expected.values())) / sum(expected.values()))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 2.0]), st.sampled_from(["distance", "uniform"]))
def test_the_objective_never_falls(seed: int, prior: float, start: str) -> None:
    """Without a prior it is the likelihood itself."""
    texts = some_texts(seed, 15)
    if not len(texts.unit):
        return
    config = EmConfig(prior=prior, start=start, least_pairs=1, rounds=8)
    model, history = viterbi_em(initial(texts, VOCAB, config), texts, config)
    assert all(later >= earlier - 1e-6 for earlier, later in pairwise(history))
    sums = np.add.reduceat(model.table.value, model.table.starts[:-1])
    np.testing.assert_allclose(sums, 1.0)


def test_one_round_by_hand() -> None:
    texts = some_texts(9, 10)
    config = EmConfig(prior=0.25, least_pairs=1, rounds=1)
    model = initial(texts, VOCAB, config)
    trees = parse(model._replace(config=replace(model.config, method="viterbi")), texts)
    counts = np.bincount(trees.edge, minlength=len(model.table.value)) + 0.25
    after, history = viterbi_em(model, texts, config)
    for begin, end in zip(model.table.starts[:-1], model.table.starts[1:]):
        np.testing.assert_allclose(after.table.value[begin:end], counts[begin:end] / counts[begin:end].sum())
    assert len(history) == 2


def test_words_that_belong_together_become_arcs() -> None:
    sentences = [f"{adjective} {noun} {verb}" for adjective, noun in
                 [("red", "fox"), ("grey", "wolf"), ("brown", "bear")] * 4 for verb in ("runs", "sleeps", "eats")]
    texts, vocab = read(sentences, EmConfig())
    model, _ = viterbi_em(initial(texts, vocab, EmConfig()), texts, EmConfig())
    together = row(model, "fox").get("red", 0) + row(model, "red").get("fox", 0)
    apart = row(model, "fox").get("grey", 0) + row(model, "grey").get("fox", 0)
    assert together > 0.5 > apart


def test_vocabulary() -> None:
    vocab = vocabulary([["b", "c", "b"], ["a", "c", "b", "a", "d"]], EmConfig(words=2))
    assert vocab.words == ["<unk>", "b", "a"]


def test_rows_without_counts_are_uniform() -> None:
    assert normalized(np.array([0, 2, 3]), np.array([0.0, 0.0, 4.0]), 0.0).tolist() == [0.5, 0.5, 1.0]


def test_bad_settings() -> None:
    for wrong in ({"start": "random"}, {"prior": -1}, {"rounds": -1}, {"words": 0}):
        with pytest.raises(CrossbowError):
            EmConfig(**wrong)
    texts = read([], EmConfig())[0]
    with pytest.raises(CrossbowError, match="no words"):
        initial(texts, VOCAB, EmConfig())
