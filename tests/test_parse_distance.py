"""Tree edit distance against the recursion over forests, and that scripts are scripts and cost what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.parse.distance import compare_all, edit_script
from reference.parse import as_node, edit_distance


def random_heads(rng: np.random.Generator, n: int) -> np.ndarray:
    """Any tree: words in a random order, each below one before it or below ROOT."""
    order = rng.permutation(n)
    head = np.full(n, -1, np.int32)
    for at in range(1, n):
        head[order[at]] = order[rng.integers(at)] if rng.random() < 0.8 else -1
    return head


def ancestors(head: np.ndarray, word: int) -> set[int]:
    found = set()
    while head[word] >= 0:
        word = head[word]
        found.add(word)
    return found


def before(head: np.ndarray, a: int, b: int) -> bool:
    """Whether a stands left of b: where their paths from ROOT part, a's comes first."""
    def path(word: int) -> list[int]:
        return [*reversed([word, *_up(head, word)])]

    ours, theirs = path(a), path(b)
    while ours and theirs and ours[0] == theirs[0]:
        ours, theirs = ours[1:], theirs[1:]
    return bool(ours and theirs) and ours[0] < theirs[0]


def _up(head: np.ndarray, word: int) -> list[int]:
    found = []
    while head[word] >= 0:
        word = head[word]
        found.append(word)
    return found


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 6), st.integers(0, 6), st.booleans())
def test_distance_and_script(seed: int, n: int, m: int, free: bool) -> None:
    rng = np.random.default_rng(seed)
    a, b = random_heads(rng, n), random_heads(rng, m)
    delete, insert, replace = rng.random(n), np.zeros(m) if free else rng.random(m), 2 * rng.random((n, m))
    replace[rng.random((n, m)) < 0.3] = 0.0
    replace[rng.random((n, m)) < 0.3] = np.inf
    distance, match = edit_script(a, b, delete, insert, replace)

    def replaced(one: int, other: int) -> float:
        if one < n and other < m:
            return float(replace[one, other])
        return 0.0 if one == n and other == m else np.inf

    expected = edit_distance(as_node(a), as_node(b), lambda i: delete[i] if i < n else 0.0,
                             lambda j: insert[j] if j < m else 0.0, replaced)
    assert distance == pytest.approx(expected)

    kept = [(i, j) for i, j in enumerate(match) if j >= 0]
    cost = sum(replace[i, j] for i, j in kept) + sum(delete[i] for i in range(n) if match[i] < 0)
    cost += sum(insert[j] for j in set(range(m)) - {j for _, j in kept})
    assert cost == pytest.approx(distance)
    assert len({j for _, j in kept}) == len(kept)
    for i, j in kept:
        for k, o in kept:
            assert (k in ancestors(a, i)) == (o in ancestors(b, j))
            assert before(a, i, k) == before(b, j, o)


def test_equal_trees_are_kept_whole() -> None:
    head = np.array([1, -1, 1, 2], np.int32)
    same = np.where(np.eye(4) > 0, 0.0, np.inf)
    distance, match = edit_script(head, head, np.ones(4), np.ones(4), same)
    assert distance == 0.0
    assert match.tolist() == [0, 1, 2, 3]


def test_the_poster_otter() -> None:
    """otter → clam, rock → with: the document says mollusk and nothing of the rock."""
    query, document = np.array([-1, 0, 3, 0], np.int32), np.array([-1, 0], np.int32)
    cost = np.array([0.1, 0.2, 0.3, 0.4])
    similar = np.array([[1.0, 0.0], [0.0, 0.8], [0.0, 0.0], [0.0, 0.0]])
    starts = np.array([0, 2, 2])
    for fraction, expected in ((True, 0.2), (False, 0.2 * (0.2 + 0.15))):
        distance, match = np.empty(2), np.empty((2, 4), np.int32)
        compare_all(query, cost, starts, document, np.array([0.1, 0.15]), similar, fraction, distance, match)
        assert distance[0] == pytest.approx(expected + 0.7)
        assert match[0].tolist() == [0, -1 if fraction else 1, -1, -1]
        assert distance[1] == pytest.approx(1.0)  # a document without words
        assert match[1].tolist() == [-1] * 4
