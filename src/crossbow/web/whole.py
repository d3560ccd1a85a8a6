"""A whole document for a reader, with the words marked that a query matched.

    asking.ask(WholeRecords((id,)))[id]         # {"title": pieces, "text": pieces, "fields": {…}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from crossbow.index import Index
from crossbow.ranking.asks import About
from crossbow.ranking.explain.snippet import LONGEST, joined, snippet
from crossbow.ranking.methods import Prepared
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer
from crossbow.web.reasons import Json, headed, pieces_record


@dataclass(frozen=True)
class WholeRecords(About[Json]):
    """Whole documents, by id."""

    def of(self, prepared: Prepared, index: Index, number: int) -> Json:
        return whole_record(index, number, prepared.terms(number))


def whole_record(index: Index, number: int, terms: Mapping[str, float]) -> Json:
    """The document as it was indexed; lines stay lines."""
    doc = headed(index.doc(number), index.analyzer.settings.lang)
    title, text = (pieces_record(joined(_marked(part, index.analyzer, terms))) for part in (doc.title, doc.text))
    return {"title": title, "text": text, "fields": doc.fields}


def _marked(text: str, analyzer: Analyzer, terms: Mapping[str, float]) -> Iterator[tuple[str, bool]]:
    for at, line in enumerate(text.splitlines()):
        if at:
            yield "\n", False
        for part in _parts(line):
            yield from snippet(Doc("", part), analyzer, terms, words=len(part))
            if part.endswith(" "):
                yield " ", False


def _parts(line: str) -> Iterator[str]:
    """A line in parts that are short enough for a snippet, if possible cut behind a space."""
    while len(line) > LONGEST:
        cut = line.rfind(" ", 0, LONGEST) + 1 or LONGEST
        yield line[:cut]
        line = line[cut:]
    yield line.rstrip()
