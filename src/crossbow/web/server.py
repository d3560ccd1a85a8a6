"""The server as a process: its socket, its signals, its end.

    serve(model_folder, index_folder, "127.0.0.1", 8000)        # returns when it was asked to stop

On SIGTERM or Ctrl-C no more connections are taken, and requests that are under way get their answers.
"""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from crossbow.errors import CrossbowError
from crossbow.ranking.config import SearchConfig
from crossbow.web.admission import PATIENCE, SECONDS, Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Configure, Engine
from crossbow.web.reload import Watch

LOCAL = ("localhost", "127.0.0.1", "[::1]")
BACKLOG = 1024


def serve(
    model: Path, index: Path, host: str, port: int, examples: Sequence[str] = (),
    configure: Configure = SearchConfig.of,
) -> None:
    """Serve until a signal comes. Port 0: any that is free. `configure` says how to search with a model."""
    bound = listen(host, port)
    with bound:
        watch = Watch(model, index, configure)
        served = watch.news()
        assert served is not None
        engine = Engine(served, examples)
        app = make_app(engine, Admission(), allowed_hosts(host), watch)
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="on",
                                timeout_graceful_shutdown=int(PATIENCE + SECONDS) + 1)
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


def allowed_hosts(host: str) -> Sequence[str]:
    """On loopback only local names: a page elsewhere must not reach us through a name of its own (DNS rebinding)."""
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    return (*LOCAL, f"[{host}]" if ":" in host else host) if local else ()
