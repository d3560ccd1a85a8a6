"""Around all requests: the Host header is checked, safe headers are added, what was answered is counted and logged.

    app = Middleware(app, metrics, hosts=("127.0.0.1", "localhost"), log=write_line)
    tell(log, "reload", "now serving 3 documents", documents=3)         # something that is no request
    return problem(Refused(404, "there is no document with this id"))       # a status and a sentence, as JSON
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
import uuid
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossbow.web.metrics import Metrics
from crossbow.web.requests import Refused

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                               "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
}


# Gets a record of each request and of each event; neither queries nor ids of documents.
Log = Callable[[Mapping[str, Any]], None]
REQUEST_ID = "X-Request-ID"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")


class Answer(Response):
    """JSON. Half a surrogate pair, which no encoding has, becomes a question mark."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf8", "replace")


class Middleware:
    """Around everything: the Host header is checked, safe headers are added, requests are counted and logged.

    Every answer has the id of its request: the client's own X-Request-ID if it is a plain word, or a new one.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, hosts: Collection[str], log: Log | None = None):
        self.app, self.metrics, self.hosts, self.log = app, metrics, hosts, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, start, headers = 500, time.perf_counter(), dict(scope["headers"])
        given = headers.get(REQUEST_ID.lower().encode(), b"").decode("latin1")
        name = given if _NAME.fullmatch(given) else uuid.uuid4().hex

        own = {**HEADERS, REQUEST_ID: name}

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *((name.lower().encode(), value.encode())
                                                             for name, value in own.items())]
            await send(message)

        try:
            if self.hosts and _host(headers.get(b"host", b"")) not in self.hosts:
                stranger = Refused(400, "this server is not meant to be reached by that name")
                await problem(stranger)(scope, receive, answer)
            else:
                await self.app(scope, receive, answer)
        finally:
            route, seconds = scope.get("route"), time.perf_counter() - start
            self.metrics.count(route.path if route else "other", status, seconds)
            if self.log:
                self.log({"time": _now(), "id": name,
                          "client": (scope.get("client") or ("",))[0], "method": scope["method"],
                          "path": route.path if route else "other", "status": status,
                          "milliseconds": round(1000 * seconds, 3)})


def write_line(record: Mapping[str, Any]) -> None:
    """Write a record to standard error, at once, so that lines of several processes do not mix."""
    sys.stderr.write(json.dumps(record) + "\n")


def tell(log: Log | None, event: str, message: str, **details: Any) -> None:
    """Tell the operator of an event: in the log if there is one, else as a sentence on standard error."""
    if log:
        log({"time": _now(), "event": event, "message": message, **details})
    else:
        print(f"crossbow: {message}", file=sys.stderr, flush=True)


class Records(logging.Handler):
    """Takes what libraries tell, such as the traceback of a fault, into the log."""

    def __init__(self, log: Log):
        super().__init__(logging.WARNING)
        self.log = log
        self.setFormatter(logging.Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        tell(self.log, record.levelname.lower(), self.format(record))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _host(header: bytes) -> str:
    """The name in a Host header, without the port."""
    name = header.decode("latin1").lower()
    return name.partition("]")[0] + "]" if name.startswith("[") else name.partition(":")[0]


def problem(refused: Refused, headers: Mapping[str, str] | None = None) -> Response:
    extra = {"Retry-After": "1"} if refused.status in (429, 503) else {}
    return Answer({"error": refused.sentence}, refused.status, headers={**extra, **(headers or {})})
