"""What kernels share: the hash table, the heap and arrays that grow, against a dict, a sorted list and a list."""

import heapq

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crossbow.structures.growable import copy, grown, grown_rows
from crossbow.structures.heap import drop, push
from crossbow.structures.table import find, insert, mix, new_table, table_size

compiling = settings(deadline=None, max_examples=150)
WORD = 1 << 64

# Helpers exist only inside kernels, so each test kernel wraps what it tests.


@numba.njit
def mix_all(start, values):
    h = start
    for value in values:
        h = mix(h, value)
    return h


@numba.njit
def insert_all(keys, new):
    slots = np.empty(new.shape[0], np.int64)
    for k in range(new.shape[0]):
        slots[k] = insert(keys, new[k])
    return slots


@numba.njit
def find_all(keys, wanted):
    slots = np.empty(wanted.shape[0], np.int64)
    for k in range(wanted.shape[0]):
        slots[k] = find(keys, wanted[k])
    return slots


@numba.njit
def count_all(keys, counts, values):
    """What kernels do with a table: count things in an array beside the keys."""
    for value in values:
        counts[insert(keys, mix(np.uint64(7), value))] += 1


@numba.njit
def run_heap(scores, items, pushes, new_scores, new_items):
    """Push where pushes[k], otherwise take the best; returns what was taken and what the heap's sizes were."""
    taken_scores, taken_items = np.empty(len(pushes)), np.empty(len(pushes), np.int64)
    sizes = np.empty(len(pushes), np.int64)
    size, new, taken = 0, 0, 0
    for k in range(len(pushes)):
        if pushes[k]:
            size = push(scores, items, size, new_scores[new], new_items[new])
            new += 1
        else:
            taken_scores[taken], taken_items[taken] = scores[0], items[0]
            taken += 1
            size = drop(scores, items, size)
        sizes[k] = size
    return taken_scores[:taken], taken_items[:taken], sizes


def splitmix(h, value):
    """The definition with Python's integers: xor in the value, multiply and add, then the finalizer of splitmix64."""
    z = ((h ^ (value % WORD)) * 0x9E3779B97F4A7C15 + 0x94D049BB133111EB) % WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % WORD
    return (z ^ (z >> 31)) or 1


def value_with_hash_zero():
    """The one value that the finalizer would send to 0, found by running splitmix backwards (all its steps can be)."""
    z = -0x94D049BB133111EB * pow(0x9E3779B97F4A7C15, -1, WORD) % WORD
    return z - WORD if z >= WORD // 2 else z


@compiling
@given(st.integers(0, WORD - 1), st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=5))
@example(0, [-1])
@example(WORD - 1, [(1 << 63) - 1, -(1 << 63)])
def test_mix_is_uint64_arithmetic(start, values):
    expected = start
    for value in values:
        expected = splitmix(expected, value)
    assert int(mix_all(np.uint64(start), np.array(values, np.int64))) == expected


def test_mix_never_returns_the_empty_key():
    assert int(mix_all(np.uint64(0), np.array([value_with_hash_zero()], np.int64))) == 1


@compiling
@given(st.lists(st.integers(-(1 << 31), (1 << 31) - 1), min_size=1, max_size=4))
def test_mix_does_not_depend_on_the_width_of_the_integer(values):
    narrow, wide = np.array(values, np.int32), np.array(values, np.int64)
    assert mix_all(np.uint64(3), narrow) == mix_all(np.uint64(3), wide)


def test_mix_tells_order_and_length_apart():
    sequences = [[], [0], [0, 0], [1], [1, 2], [2, 1], [-1], [-2], [1, -1, 2], [1, 2, -1]]
    hashes = {int(mix_all(np.uint64(1), np.array(s, np.int64))) for s in sequences}
    assert len(hashes) == len(sequences)


KEYS = st.one_of(
    st.integers(1, 40),  # many share a slot
    st.integers(0, 5).map(lambda k: WORD - 1 - k),  # the end of the table: probing wraps around
    st.integers(1, WORD - 1),
)


@compiling
@given(st.lists(KEYS, max_size=60), st.lists(KEYS, max_size=20), st.integers(0, 40))
@example([WORD - 1] * 3 + [15, 31, 47], [63, 14], 0)
def test_table_behaves_like_a_dict(inserted, looked_for, more_room):
    keys = new_table(len(set(inserted)) + more_room)
    slots = insert_all(keys, np.array(inserted, np.uint64)).tolist()
    slot_of = dict(zip(inserted, slots))
    assert [slot_of[key] for key in inserted] == slots  # the same key, the same slot
    assert len(set(slot_of.values())) == len(slot_of)  # and no other's
    assert {int(key): slot for slot, key in enumerate(keys) if key} == slot_of
    wanted = inserted + looked_for
    assert find_all(keys, np.array(wanted, np.uint64)).tolist() == [slot_of.get(key, -1) for key in wanted]


def test_find_does_not_add():
    keys = new_table(4)
    assert find_all(keys, np.arange(1, 50, dtype=np.uint64)).tolist() == [-1] * 49
    assert not keys.any()


def test_a_table_as_full_as_allowed_still_finds_everything():
    keys = new_table(8)
    assert len(keys) == 16
    crowded = np.arange(1, 9, dtype=np.uint64) * np.uint64(16)  # all want slot 0
    assert sorted(insert_all(keys, crowded)) == list(range(8))
    assert find_all(keys, crowded).tolist() == list(range(8))
    assert find_all(keys, np.array([144, 16 * 99], np.uint64)).tolist() == [-1, -1]


def test_counting_many_values():
    values = np.random.default_rng(5).zipf(1.3, 20000) % 5000
    distinct, expected = np.unique(values, return_counts=True)
    keys = new_table(len(distinct))
    counts = np.zeros(len(keys), np.int64)
    count_all(keys, counts, values)
    assert np.count_nonzero(keys) == len(distinct)
    assert sorted(counts[counts > 0]) == sorted(expected)


@pytest.mark.parametrize("entries", [0, 1, 7, 8, 9, 16, 17, 1000, 1024, 1025, 1 << 20])
def test_table_size(entries):
    size = table_size(entries)
    assert len(new_table(entries)) == size
    assert size & (size - 1) == 0
    assert size >= max(16, 2 * entries)
    assert size == 16 or size < 4 * entries  # nor larger than needed


SCORES = st.one_of(st.sampled_from([0.0, 1.0, -1.5, float("inf"), float("-inf")]), st.floats(allow_nan=False, width=32))


@compiling
@given(st.lists(st.one_of(st.none(), st.tuples(SCORES, st.integers(-3, 12))), max_size=80))
@example([(1.0, 3), (1.0, 1), (1.0, 2), None, None, None])
@example([(float("-inf"), 2), (float("-inf"), 1), None, (float("inf"), 5), None, None])
def test_heap_takes_the_best_score_then_the_smallest_item(steps):
    model, expected, sizes, pushes, new = [], [], [], [], []
    for step in steps:
        if step is None and not model:
            continue  # nothing to take
        pushes.append(step is not None)
        if step is None:
            score, item = heapq.heappop(model)
            expected.append((-score, item))
        else:
            new.append(step)
            heapq.heappush(model, (-step[0], step[1]))
        sizes.append(len(model))
    room = max(sizes, default=0)
    scores, items = np.full(room + 1, np.nan), np.full(room + 1, -99)
    taken = run_heap(scores, items, np.array(pushes, bool), np.array([s for s, _ in new]),
                     np.array([i for _, i in new], np.int64))
    assert list(zip(taken[0].tolist(), taken[1].tolist())) == expected
    assert taken[2].tolist() == sizes
    assert np.isnan(scores[room])  # nothing is written past the heap
    assert items[room] == -99


def test_heap_sorts_whatever_the_order_of_insertion():
    rng = np.random.default_rng(3)
    scores, items = rng.integers(0, 20, 500).astype(float), rng.permutation(500)
    pushes = np.repeat([True, False], 500)
    expected = sorted(zip((-scores).tolist(), items.tolist()))
    for order in (np.arange(500), np.argsort(scores), np.argsort(-scores), rng.permutation(500)):
        taken = run_heap(np.empty(500), np.empty(500, np.int64), pushes, scores[order], items[order])
        assert list(zip((-taken[0]).tolist(), taken[1].tolist())) == expected


@numba.njit
def append_all(chunks, starts):
    """Append chunks to an array of entries and to one of rows, from almost no room."""
    entries, rows = np.zeros(1, chunks.dtype), np.zeros((1, 2), chunks.dtype)
    used = 0
    for k in range(starts.shape[0] - 1):
        size = starts[k + 1] - starts[k]
        entries, rows = grown(entries, used, size), grown_rows(rows, used, size)
        copy(chunks, starts[k], size, entries, used)
        for a in range(size):
            rows[used + a, 0], rows[used + a, 1] = chunks[starts[k] + a], -chunks[starts[k] + a]
        used += size
    return entries, rows, used


@compiling
@given(st.lists(st.lists(st.integers(-99, 99), max_size=9), max_size=9))
def test_growing_arrays_keep_what_was_put_into_them(chunks):
    values = [value for chunk in chunks for value in chunk]
    starts = np.cumsum([0, *map(len, chunks)])
    entries, rows, used = append_all(np.array(values, np.int32), starts)
    assert entries[:used].tolist() == values
    assert rows[:used].tolist() == [[value, -value] for value in values]
    assert not entries[used:].any()
    assert not rows[used:].any()


def test_an_array_with_room_is_not_copied():
    array = np.zeros(4, np.int32)
    assert same_after_growing(array, 3, 1)
    assert not same_after_growing(array, 3, 2)


@numba.njit
def same_after_growing(array, used, need):
    larger = grown(array, used, need)
    larger[0] = 1
    same = array[0] == 1
    array[0] = 0
    return same
