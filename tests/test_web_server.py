"""The server's socket and the names by which it may be called."""

from __future__ import annotations

import socket

import pytest

from crossbow.web.server import address, allowed_hosts, listen


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
