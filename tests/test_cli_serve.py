"""`crossbow serve` as a process: what it prints, how it ends, and that nothing is lost when it is killed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from commands import Run, failure, runner
from crossbow.datasets.demo.load import documents
from crossbow.index import Index, build
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.methods import METHODS
from crossbow.ranking.searcher import Searcher
from crossbow.records import Doc, write_docs
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.web import server
from crossbow.web.access import Tokens
from crossbow.web.requests import Limits
from crossbow.web.server import Doors
from serving import COMMAND, call, serving
from training import corpus

LONG = "Der Bauer sieht die Bank. Das Schloss ist alt! Wo ist der Zug? " * 15  # takes a while


@pytest.fixture
def place(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model and an index."""
    (tmp_path / "model").symlink_to(corpus(tmp_path_factory) / "model")
    build(tmp_path / "index", documents()[:50], Analyzer(Settings("en")), workers=1)
    return tmp_path


@pytest.fixture
def run(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(place)
    return runner(monkeypatch, capsys, "serve")


def test_a_file_for_the_page(run: Run, place: Path) -> None:
    """What is wrong with it is said before anything starts."""
    (place / "page.json").write_text('{"title": ""}')
    assert "page.json: 'title' must be a text" in failure(run("model", "index", "--page", "page.json"))
    (place / "page.json").write_text('{"facets": ["year"]}')
    assert "no document of the index has a field 'year'" in failure(run("model", "index", "--page", "page.json"))
    (place / "page.json").write_text('{"title": "Town papers", "examples": ["Haus"]}')
    with serving(place, "model", "index", "--page", "page.json") as (_, port):
        info = call(port, "GET", "/info").json
        assert (info["title"], info["examples"], info["facets"]) == ("Town papers", ["Haus"], [])


def test_limits_are_options(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without options they are those of the library."""
    got: list[Doors] = []
    monkeypatch.setattr(server, "serve", lambda *all: got.append(all[6]))
    run("model", "index")
    run("model", "index", "--longest-query", "2000", "--most-hits", "500", "--most-documents", "5000",
        "--largest-batch", "64", "--seconds", "20", "--patience", "2", "--most-waiting", "4")
    assert got == [Doors(hosts=[], origins=[], proxies=[], tokens=Tokens((), None)),
                   Doors([], Tokens((), None), [], False, False, Limits(2000, 500, 5000, 64 << 20), 20.0, 2.0, 4, [])]
    for wrong in ("--most-hits=9", "--patience=0", "--largest-batch=0", "--most-documents=0", "--most-waiting=-1"):
        assert wrong.partition("=")[0] in failure(run("model", "index", wrong))


def test_limits_of_waiting_reach_the_threads(place: Path) -> None:
    """Nobody may wait, so what comes while all threads are busy is refused. A batch may have one document."""
    threads = os.cpu_count() or 1
    with serving(place, "model", "index", "--most-waiting", "0", "--writable", "--most-documents", "1") as (_, port):
        with ThreadPoolExecutor(threads + 4) as pool:
            statuses = list(pool.map(lambda at: call(port, "POST", "/search", {"query": f"{LONG} {at}"}).status,
                                     range(threads + 4)))
        assert {*statuses} == {200, 429}
        two = {"documents": [{"id": "a", "text": "b"}, {"id": "c", "text": "d"}]}
        assert "a list of 1 to 1 objects" in call(port, "PUT", "/documents", two).sentence


def documents_served(port: int) -> int:
    return int(call(port, "GET", "/info").json["documents"])


def wait_for(port: int, count: int) -> None:
    end = time.monotonic() + 60
    while documents_served(port) != count:
        assert time.monotonic() < end, "the change was not taken up"
        time.sleep(0.1)


def adding(folder: Path, file: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([COMMAND, "index", file, "-o", "index", "--add", "--quiet"], cwd=folder,
                            stdout=subprocess.DEVNULL)


def test_it_ends_when_all_is_answered(place: Path) -> None:
    with serving(place, "model", "index") as (process, port):
        replies: list[Any] = []
        asker = threading.Thread(target=lambda: replies.append(
            call(port, "POST", "/search", {"query": LONG, "explain": True})))
        asker.start()
        while asker.is_alive() and b"crossbow_requests_running 1" not in call(port, "GET", "/metrics").body:
            pass
        process.send_signal(signal.SIGTERM)
        asker.join()
        assert process.wait(60) == 0
        assert [reply.status for reply in replies] == [200]
        assert process.stderr
        assert process.stderr.read() == ""


def test_without_arguments_it_serves_the_demo(place: Path, tmp_path: Path) -> None:
    """Here its model is there already, and the index is made."""
    (tmp_path / "try" / "crossbow-demo").mkdir(parents=True)
    (tmp_path / "try" / "crossbow-demo" / "model").symlink_to((place / "model").resolve())
    with serving(tmp_path / "try", "--quiet") as (process, port):
        info = call(port, "GET", "/info").json
        assert info["documents"] == len(documents())
        assert "braune Flecken an der Zimmerdecke durch Wasser" in info["examples"]
        assert call(port, "GET", "/").status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_it_serves_a_configuration(place: Path) -> None:
    """What a request leaves out is as the file and --set say, for every method."""
    model, index = Model.load(place / "model"), Index.load(place / "index")
    decided = SearchConfig(method="psq").set("psq.mix", 0.7).set("translation.lm_scale", 0.5).set("weights.v", 1.5)
    decided.decided_for(model, index, "by hand").save(place / "decided.json")
    config = SearchConfig.load(place / "decided.json").set("bm25.k1", 0.4).set("bowfd.join", True)
    query = "Der Bauer sieht die alte Bank"
    changes = ("--set", "bm25.k1=0.4", "--set", "bowfd.join=true")  # the second for one of the other methods
    with serving(place, "model", "index", "--config", "decided.json", *changes) as (process, port):
        info = call(port, "GET", "/info").json
        assert (info["method"], info["config"]) == ("psq", config.signature)
        for method in (None, *METHODS):
            own = config.set("method", method) if method else config
            found = call(port, "POST", "/search", {"query": query, **({"method": method} if method else {})}).json
            assert [(hit["id"], hit["score"], hit["rank"]) for hit in found["hits"]] == \
                Searcher(model, index, own).search(query, 10)
            assert (found["method"], found["config"]) == (own.method, own.signature)
            assert found["hits"]
        asked = {"query": query, "id": found["hits"][0]["id"]}
        score = Searcher(model, index, config).explain(query, asked["id"]).score
        assert call(port, "POST", "/explain", asked).json["score"] == score
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert process.stderr
        assert process.stderr.read() == ""


def test_a_configuration_that_was_decided_elsewhere(place: Path) -> None:
    build(place / "other", documents()[:5], Analyzer(Settings("en")), workers=1)
    decided = SearchConfig().decided_for(Model.load(place / "model"), Index.load(place / "other"), "")
    decided.save(place / "decided.json")
    with serving(place, "model", "index", "--config", "decided.json") as (process, port):
        assert call(port, "POST", "/search", {"query": "Bank"}).status == 200
        process.kill()
        assert process.stderr
        assert re.fullmatch(r"crossbow: the configuration was decided on the index \w+, this one is \w+\n",
                            process.stderr.read())


def test_kills_during_indexing_lose_nothing(place: Path) -> None:
    """First the server is killed while documents are added, then whoever adds documents while the server goes on."""
    for part in "abc":
        write_docs(place / f"{part}.jsonl", [Doc(f"{part}{n}", f"a robber robs bank {n} in Tessenbruck", f"Robber {n}")
                                             for n in range(1500)])
    with serving(place, "model", "index") as (process, port):
        writer = adding(place, "a.jsonl")
        while len(os.listdir(place / "index" / "segments")) < 2 and writer.poll() is None:
            assert call(port, "GET", "/health").status == 200
        process.kill()
        process.wait()
    with serving(place, "model", "index") as (_, port):
        assert documents_served(port) in (50, 1550)
        assert writer.wait(120) == 0
        wait_for(port, 1550)
        writer = adding(place, "b.jsonl")
        time.sleep(1.0)  # wherever it may be then
        writer.kill()
        writer.wait()
        left = len(Index.load(place / "index"))
        assert left in (1550, 3050)
        wait_for(port, left)
        assert adding(place, "b.jsonl").wait(120) == 0
        assert adding(place, "c.jsonl").wait(120) == 0
        wait_for(port, 4550)
        found = call(port, "POST", "/search", {"query": "Räuber überfällt Bank", "k": 100}).json
        assert len(found["hits"]) == 100
        for name in ("a0", "a1499", "b77", "c1499", documents()[0].id):
            assert call(port, "GET", f"/documents/{name}").status == 200


def test_bad_usage(run: Run, place: Path) -> None:
    assert "expected MODEL INDEX, or neither" in failure(run("model"))
    assert "expected MODEL INDEX" in failure(run("model", "index", "more"))
    assert "expected INDEX alone, as --model names the models, found nothing" in failure(run("--model", "de=model"))
    assert "write CODE=FOLDER" in failure(run("index", "--model", "model"))
    assert "no such folder" in failure(run("nowhere", "index", "--port", "0"))
    assert "of kind 'index', expected 'model'" in failure(run("index", "index", "--port", "0"))
    assert "--port" in failure(run("model", "index", "--port", "99999"))
    assert "no such file" in failure(run("model", "index", "--config", "nowhere.json"))
    assert "did you mean 'nbest'?" in failure(run("model", "index", "--set", "psq.nbst=1"))
    assert "every request says how many documents it wants" in failure(run("model", "index", "--set", "k=5"))


def test_a_port_that_is_taken(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = failure(run("model", "index", "--port", str(taken.getsockname()[1])))
    assert "cannot listen at 127.0.0.1" in said
    assert "choose others with --host and --port" in said
    assert "cannot listen at no.such.host.invalid" in failure(run("model", "index", "--host", "no.such.host.invalid"))

