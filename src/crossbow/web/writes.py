"""Changing the index over HTTP: documents are added and deleted, and an answer means that it is safe on the disk.

    writer = Writer(index_folder)
    await writer.write(changes, request.is_disconnected, "192.0.2.7")       # changes() gives documents and ids
    documents_of(body), ids_of(body)        # bodies of requests, checked

Each request is one commit, all of it or nothing, and commits come one after another. Clients take turns, as they do
with searches (admission.py); also the body is read in its turn, because that takes long if it is large. A kill at any
moment leaves the state before or after (index/commit.py), so nothing that was acknowledged is lost. What is served
follows within seconds, as after any other commit.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from crossbow.errors import CrossbowError, full_disk
from crossbow.index import Index, manifest, update
from crossbow.index.searched import STANDARD
from crossbow.records import Doc
from crossbow.records.sources import as_docs
from crossbow.web.admission import PATIENCE, Admission
from crossbow.web.requests import LONGEST_ID, USUAL, Refused, read_object
from crossbow.web.shared import Shared

MOST_WAITING = 32  # requests
Changes = tuple[Sequence[Doc], Sequence[str]]  # documents to add, and ids of documents to delete


class Writer:
    """Belongs to one event loop. While another program writes to the index, writes are refused here."""

    def __init__(
        self, folder: Path, shared: Shared | None = None, waiting: int = MOST_WAITING, patience: float = PATIENCE
    ):
        self.folder, self.shared = folder, shared
        self._admission = Admission(1, waiting, math.inf, patience)  # a commit that has begun is never given up

    async def write(
        self, changes: Callable[[], Changes], gone: Callable[[], Awaitable[bool]], client: str = ""
    ) -> dict[str, Any]:
        """Make these changes in one commit, when it is this client's turn; returns when it is written and synced."""
        return await self._admission.run(lambda deadline: self._in_turn(*changes()), gone, client)

    def documents(self, body: bytes, most: int = USUAL.most_documents) -> list[Doc]:
        """The documents of a request."""
        return documents_of(body, manifest.read(self.folder).searched != STANDARD, most)

    def _in_turn(self, docs: Sequence[Doc], ids: Sequence[str]) -> dict[str, Any]:
        """Commit when no other process of this server does."""
        with self.shared.writing() if self.shared else nullcontext():
            return self._commit(docs, ids)

    def _commit(self, docs: Sequence[Doc], ids: Sequence[str]) -> dict[str, Any]:
        there = Index.load(self.folder)
        unknown = [name for name in ids if name not in there]
        if unknown:
            raise Refused(404, f"there is no document {unknown[0][:60]!r}; nothing was changed")
        try:
            meta = update(self.folder, docs, ids, workers=1)
        except CrossbowError as error:
            if isinstance(error.__cause__, OSError) and full_disk(error.__cause__, self.folder):
                raise Refused(507, "the disk is full; nothing was changed") from None
            if "another process is writing" in str(error):
                raise Refused(409, "another program is writing to the index; try again when it is done") from None
            raise Refused(422, f"{str(error).removeprefix(f'{self.folder}: ')}; nothing was changed") from None
        return {"documents": meta["documents"], "index": meta["signature"], "generation": meta["generation"]}


def documents_of(body: bytes, textless: bool = False, most: int = USUAL.most_documents) -> list[Doc]:
    """The documents that a body asks to be added: objects as in a file of JSON lines."""
    rows = read_object(body, {"documents"}).get("documents")
    if not isinstance(rows, list) or not 1 <= len(rows) <= most or not all(isinstance(r, dict) for r in rows):
        raise Refused(400, f"'documents' must be a list of 1 to {most:,} objects")
    for number, row in enumerate(rows, 1):
        for name in ("id", "text", "title"):
            value = row.get(name, "" if name != "id" else None)
            if not isinstance(value, str) or (name == "id" and not 1 <= len(value) <= LONGEST_ID):
                raise Refused(400, f"document {number}: '{name}' must be a string"
                                   + (f" of 1 to {LONGEST_ID:,} characters" if name == "id" else ""))
        if "text" not in row and not textless:
            raise Refused(400, f"document {number} has no 'text'")
    docs = list(as_docs(rows, textless))
    ids = [doc.id for doc in docs]
    if len({*ids}) < len(ids):
        raise Refused(422, f"the id {next(one for one in ids if ids.count(one) > 1)[:60]!r} is given twice")
    return docs


def ids_of(body: bytes, most: int = USUAL.most_documents) -> list[str]:
    """The ids that a body asks to be deleted."""
    ids = read_object(body, {"ids"}).get("ids")
    if not isinstance(ids, list) or not 1 <= len(ids) <= most or not all(isinstance(one, str) for one in ids):
        raise Refused(400, f"'ids' must be a list of 1 to {most:,} strings")
    return list(dict.fromkeys(ids))
