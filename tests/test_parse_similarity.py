"""Similarity of words: forms, stems, and round trips through translation tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from crossbow.errors import CrossbowError
from crossbow.model import Model
from crossbow.parse.similarity import LEAST, Pivot, Similarity, SimilarityConfig
from crossbow.parse.texts import number_of
from training import corpus

QUERY = np.array([number_of(word) for word in ("library", "clam", "the")])
QUERY_STEM = np.array([number_of(word) for word in ("librari", "clam", "the")])
FORM = np.array([number_of(word) for word in ("libraries", "clam", "rock", "library")])
STEM = np.array([number_of(word) for word in ("librari", "clam", "rock", "librari")])


def test_exact_and_stem() -> None:
    exact = Similarity(SimilarityConfig("exact")).matrix(QUERY, QUERY_STEM, FORM, STEM)
    assert exact.tolist() == [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]]
    stem = Similarity(SimilarityConfig("stem", 0.7)).matrix(QUERY, QUERY_STEM, FORM, STEM)
    assert stem.tolist() == [[0.7, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


def test_round_trips(model: Model, tmp_path: Path) -> None:
    """Against the sum over all translations, word by word."""
    lexicon, pivot = model.lexicon, Pivot.of(model.lexicon)
    words = lexicon.target.words
    totals = lexicon.bitext.target_counts
    links: dict[tuple[str, str], float] = {}
    for number, source in enumerate(lexicon.source.words):
        for target, p in lexicon.translations(source):
            links[source, target] = p * int(lexicon.bitext.source_counts[number])
    chosen = [word for word in words if int(totals[lexicon.target.index[word]]) > 3][10:30]
    forms = np.array([number_of(word) for word in chosen])
    found = pivot.matrix(forms, forms)
    for i, a in enumerate(chosen):
        for j, b in enumerate(chosen):
            trips = sum(count / int(totals[lexicon.target.index[a]]) * dict(lexicon.translations(f)).get(b, 0.0)
                        for (f, t), count in links.items() if t == a)
            expected = 0.0 if a == b or trips < LEAST else min(trips, 0.99)
            assert found[i, j] == pytest.approx(expected), (a, b)
    assert found.max() > 0
    assert pivot.matrix(np.array([1, 2]), forms).max() == 0  # words that no table has
    pivot.save(tmp_path / "pivot")
    for ours, theirs in zip(pivot, Pivot.load(tmp_path / "pivot")):
        np.testing.assert_array_equal(ours, theirs)
    both = Similarity(SimilarityConfig("stem+pivot"), pivot).matrix(forms, forms, forms, forms)
    assert np.all(both >= found)
    assert np.all(np.diag(both) == 1)


def test_round_trips_are_a_product_of_matrices(model: Model) -> None:
    """All of them at once, bit for bit, by SciPy."""
    lexicon, pivot = model.lexicon, Pivot.of(model.lexicon)
    rows = [lexicon.of_id(word) for word in range(len(lexicon.source.words))]
    there = sparse.csr_matrix((np.concatenate([p for _, p in rows]), np.concatenate([ids for ids, _ in rows]),
                               np.cumsum([0, *(len(ids) for ids, _ in rows)])),
                              (len(rows), len(lexicon.target.words)))
    counts = sparse.diags(lexicon.bitext.source_counts[: len(rows)].astype(np.float64)) @ there
    totals = np.maximum(1.0, lexicon.bitext.target_counts[: there.shape[1]].astype(np.float64))
    trips = ((sparse.diags(1.0 / totals) @ counts.T).tocsr() @ there).toarray()
    np.fill_diagonal(trips, 0.0)
    trips[trips < LEAST] = 0.0
    order = np.argsort([number_of(word) for word in lexicon.target.words])
    expected = sparse.csr_matrix(np.minimum(trips[order][:, order], 0.99))
    np.testing.assert_array_equal(pivot.starts, expected.indptr)
    np.testing.assert_array_equal(pivot.columns, expected.indices)
    np.testing.assert_array_equal(pivot.value, expected.data)


def test_an_empty_table() -> None:
    empty = Pivot(np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0))
    assert empty.matrix(QUERY, FORM).max() == 0


def test_bad_settings() -> None:
    for wrong in (("synonyms", 0.5), ("stem", 1.0), ("", 0.5)):
        with pytest.raises(CrossbowError):
            SimilarityConfig(*wrong)
    with pytest.raises(CrossbowError, match="--pivot"):
        Similarity(SimilarityConfig("pivot"))
