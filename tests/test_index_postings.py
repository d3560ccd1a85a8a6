"""Segments as arrays: packing, look-up, inversion and merging, all against slow ways to do the same."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.index import postings as module
from crossbow.index.manifest import Manifest
from crossbow.index.postings import Postings, document, fingerprint, invert, merge
from crossbow.index.segments import Index, Segment
from crossbow.index.strings import encode, find, pack, unpack
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from reference.index import Contents, check_postings, contents, expected, strings

ENGLISH = Analyzer(Settings("en"))
WORDS = ["house", "houses", "Straße", "the", "of", "naïve", "e-mail", "x86", "日本", "𝄞𝄢", ".", "4:30", "z"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def documents(most: int = 8) -> st.SearchStrategy[list[Doc]]:
    """Documents with distinct ids."""
    ids = st.lists(st.text("ab1ü𝄞", min_size=1, max_size=3), unique=True, max_size=most)
    texts = st.lists(st.tuples(TEXT, TEXT), min_size=most, max_size=most)
    return st.builds(lambda names, pairs: [Doc(name, *pair) for name, pair in zip(names, pairs)], ids, texts)


def holds(postings: Postings) -> Contents:
    """What a segment holds, all of it alive."""
    alive = np.ones(len(postings.lengths), bool)
    manifest = Manifest(ENGLISH.to_json(), 1, (), len(alive), int(postings.lengths.sum()), 0)
    return contents(Index(manifest, [Segment(0, postings, alive, True)]))


def everything(parts: Sequence[module.Part | Postings]) -> list[np.ndarray]:
    return [np.ones(len(part.lengths), bool) for part in parts]


@given(st.lists(st.binary(max_size=5)))
def test_strings_are_packed_and_unpacked(given: list[bytes]) -> None:
    starts, data = pack(given)
    assert (starts.dtype, data.dtype) == (np.int64, np.uint8)
    assert unpack(starts, data) == given


@given(st.sets(st.binary(max_size=3)), st.lists(st.binary(max_size=3)))
def test_strings_are_found(there: set[bytes], asked: list[bytes]) -> None:
    ordered = sorted(there)
    shuffled = random.Random(1).sample(ordered, len(ordered))
    order = np.array(sorted(range(len(shuffled)), key=shuffled.__getitem__), np.int32)
    for key in (*ordered, *asked):
        assert find(*pack(ordered), key) == (ordered.index(key) if key in there else -1)
        assert find(*pack(shuffled), key, order) == (shuffled.index(key) if key in there else -1)


def test_half_a_surrogate_pair_is_not_found() -> None:
    starts, data = pack([b"?", b"a"])
    assert find(starts, data, encode("\ud800")) == -1


@settings(deadline=None)
@given(documents())
def test_inversion(docs: list[Doc]) -> None:
    part = invert(docs, ENGLISH)
    assert part.starts[-1] == len(part.docs) == len(part.tfs)
    postings = merge([part], everything([part]))
    assert holds(postings) == expected(docs, ENGLISH)
    assert [document(postings, n)[0].decode() for n in range(len(docs))] == [doc.id for doc in docs]


@settings(deadline=None)
@given(st.lists(documents(4), min_size=1, max_size=4), st.randoms(use_true_random=False), st.integers(1, 9))
def test_merging(groups: list[list[Doc]], rng: random.Random, step: int) -> None:
    """Chunks and segments are merged, without some of their documents, in slices of any size."""
    chunks = [[doc._replace(id=f"{n}-{doc.id}") for doc in docs] for n, docs in enumerate(groups)]
    parts: list[module.Part | Postings] = [invert(docs, ENGLISH) for docs in chunks]
    parts = [merge([part], everything([part])) if rng.random() < 0.5 else part for part in parts]
    kept = [np.array([rng.random() < 0.7 for _ in docs], bool) for docs in chunks]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SLICE", step)
        merged = merge(parts, kept)
    left = [doc for docs, keep in zip(chunks, kept) for doc, stays in zip(docs, keep) if stays]
    assert holds(merged) == expected(left, ENGLISH)
    fresh = invert(left, ENGLISH)
    for one, two in zip(merged, merge([fresh], everything([fresh]))):
        assert one.dtype == two.dtype
        assert np.array_equal(one, two)


def test_many_documents_in_several_parts() -> None:
    rng = random.Random(3)
    docs = [Doc(str(n), " ".join(rng.choices(WORDS, weights=range(len(WORDS), 0, -1), k=rng.randrange(30))))
            for n in range(1500)]
    parts = [invert(docs[start:start + 400], ENGLISH) for start in range(0, 1500, 400)]
    postings = merge(parts, everything(parts))
    check_postings(postings)
    assert holds(postings) == expected(docs, ENGLISH)


def test_the_title_counts() -> None:
    part = invert([Doc("d", "a house", "The houses of the street")], ENGLISH)
    assert strings(part.term_starts, part.term_bytes) == ["hous", "street"]
    assert part.tfs.tolist() == [2, 1]
    assert part.lengths.tolist() == [7]


def test_what_cannot_be_encoded_becomes_a_question_mark() -> None:
    part = invert([Doc("d", "half \ud800 pair", "\udfff")], ENGLISH)
    assert document(part, 0) == (b"d", b"?", b"half ? pair")


@pytest.mark.parametrize("name", ["", " ", "a b", "a\n", "\u2003x", "\ud800"])
def test_ids_that_no_file_can_hold(name: str) -> None:
    with pytest.raises(CrossbowError, match="the document id"):
        invert([Doc(name, "text")], ENGLISH)


def test_an_id_twice() -> None:
    parts = [invert([Doc("a", "x"), Doc("b", "x")], ENGLISH), invert([Doc("b", "y")], ENGLISH)]
    with pytest.raises(CrossbowError, match="'b' was given twice"):
        merge(parts, everything(parts))
    merge(parts, [np.array([True, False]), np.array([True])])


def test_fingerprints_add_up_in_any_order() -> None:
    docs = [Doc("a", "x", "y"), Doc("b", "x"), Doc("ab", "x")]
    one, two = invert(docs, ENGLISH), invert(docs[::-1], ENGLISH)
    total = fingerprint(one, range(3))
    assert total == fingerprint(two, range(3)) == sum(fingerprint(one, [n]) for n in range(3)) % module.WHOLE
    assert 0 < total < 1 << 64


def test_fingerprints_tell_fields_apart() -> None:
    same = [Doc("a", "bc", ""), Doc("a", "c", "b"), Doc("a", "", "bc"), Doc("ab", "c", ""), Doc("ab", "", "c")]
    assert len({fingerprint(invert([doc], ENGLISH), [0]) for doc in same}) == len(same)
