"""Posting lists as kernels read them: BM25 by the formula, in every segment, for any k1 and b."""

from __future__ import annotations

import gc
import math
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.ranking.bm25 import Bm25, TermLists, rsj_weight, term_lists
from crossbow.records import Doc
from reference.ranking import VOCABULARY, Collection, collections, index_of, random_collection, random_docs

TERMS = [*VOCABULARY, "unheard"]


def weights_in(lists: TermLists, index: Index) -> dict[tuple[int, str], float]:
    """What each term weighs in each document that is not deleted."""
    found = {}
    for part in lists.parts:
        for t, (begin, end) in enumerate(zip(part.begin.tolist(), part.end.tolist())):
            for k in range(begin, end):
                d = int(part.docs[k])
                assert part.saturation[k] == pytest.approx(part.tfs[k] / (part.norm[d] + part.tfs[k]))
                if part.alive[d]:
                    found[t, index.id(part.base + d)] = float(lists.rsj[t] * part.saturation[k])
    return found


@given(collection=collections(), terms=st.lists(st.sampled_from(TERMS), unique=True))
@settings(deadline=None, max_examples=100)
def test_weights(collection: Collection, terms: list[str]) -> None:
    index, texts = collection
    for _ in range(2):  # the second time they are there already
        lists = term_lists(index, terms, texts.bm25)
        expected = {(t, name): texts.weight(term, name) for t, term in enumerate(terms)
                    for name, bag in texts.bags.items() if bag[term]}  # fmt: skip
        assert weights_in(lists, index) == pytest.approx(expected, abs=1e-12)
        assert lists.rsj == pytest.approx([texts.rsj(term) for term in terms])
        assert len(lists.parts) == len(index.segments)


def test_rsj() -> None:
    """log((N - df + .5) / (df + .5)), and 0 where that would be negative, never -0."""
    found = rsj_weight(10, np.array([0.0, 1, 5, 6, 10]))
    assert found == pytest.approx([math.log(10.5 / 0.5), math.log(9.5 / 1.5), 0, 0, 0])
    assert not np.signbit(found).any()


def test_a_list_is_kept_for_each_setting() -> None:
    index = random_collection(3, 40).index
    first, second = term_lists(index, ["a"], Bm25()), term_lists(index, ["a", "b"], Bm25(2.0, 0.1))
    again = term_lists(index, ["b", "a"], Bm25(1.2, 0.75))
    assert again.parts[0].saturation is first.parts[0].saturation
    assert again.parts[0].saturation is not second.parts[0].saturation


def test_what_is_kept_goes_with_the_index() -> None:
    index = index_of([Doc("d", "a")])
    kept = weakref.ref(index)
    values = weakref.ref(term_lists(index, ["a"], Bm25()).parts[0].saturation)
    del index
    gc.collect()
    assert kept() is None
    assert values() is None


def test_threads_may_fill_the_same_lists() -> None:
    index = index_of(random_docs(5, 400), segments=3)
    expected = weights_in(term_lists(index, VOCABULARY, Bm25(b=0.5)), index)
    for b in np.linspace(0, 1, 7):
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _, b=b: term_lists(index, VOCABULARY, Bm25(b=b)), range(16)))
        first = weights_in(found[0], index)
        assert all(weights_in(lists, index) == first for lists in found[1:])
    assert weights_in(term_lists(index, VOCABULARY, Bm25(b=0.5)), index) == expected


@pytest.mark.parametrize(("k1", "b"), [
    (0.0, 0.75), (-1.0, 0.5), (math.inf, 0.5), (math.nan, 0.5), (1.2, -0.1), (1.2, 1.1), (1.2, math.nan),
])  # fmt: skip
def test_bad_settings(k1: float, b: float) -> None:
    with pytest.raises(CrossbowError, match="k1 must be above 0, b between 0 and 1"):
        Bm25(k1, b)
