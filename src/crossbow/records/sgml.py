"""Documents and topics as TREC hands them out: `<DOC>` with a `<DOCNO>`, `<top>` with a `<num>` and a `<title>`.

    for number, identifier, text, title in records("fbis.gz", open_lines("fbis.gz")): ...

This is no XML: topics leave their elements open, and every collection has elements of its own. A document's text is
what its `<TEXT>` elements hold, or everything but id and title if it has none. A topic's text is its title.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from crossbow.errors import InputError
from crossbow.records.lines import PathLike

BEGIN = re.compile(r"\s*<(doc|top)>", re.IGNORECASE)
DOCNO = re.compile(r"<docno>(.*?)</docno>", re.IGNORECASE | re.DOTALL)
TITLE = re.compile(r"<(title|headline|ttl|hl)>(.*?)</\1>", re.IGNORECASE | re.DOTALL)
TEXT = re.compile(r"<text>(.*?)</text>", re.IGNORECASE | re.DOTALL)
NUMBER = re.compile(r"<num>\s*(?:number:)?([^<]*)", re.IGNORECASE)
TOPIC = re.compile(r"<title>\s*(?:topic:)?([^<]*)", re.IGNORECASE)
TAG = re.compile(r"<[^>]*>")


def records(source: PathLike, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, str, str]]:
    """The number of its first line, id, text and title of each document or topic."""
    first, kind, block = 0, "", list[str]()
    for number, line in lines:
        if not kind:
            found = BEGIN.match(line)
            if found:
                first, kind, block = number, found[1].lower(), []
            elif line.strip():
                raise InputError(source, number, "neither <DOC> nor <top> begins here", "remove what is between them")
        if kind:
            block.append(line)
            if f"</{kind}>" in line.lower():
                yield first, *_record(source, first, kind, "\n".join(block))
                kind = ""
    if kind:
        raise InputError(source, first, f"the <{kind}> that begins here does not end", "is the file complete?")


def _record(source: PathLike, number: int, kind: str, block: str) -> tuple[str, str, str]:
    if kind == "top":
        identifier, topic = NUMBER.search(block), TOPIC.search(block)
        if not identifier or not topic:
            raise InputError(source, number, "a topic without <num> or <title>", "every topic needs both")
        return _plain(identifier[1]), _plain(topic[1]), ""
    name, title = DOCNO.search(block), TITLE.search(block)
    if not name:
        raise InputError(source, number, "a document without <DOCNO>", "every document needs one")
    texts = [found[1] for found in TEXT.finditer(block)] or [TITLE.sub(" ", DOCNO.sub(" ", block), 1)]
    return _plain(name[1]), _plain(" ".join(texts)), _plain(title[2]) if title else ""


def _plain(text: str) -> str:
    return " ".join(html.unescape(TAG.sub(" ", text)).split())
