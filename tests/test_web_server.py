"""The server's socket and the names by which it may be called."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from crossbow import SearchConfig, build_index
from crossbow.records import Doc
from crossbow.text.analyzer import Settings
from crossbow.training.combine import combine
from crossbow.training.neural import from_neural
from crossbow.web.engine import Served
from crossbow.web.server import address, allowed_hosts, listen, threads_for
from toy_neural import toy_system
from training import corpus


def test_answers_do_not_wait_for_acknowledgements() -> None:
    with listen("127.0.0.1", 0) as bound, socket.create_connection(bound.getsockname()):
        connection, _ = bound.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_address_can_be_typed_into_a_browser() -> None:
    with listen("127.0.0.1", 0) as bound:
        assert address(bound) == f"http://127.0.0.1:{bound.getsockname()[1]}/"


@pytest.mark.parametrize(("host", "names"), [
    ("127.0.0.1", {"localhost", "127.0.0.1", "[::1]"}), ("localhost", {"localhost", "127.0.0.1", "[::1]"}),
    ("::1", {"localhost", "127.0.0.1", "[::1]"}), ("0.0.0.0", set()), ("example.org", set()),
])
def test_on_loopback_only_local_names_are_answered(host: str, names: set[str]) -> None:
    assert set(allowed_hosts(host)) == names


def test_a_short_query_has_a_thread_while_a_neural_system_translates_a_long_one(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    trained, neural = corpus(tmp_path_factory) / "model", tmp_path / "neural"
    from_neural(toy_system(tmp_path / "toy"), neural, Settings("de"), Settings("en"))
    combine([trained, neural], tmp_path / "both")
    build_index([Doc("d1", "", "a house")], tmp_path / "index", lang="en")
    threads = {model: threads_for(Served.load(model, tmp_path / "index", SearchConfig.of), 1)
               for model in (trained, neural, tmp_path / "both")}
    assert list(threads.values()) == [1, 2, 2]
    assert threads_for(Served.load(neural, tmp_path / "index"), 4) == 4
    assert threads_for(Served.load(trained, tmp_path / "index"), 0) == 1
    dutch = tmp_path / "dutch"
    from_neural(tmp_path / "toy", dutch, Settings("nl"), Settings("en"))
    assert threads_for(Served.load_all([trained, dutch], tmp_path / "index"), 1) == 2
