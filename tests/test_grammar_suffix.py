"""The suffix array and the indexed bitext against sorting, scanning and counting."""

from collections import Counter

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import reference.grammar as oracle
from crossbow.align.symmetrize import Links
from crossbow.grammar.bitext import BREAK, build_bitext, pair_count
from crossbow.grammar.suffix import DEPTH, narrow, suffix_array
from crossbow.structures.table import table_size

compiling = settings(deadline=None, max_examples=100)


@numba.njit
def narrow_to(text, order, words):
    """Ranges of the suffixes that begin with the first one, two, … of the words."""
    ranges = np.empty((len(words), 2), np.int64)
    low, high = 0, len(order)
    for depth in range(len(words)):
        low, high = narrow(text, order, low, high, depth, words[depth])
        ranges[depth, 0], ranges[depth, 1] = low, high
    return ranges


@numba.njit
def pair_counts_of(bitext, source_words, target_words):
    out = np.zeros((source_words, target_words), np.int64)
    for f in range(source_words):
        for e in range(target_words):
            out[f, e] = pair_count(bitext.pair_keys, bitext.pair_counts, f, e)
    return out


SENTENCES = st.integers(1, 4).flatmap(
    lambda words: st.lists(st.lists(st.integers(1, words), max_size=12), min_size=1, max_size=6))


def test_depth_covers_the_longest_phrase():
    assert DEPTH == oracle.SORTED_WORDS
    assert DEPTH >= oracle.MAX_SYMBOLS


@compiling
@given(SENTENCES)
@example([[]])
@example([[1]])
@example([[1] * 30])  # suffixes that agree on more than DEPTH words stand in text order
@example([[1, 2] * 9, [1, 2] * 9])
def test_suffix_array_is_a_sort_by_the_next_words_then_by_position(sentences):
    text, _ = oracle.joined_text(sentences)
    order, starts = suffix_array(np.array(text, np.int32), 6)
    assert order.dtype == np.int32
    assert order.tolist() == oracle.naive_suffix_array(text)
    assert starts.tolist() == [sum(word < w for word in text) for w in range(7)]


def test_suffix_array_of_no_text():
    order, starts = suffix_array(np.zeros(0, np.int32), 3)
    assert order.tolist() == []
    assert starts.tolist() == [0, 0, 0, 0]


@compiling
@given(SENTENCES, st.lists(st.integers(0, 5), min_size=1, max_size=DEPTH), st.integers(0, 1000))
def test_narrow_finds_the_range_of_a_phrase(sentences, absent, at):
    text, _ = oracle.joined_text(sentences)
    ids = np.array(text, np.int32)
    order = np.array(oracle.naive_suffix_array(text), np.int32)
    at %= len(text)
    for words in (absent, text[at : at + DEPTH]):
        ranges = narrow_to(ids, order, np.array(words, np.int32)).tolist()
        for depth, (low, high) in enumerate(ranges, 1):
            occurs = {p for p in range(len(text)) if text[p : p + depth] == words[:depth]}
            assert set(order[low:high].tolist()) == occurs
            assert high - low == len(occurs)


# The bitext


@st.composite
def pairs_of_text(draw):
    pairs = []
    for _ in range(draw(st.integers(1, 6))):
        source = draw(st.lists(st.integers(1, 5), max_size=8))
        target = draw(st.lists(st.integers(0, 5), max_size=8))
        cells = [(i, j) for i in range(len(source)) for j in range(len(target))]
        links = draw(st.lists(st.sampled_from(cells), max_size=12)) if cells else []
        pairs.append(oracle.Pair(source, target, frozenset(links), draw(st.integers(0, 3))))
    return pairs


@compiling
@given(pairs_of_text())
def test_bitext_indexes_the_text_and_its_links(pairs):
    bitext = oracle.build(pairs, 7, 7)
    text, begins = oracle.joined_text([p.source for p in pairs])
    assert BREAK == 0
    assert bitext.source.tolist() == text
    assert bitext.source_starts.tolist() == [*begins, len(text)]
    assert bitext.sentence.tolist() == [s for s, p in enumerate(pairs) for _ in range(len(p.source) + 1)]
    assert bitext.group.tolist() == [p.group for p in pairs]
    assert bitext.order.tolist() == oracle.naive_suffix_array(text)
    for word in range(7):
        positions = bitext.positions[bitext.word_starts[word] : bitext.word_starts[word + 1]]
        assert positions.tolist() == [p for p, w in enumerate(text) if w == word]
    target = 0
    for s, pair in enumerate(pairs):
        for i in range(len(pair.source) + 1):
            p = begins[s] + i
            row = bitext.link_targets[bitext.link_starts[p] : bitext.link_starts[p + 1]]
            assert row.tolist() == sorted(j for k, j in pair.links if k == i)
        assert bitext.target_starts[s] == target
        for j, word in enumerate(pair.target):
            linked = [i for i, k in pair.links if k == j]
            assert bitext.target[target] == word
            assert bitext.target_low[target] == min(linked, default=-1)
            assert bitext.target_high[target] == max(linked, default=-1)
            target += 1
    assert len(bitext.target) == target


@compiling
@given(pairs_of_text())
def test_bitext_counts_links_and_words_without_links(pairs):
    bitext = oracle.build(pairs, 7, 7)
    counts = oracle.LinkCounts(pairs)
    for found, expected in [
        (bitext.source_counts, counts.source), (bitext.source_null, counts.source_null),
        (bitext.target_counts, counts.target), (bitext.target_null, counts.target_null),
    ]:
        assert found.tolist() == [expected[word] for word in range(7)]
    pair_counts = pair_counts_of(bitext, 7, 7)
    assert Counter({(f, e): n for (f, e), n in np.ndenumerate(pair_counts) if n}) == counts.pair
    assert len(bitext.pair_keys) == len(bitext.pair_counts) == table_size(len(counts.pair))  # no larger than needed


def test_groups():
    text, links = oracle.corpus([[1], [1], [1]]), Links(np.zeros(0, np.int16), np.zeros(0, np.int16), np.zeros(4, int))
    assert build_bitext(text, text, links, 2, 2).group.tolist() == [0, 1, 2]  # every sentence its own
    bitext = build_bitext(text, text, links, 2, 2, np.array([4, 0, 4]))
    assert bitext.group.tolist() == [4, 0, 4]
    assert bitext.group.dtype == np.int32


@pytest.mark.parametrize("seed", [1, 2])
def test_many_pairs_fill_the_table(seed):
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(200):
        n = int(rng.integers(1, 30))
        links = frozenset((i, int(rng.integers(0, n))) for i in range(n))
        pairs.append(oracle.Pair(rng.integers(1, 60, n).tolist(), rng.integers(0, 60, n).tolist(), links))
    bitext = oracle.build(pairs, 60, 60)
    pair_counts = pair_counts_of(bitext, 60, 60)
    assert {(f, e): n for (f, e), n in np.ndenumerate(pair_counts) if n} == dict(oracle.LinkCounts(pairs).pair)
