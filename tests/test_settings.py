"""Settings are checked when they are made, whichever way a value is given."""

from __future__ import annotations

from typing import Any

import pytest

from crossbow.errors import CrossbowError
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.config import SearchConfig
from crossbow.settings import changed, parsed


def test_whole_numbers_are_numbers_too() -> None:
    one, same = (SearchConfig().set("bm25.k1", value) for value in (1, 1.0))
    assert type(one.bm25.k1) is float
    assert one.signature == same.signature


@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), float("nan"), True, "1"], ids=str)
def test_what_is_no_number(value: Any) -> None:
    with pytest.raises(CrossbowError, match=r"^bm25\.k1 is .*; it must be a number$"):
        SearchConfig().set("bm25.k1", value)


def test_a_group_is_not_a_value() -> None:
    with pytest.raises(CrossbowError, match=r"^bm25 is a group of settings; set one of bm25\.k1, bm25\.b, bm25\.idf$"):
        changed(SearchConfig(), {"bm25": 0.4})
    with pytest.raises(CrossbowError, match=r"^weights\.learned is a group of settings; it is set in Python"):
        SearchConfig().set("weights.learned", "x")
    with pytest.raises(CrossbowError, match=r"^weights\.learned is a group of settings; it is set in Python"):
        parsed(SearchConfig(), "weights.learned", "x")
    assert changed(SearchConfig(), {"bm25": Bm25(k1=0.4)}).bm25.k1 == 0.4
