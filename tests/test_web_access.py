"""Who may ask: tokens, origins, names behind a proxy; ids of requests, the log, and readiness apart from liveness."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossbow.errors import CrossbowError
from crossbow.web import access
from crossbow.web.access import Tokens
from crossbow.web.admission import Admission
from crossbow.web.app import PAGE, make_app
from crossbow.web.engine import Deadline, Engine
from crossbow.web.openapi import PATHS
from crossbow.web.requests import Limits, SearchRequest
from crossbow.web.server import allowed_hosts
from serving import call, running, small_engine

TOKEN, OTHER = "correct-horse-battery", "staple-of-some-length"
ORIGIN = "https://example.org"
LOG: list[dict[str, Any]] = []


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    engine = small_engine(tmp_path_factory.mktemp("access"))
    engine.search(SearchRequest("Bank"), Deadline(1e9))  # kernels may have to be compiled
    return engine


@pytest.fixture(scope="module")
def port(engine: Engine) -> Iterator[int]:
    app = make_app(engine, Admission(seconds=300), ("127.0.0.1", "search.example.org"), tokens=Tokens([TOKEN], OTHER),
                   origins=[ORIGIN], log=lambda record: LOG.append(dict(record)))
    with running(app) as port:
        yield port


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("headers", [
    {}, bearer(""), bearer("wrong-horse-battery-2"), bearer(TOKEN[:-1]), bearer(TOKEN + "x"), bearer(TOKEN.upper()),
    {"Authorization": TOKEN}, {"Authorization": f"Basic {TOKEN}"}, {"X-Token": TOKEN}, bearer("ü" * 20),
], ids=str)
def test_nothing_without_a_token(port: int, headers: dict[str, str]) -> None:
    for method, path in (("POST", "/search"), ("POST", "/explain"), ("POST", "/gloss"), ("GET", "/documents/d1"),
                         ("GET", "/info"), ("GET", "/metrics"), ("GET", "/openapi.json"), ("GET", "/docs"),
                         ("GET", "/nowhere"), ("PUT", "/documents"), ("DELETE", "/documents"),
                         ("DELETE", "/documents/d1"), ("GET", "/documents/../health"), ("GET", "//health")):
        body = {"query": "Bank"} if method in ("POST", "PUT") else None
        sent = {name: value.encode().decode("latin1") for name, value in headers.items()}
        reply = call(port, method, path, body, **sent)
        assert reply.status == 401, (method, path)
        assert reply.headers["www-authenticate"] == "Bearer"
        assert "Authorization: Bearer" in reply.sentence
    for path in (*PAGE, "health", "ready"):
        assert call(port, "GET", f"/{path}", None, **sent).status == 200


def test_with_a_token(port: int) -> None:
    for token in (TOKEN, OTHER):  # who may write may read
        assert call(port, "POST", "/search", {"query": "Bank"}, **bearer(token)).json["total"] > 0
        assert call(port, "GET", "/documents/d1", None, **{"authorization": f"bearer  {token}"}).status == 200
    assert call(port, "PUT", "/documents", None, **bearer(TOKEN)).status == 401  # reading is not writing


def test_every_address_is_closed_or_known_to_be_open() -> None:
    assert {path for path in PATHS if path not in ("/health", "/ready")} == {
        "/search", "/explain", "/gloss", "/documents/{id}", "/info", "/metrics"}


@pytest.mark.parametrize(("tokens", "reads", "writes"), [
    (Tokens(), (True, True, True), (True, True, True)), (Tokens([TOKEN]), (False, True, False), (False, True, False)),
    (Tokens((), OTHER), (True, True, True), (False, False, True)),
    (Tokens([TOKEN], OTHER), (False, True, True), (False, False, True)),
], ids=str)
def test_who_may_what(tokens: Tokens, reads: tuple[bool, ...], writes: tuple[bool, ...]) -> None:
    """Nobody without a token may write where reading takes one."""
    places = [tokens.place(f"Bearer {given}".encode()) for given in ("", TOKEN, OTHER)]
    assert tuple(tokens.allow(place, writes=False) for place in places) == reads
    assert tuple(tokens.allow(place, writes=True) for place in places) == writes


@pytest.mark.parametrize(("path", "kind", "begins"), [
    ("/docs", "text/html", b"<!doctype html>"), ("/metrics", "text/plain", b"# HELP crossbow_requests_total"),
    ("/openapi.json", "application/json", b'{"openapi"'),
])
def test_descriptions_and_numbers_need_a_token(
    port: int, engine: Engine, path: str, kind: str, begins: bytes
) -> None:
    """Without one only a sentence comes back; any token of the server opens them; without tokens they are open."""
    for headers in ({}, bearer("wrong-horse-battery-2")):
        reply = call(port, "GET", path, None, **headers)
        assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer")
        assert reply.sentence == "this server requires a token: send it as Authorization: Bearer TOKEN"
    only_writing = make_app(engine, Admission(), tokens=Tokens((), OTHER))
    with running(only_writing) as another:
        replies = [call(port, "GET", path, None, **bearer(TOKEN)), call(port, "GET", path, None, **bearer(OTHER)),
                   call(another, "GET", path)]
    for reply in replies:
        assert (reply.status, reply.headers["content-type"].partition(";")[0]) == (200, kind)
        assert reply.body.startswith(begins)


def test_time_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is sent, digests of one length are compared, all of them, by the function that is made for it."""
    compared: list[tuple[bytes, bytes]] = []
    monkeypatch.setattr(access.hmac, "compare_digest", lambda one, two: compared.append((one, two)) or one == two)
    tokens = Tokens([TOKEN], OTHER)
    for given in (TOKEN, OTHER, "", TOKEN[:-1], "x" * 1000):
        del compared[:]
        assert tokens.allow(tokens.place(f"Bearer {given}".encode()), writes=False) == (given in (TOKEN, OTHER))
        assert [(len(one), len(two)) for one, two in compared] == [(32, 32)] * 2
        assert not any(TOKEN.encode() in pair or OTHER.encode() in pair for pair in compared)


@pytest.mark.parametrize(("tokens", "problem"), [
    (("short",), "at least 16 characters"), (("with a space in it, alas",), "none a space"), (("ü" * 20,), "ASCII"),
    ((TOKEN, TOKEN), "are the same"), (("",), "at least 16"),
])
def test_bad_tokens(tokens: tuple[str, ...], problem: str) -> None:
    with pytest.raises(CrossbowError, match=problem):
        Tokens(tokens[:1], *tokens[1:])


def test_pages_of_other_origins(port: int) -> None:
    asking = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST",
              "Access-Control-Request-Headers": "authorization,content-type"}
    reply = call(port, "OPTIONS", "/search", None, **asking)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, ORIGIN)
    assert call(port, "OPTIONS", "/search", None, **{**asking, "Origin": "https://evil.example"}).status == 400
    reply = call(port, "POST", "/search", {"query": "Bank"}, **{**bearer(TOKEN), "Origin": ORIGIN})
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, ORIGIN)
    reply = call(port, "POST", "/search", {"query": "Bank"}, **{**bearer(TOKEN), "Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in reply.headers


def test_names_behind_a_proxy(port: int) -> None:
    for name, status in {"search.example.org": 200, "SEARCH.example.org:443": 200, "evil.example": 400}.items():
        assert call(port, "GET", "/health", None, **{"Host": name}).status == status
    local = {"localhost", "127.0.0.1", "[::1]"}
    assert {*allowed_hosts("127.0.0.1", ["Search.example.org"])} == local | {"search.example.org"}
    assert allowed_hosts("0.0.0.0") == ()
    assert {*allowed_hosts("0.0.0.0", ["a.example"])} == local | {"0.0.0.0", "a.example"}


def logged(name: str) -> dict[str, Any]:
    """What the log has of a request; it is written when the answer is sent, so perhaps after it was read."""
    for _ in range(1000):
        if found := [record for record in list(LOG) if record["id"] == name]:
            return found[0]
        time.sleep(0.01)
    raise AssertionError(f"the request {name} was not logged")


def test_requests_have_ids_and_are_logged(port: int) -> None:
    reply = call(port, "POST", "/search", {"query": "Bank geheim"}, **{**bearer(TOKEN), "X-Request-ID": "abc-1.2_Z"})
    assert reply.headers["x-request-id"] == "abc-1.2_Z"
    made = call(port, "GET", "/documents/d1", None, **{"X-Request-ID": "no spaces\x01"}).headers["x-request-id"]
    assert len(made) == 32
    first, second = logged("abc-1.2_Z"), logged(made)
    assert (first["id"], first["method"], first["path"], first["status"]) == ("abc-1.2_Z", "POST", "/search", 200)
    assert (second["id"], second["status"], second["path"], second["client"]) == (made, 401, "other", "127.0.0.1")
    assert first["milliseconds"] > 0
    assert "geheim" not in json.dumps(LOG)


def test_longer_queries(engine: Engine) -> None:
    """The limit holds for search and explain, the description and /info say it, and bodies may be as large."""
    query = "Bank " * 4000
    wide = Engine(engine.served, limits=Limits(longest_query=len(query)))
    with running(make_app(wide, Admission(seconds=300))) as port:
        for asked in ({"query": "\U0001f3f9" * len(query) + "x"}, {"query": query + "x"}):
            reply = call(port, "POST", "/search", asked)
            assert (reply.status, f"it must have 1 to {len(query):,}" in reply.sentence) == (400, True)
        assert call(port, "POST", "/search", {"query": " " * len(query)}).status == 200
        assert call(port, "POST", "/search", b"x" * (1 << 20)).status == 413
        assert call(port, "GET", "/info").json["longest_query"] == len(query)
        schema = call(port, "GET", "/openapi.json").json["components"]["schemas"]["SearchRequest"]["oneOf"][0]
        assert schema["properties"]["query"]["maxLength"] == len(query)


def test_more_or_fewer_hits(engine: Engine) -> None:
    """The limit holds for the answer, and the description and /info say it."""
    for most in (10, 2000):
        with running(make_app(Engine(engine.served, limits=Limits(most_hits=most)), Admission(seconds=300))) as port:
            assert len(call(port, "POST", "/search", {"query": "Bank", "k": most}).json["hits"]) == 2
            reply = call(port, "POST", "/search", {"query": "Bank", "k": most + 1})
            assert (reply.status, reply.sentence) == (400, f"'k' must be a whole number from 1 to {most}")
            assert call(port, "GET", "/info").json["most_hits"] == most
            schema = call(port, "GET", "/openapi.json").json["components"]["schemas"]["SearchRequest"]["oneOf"][0]
            assert schema["properties"]["k"]["maximum"] == most


def test_ready_or_alive(engine: Engine) -> None:
    admission = Admission(threads=1, waiting=0)
    with running(make_app(engine, admission)) as port:
        assert [call(port, "GET", path).status for path in ("/health", "/ready")] == [200, 200]
        admission.taken = 1
        assert [call(port, "GET", path).status for path in ("/health", "/ready")] == [200, 503]
        assert call(port, "GET", "/ready").headers["retry-after"] == "1"


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from commands import failure, runner

    run = runner(monkeypatch, capsys, "serve")
    assert "at least 16 characters" in failure(run("model", "index", "--token", "short"))
    assert "give a --write-token" in failure(run("model", "index", "--writable", "--token", TOKEN))
    for option in (("--host", "0.0.0.0"), ("--allow-host", "search.example.org"), ("--trust-proxy", "127.0.0.1"),
                   ("--allow-origin", ORIGIN)):  # strangers come in
        assert "lets everyone who reaches" in failure(run("model", "index", "--writable", *option))
    assert "such as 10.0.0.0/8" in failure(run("model", "index", "--trust-proxy", "10.0.0.1/8"))
    monkeypatch.setenv("CROSSBOW_TOKEN", "short too")
    assert "at least 16 characters" in failure(run("model", "index"))
