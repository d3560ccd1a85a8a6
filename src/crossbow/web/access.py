"""Decides by tokens which requests are allowed. Host names and origins are checked elsewhere (app.py).

    gate = Gate(app, Tokens(reading=["…"]), open_paths={"/health"})        # an ASGI application
    client_of(scope)                # who asks: takes turns with others (admission.py)

A token comes as `Authorization: Bearer TOKEN`. A client that has none, or a wrong one, gets 401 whatever it asked for,
before anything of its request is read. Tokens are compared by their digests in constant time, so that an answer's time
tells nothing of them, not even how long they are.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from crossbow.errors import CrossbowError
from crossbow.web.middleware import problem
from crossbow.web.requests import Refused

SHORTEST = 16  # characters; what is shorter can be guessed
CLIENT = "crossbow.client"  # in a scope: the token that was sent, if there are several
READING = ("GET", "HEAD", "POST")  # a search is a POST


@dataclass(frozen=True)
class Tokens:
    """The tokens for reading, and one for writing, which also allows reading. Without tokens, everybody may do both."""

    reading: Sequence[str] = ()
    writing: str | None = None

    def __post_init__(self) -> None:
        for token in self._all():
            if len(token) < SHORTEST or not token.isascii() or token.split() != [token]:
                raise CrossbowError(f"a token must have at least {SHORTEST} characters, all of them ASCII and none a "
                                    "space; make one with: openssl rand -hex 16")
        if self.writing in self.reading:
            raise CrossbowError("the tokens for reading and for writing are the same; every reader could write")

    def _all(self) -> list[str]:
        return [*self.reading, *([] if self.writing is None else [self.writing])]

    def place(self, header: bytes) -> int | None:
        """Which of all tokens this Authorization header has, by its place among them. It is compared with every one."""
        scheme, _, given = header.partition(b" ")
        found = [hmac.compare_digest(_digest(given.strip()), _digest(token.encode())) for token in self._all()]
        return found.index(True) if scheme.lower() == b"bearer" and True in found else None

    def allow(self, place: int | None, writes: bool) -> bool:
        """Whether a request with the token of this place, or with none, may read, or write if it `writes`."""
        if writes and self.writing is not None:
            return place == len(self.reading)
        return not self.reading or place is not None


EVERYBODY = Tokens()


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


class Gate:
    """Lets requests in that have a token, and all requests for open paths."""

    def __init__(self, app: ASGIApp, tokens: Tokens, open_paths: Collection[str]):
        self.app, self.tokens, self.open_paths = app, tokens, frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in self.open_paths:
            place = self.tokens.place(dict(scope["headers"]).get(b"authorization", b""))
            if place is not None and len(self.tokens.reading) > 1:
                scope[CLIENT] = f"token {place}"  # if all clients share a token, it does not tell them apart
            if not self.tokens.allow(place, scope["method"] not in READING):
                refused = Refused(401, "this server requires a token: send it as Authorization: Bearer TOKEN")
                await problem(refused, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
                return
        await self.app(scope, receive, send)


def client_of(scope: Scope) -> str:
    """Who asks: a token, if there are several of them; else an address, which a trusted proxy may have passed on."""
    return str(scope.get(CLIENT) or (scope.get("client") or ("",))[0])
