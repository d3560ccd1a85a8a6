"""The HTTP side: routes, bodies, errors as a status and a sentence, and the headers that keep a page safe.

    app = make_app(engine, Admission(), hosts=("127.0.0.1", "localhost"))        # an ASGI application

Nothing that a client sends is ever used as the name of a file: the page's files are read at the start, by names that
stand here, and documents come out of the index.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from crossbow.errors import CrossbowError
from crossbow.ranking.shards import ShardsMissing
from crossbow.web.access import EVERYBODY, Gate, Tokens, client_of
from crossbow.web.admission import Admission
from crossbow.web.docs import page
from crossbow.web.engine import Deadline, Engine
from crossbow.web.metrics import CONTENT_TYPE, Metrics
from crossbow.web.middleware import REQUEST_ID, Answer, Log, Middleware, problem, tell
from crossbow.web.openapi import describe
from crossbow.web.reasons import Json
from crossbow.web.reload import Watch
from crossbow.web.requests import (
    LONGEST_TEXT,
    MOST_TEXTS,
    ExplainRequest,
    GlossRequest,
    Limits,
    Refused,
    SearchRequest,
    largest_body,
)
from crossbow.web.shared import Shared
from crossbow.web.writes import Changes, Writer, ids_of

SCRIPTS = ("main.js", "elements.js", "address.js", "searching.js", "hits.js", "compare.js", "reasons.js", "facets.js",
           "nothing.js", "backgloss.js", "document.js")
PAGE = {"": ("index.html", "text/html"), "icon.svg": ("icon.svg", "image/svg+xml"),
        **{name: (name, "text/css") for name in ("style.css", "results.css", "api.css")},
        **{name: (name, "text/javascript") for name in SCRIPTS}}
METHODS = ("GET", "POST", "PUT", "DELETE")  # that a page elsewhere may use
DRAINED = 4 << 20  # bytes read of a body that is too large: many clients read no answer before they have sent all
BODY_SECONDS = 10.0
LOOK_SECONDS = 1.0  # between two looks for news
TELL_SECONDS = 0.5  # between two of what the other processes are told


class Handlers:
    """What is done at each address."""

    def __init__(
        self, engine: Engine, admission: Admission, metrics: Metrics, writable: bool, shared: Shared | None = None
    ):
        self.engine, self.admission, self.metrics, self.writable = engine, admission, metrics, writable
        self.shared = shared

    async def search(self, request: Request) -> Response:
        asked = SearchRequest.of(await self._body(request), self.engine.limits)
        return await self._work(request, lambda deadline: self.engine.search(asked, deadline))

    async def explain(self, request: Request) -> Response:
        asked = ExplainRequest.of(await self._body(request), self.engine.limits)
        return await self._work(request, lambda deadline: self.engine.explain(asked, deadline))

    async def gloss(self, request: Request) -> Response:
        asked = GlossRequest.of(await _body(request, largest_body(MOST_TEXTS * LONGEST_TEXT)))
        return await self._work(request, lambda deadline: self.engine.gloss(asked, deadline))

    async def _body(self, request: Request) -> bytes:
        return await _body(request, largest_body(self.engine.limits.longest_query))

    async def document(self, request: Request) -> Response:
        name = request.path_params["id"]
        return await self._work(request, lambda deadline: self.engine.document(name))

    async def health(self, request: Request) -> Response:
        """Whether the process is alive; its operator may start it again if there is no answer."""
        return Answer({"status": "ok"})

    async def ready(self, request: Request) -> Response:
        """Whether a request would be taken; a balancer may send requests elsewhere meanwhile."""
        if self.admission.full and all(other["full"] for other in self._others()):
            raise Refused(503, "all threads are busy, and the queue is full; try again in a moment")
        return Answer({"status": "ok"})

    async def info(self, request: Request) -> Response:
        return Answer(self.engine.info())

    async def describe(self, request: Request) -> Response:
        return Answer(self._description())

    async def docs(self, request: Request) -> Response:
        return Response(page(self._description()), media_type="text/html")

    def _description(self) -> Json:
        return describe(self.engine.served.config, self.engine.served.model, self.writable, self.engine.limits)

    async def measure(self, request: Request) -> Response:
        others = self._others()
        running, waiting = (now + sum(other[name] for other in others) for name, now in (
            ("running", self.admission.running), ("waiting", self.admission.waiting)))
        gauges = {
            "crossbow_requests_running": ("Requests that are being worked on.", running),
            "crossbow_requests_waiting": ("Requests that wait for a thread.", waiting),
            "crossbow_index_documents": ("Documents that can be found.", len(self.engine.served.index)),
            "crossbow_workers": ("Processes that serve.", 1 + len(others)),
        }
        total = self.metrics.plus(other["metrics"] for other in others)
        return Response(total.text(gauges), media_type=CONTENT_TYPE)

    def _others(self) -> list[Json]:
        return self.shared.others() if self.shared else []

    async def keep_telling(self, shared: Shared) -> None:
        """Tell the other processes regularly how busy this one is."""
        while True:
            shared.tell({"full": self.admission.full, "running": self.admission.running,
                         "waiting": self.admission.waiting, "metrics": self.metrics.state()})
            await asyncio.sleep(TELL_SECONDS)

    async def _work(self, request: Request, work: Callable[[Deadline], Json]) -> Response:
        """Work in a thread, and make JSON of the answer there too, which is a good part of the work."""
        return await self.admission.run(lambda deadline: Answer(work(deadline)), request.is_disconnected,
                                        client_of(request.scope))


async def _body(request: Request, largest: int) -> bytes:
    """Read the body of a request. It is refused if it is too large, arrives too slowly, or is not declared as JSON."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                size += len(chunk)
                if size <= largest:
                    body += chunk
                elif size > largest + DRAINED:
                    break
    except TimeoutError:
        raise Refused(408, f"the body did not arrive within {BODY_SECONDS:g} seconds") from None
    if size > largest:
        raise Refused(413, f"the body is too large; at most {largest:,} bytes are accepted")
    if declared != "application/json":
        raise Refused(415, "the body must be declared as application/json")
    return bytes(body)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return problem(error)


async def _unfit(request: Request, error: Exception) -> Response:
    return problem(Refused(400, str(error)))


async def _missing(request: Request, error: Exception) -> Response:
    return problem(Refused(503, str(error)))


async def _gone(request: Request, error: Exception) -> Response:
    return problem(Refused(499, "the client has gone"))


async def _http(request: Request, error: Exception) -> Response:
    """The answer to unknown addresses and methods, which Starlette finds."""
    assert isinstance(error, HTTPException)
    sentences = {404: "there is nothing at this address; see /docs",
                 405: "this address does not know that method; see /docs"}
    return problem(Refused(error.status_code, sentences.get(error.status_code, error.detail)), error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    """The answer after a fault of the program: the log gets the details, and the client does not."""
    return problem(Refused(500, "something went wrong here; the server's log says what"))


def _write_routes(writer: Writer, limits: Limits) -> list[Route]:
    """What changes the index."""
    async def write(request: Request, changes: Callable[[], Changes]) -> Response:
        return Answer(await writer.write(changes, request.is_disconnected, client_of(request.scope)))

    async def put(request: Request) -> Response:
        body = await _body(request, limits.largest_batch)
        return await write(request, lambda: (writer.documents(body, limits.most_documents), ()))

    async def delete(request: Request) -> Response:
        if "id" in request.path_params:
            return await write(request, lambda: ((), [request.path_params["id"]]))
        body = await _body(request, limits.largest_batch)
        return await write(request, lambda: ((), ids_of(body, limits.most_documents)))

    return [Route("/documents", put, methods=["PUT"]), Route("/documents", delete, methods=["DELETE"]),
            Route("/documents/{id:path}", delete, methods=["DELETE"])]


def _page_routes() -> list[Route]:
    folder = files("crossbow.web") / "page"
    return [Route(f"/{address}", _constant((folder / name).read_bytes(), kind))
            for address, (name, kind) in PAGE.items()]


def _constant(content: bytes, kind: str) -> Callable[[Request], Any]:
    async def give(request: Request) -> Response:
        return Response(content, media_type=kind)

    return give


def make_app(
    engine: Engine, admission: Admission, hosts: Collection[str] = (), watch: Watch | None = None, *,
    tokens: Tokens = EVERYBODY, origins: Collection[str] = (), log: Log | None = None, writer: Writer | None = None,
    shared: Shared | None = None,
) -> ASGIApp:
    """The application. `hosts` are the names by which it may be called; none: any name.

    `origins` are those of other sites' pages that may ask from a browser, such as `https://example.org`, or `*`.
    `shared` is what other processes of the same server are told, if there are any.
    """
    metrics = Metrics()
    if shared and (before := shared.told()):
        metrics = metrics.plus([before["metrics"]])
    handlers = Handlers(engine, admission, metrics, writer is not None, shared)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(_look_for_news(engine, watch, metrics, log))] if watch else []
        if shared:
            tasks.append(asyncio.create_task(handlers.keep_telling(shared)))
        yield
        for task in tasks:
            task.cancel()

    site = Starlette(
        routes=[
            Route("/search", handlers.search, methods=["POST"]), Route("/explain", handlers.explain, methods=["POST"]),
            Route("/gloss", handlers.gloss, methods=["POST"]),
            Route("/documents/{id:path}", handlers.document), *(_write_routes(writer, engine.limits) if writer else ()),
            Route("/health", handlers.health),
            Route("/ready", handlers.ready),
            Route("/info", handlers.info), Route("/metrics", handlers.measure),
            Route("/openapi.json", handlers.describe), Route("/docs", handlers.docs), *_page_routes(),
        ],
        exception_handlers={Refused: _refused, CrossbowError: _unfit, ShardsMissing: _missing, ClientDisconnect: _gone,
                            HTTPException: _http, Exception: _failed},
        lifespan=lifespan,
    )
    site.router.redirect_slashes = False  # an unknown address is answered with 404, not with a redirect
    app: ASGIApp = Gate(site, tokens, {*(f"/{address}" for address in PAGE), "/health", "/ready"})
    if origins:
        app = CORSMiddleware(app, allow_origins=list(origins), allow_methods=METHODS, max_age=600,
                             allow_headers=["Authorization", "Content-Type", REQUEST_ID],
                             expose_headers=[REQUEST_ID, "Retry-After"])
    return Middleware(app, metrics, hosts, log)


async def _look_for_news(engine: Engine, watch: Watch, metrics: Metrics, log: Log | None) -> None:
    """Serve what is new; if it cannot be opened, say so once and go on with what there is."""
    said = ""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            fresh = await asyncio.to_thread(watch.news, engine.served)
        except Exception as error:  # whatever it is, searching goes on
            if str(error) != said:
                said = str(error)
                metrics.reloads["failed"] += 1
                tell(log, "reload failed", f"the new state is not served: {error}")
            continue
        if fresh is not None:
            engine.served, said = fresh, ""
            metrics.reloads["ok"] += 1
            documents, signature = len(fresh.index), fresh.index.signature
            tell(log, "reload", f"now serving {documents:,} documents, index {signature}", documents=documents,
                 index=signature)
