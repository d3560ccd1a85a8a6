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
from crossbow.ranking.bm25 import (
    IDF,
    Bm25,
    TermLists,
    idf_variant,
    in_document,
    lucene,
    rsj,
    saturation,
    saturation_bound,
    term_lists,
)
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
                    found[t, index.id(part.base + d)] = float(lists.idf[t] * part.saturation[k])
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
        assert lists.idf == pytest.approx([texts.rsj(term) for term in terms])
        assert len(lists.parts) == len(index.segments)


def test_rsj() -> None:
    """log((N - df + .5) / (df + .5)), and 0 where that would be negative, never -0."""
    found = rsj(10, np.array([0.0, 1, 5, 6, 10]))
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
    with pytest.raises(CrossbowError, match=r"(k1|b) is .*; it must be"):
        Bm25(k1, b)


def test_lucenes_idf_is_never_nothing() -> None:
    found = lucene(10, np.array([0.0, 1, 5, 6, 10]))
    assert found == pytest.approx([math.log(1 + (10 - df + 0.5) / (df + 0.5)) for df in (0, 1, 5, 6, 10)])
    assert (found > 0).all()
    assert Bm25(idf="lucene").idfs(10, np.array([6.0])) == pytest.approx([found[3]])
    assert Bm25().idfs(10, np.array([6.0])).tolist() == [0.0]


def test_a_variant_of_idf_of_ones_own() -> None:
    """Registered by name, it is a setting like the others; the same lists serve all variants."""
    collection = random_collection(3, 30)
    with pytest.raises(CrossbowError, match="idf is 'one'; it must be one of rsj, lucene"):
        Bm25(idf="one")
    idf_variant("one", "Every term counts the same.")(lambda documents, df: np.ones(len(df)))
    try:
        lists = term_lists(collection.index, VOCABULARY, Bm25(idf="one"))
        assert lists.idf.tolist() == [1.0] * len(VOCABULARY)
        plain = term_lists(collection.index, VOCABULARY, Bm25())
        assert all(one.saturation is other.saturation for one, other in zip(lists.parts, plain.parts))
    finally:
        IDF.remove("one")


@given(collection=collections(), number=st.integers(0, 60))
@settings(deadline=None, max_examples=60)
def test_the_terms_of_one_document(collection: Collection, number: int) -> None:
    index, texts = collection
    if number >= index.slots or index.id(number) not in texts.bags:
        return
    saturations, tfs = in_document(term_lists(index, VOCABULARY, texts.bm25).parts, number)
    name = index.id(number)
    assert tfs.tolist() == [texts.bags[name][term] for term in VOCABULARY]
    assert saturations == pytest.approx([texts.saturation(term, name) for term in VOCABULARY])


def test_the_bound_of_the_saturation() -> None:
    """The kernels' own formulas, against the paper's: never above the bound, near it for small tf."""
    for tf in (0.0, 0.001, 0.5, 1.0, 7.0, 1e6):
        for norm in (0.01, 0.4, 1.2, 30.0):
            exact, bound = saturation.py_func(tf, norm), saturation_bound.py_func(tf, norm)
            assert exact == pytest.approx(1 - norm / (norm + tf))
            assert exact <= bound
    assert saturation_bound.py_func(1e-9, 1.2) == pytest.approx(saturation.py_func(1e-9, 1.2))
