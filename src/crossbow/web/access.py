"""Who may ask: with which tokens. Names and origins are checked around it (app.py).

    gate = Gate(app, Tokens(reading="…"), open_paths={"/health"})          # an ASGI application

A token comes as `Authorization: Bearer TOKEN`. Whoever has none, or another, gets 401 whatever he asked for, before
anything of his request is read. Tokens are compared by their digests in constant time, so that an answer's time tells
nothing of them, not even how long they are.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from crossbow.errors import CrossbowError
from crossbow.web.middleware import problem
from crossbow.web.requests import Refused

SHORTEST = 16  # characters; what is shorter can be guessed
READING = ("GET", "HEAD", "POST")  # a search is a POST


@dataclass(frozen=True)
class Tokens:
    """One for reading and one for writing, which reads too. None of them: everybody may."""

    reading: str | None = None
    writing: str | None = None

    def __post_init__(self) -> None:
        for token in (self.reading, self.writing):
            if token is not None and (len(token) < SHORTEST or not token.isascii() or token.split() != [token]):
                raise CrossbowError(f"a token must have at least {SHORTEST} characters, all of them ASCII and none a "
                                    "space; make one with: openssl rand -hex 16")
        if self.reading is not None and self.reading == self.writing:
            raise CrossbowError("the tokens for reading and for writing are the same; whoever reads could write")

    def allow(self, header: bytes, writes: bool) -> bool:
        """Whether this Authorization header may read, or write."""
        wanted = [self.writing] if writes else [self.reading, self.writing]
        if (self.writing if writes else self.reading) is None:
            return True
        scheme, _, given = header.partition(b" ")
        found = [hmac.compare_digest(_digest(given.strip()), _digest(token.encode())) for token in wanted if token]
        return scheme.lower() == b"bearer" and any(found)


EVERYBODY = Tokens()


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


class Gate:
    """Lets requests in that have a token, and all requests for open paths."""

    def __init__(self, app: ASGIApp, tokens: Tokens, open_paths: Collection[str]):
        self.app, self.tokens, self.open_paths = app, tokens, frozenset(open_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in self.open_paths:
            header = dict(scope["headers"]).get(b"authorization", b"")
            if not self.tokens.allow(header, scope["method"] not in READING):
                refused = Refused(401, "this server wants a token: send it as Authorization: Bearer TOKEN")
                await problem(refused, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
                return
        await self.app(scope, receive, send)
