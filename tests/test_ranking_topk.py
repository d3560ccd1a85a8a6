"""The best of scored documents: none too few, and ties in trec_eval's order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.ranking import topk as module
from crossbow.ranking.topk import head, highest, merged, top, top_numbers
from crossbow.records import Doc, Hit, rank
from reference.ranking import check_hits, index_of, random_collection, ranked


@given(seed=st.integers(0, 10**6), size=st.sampled_from([0, 1, 5, 60, 500]), k=st.sampled_from([1, 2, 10, 80, 10**30]),
       share=st.sampled_from([0.0, 0.1, 0.7, 1.0]), sample=st.sampled_from([1, 30, 4096]), digits=st.integers(0, 3),
       spread=st.sampled_from([1.0, 2e-6, 4e-7]), shift=st.sampled_from([0.0, -3.0, 1000.0]),
       kind=st.sampled_from([np.float64, np.float32]))  # fmt: skip
@settings(deadline=None, max_examples=400)
def test_highest(
    seed: int, size: int, k: int, share: float, sample: int, digits: int, spread: float, shift: float, kind: type
) -> None:
    """What was not found scores 0, as in a search, and must not be taken for good or bad; nor may what is almost equal
    to the last be left out."""
    rng = np.random.default_rng(seed)
    found = rng.random(size) < share
    score = np.where(found, spread * np.round(rng.normal(0, 1, size), digits) + shift, 0.0).astype(kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SAMPLE", sample)
        docs = highest(score, found, k)
    values = sorted(score[found].tolist(), reverse=True)
    least = values[k - 1] if k < len(values) else -np.inf
    assert docs.tolist() == sorted(set(docs.tolist()))
    assert found[docs].all()
    assert set(np.flatnonzero(found & (score >= least - (1e-6 if kind is np.float64 else 0)))) <= set(docs.tolist())
    assert (score[docs] >= least - 1e-3).all()  # and little that cannot be among the best


def test_two_steps_give_the_best_of_many() -> None:
    """A search over more documents than the sample has."""
    rng = np.random.default_rng(7)
    score, found = np.round(rng.exponential(1, 20_000), 4), rng.random(20_000) < 0.5
    docs = highest(score, found, 100)
    least = np.sort(score[found])[-100]
    assert docs.tolist() == np.flatnonzero(found & (score >= least)).tolist()


SCORES = [0.0, -0.0, 1.0, 1.0 + 1e-9, 1 - 1e-9, -2.5, 3.1234567, 3.1234568, 1e-7]


@given(scores=st.lists(st.sampled_from(SCORES), max_size=30), k=st.integers(1, 35), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=200)
def test_order(scores: list[float], k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"{prefix}{n}" for n in range(10) for prefix in ("d", "é", "日", "D")][: len(scores)]
    index = index_of([Doc(name, "a") for name in names], segments=1 + seed % 3)
    docs = rng.permutation(len(scores))
    found = top(index, docs, np.array(scores)[docs] if scores else np.zeros(0), k)
    check_hits(found, ranked(dict(zip(names, scores)), k))
    assert found == rank({hit.doc: hit.score for hit in found})  # as it is read back from a run
    assert all(isinstance(hit, Hit) and type(hit.score) is float and type(hit.rank) is int for hit in found)
    assert "-0.0" not in [repr(hit.score) for hit in found]


def test_the_same_documents_by_number() -> None:
    """In the order of hits, ties included."""
    rng = np.random.default_rng(3)
    index = random_collection(4, 40, segments=3).index
    for k in (1, 3, 17, 1000):
        for levels in (2, 5, 1000):
            docs = rng.permutation(index.slots).astype(np.int64)
            scores = rng.integers(-levels, levels, len(docs)) / 7
            hits, (numbers, rounded) = top(index, docs, scores, k), top_numbers(index, docs, scores, k)
            assert list(zip(index.ids(numbers), rounded.tolist())) == [hit[:2] for hit in hits]


@given(lists=st.lists(st.lists(st.sampled_from([-1.5, 0.0, 0.25, 2.0]), max_size=8), min_size=1, max_size=4),
       k=st.integers(1, 20), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=300)
def test_the_head_of_a_list(lists: list[list[float]], k: int, seed: int) -> None:
    """As merging the hits themselves would tell."""
    names = np.random.default_rng(seed).permutation([f"{prefix}{n}" for n in range(8) for prefix in "dé日D"])
    given = iter(names.tolist())
    hits = [merged([[Hit(next(given), score, 0) for score in scores]], 100) for scores in lists]
    best = merged(hits, k)
    for own, mine in enumerate(hits):
        found = head([([hit.doc for hit in row], np.array([hit.score for hit in row])) for row in hits], own, k)
        assert found == (len({hit.doc for hit in mine} & {hit.doc for hit in best}), best[-1].score if best else 0.0)
