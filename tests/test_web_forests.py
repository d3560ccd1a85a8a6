"""Forests of the latest queries: each decoded once, however many ask, and not too many kept."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from crossbow.decode.translation import Translation
from crossbow.forest.hypergraph import Forest
from crossbow.web.forests import Forests
from reference.forests import random_forest

PLAIN, OTHER = Translation(), Translation(lm_scale=0.5)


class Slow:
    """In the place of a model: counts how often it is asked."""

    def __init__(self, asked: list[str] | None = None, suffix: str = "") -> None:
        self.asked: list[str] = [] if asked is None else asked
        self.suffix = suffix

    def with_translation(self, translation: Translation) -> Slow:
        return self if translation == PLAIN else Slow(self.asked, f" × {translation.lm_scale}")

    def forests(self, text: str) -> list[Forest]:
        self.asked.append(text + self.suffix)
        time.sleep(0.05)
        if text == "bad":
            raise ValueError("cannot be decoded")
        return [random_forest(len(text))]


@pytest.fixture
def slow() -> Any:
    return Slow()


def test_threads_share_one_decoding(slow: Any) -> None:
    forests = Forests(slow)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(forests.__getitem__, [(PLAIN, "one"), (PLAIN, "two"), (OTHER, "one")] * 6))
    assert sorted(slow.asked) == ["one", "one × 0.5", "two"]
    assert all(found[at] is found[at % 3] for at in range(18))
    assert not found[0][0].names


def test_the_oldest_go_first(slow: Any) -> None:
    size = sum(forest.edges + 1 for forest in slow.forests("a")) + 1
    slow.asked.clear()
    forests = Forests(slow, most_edges=2 * size)
    for text in ("a", "b", "a", "c", "a", "b"):
        assert forests[PLAIN, text]
    assert slow.asked == ["a", "b", "c", "b"]


def test_what_is_too_large_is_not_kept(slow: Any) -> None:
    forests = Forests(slow, most_edges=0)
    assert forests[PLAIN, "a"][0].source == forests[PLAIN, "a"][0].source
    assert slow.asked == ["a", "a"]


def test_failures_are_told_to_all_and_forgotten(slow: Any) -> None:
    forests = Forests(slow)

    def ask(_: int) -> str:
        with pytest.raises(ValueError, match="cannot be decoded"):
            _ = forests[PLAIN, "bad"]
        return "told"

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == ["told"] * 4
    before = len(slow.asked)
    ask(0)
    assert len(slow.asked) == before + 1
