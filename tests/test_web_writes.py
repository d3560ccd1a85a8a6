"""Writes over HTTP: what was acknowledged is there, also after a kill; what is refused has changed nothing."""

from __future__ import annotations

import contextlib
import errno
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.lock import locked
from crossbow.records import Doc
from crossbow.web import app as application
from crossbow.web import writes
from crossbow.web.access import Tokens
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Engine, Served
from crossbow.web.openapi import describe
from crossbow.web.reload import Watch
from crossbow.web.requests import USUAL, Limits, Refused
from crossbow.web.writes import MOST_WAITING, Writer, documents_of, ids_of
from reference.index import litter
from serving import call, running, small_engine

TOKEN = "may-write-as-it-likes"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def engine(place: Path) -> Engine:
    return small_engine(place)


@pytest.fixture
def port(engine: Engine, place: Path) -> Iterator[int]:
    with running(make_app(engine, Admission(), writer=Writer(place / "index", patience=300))) as port:
        yield port


def put(port: int, *docs: dict[str, Any], **headers: str) -> Any:
    return call(port, "PUT", "/documents", {"documents": docs}, **headers)


def test_documents_come_and_go(port: int, place: Path, engine: Engine) -> None:
    new = {"id": "new", "text": "A new bank", "title": "New", "year": 2020}
    reply = put(port, new, {"id": "d1", "text": "Replaced"})
    index = Index.load(place / "index")
    assert (reply.status, reply.json) == (200, {"documents": 4, "index": index.signature, "generation": 2})
    assert (index["new"].title, index["new"].fields, index["d1"].text) == ("New", {"year": 2020}, "Replaced")
    assert call(port, "DELETE", "/documents/d2").json["documents"] == 3
    assert call(port, "DELETE", "/documents", {"ids": ["d3", "new", "d3"]}).json["documents"] == 1
    assert [doc.id for doc in Index.load(place / "index")] == ["d1"]
    assert litter(place / "index") == set()


def test_searches_follow(place: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(Served, "warm", lambda served: None)
    watch = Watch(place / "model", place / "index")
    with running(make_app(engine, Admission(), watch=watch, writer=Writer(place / "index"))) as port:
        assert put(port, {"id": "new", "text": "An entirely new bank", "year": 2020}).status == 200
        while call(port, "GET", "/documents/new").status != 200:  # it does come
            time.sleep(0.05)
        assert engine.served.index.signature == Index.load(place / "index").signature


BAD: dict[str, Any] = {
    "nothing": {}, "no list": {"documents": {}}, "empty": {"documents": []}, "no object": {"documents": ["a"]},
    "no id": {"documents": [{"text": "a"}]}, "no text": {"documents": [{"id": "a"}]},
    "unknown": {"documents": [], "x": 1},
    "a number as id": {"documents": [{"id": 7, "text": "a"}]}, "empty id": {"documents": [{"id": "", "text": "a"}]},
    "twice": {"documents": [{"id": "a", "text": "b"}, {"id": "a", "text": "c"}]},
    "too many": {"documents": [{"id": str(n), "text": ""} for n in range(USUAL.most_documents + 1)]},
    "no string": {"documents": [{"id": "a", "text": None}]},
    "no title": {"documents": [{"id": "a", "text": "", "title": 1}]},
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_what_is_refused(body: Any) -> None:
    with pytest.raises(Refused) as refused:
        documents_of(json.dumps(body).encode())
    assert refused.value.status == (422 if body is BAD["twice"] else 400)  # which no schema can say


def test_what_changes_nothing(port: int, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (place / "index" / "header.json").read_bytes()
    assert put(port, {"id": "white space", "text": "a"}).status == 422
    assert "index" not in put(port, {"id": "white space", "text": "a"}).sentence  # nothing of the insides
    for ids in (["d1", "nowhere"], ["d1", ""]):
        assert call(port, "DELETE", "/documents", {"ids": ids}).status == 404
    assert call(port, "DELETE", "/documents/nowhere").status == 404
    for wrong in ({"ids": []}, {"ids": "d1"}, {"ids": [1]}, {}):
        assert call(port, "DELETE", "/documents", wrong).status == 400
    assert call(port, "PUT", "/documents", b"x" * 100, content_type="text/plain").status == 415
    assert call(port, "PUT", "/documents", b"x" * (USUAL.largest_batch + 1)).status == 413
    with locked(place / "index", "index"):
        reply = put(port, {"id": "a", "text": "b"})
        assert (reply.status, "another program is writing" in reply.sentence) == (409, True)

    def full(*ignored: object, **options: object) -> None:
        raise CrossbowError("the disk is full") from OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(writes, "update", full)
    reply = put(port, {"id": "a", "text": "b"})
    assert (reply.status, reply.sentence) == (507, "the disk is full; nothing was changed")
    assert (place / "index" / "header.json").read_bytes() == before


def test_limits_of_the_operator(engine: Engine, place: Path) -> None:
    """A batch may be as large as the operator says and no larger; deleting takes ids of as many bytes."""
    narrow = Engine(engine.served, limits=Limits(most_documents=2, largest_batch=200_000))
    two = [{"id": "a", "text": "b" * 99_000}, {"id": "c", "text": "d" * 99_000}]
    with running(make_app(narrow, Admission(), writer=Writer(place / "index"))) as port:
        assert put(port, *two).status == 200
        reply = put(port, *two, {"id": "e", "text": "f"})
        assert (reply.status, reply.sentence) == (400, "'documents' must be a list of 1 to 2 objects")
        reply = put(port, {"id": "a", "text": "b" * 200_000})
        assert (reply.status, reply.sentence) == (413, "the body is too large; at most 200,000 bytes are accepted")
        reply = call(port, "DELETE", "/documents", {"ids": ["a", "c", "d1"]})
        assert (reply.status, reply.sentence) == (400, "'ids' must be a list of 1 to 2 strings")
        assert call(port, "DELETE", "/documents", {"ids": ["x" * 100_000]}).status == 404  # it was read
        assert call(port, "DELETE", "/documents", {"ids": ["a", "c"]}).json["documents"] == 3
        schemas = call(port, "GET", "/openapi.json").json["components"]["schemas"]
        assert schemas["PutRequest"]["properties"]["documents"]["maxItems"] == 2
        assert schemas["DeleteRequest"]["properties"]["ids"]["maxItems"] == 2


class Gate:
    """Holds commits up until they may go on, and notes which documents came in which order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.begun, self.open, self.order = threading.Event(), threading.Event(), list[str]()
        self._update = writes.update
        monkeypatch.setattr(writes, "update", self.update)

    def update(self, folder: Path, docs: Sequence[Doc], *rest: Any, **options: Any) -> Any:
        self.order.append(docs[0].id)
        self.begun.set()
        assert self.open.wait(60)
        return self._update(folder, docs, *rest, **options)


def test_a_light_client_writes_while_another_floods(
    engine: Engine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 connections of one client, and another client's: its turn is next, and only the first gets 429."""
    gate, answers = Gate(monkeypatch), dict[str, int]()

    def write(name: str, client: str) -> threading.Thread:
        def run() -> None:
            answers[name] = put(port, {"id": name, "text": "a bank"}, x_forwarded_for=client).status

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def answered(count: int) -> None:
        while len(answers) < count:
            time.sleep(0.005)

    with running(make_app(engine, Admission(), writer=Writer(place / "index", patience=300))) as port:
        threads = [write("first", "192.0.2.1")]
        assert gate.begun.wait(60)
        threads += [write(f"heavy-{number}", "192.0.2.1") for number in range(99)]
        answered(99 - MOST_WAITING)
        threads.append(write("light", "192.0.2.2"))
        answered(99 - MOST_WAITING + 1)  # one of the heavy client's makes room
        gate.open.set()
        for thread in threads:
            thread.join()
    assert gate.order.index("light") == 2
    written = {name for name, status in answers.items() if status == 200}
    assert {status for name, status in answers.items() if name not in written} == {429}
    assert len(written) == 1 + MOST_WAITING
    assert {"first", "light"} <= written
    assert {doc.id for doc in Index.load(place / "index")} == {*written, "d1", "d2", "d3"}


def test_a_write_that_waits_too_long_is_refused(
    engine: Engine, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, first = Gate(monkeypatch), list[int]()
    with running(make_app(engine, Admission(), writer=Writer(place / "index", patience=0.05))) as port:
        thread = threading.Thread(target=lambda: first.append(put(port, {"id": "a", "text": "b"}).status))
        thread.start()
        assert gate.begun.wait(60)
        reply = put(port, {"id": "late", "text": "b"})
        assert (reply.status, reply.headers["retry-after"]) == (429, "1")
        assert call(port, "DELETE", "/documents/d1").status == 429
        gate.open.set()
        thread.join()
    assert (first, gate.order) == ([200], ["a"])  # what has begun is done, and what was refused never is
    assert {doc.id for doc in Index.load(place / "index")} == {"a", "d1", "d2", "d3"}


def test_only_writable_servers_write(engine: Engine, place: Path) -> None:
    with running(make_app(engine, Admission())) as port:
        assert (put(port, {"id": "a", "text": "b"}).status, call(port, "DELETE", "/documents/d1").status) == (404, 405)
        assert "/documents" not in call(port, "GET", "/openapi.json").json["paths"]
    tokens = Tokens((), TOKEN)
    with running(make_app(engine, Admission(), writer=Writer(place / "index"), tokens=tokens)) as port:
        assert {*call(port, "GET", "/openapi.json").json["paths"]["/documents"]} == {"put", "delete"}
        assert (put(port, {"id": "a", "text": "b"}).status, call(port, "DELETE", "/documents/d1").status) == (401, 401)
        assert put(port, {"id": "a", "text": "b"}, authorization=f"Bearer {TOKEN}").status == 200
        assert call(port, "GET", "/documents/d1").status == 200


def test_writers_take_turns(port: int, place: Path) -> None:
    def some(worker: int) -> None:
        for n in range(5):
            assert put(port, {"id": f"w{worker}-{n}", "text": "x"}).status == 200

    threads = [threading.Thread(target=some, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Index.load(place / "index")) == 3 + 20


def test_ids_are_read_once() -> None:
    assert ids_of(b'{"ids": ["a", "b", "a"]}') == ["a", "b"]


def test_the_description_has_all_that_is_named(engine: Engine) -> None:
    text = json.dumps(describe(engine.served.config, engine.served.model, writable=True))
    for name in ("PutRequest", "DeleteRequest", "Committed"):
        assert f"#/components/schemas/{name}" in text


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 600 KB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if shutil.which("mount") is None or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("A REALLY FULL DISK WAS NOT TESTED: this user may not mount a small file system")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_really_full_disk_loses_nothing_that_was_acknowledged(small_disk: Path) -> None:
    """Batches come until there is no more room; the one that is refused has changed nothing, and searches go on."""
    engine, acknowledged, filler = small_engine(small_disk), set[str](), small_disk / "filler"
    filler.write_bytes(bytes(100_000))
    writing = make_app(engine, Admission(seconds=300), writer=Writer(small_disk / "index"))  # kernels may be compiled
    with running(writing) as port:
        for n in range(1000):
            batch = [{"id": f"k{n}-{m}", "text": f"text {n} of {m} " * 20} for m in range(20)]
            reply = put(port, *batch)
            if reply.status != 200:
                break
            acknowledged |= {doc["id"] for doc in batch}
        assert (reply.status, reply.sentence) == (507, "the disk is full; nothing was changed")
        assert len(acknowledged) >= 20
        assert {doc.id for doc in Index.load(small_disk / "index")} == {*acknowledged, "d1", "d2", "d3"}
        assert litter(small_disk / "index") == set()
        assert call(port, "POST", "/search", {"query": "Bank"}).status == 200
        filler.unlink()  # now there is room again
        assert put(port, *batch).status == 200
        assert batch[0]["id"] in Index.load(small_disk / "index")


SERVER = """
import sys
from pathlib import Path
import uvicorn
from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Engine, Served
from crossbow.web.server import listen
from crossbow.web.writes import Writer

place = Path(sys.argv[1])
bound = listen("127.0.0.1", 0)
print(bound.getsockname()[1], flush=True)
app = make_app(Engine(Served.load(place / "model", place / "index")), Admission(), writer=Writer(place / "index"))
uvicorn.Server(uvicorn.Config(app, log_level="error")).run([bound])
"""


@contextlib.contextmanager
def process(place: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    started = subprocess.Popen([sys.executable, "-c", SERVER, str(place)], stdout=subprocess.PIPE, text=True)
    try:
        assert started.stdout
        yield started, int(started.stdout.readline())
    finally:
        started.kill()
        started.wait()
        if started.stdout:
            started.stdout.close()


def test_a_kill_loses_nothing_that_was_acknowledged(place: Path, engine: Engine) -> None:
    """1,000 documents in batches, and a kill -9 at random moments; whoever gets no answer sends the batch again."""
    rng, acknowledged, at = random.Random(7), set[str](), 0
    batches = [[{"id": f"k{n}-{m}", "text": f"text {n} of {m}"} for m in range(50)] for n in range(20)]
    for killed in (True, True, True, True, False):
        with process(place) as (server, port):
            killer = threading.Timer(rng.uniform(0.0, 0.1), os.kill, (server.pid, signal.SIGKILL))
            with contextlib.suppress(OSError, http.client.HTTPException):
                while at < len(batches):
                    assert put(port, *batches[at]).status == 200
                    acknowledged |= {doc["id"] for doc in batches[at]}
                    at += 1
                    if killed and killer.ident is None:
                        killer.start()  # from now on it may come at any moment
            if killer.ident is not None:
                killer.join()
        names = [doc.id for doc in Index.load(place / "index")]
        assert acknowledged <= {*names}
        assert len(names) == len({*names})
    assert (len(acknowledged), len(Index.load(place / "index"))) == (1000, 1003)
    assert litter(place / "index") == set()
