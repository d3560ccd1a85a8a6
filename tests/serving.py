"""A server inside the process of a test, on a port of its own, and requests to it as plain as HTTP is.

    site = open_site(folder, tmp_path_factory)          # a model, an index and an engine
    with running(make_app(site.engine, Admission())) as port:
        status, headers, body = call(port, "POST", "/search", {"query": "Haus"})
    with serving(folder, "model", "index") as (process, port): ...        # the command itself
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import uvicorn
from starlette.types import ASGIApp

from crossbow.datasets.demo.load import documents
from crossbow.index import build
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from crossbow.web.engine import Engine, Served
from crossbow.web.pagefile import PageSettings
from crossbow.web.server import listen
from training import corpus

COMMAND = str(Path(sys.executable).with_name("crossbow"))
# What must never become markup, nor anything but text.
ATTACK = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
ODD = [
    Doc("evil/<b>id</b>", f"A zebra {ATTACK} in the bank. Zebra &amp; javascript:window.hacked=1", f"Zebra {ATTACK}"),
    Doc("rtl", "שלום zebra עולם \u202e reversed \u202c and العربية in the bank."),
    Doc("emoji🏹", "🏹🦓 zebra 👩‍👩‍👧‍👦 in the bank " + "e\u0301\u0327" * 50),
    Doc("empty", "", "", {"year": 2008, "lang": ["en", "de"], "day": "2008-05-01", "deep": {"<b>": [None]}}),
]


class Site(NamedTuple):
    """Folders and the engine that serves them."""

    folder: Path
    engine: Engine


def open_site(folder: Path, factory: pytest.TempPathFactory) -> Site:
    """FOLDER/model and FOLDER/index: the demo's documents and some odd ones."""
    (folder / "model").symlink_to(corpus(factory) / "model")
    build(folder / "index", [*documents(), *ODD], Analyzer(Settings("en")), workers=1)
    served = Served.load(folder / "model", folder / "index")
    served.warm()  # compiling kernels takes longer than a request may
    return Site(folder, Engine(served, PageSettings(examples=("Die Bank verleiht Geld.",))))


def small_engine(folder: Path) -> Engine:
    """FOLDER/model and FOLDER/index: a dictionary of a few words and three documents, made in a moment."""
    words = {"Schloss": "castle", "Bank": "bank", "See": "lake"}
    (folder / "dictionary.tsv").write_text("".join(f"{word}\t{other}\n" for word, other in words.items()))
    from_dictionary(folder / "dictionary.tsv", folder / "model", SuppliedConfig(Settings("de"), Settings("en")))
    docs = [Doc("d1", "A bank", "", {"year": 2008}), Doc("d2", "A castle by the lake"), Doc("d3", "Another bank")]
    build(folder / "index", docs, Analyzer(Settings("en")), workers=1)
    return Engine(Served.load(folder / "model", folder / "index"))


@contextlib.contextmanager
def running(app: ASGIApp) -> Iterator[int]:
    """Serve an application in a thread, and give its port."""
    bound = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="on"))
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


@contextlib.contextmanager
def serving(folder: Path, *arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The command, and its port when it has begun to listen."""
    process = subprocess.Popen([COMMAND, "serve", *arguments, "--port", "0"], cwd=folder, text=True,
                               env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout
        line = process.stdout.readline()
        match = re.match(r"Crossbow is at http://127\.0\.0\.1:(\d+)/ \(de to en, [\d,]+ documents\)", line)
        assert match, (line, process.stderr.read() if process.stderr and process.poll() is not None else "")
        yield process, int(match[1])
    finally:
        process.kill()
        process.communicate()


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def sentence(self) -> str:
        """Of an answer that is an error: it has nothing else."""
        assert self.status >= 400, self
        assert self.headers["content-type"] == "application/json", self
        (sentence,) = self.json.values()
        assert list(self.json) == ["error"]
        assert len(sentence) > 10
        return str(sentence)


def call(port: int, method: str, path: str, body: Any = None, **headers: str) -> Reply:
    """One request on a connection of its own. What is not bytes is sent as JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    kind = {"content-type": "application/json"} if body is not None else {}
    with contextlib.closing(connection):
        connection.request(method, path, body, {**kind, **{name.replace("_", "-"): v for name, v in headers.items()}})
        response = connection.getresponse()
        return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())
