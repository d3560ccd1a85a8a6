"""Bodies become records, or are refused with a sentence that says what is wrong."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossbow.ranking.filters import Filter
from crossbow.web.requests import LONGEST_QUERY, ExplainRequest, Refused, SearchRequest


def search(**fields: Any) -> SearchRequest:
    return SearchRequest.of(json.dumps(fields).encode())


def refusal(body: bytes, kind: Any = SearchRequest) -> str:
    with pytest.raises(Refused) as caught:
        kind.of(body)
    assert caught.value.status == 400
    return caught.value.sentence


def test_defaults() -> None:
    assert search(query="Haus") == SearchRequest("Haus", "bowfd", 10, None, Filter(), False)
    assert ExplainRequest.of(b'{"query": "Haus", "id": "d1"}') == ExplainRequest("Haus", "d1", None)


def test_everything_given() -> None:
    asked = search(query="Haus", method="dt", k=5, v=2, explain=True,
                   filter={"having": ["a"], "lacking": ["b", "c"], "id_prefix": "x"})
    assert asked == SearchRequest("Haus", "dt", 5, 2.0, Filter(("a",), ("b", "c"), "x"), True)
    assert search(query="x" * LONGEST_QUERY, k=100.0, v=None).k == 100


@pytest.mark.parametrize(("fields", "said"), [
    ({}, "'query' must be a string"), ({"query": 3}, "'query' must be a string"), ({"query": None}, "a string"),
    ({"query": ""}, "'query' has 0 characters; it must have 1 to 1,000"), ({"query": "x" * 1001}, "1,001 characters"),
    ({"query": "x", "k": 0}, "'k' must be a whole number from 1 to 100"), ({"query": "x", "k": 101}, "'k' must"),
    ({"query": "x", "k": True}, "'k' must"), ({"query": "x", "k": "5"}, "'k' must"), ({"query": "x", "k": 1.5}, "'k'"),
    ({"query": "x", "k": None}, "'k' must"), ({"query": "x", "v": -1}, "'v' must be a number from 0 to 100"),
    ({"query": "x", "v": 101}, "'v'"), ({"query": "x", "v": "1"}, "'v'"), ({"query": "x", "v": True}, "'v'"),
    ({"query": "x", "v": 10**400}, "'v'"), ({"query": "x", "method": "x"}, "one of dt, psq, bowfd, expected"),
    ({"query": "x", "method": ["dt"]}, "'method'"), ({"query": "x", "explain": 1}, "'explain' must be true or false"),
    ({"query": "x", "other": 1}, "unknown field 'other'"), ({"query": "x", "filter": []}, "'filter' must be an object"),
    ({"query": "x", "filter": {"a": 1}}, "'filter' has an unknown field 'a'"),
    ({"query": "x", "filter": {"having": "word"}}, "'having' must be a list of at most 10 words"),
    ({"query": "x", "filter": {"lacking": ["x"] * 11}}, "'lacking' must be a list"),
    ({"query": "x", "filter": {"having": ["x" * 101]}}, "'having'"), ({"query": "x", "filter": {"having": [1]}}, "'h"),
    ({"query": "x", "filter": {"id_prefix": 7}}, "'id_prefix' must be a string"), ([], "a JSON object"), ("x", "JSON"),
], ids=str)
def test_what_is_wrong_is_said(fields: Any, said: str) -> None:
    assert said in refusal(json.dumps(fields).encode())


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'{"query": NaN}', b'{"v": Infinity}', b"[" * 100_000,
                                  '{"query": "ü"}'.encode("latin1"), b"\x00" * 10, b'{"query": "x"} x'], ids=repr)
def test_what_is_not_json(body: bytes) -> None:
    assert refusal(body) == "the body must be JSON in UTF-8"


@pytest.mark.parametrize(("fields", "said"), [
    ({"query": "x"}, "'id' must be"), ({"query": "x", "id": ""}, "'id' has 0"),
    ({"query": "x", "id": "d", "k": 3}, "unknown field 'k'"),
], ids=str)
def test_explanations_are_checked_too(fields: Any, said: str) -> None:
    assert said in refusal(json.dumps(fields).encode(), ExplainRequest)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=5)
names = st.sampled_from(["query", "method", "k", "v", "filter", "explain", "id", "having"])


@given(body=st.binary() | st.dictionaries(names, values, max_size=6).map(lambda fields: json.dumps(fields).encode()))
@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_else_ever_happens(body: bytes) -> None:
    for kind in (SearchRequest, ExplainRequest):
        with contextlib.suppress(Refused):
            assert 1 <= len(kind.of(body).query) <= LONGEST_QUERY  # type: ignore[attr-defined]
