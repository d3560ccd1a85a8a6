"""The API over real HTTP: answers, limits, refusals with a sentence; and whatever is sent, the server goes on."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import re
import resource
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from crossbow.index import add, delete
from crossbow.ranking.methods import METHODS
from crossbow.ranking.searcher import Searcher
from crossbow.records import Doc
from crossbow.web import app as application
from crossbow.web.access import Tokens
from crossbow.web.admission import Admission
from crossbow.web.app import PAGE, make_app
from crossbow.web.engine import Deadline, Engine
from crossbow.web.reload import Watch
from crossbow.web.requests import LARGEST_BODY
from plugins import plugged
from serving import ATTACK, ODD, Site, call, open_site, running

QUERY = "Räuber überfällt eine Bank in Tessenbruck"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return open_site(tmp_path_factory.mktemp("app"), tmp_path_factory)


@pytest.fixture(scope="module")
def port(site: Site) -> Iterator[int]:
    with running(make_app(site.engine, Admission(), ("127.0.0.1", "localhost", "[::1]"))) as port:
        yield port


# --- what is there ---


def test_search(port: int, site: Site) -> None:
    reply = call(port, "POST", "/search", {"query": QUERY, "k": 3, "explain": True})
    assert reply.status == 200
    assert reply.headers["content-type"] == "application/json"
    assert reply.json["hits"][0]["id"] == "bank-robbery"
    assert len(reply.json["hits"]) == 3
    assert reply.json["hits"][0]["why"]


def test_explain(port: int) -> None:
    reply = call(port, "POST", "/explain", {"query": QUERY, "id": "bank-robbery", "method": "psq"})
    assert (reply.status, reply.json["id"], reply.json["method"]) == (200, "bank-robbery", "psq")
    assert reply.json["parts"][0]["matches"]
    assert "no document" in call(port, "POST", "/explain", {"query": QUERY, "id": "x"}).sentence


def test_settings(port: int, site: Site) -> None:
    served, body = site.engine.served, {"query": QUERY, "k": 5, "settings": {"bm25.k1": 0.4}}
    for method in (*METHODS, None):
        named = {"method": method} if method else {}  # those have the paper's other settings
        searcher = Searcher(served.model, served.index, {**named, "bm25.k1": 0.4})
        reply = call(port, "POST", "/search", {**body, **({"method": method} if method else {})}).json
        assert [(hit["id"], hit["score"], hit["rank"]) for hit in reply["hits"]] == searcher.search(QUERY, 5)
        assert reply["config"] == searcher.config.signature
    asked = {"query": QUERY, "id": "bank-robbery", "settings": {"bm25.k1": 0.4}}
    assert call(port, "POST", "/explain", asked).json["score"] == searcher.explain(QUERY, "bank-robbery").score


@pytest.mark.parametrize("doc", ODD, ids=lambda doc: doc.id)
def test_documents(port: int, doc: Doc) -> None:
    reply = call(port, "GET", f"/documents/{quote(doc.id)}")
    assert (reply.status, reply.json) == (200, doc._asdict())


def test_health_info_metrics_and_description(port: int) -> None:
    assert call(port, "GET", "/health").json == {"status": "ok"}
    assert call(port, "GET", "/info").json["source"] == "de"
    assert call(port, "GET", "/openapi.json").json["openapi"].startswith("3.")
    reply = call(port, "GET", "/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert b'crossbow_requests_total{path="/health",status="200"}' in reply.body


def test_the_page_and_its_headers(port: int) -> None:
    for address, (_, kind) in PAGE.items():
        reply = call(port, "GET", f"/{address}")
        assert (reply.status, reply.headers["content-type"].partition(";")[0]) == (200, kind)
        assert "script-src 'self'" in reply.headers["content-security-policy"]
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"
    page = call(port, "GET", "/").body.decode()
    assert not re.search(r"<script>|\son\w+=|style=", page)
    assert call(port, "HEAD", "/").status == 200


def test_a_method_that_somebody_added(
    port: int, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"query": QUERY, "method": "toy", "explain": True}
    with plugged(tmp_path, monkeypatch):
        toy = call(port, "GET", "/info").json["methods"][-1]
        assert (toy["name"], toy["label"]) == ("toy", "Every word")
        assert "toy.weight" in {setting["path"] for setting in toy["settings"]}
        schemas = call(port, "GET", "/openapi.json").json["components"]["schemas"]
        for name in ("SearchRequest", "ExplainRequest"):
            described = schemas[name]["oneOf"][-1]["properties"]
            assert described["method"]["const"] == "toy"
            assert described["settings"]["properties"]["toy.weight"]["maximum"] == 10
        for weight in (1.0, 2.5):
            searcher = Searcher(site.engine.served.model, site.engine.served.index,
                                {"method": "toy", "toy.weight": weight})
            found = call(port, "POST", "/search", {**body, "settings": {"toy.weight": weight}}).json
            assert [(hit["id"], hit["score"], hit["rank"]) for hit in found["hits"]] == searcher.search(QUERY, 10)
            for hit in found["hits"]:
                assert any(piece["match"] for piece in hit["title"] + hit["snippet"])
                asked = {"query": QUERY, "id": hit["id"], "method": "toy", "settings": {"toy.weight": weight}}
                explained = call(port, "POST", "/explain", asked).json
                assert explained["score"] == hit["score"]
                assert sum(part["value"] for part in explained["parts"]) == pytest.approx(hit["score"], abs=2e-6)
        refused = call(port, "POST", "/search", {**body, "settings": {"toy.weight": 11}})
        assert refused.sentence == "toy.weight is 11; here it must be above 0 and at most 10"
    assert "one of dt, psq, expected, bowfd" in call(port, "POST", "/search", body).sentence


# --- what is refused ---


def test_bad_requests_get_a_sentence(port: int) -> None:
    assert call(port, "POST", "/search", b"{").sentence == "the body must be JSON in UTF-8"
    assert "'k' must be" in call(port, "POST", "/search", {"query": "x", "k": 0}).sentence
    assert call(port, "POST", "/search", {"query": "x" * 1001}).status == 400
    reply = call(port, "POST", "/search", b'{"query": "x"}', content_type="text/plain")
    assert (reply.status, "application/json" in reply.sentence) == (415, True)


@pytest.mark.parametrize(("settings", "said"), [
    ({"psq.nbest": 100_000}, "at most 1000"), ({"translation.pop_limit": 0}, "at least 1"), ({"bm25": 1}, "no setting"),
    ({"psq.nbst": 5}, "did you mean 'psq.nbest'?"), ({"weights.v": 1}, "does not look at weights.v"),
], ids=str)
def test_bad_settings_get_a_sentence(port: int, settings: dict[str, Any], said: str) -> None:
    for path, body in (("/search", {}), ("/explain", {"id": "bank-robbery"})):
        reply = call(port, "POST", path, {"query": QUERY, "method": "psq", "settings": settings, **body})
        assert (reply.status, said in reply.sentence) == (400, True), reply


def test_unknown_addresses_and_methods(port: int) -> None:
    assert "nothing at this address" in call(port, "GET", "/nothing").sentence
    reply = call(port, "GET", "/search")
    assert (reply.status, reply.headers["allow"]) == (405, "POST")
    assert "method" in reply.sentence
    assert call(port, "DELETE", "/documents/rtl").status == 405


@pytest.mark.parametrize("path", [
    "/../pyproject.toml", "/..%2f..%2fetc%2fpasswd", "/documents/../../etc/passwd", "/documents/..%2F..%2Fetc%2Fpasswd",
    "/documents/%00", "/documents/", "/documents/%ff%fe", "/style.css/../engine.py", "/page/index.html", "//etc/passwd",
    "/documents/file:%2F%2F%2Fetc%2Fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/index.html",
])
def test_no_path_leads_to_a_file(port: int, path: str) -> None:
    reply = call(port, "GET", path)
    assert reply.status == 404
    assert reply.sentence


def test_names_of_others_are_refused(port: int) -> None:
    assert call(port, "GET", "/info", Host="evil.example").status == 400
    assert call(port, "GET", "/info", Host="127.0.0.1.evil.example").status == 400
    for name in ("localhost", "LOCALHOST:80", f"127.0.0.1:{port}", f"[::1]:{port}"):
        assert call(port, "GET", "/info", Host=name).status == 200


def test_large_bodies(port: int) -> None:
    just = json.dumps({"query": "Haus"}).encode()
    assert call(port, "POST", "/search", just + b" " * (LARGEST_BODY - len(just))).status == 200
    for size in (LARGEST_BODY + 1, 1 << 20):
        reply = call(port, "POST", "/search", just + b" " * (size - len(just)))
        assert (reply.status, "65,536 bytes" in reply.sentence) == (413, True)


def test_slow_bodies(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "BODY_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", port), timeout=30) as slow:
        slow.sendall(b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     b"Content-Length: 100\r\n\r\n{")
        assert slow.recv(100).startswith(b"HTTP/1.1 408")


def test_clients_that_leave(port: int) -> None:
    body = json.dumps({"query": QUERY}).encode()
    head = f"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    for sent in (head.encode()[:30], head.encode() + b"\r\n\r\n" + body[:5], head.encode() + b"\r\n\r\n" + body):
        with socket.create_connection(("127.0.0.1", port), timeout=30) as rude:
            rude.sendall(sent)
    assert call(port, "GET", "/health").status == 200


# --- whatever is sent ---


def test_fuzzed_queries(port: int) -> None:
    """Scripts of all kinds, control characters, halves of characters, markup: an answer, and JSON that can be read."""
    rng = random.Random(3)
    odd = [ATTACK, "שלום עולם", "\u202eabc\u202c", "👩‍👩‍👧‍👦" * 40, "\ud800", "\x00\x01\x7f", "a\u0301" * 300,
           "日本" * 400, "." * 1000, "\n" * 1000, "A. B! C? " * 100, "'; DROP TABLE docs; --", "${jndi:ldap://x}",
           "../../etc/passwd", "%00%ff", "\ufeff", "\u2028\u2029", "ﷺ" * 100, "İ" * 100, "ß" * 500]
    odd += ["".join(chr(rng.choice([rng.randrange(0x80), rng.randrange(0x3000), rng.randrange(0x110000)]))
                    for _ in range(rng.randint(1, 120))) for _ in range(40)]
    for at, query in enumerate(odd):
        body = {"query": query, "method": ["bowfd", "dt", "psq", "expected"][at % 4], "explain": True, "k": 2,
                "filter": {"lacking": [query[:100]], "id_prefix": ""}}
        reply = call(port, "POST", "/search", body)
        assert reply.status == 200, (query, reply)
        assert isinstance(reply.json["hits"], list)
        assert call(port, "POST", "/explain", {"query": query, "id": "rtl"}).status == 200


def test_fuzzed_bodies(port: int) -> None:
    rng = random.Random(4)
    good = json.dumps({"query": QUERY, "k": 3, "filter": {"having": ["bank"]}}).encode()
    for _ in range(150):
        body = bytearray(good if rng.random() < 0.7 else rng.randbytes(rng.randrange(300)))
        for _ in range(rng.randrange(1, 5)):
            if body:
                body[rng.randrange(len(body))] = rng.randrange(256)
        reply = call(port, "POST", rng.choice(["/search", "/explain"]), bytes(body))
        assert reply.status in (200, 400, 404), (bytes(body), reply)
        if reply.status != 200:
            assert reply.sentence
    assert call(port, "POST", "/search", rng.randbytes(1 << 20)).status == 413
    assert call(port, "GET", "/health").status == 200


def test_bytes_that_are_no_http(port: int) -> None:
    rng = random.Random(5)
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as wild, contextlib.suppress(OSError):
            wild.sendall(rng.randbytes(200) + b"\r\n\r\n")
            wild.shutdown(socket.SHUT_WR)
            answer = wild.recv(1000)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer
    assert call(port, "GET", "/health").status == 200


def test_a_mistake_of_ours_tells_nothing_of_the_insides(
    site: Site, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(self: Engine, asked: Any, deadline: Deadline) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(Engine, "search", broken)
    with running(make_app(site.engine, Admission())) as port:
        reply = call(port, "POST", "/search", {"query": "Haus"})
        assert call(port, "GET", "/health").status == 200
        assert b'crossbow_requests_total{path="/search",status="500"} 1' in call(port, "GET", "/metrics").body
    assert (reply.status, "secret" in reply.sentence) == (500, False)


# --- load ---


def test_too_much_load_is_refused_and_the_rest_is_answered(site: Site) -> None:
    with running(make_app(site.engine, Admission(threads=2, waiting=2))) as port, ThreadPoolExecutor(24) as pool:
        def ask(at: int) -> int:
            reply = call(port, "POST", "/search", {"query": f"{QUERY} {at}", "explain": True})
            if reply.status == 429:
                assert reply.headers["retry-after"] == "1"
                assert "try again" in reply.sentence
            return reply.status

        found = list(pool.map(ask, range(200)))
        assert set(found) == {200, 429}
        metrics = call(port, "GET", "/metrics").body.decode()
        assert f'crossbow_requests_total{{path="/search",status="429"}} {found.count(429)}' in metrics
        assert "crossbow_requests_running 0\n" in metrics
        assert ask(0) == 200


def test_requests_run_at_the_same_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = threading.Barrier(2, timeout=30)
    plain = Engine.search

    def meet(self: Engine, asked: Any, deadline: Deadline) -> Any:
        meeting.wait()  # breaks unless two are here at once
        return plain(self, asked, deadline)

    monkeypatch.setattr(Engine, "search", meet)
    with running(make_app(site.engine, Admission(threads=2))) as port, ThreadPoolExecutor(2) as pool:
        replies = pool.map(lambda query: call(port, "POST", "/search", {"query": query}), ["Haus", "Bank"])
        assert [reply.status for reply in replies] == [200, 200]


def test_idle_connections_and_slow_readers_stop_nobody(port: int) -> None:
    """1,000 connections that say nothing, some that say half of something, and one that does not read its answers."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    body = json.dumps({"query": QUERY, "k": 100, "explain": True}).encode()
    asked = (b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             b"Content-Length: %d\r\n\r\n" % len(body) + body)
    with contextlib.ExitStack() as opened:
        for at in range(1000):
            idle = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            if at % 10 == 0:
                idle.sendall(b"POST /search HTTP/1.1\r\nHost: lo")
        slow = opened.enter_context(socket.socket())
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", port))
        for _ in range(5):
            slow.sendall(asked)
        for _ in range(3):
            assert call(port, "POST", "/search", {"query": QUERY}).status == 200
        end = time.monotonic() + 30
        while b"crossbow_requests_running 0" not in call(port, "GET", "/metrics").body:
            assert time.monotonic() < end, "a thread waits for a reader"
        assert slow.recv(15) == b"HTTP/1.1 200 OK"
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_client_is_an_address_that_a_proxy_passes_on(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a token, if there are several: one that all have tells nobody apart."""
    seen: list[str] = []
    plain = Admission.run

    async def run(self: Admission, work: Any, gone: Any, client: str = "") -> Any:
        seen.append(client)
        return await plain(self, work, gone, client)

    monkeypatch.setattr(Admission, "run", run)
    names = ["first-token-of-all", "second-token-of-all"]
    for tokens in (Tokens(), Tokens(names[:1]), Tokens(names)):
        with running(make_app(site.engine, Admission(), tokens=tokens)) as port:  # uvicorn believes this machine
            call(port, "GET", "/documents/rtl", None, authorization=f"Bearer {names[0]}", x_forwarded_for="192.0.2.7")
            call(port, "GET", "/documents/rtl", None, authorization=f"Bearer {names[-1]}")
    assert seen == ["192.0.2.7", "127.0.0.1", "192.0.2.7", "token 0", "token 1"]


# --- news ---


def test_a_changed_index_is_taken_up_and_no_request_is_dropped(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(application, "LOOK_SECONDS", 0.05)
    watch = Watch(site.folder / "model", site.folder / "index")
    served = watch.news()
    assert served is not None
    statuses: list[int] = []
    stop = threading.Event()
    with running(make_app(Engine(served), Admission(), watch=watch)) as port:
        def keep_asking() -> None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)  # kept alive all the time
            body, kind = json.dumps({"query": QUERY}), {"content-type": "application/json"}
            while not stop.is_set():
                connection.request("POST", "/search", body, kind)
                response = connection.getresponse()
                response.read()
                statuses.append(response.status)

        def wait_for(count: int) -> None:
            end = time.monotonic() + 30
            while call(port, "GET", "/info").json["documents"] != count:
                assert time.monotonic() < end, "the change was not taken up"
                time.sleep(0.02)

        askers = [threading.Thread(target=keep_asking) for _ in range(3)]
        for asker in askers:
            asker.start()
        before = len(served.index)
        for round in range(3):
            add(site.folder / "index", [Doc(f"new{round}", "a robber robs the bank in Tessenbruck")], workers=1)
            wait_for(before + round + 1)
        delete(site.folder / "index", ["new0", "new1", "new2"])
        wait_for(before)
        (site.folder / "index" / "header.json").touch()  # and one that cannot be opened changes nothing
        text = (site.folder / "index" / "header.json").read_text()
        (site.folder / "index" / "header.json").write_text("{")
        while b'crossbow_reloads_total{result="failed"} 1' not in call(port, "GET", "/metrics").body:
            time.sleep(0.02)
        assert call(port, "POST", "/search", {"query": QUERY}).status == 200
        (site.folder / "index" / "header.json").write_text(text)
        stop.set()
        for asker in askers:
            asker.join()
    assert set(statuses) == {200}
    assert "crossbow: the new state is not served" in capsys.readouterr().err

