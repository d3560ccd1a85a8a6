"""Several processes that serve together: connections are shared out, numbers add up, writes take turns, one may die."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.web import server
from crossbow.web.server import listen_together
from reference.index import litter
from serving import call, serving, small_engine


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """Their process ids; multiprocessing has a helper of its own."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def wait_until(true: Callable[[], Any]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def counted(port: int, path: str) -> int:
    """Answers of all workers; the metrics' own requests are not among them."""
    text = call(port, "GET", "/metrics").body.decode()
    return sum(int(number) for number in re.findall(rf'requests_total{{path="{path}",status="200"}} (\d+)', text))


def keep_putting(port: int, name: str, acknowledged: list[str]) -> None:
    """Twelve documents one by one; what is not answered is sent again."""
    for number in range(12):
        body = {"documents": [{"id": f"{name}-{number}", "text": "a new bank"}]}
        status = 0
        while status != 200:
            with contextlib.suppress(OSError, http.client.HTTPException):
                status = call(port, "PUT", "/documents", body).status
                assert status == 200
        acknowledged.append(f"{name}-{number}")


def test_several_workers(tmp_path: Path) -> None:
    small_engine(tmp_path)
    with serving(tmp_path, "model", "index", "--workers", "2", "--writable", "--log",
                 "--patience", "300") as (process, port):
        assert process.stderr
        written: list[bytes] = []
        reader = threading.Thread(target=written.extend, args=(process.stderr,))  # a full pipe would stop the server
        reader.start()
        for _ in range(20):
            assert call(port, "GET", "/documents/d1").status == 200
        assert counted(port, "/documents/{id:path}") <= 20
        # Each tells the other twice a second; what either answers now, both have told.
        wait_until(lambda: {counted(port, "/documents/{id:path}") for _ in range(12)} == {20})
        assert b"crossbow_workers 2" in call(port, "GET", "/metrics").body
        assert call(port, "GET", "/ready").status == 200

        acknowledged: list[str] = []
        writers = [threading.Thread(target=keep_putting, args=(port, f"w{n}", acknowledged)) for n in range(4)]
        for writer in writers:
            writer.start()
        wait_until(lambda: len(acknowledged) > 5)
        victim = workers_of(process)[0]
        os.kill(victim, signal.SIGKILL)
        for writer in writers:
            writer.join()
        names = [doc.id for doc in Index.load(tmp_path / "index")]
        assert sorted(names) == sorted([*acknowledged, "d1", "d2", "d3"])
        assert len(names) == 51
        assert litter(tmp_path / "index") == set()

        wait_until(lambda: len(workers_of(process)) == 2)
        assert victim not in workers_of(process)
        assert counted(port, "/documents/{id:path}") >= 20  # what it had told is not lost
        wait_until(lambda: {call(port, "GET", "/info").json["documents"] for _ in range(12)} == {51})
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(b"this is no HTTP\r\n\r\n")
            assert b" 400 " in stranger.recv(1000)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        reader.join()
        lines = [json.loads(line) for line in written]  # whatever happens is a line of JSON
    events = {event: [line for line in lines if line.get("event") == event]
              for event in ("restart", "reload", "warning")}
    assert [(line["worker"], line["message"]) for line in events["restart"]] == [
        (0, f"worker 0 (process {victim}) has ended by signal 9; a new one takes its place")]
    assert max(line["documents"] for line in events["reload"]) == 51
    assert [line["message"] for line in events["warning"]] == ["Invalid HTTP request received."]
    assert {line["worker"] for line in lines} == {0, 1}
    assert all("time" in line for line in lines)


def test_nobody_is_left_behind(tmp_path: Path) -> None:
    """If the process that looks after them is killed, the workers end too."""
    small_engine(tmp_path)
    with serving(tmp_path, "model", "index", "--workers", "2") as (process, _):
        left = workers_of(process)
        assert len(left) == 2
        process.kill()
        process.wait()
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))


def test_a_port_is_shared_with_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    sockets = listen_together("127.0.0.1", 0, 3)
    port = sockets[0].getsockname()[1]
    assert [one.getsockname()[1] for one in sockets] == [port] * 3
    with pytest.raises(CrossbowError, match="cannot listen"):
        listen_together("127.0.0.1", port, 2)
    for one in sockets:
        one.close()
    monkeypatch.setattr(server.sys, "platform", "darwin")
    with pytest.raises(CrossbowError, match="need Linux"):
        listen_together("127.0.0.1", 0, 2)
