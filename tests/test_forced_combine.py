"""Rankings of sentences multiplied: sums of scores, with a list's last score for what is not in it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.ranking.forced.combine import Ranked
from crossbow.ranking.forced.combine import combine as combined
from crossbow.records import Hit, rank
from reference.ranking import check_hits, product


def combine(lists: list[list[Hit]], k: int) -> list[Hit]:
    names = sorted({hit.doc for hits in lists for hit in hits})
    docs, scores = combined([Ranked.of(np.array([names.index(hit.doc) for hit in hits], np.int64),
                                       np.array([hit.score for hit in hits], np.float64)) for hits in lists])
    return rank({names[doc]: round(score, 6) + 0.0 for doc, score in zip(docs.tolist(), scores.tolist())}, k)


SCORES = st.dictionaries(st.sampled_from(["d1", "d2", "d3", "d10", "é", "D"]), st.sampled_from([-9.5, -3.0, 0.0, 2.25]))


def test_by_hand() -> None:
    first = [Hit("d1", -1.0, 1), Hit("d2", -2.0, 2), Hit("d3", -5.0, 3)]
    second = [Hit("d4", -0.5, 1), Hit("d2", -1.5, 2)]
    expected = [Hit("d1", -2.5, 1), Hit("d2", -3.5, 2), Hit("d4", -5.5, 3), Hit("d3", -6.5, 4)]
    assert combine([first, second], 10) == expected
    assert combine([second, first], 3) == expected[:3]


def test_empty_lists_do_not_count() -> None:
    hits = [Hit("d1", -1.0, 1), Hit("d2", -2.0, 2)]
    assert combine([[], hits, []], 10) == hits
    assert combine([[], []], 10) == combine([], 10) == []


def test_sums_that_only_rounding_makes_equal_are_ties() -> None:
    one, two = {"d1": 0.1, "d2": 0.3, "d3": 0.2}, {"d1": 0.2, "d2": 0.0, "d3": 0.1}
    assert [(hit.doc, hit.score) for hit in combine([rank(one), rank(two)], 10)] == [
        ("d3", 0.3), ("d2", 0.3), ("d1", 0.3)]  # fmt: skip


@given(lists=st.lists(SCORES, max_size=4), k=st.integers(1, 7))
@settings(deadline=None, max_examples=150)
def test_sums_of_scores(lists: list[dict[str, float]], k: int) -> None:
    found = combine([rank(scores) for scores in lists], k)
    check_hits(found, product([list(scores.items()) for scores in lists], k))
    assert "-0.0" not in [repr(hit.score) for hit in found]
