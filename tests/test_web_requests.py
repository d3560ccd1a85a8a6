"""Bodies become records, or are refused with a sentence that says what is wrong."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossbow.ranking.config import SearchConfig
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods import METHODS
from crossbow.web.requests import USUAL, ExplainRequest, Refused, SearchRequest, open_settings


def search(**fields: Any) -> SearchRequest:
    return SearchRequest.of(json.dumps(fields).encode())


def refusal(body: bytes, kind: Any = SearchRequest) -> str:
    with pytest.raises(Refused) as caught:
        kind.of(body)
    assert caught.value.status == 400
    return caught.value.sentence


def test_defaults() -> None:
    assert search(query="Haus") == SearchRequest("Haus", 10, Filter(), False, method=None, v=None, settings={})
    assert ExplainRequest.of(b'{"query": "Haus", "id": "d1"}') == ExplainRequest("Haus", "d1", method=None, v=None)


def test_everything_given() -> None:
    asked = search(query="Haus", method="dt", k=5, v=2, explain=True, settings={"bm25.k1": 0.4},
                   filter={"having": ["a"], "lacking": ["b", "c"], "id_prefix": "x"})
    assert asked == SearchRequest("Haus", 5, Filter(("a",), ("b", "c"), "x"), True, method="dt", v=2.0,
                                  settings={"bm25.k1": 0.4})
    assert search(query="x" * USUAL.longest_query, k=100.0, v=None).k == 100


@pytest.mark.parametrize(("fields", "said"), [
    ({}, "'query' must be a string"), ({"query": 3}, "'query' must be a string"), ({"query": None}, "a string"),
    ({"query": ""}, "'query' has 0 characters; it must have 1 to 1,000"), ({"query": "x" * 1001}, "1,001 characters"),
    ({"query": "x", "k": 0}, "'k' must be a whole number from 1 to 100"), ({"query": "x", "k": 101}, "'k' must"),
    ({"query": "x", "k": True}, "'k' must"), ({"query": "x", "k": "5"}, "'k' must"), ({"query": "x", "k": 1.5}, "'k'"),
    ({"query": "x", "k": None}, "'k' must"), ({"query": "x", "v": -1}, "'v' must be a number from 0 to 100"),
    ({"query": "x", "v": 101}, "'v'"), ({"query": "x", "v": "1"}, "'v'"), ({"query": "x", "v": True}, "'v'"),
    ({"query": "x", "v": 10**400}, "'v'"), ({"query": "x", "method": "x"}, "one of dt, psq, expected, bowfd"),
    ({"query": "x", "method": "bowf"}, "did you mean 'bowfd'?"), ({"query": "x", "method": ["dt"]}, "'method'"),
    ({"query": "x", "method": None}, "'method'"), ({"query": "x", "settings": []}, "'settings' must be an object"),
    ({"query": "x", "settings": {str(n): n for n in range(21)}}, "at most 20 paths and values"),
    ({"query": "x", "settings": {"k": 5}}, "'k' is a field of the request"),
    ({"query": "x", "settings": {"bm25": {"k1": 1}}}, "the setting 'bm25' must be a single value"),
    ({"query": "x", "explain": 1}, "'explain' must be true or false"),
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


# --- settings ---

SERVED = SearchConfig(method="psq").set("bm25.k1", 0.9)


def served(method: str | None, config: SearchConfig = SERVED) -> SearchConfig:
    """The configuration of a server that was given one, for a method that a request names."""
    return config if method is None else config.set("method", method)


def test_settings_change_the_configuration_of_the_server() -> None:
    assert SearchRequest("x").config(served) == SERVED
    assert SearchRequest("x", method="dt").config(served) == SERVED.set("method", "dt")
    asked = {"bm25.b": 0, "psq.nbest": 10.0, "psq.forest": True, "repeats.k3": None, "bm25.idf": "lucene"}
    config = SearchRequest("x", settings=asked).config(served)
    assert (config.bm25.k1, config.bm25.b, config.bm25.idf, config.psq.forest) == (0.9, 0.0, "lucene", True)
    assert type(config.psq.nbest) is int
    both = SearchRequest("x", method="bowfd", v=2.0, settings={"bowfd.join": True}).config(served)
    assert (both.weights.v, both.bowfd.join) == (2.0, True)
    assert SearchRequest("x", method="bowfd", v=2.0, settings={"weights.v": 3.0}).config(served).weights.v == 3.0


def test_what_a_server_has_may_be_more_than_a_client_may_ask_for() -> None:
    large = SERVED.set("psq.nbest", 5000).set("translation.pop_limit", 0)
    found = SearchRequest("x", settings={"bm25.b": 0.5}).config(lambda method: served(method, large))
    assert found == large.set("bm25.b", 0.5)


@pytest.mark.parametrize(("settings", "said"), [
    ({"psq.nbest": 1001}, "psq.nbest is 1001; here it must be at least 1 and at most 1000"),
    ({"psq.nbest": 0}, "psq.nbest is 0; here it must be at least 1"),
    ({"psq.nbest": 1.5}, "psq.nbest is 1.5; it must be a whole number"),
    ({"psq.nbest": 1e300}, "at most 1000"),
    ({"translation.pop_limit": 0}, "translation.pop_limit is 0; here it must be at least 1 and at most 500"),
    ({"bm25.k1": 0}, "bm25.k1 is 0; here it must be above 0 and at most 1000"),
    ({"bm25.k1": "1"}, "bm25.k1 is '1'; it must be a number"), ({"bm25.k1": None}, "bm25.k1 is None; it must be a n"),
    ({"bm25.k1": True}, "it must be a number"), ({"bm25.b": 10**400}, "at most 1"),
    ({"psq.forest": 1}, "psq.forest is 1; it must be true or false"),
    ({"bm25.idf": "lucen"}, "one of rsj, lucene; did you mean 'lucene'?"), ({"bm25.idf": 3}, "it must be text"),
    ({"bm52.k1": 1}, "there is no setting 'bm52.k1'; /info lists all of them; did you mean 'bm25.k1'?"),
    ({"psq.nbst": 1}, "did you mean 'psq.nbest'?"), ({"x" * 60_000: 1}, "there is no setting 'xxx"),
    ({"bm25": 1}, "there is no setting 'bm25'"), ({"": 1}, "there is no setting ''"), ({"own": 1}, "no setting 'own'"),
    ({"weights.learned": "x"}, "there is no setting 'weights.learned'"), ({"decided": "x"}, "no setting 'decided'"),
    ({"weights.v": 2}, "the method 'psq' does not look at weights.v; leave it out, or use bowfd"),
    ({"bowfd.join": True}, "the method 'psq' does not look at bowfd.join"),
], ids=lambda value: str(value)[:40])
def test_settings_that_are_refused(settings: Any, said: str) -> None:
    with pytest.raises(Refused) as caught:
        SearchRequest("x", settings=settings).config(served)
    assert caught.value.status == 400
    assert said in caught.value.sentence
    assert len(caught.value.sentence) < 500


def test_a_weight_for_a_method_that_has_none() -> None:
    with pytest.raises(Refused, match=r"the method 'dt' does not look at weights\.v; leave it out, or use bowfd"):
        ExplainRequest("x", "d", method="dt", v=1.0).config(served)


anything = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
paths = st.sampled_from([one.path for method in METHODS for one in open_settings(SERVED.set("method", method))])


@given(asked=st.dictionaries(paths, anything, max_size=3), method=st.sampled_from(list(METHODS)))
def test_settings_are_taken_or_refused(asked: dict[str, Any], method: str) -> None:
    with contextlib.suppress(Refused):
        config = SearchRequest("x", method=method, settings=asked).config(served)
        assert {one.path for one in open_settings(config)} >= set(asked)
        assert config.signature


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=5)
names = st.sampled_from(["query", "method", "k", "v", "filter", "explain", "id", "having", "settings"])


@given(body=st.binary() | st.dictionaries(names, values, max_size=6).map(lambda fields: json.dumps(fields).encode()))
@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
def test_nothing_else_ever_happens(body: bytes) -> None:
    for kind in (SearchRequest, ExplainRequest):
        with contextlib.suppress(Refused):
            assert 1 <= len(kind.of(body).query) <= USUAL.longest_query  # type: ignore[attr-defined]
