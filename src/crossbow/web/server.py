"""The server as a process, or several: sockets, signals, the end.

    serve(model_folder, index_folder, "127.0.0.1", 8000, workers=2)     # returns when it was asked to stop

On SIGTERM or Ctrl-C no more connections are taken, and requests that are under way get their answers.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import uvicorn
from uvicorn.config import LOGGING_CONFIG

from crossbow.errors import CrossbowError
from crossbow.neural.system import LEAST_THREADS
from crossbow.neural.translator import NEURAL
from crossbow.processes import when_orphaned
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.shards import Shards
from crossbow.web.access import EVERYBODY, Tokens
from crossbow.web.admission import PATIENCE, SECONDS, WAITING_PER_THREAD, Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Configure, Engine, Served
from crossbow.web.middleware import Log, Records, write_line
from crossbow.web.pagefile import PLAIN, PageSettings
from crossbow.web.reload import Watch
from crossbow.web.requests import USUAL, Limits
from crossbow.web.shared import Shared
from crossbow.web.workers import supervise
from crossbow.web.writes import Writer

LOCAL = ("localhost", "127.0.0.1", "[::1]")
BACKLOG = 1024
MOST_FILES = 65_536


class Doors(NamedTuple):
    """Which requests are accepted, within which limits, and whether they are logged."""

    hosts: Sequence[str] = ()  # further host names of the server, which a proxy may pass on
    tokens: Tokens = EVERYBODY
    origins: Sequence[str] = ()  # of other sites' pages that may ask from a browser
    log: bool = False  # a line of JSON for each request and event, on standard error
    writable: bool = False  # whether documents may be added and deleted
    limits: Limits = USUAL  # how large a request may be
    seconds: float = SECONDS  # the longest time that the work on a request may take
    patience: float = PATIENCE  # seconds that a request may wait for its turn
    most_waiting: int = WAITING_PER_THREAD  # requests for each thread
    proxies: Sequence[str] = ()  # trusted addresses and networks: their X-Forwarded-For names the client


OPEN = Doors()


@dataclass(frozen=True)
class Plan:
    """All that a process must know to serve."""

    model: Path | Sequence[Path]
    index: Path
    host: str
    page: PageSettings
    configure: Configure
    doors: Doors
    hold: Callable[[Path], Shards] | None = None


def serve(
    model: Path | Sequence[Path], index: Path, host: str, port: int, page: PageSettings = PLAIN,
    configure: Configure = SearchConfig.of, doors: Doors = OPEN, workers: int = 1,
    hold: Callable[[Path], Shards] | None = None,
) -> None:
    """Serve until a signal comes. Port 0: any that is free. `configure` says how to search with a model.

    With a list of models, queries are told apart by their language. Several workers are processes of their own
    (workers.py); then `configure` must be one that can be pickled. `hold` says who holds the shards of the index, if
    this process is not to open it.
    """
    plan = Plan(model, index, host, page, configure, doors, hold)
    if workers == 1:
        with listen(host, port) as bound:
            _serve(plan, bound, _announce, os.cpu_count() or 1)
        return
    with ExitStack() as opened:
        sockets = [opened.enter_context(bound) for bound in listen_together(host, port, workers)]
        folder = Path(opened.enter_context(TemporaryDirectory(prefix="crossbow-serve-")))
        supervise(sockets, _work, (plan, folder, workers), _announce, write_line if doors.log else None)


def _announce(sentence: str) -> None:
    print(sentence, flush=True)


def _work(
    number: int, bound: socket.socket, tell: Callable[[str], None], plan: Plan, folder: Path, workers: int
) -> None:
    """What one of several processes does."""
    _serve(plan, bound, tell, (os.cpu_count() or 1) // workers, Shared(folder, number))


def _serve(
    plan: Plan, bound: socket.socket, tell: Callable[[str], None], cores: int, shared: Shared | None = None,
) -> None:
    """Serve at a socket, with so many cores. `tell` gets a sentence when it has begun."""
    doors, watch = plan.doors, Watch(plan.model, plan.index, plan.configure, plan.hold)
    served = watch.news()
    assert served is not None
    engine, threads = Engine(served, plan.page, doors.limits), threads_for(served, cores)
    admission = Admission(threads, doors.most_waiting * threads, doors.seconds, doors.patience)
    own = {} if shared is None else {"worker": shared.number}
    log: Log | None = (lambda record: write_line({**record, **own})) if doors.log else None
    app = make_app(engine, admission, allowed_hosts(plan.host, doors.hosts), watch,
                   tokens=doors.tokens, origins=doors.origins, log=log,
                   writer=Writer(plan.index, shared, patience=doors.patience) if doors.writable else None,
                   shared=shared)
    if log:
        logging.basicConfig(handlers=[Records(log)])
        logging.captureWarnings(True)
    config = uvicorn.Config(app, log_config=None if log else LOGGING_CONFIG, log_level="warning", access_log=False,
                            server_header=False, lifespan="on",
                            proxy_headers=bool(doors.proxies), forwarded_allow_ips=list(doors.proxies),
                            timeout_graceful_shutdown=int(doors.patience + doors.seconds) + 1)
    info, server = engine.info(), uvicorn.Server(config)
    tell(f"Crossbow is at {address(bound)} ({', '.join(info['languages'])} to {info['target']}, "
         f"{info['documents']:,} documents); stop it with Ctrl-C")
    _allow_connections()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # uvicorn raises the signal again after it has ended
    when_orphaned(lambda: setattr(server, "should_exit", True))
    server.run([bound])


def threads_for(served: Served, cores: int) -> int:
    """How many requests a process works on at once: as many as it has cores. While a neural system translates a long
    query, which takes seconds, short ones must not wait for it."""
    models = served.languages.models.values() if served.languages else [served.model]
    neural = any(system.kind == NEURAL for model in models for system in model.systems)
    return max(LEAST_THREADS if neural else 1, cores)


def _allow_connections() -> None:
    """Allow as many open files as the system permits: each connection is one, and idle ones soon fill 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listen_together(host: str, port: int, count: int) -> list[socket.socket]:
    """Several sockets at one port, among which the system shares connections out."""
    if sys.platform != "linux":
        raise CrossbowError("several workers need Linux, which divides connections among them; leave --workers out")
    with listen(host, port) as alone:  # an error if another program has the port; shared sockets would not notice
        port = alone.getsockname()[1]
    return [listen(host, port, shared=True) for _ in range(count)]


def listen(host: str, port: int, shared: bool = False) -> socket.socket:
    """A socket, or an error that says what to do."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.create_server((host, port), family=family, backlog=BACKLOG, reuse_port=shared)
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


def allowed_hosts(host: str, more: Sequence[str] = ()) -> Sequence[str]:
    """On loopback only local names are allowed: no page elsewhere may reach us by a name of its own (DNS rebinding).

    At other addresses every name is allowed, unless `more` lists some: then only these and the local ones.
    """
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost"
    own = (*LOCAL, f"[{host}]" if ":" in host else host, *(name.lower() for name in more))
    return own if local or more else ()
