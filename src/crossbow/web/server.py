"""The server as a process: its socket, its signals, its end.

    serve(model_folder, index_folder, "127.0.0.1", 8000)        # returns when it was asked to stop

On SIGTERM or Ctrl-C no more connections are taken, and requests that are under way get their answers.
"""

from __future__ import annotations

import ipaddress
import json
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import uvicorn

from crossbow.errors import CrossbowError
from crossbow.ranking.config import SearchConfig
from crossbow.web.access import EVERYBODY, Tokens
from crossbow.web.admission import PATIENCE, SECONDS, Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Configure, Engine
from crossbow.web.reload import Watch
from crossbow.web.requests import LONGEST_QUERY
from crossbow.web.writes import Writer

LOCAL = ("localhost", "127.0.0.1", "[::1]")
BACKLOG = 1024


class Doors(NamedTuple):
    """Who may come in, with how much, and what is written down of it."""

    hosts: Sequence[str] = ()  # further names by which the server may be called, as a proxy has them
    tokens: Tokens = EVERYBODY
    origins: Sequence[str] = ()  # of pages elsewhere that may ask from a browser
    log: bool = False  # a line of JSON for each request, on standard error
    writable: bool = False  # whether documents may be added and deleted
    longest_query: int = LONGEST_QUERY  # characters
    seconds: float = SECONDS  # that the work on a request may take


OPEN = Doors()


def serve(
    model: Path, index: Path, host: str, port: int, examples: Sequence[str] = (),
    configure: Configure = SearchConfig.of, doors: Doors = OPEN,
) -> None:
    """Serve until a signal comes. Port 0: any that is free. `configure` says how to search with a model."""
    bound = listen(host, port)
    with bound:
        watch = Watch(model, index, configure)
        served = watch.news()
        assert served is not None
        engine = Engine(served, examples, doors.longest_query)
        app = make_app(engine, Admission(seconds=doors.seconds), allowed_hosts(host, doors.hosts), watch,
                       tokens=doors.tokens, origins=doors.origins, log=_write_line if doors.log else None,
                       writer=Writer(index) if doors.writable else None)
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on",
                                timeout_graceful_shutdown=int(PATIENCE + doors.seconds) + 1)
        info = engine.info()
        print(f"Crossbow is at {address(bound)} ({info['source']} to {info['target']}, {info['documents']:,} documents)"
              "; stop it with Ctrl-C", flush=True)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)  # uvicorn passes a signal on when it is done, and done is well
        uvicorn.Server(config).run([bound])


def listen(host: str, port: int) -> socket.socket:
    """A socket, or an error that says what to do."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError, UnicodeError) as error:
        raise CrossbowError(f"cannot listen at {host}, port {port}: {error}; choose others with --host and --port") \
            from None
    # Connections inherit this. Without it, an answer's body waits for the client to acknowledge its head, some 40 ms.
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound


def address(bound: socket.socket) -> str:
    """What to type into a browser."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _write_line(record: Mapping[str, Any]) -> None:
    print(json.dumps(record), file=sys.stderr, flush=True)


def allowed_hosts(host: str, more: Sequence[str] = ()) -> Sequence[str]:
    """On loopback only local names: a page elsewhere must not reach us through a name of its own (DNS rebinding).

    Elsewhere any name, unless some are given; local ones always do.
    """
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    own = (*LOCAL, f"[{host}]" if ":" in host else host, *(name.lower() for name in more))
    return own if local or more else ()
