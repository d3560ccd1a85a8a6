"""Conditions on the fields of documents, as people write them.

    Condition.parse("lang:en"), Condition.parse("lang:en,de")            # one of these values
    Condition.parse("year>=2008"), Condition.parse("year:1990..1999")    # ranges, with both ends in them
    Condition.parse('venue:"Lyon, France"')                              # quotes around what has commas or dots in it
    Condition.parse("year<2000").passing(index)                          # which documents pass, by number

A document with several values in a field passes if one of them does; one without any does not. A date may be given as
far as it is known: published:2008-05 is all of May, published>2008 begins with 2009.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crossbow.arrays import Bools
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.index.fields import Column
from crossbow.index.strings import encode, find
from crossbow.index.values import KEYWORD, NUMBER, STORED, moment, number
from crossbow.settings import suggestion

_CONDITION = re.compile(r"\s*([^:<>=\"]*[^:<>=\"\s])\s*(:|>=|<=|>|<|=)\s*(.*\S)\s*", re.DOTALL)
_ITEM = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",]*[^",\s]))\s*(,|$)', re.DOTALL)
HELP = "expected lang:en, lang:en,de, year>=2008, year<2000 or year:1990..1999"


class Span(NamedTuple):
    """Values from low to high; None is without end. A single value is a span of itself."""

    low: str | None
    high: str | None
    low_in: bool = True  # whether the ends belong to it
    high_in: bool = True


@dataclass(frozen=True)
class Condition:
    """A field, and the values or spans of which a document must have one."""

    field: str
    spans: tuple[Span, ...]
    text: str  # as it was written

    @classmethod
    def parse(cls, text: str) -> Condition:
        """What a condition says."""
        found = _CONDITION.fullmatch(text)
        if not found:
            raise CrossbowError(f"{text!r:.80} is not a condition on a field; {HELP}")
        field, sign, rest = found.groups()
        items = _items(text, rest)
        if sign in (":", "="):
            return cls(field, tuple(_span(item, quoted) for item, quoted in items), text)
        if len(items) > 1:
            raise CrossbowError(f"{text!r:.80}: {sign} takes one value; {HELP}")
        bound = items[0][0]
        span = Span(bound, None, sign == ">=") if sign in (">", ">=") else Span(None, bound, True, sign == "<=")
        return cls(field, (span,), text)

    def passing(self, index: Index) -> Bools:
        """Which documents pass, by number."""
        kind = field_kind(index, self.field)
        wanted = [np.empty(0, np.bool_)]
        for segment in index.segments:
            found = np.zeros(len(segment.alive), np.bool_)
            column = segment.column(self.field)
            if column:
                chosen = np.zeros(len(column.keys), np.bool_)
                for span in self.spans:
                    self._choose(column, kind, span, chosen)
                found[column.docs[chosen[column.ordinals]]] = True
            wanted.append(found)
        return np.concatenate(wanted)

    def _choose(self, column: Column, kind: str, span: Span, chosen: Bools) -> None:
        """Mark the values of a column that lie in a span."""
        if kind != KEYWORD:
            low, high = self._limits(kind, span)
            chosen |= (column.keys >= low) & (column.keys < high)
        elif span.low is None or span.low != span.high:
            raise CrossbowError(f"{self.text!r:.80}: not all values of {self.field!r} are numbers, nor all dates, so "
                                f"it has no ranges; give values, as in {self.field}:this,that")
        else:
            at = find(column.value_starts, column.value_bytes, encode(" ".join(span.low.split())))
            if at >= 0:
                chosen[at] = True

    def _limits(self, kind: str, span: Span) -> tuple[float, float]:
        """The first key that values may have, and the first one above them that they may not have."""
        low = -math.inf if span.low is None else self._ends(kind, span.low)[not span.low_in]
        high = math.inf if span.high is None else self._ends(kind, span.high)[span.high_in]
        return low, high

    def _ends(self, kind: str, text: str) -> tuple[float, float]:
        """Where a value begins and ends."""
        if kind == NUMBER:
            value = number(text)
            if value is not None:
                return value, math.nextafter(value, math.inf)
        else:
            found = moment(text)
            if found:
                return found
        example = "2008" if kind == NUMBER else "2008-05-01"
        raise CrossbowError(f"{self.text!r:.80}: the values of {self.field!r} are {kind}s, and {text!r:.40} is none; "
                            f"give one such as {example}")


def _items(text: str, rest: str) -> list[tuple[str, bool]]:
    """What stands between commas, and whether it was quoted."""
    found, at = [], 0
    while True:
        item = _ITEM.match(rest, at)
        if not item:
            raise CrossbowError(f"{text!r:.80}: a value is missing, or a quotation mark; {HELP}")
        quoted = item[1] is not None
        found.append((item[1].replace('""', '"') if quoted else item[2], quoted))
        at = item.end()
        if not item[3]:
            return found


def _span(item: str, quoted: bool) -> Span:
    low, dots, high = item.partition("..")
    if quoted or not dots:
        return Span(item, item)
    return Span(low.strip() or None, high.strip() or None)


def field_kind(index: Index, name: str) -> str:
    """What a field is, if documents can be chosen by it."""
    kind = index.kinds.get(name)
    usable = [one for one, other in index.kinds.items() if other != STORED]
    if kind is None:
        there = f"there are {', '.join(usable)}" if usable else "its documents have no fields to choose by"
        raise CrossbowError(f"no document of the index has a field {name!r:.60}; {there}{suggestion(name, usable)}")
    if kind == STORED:
        raise CrossbowError(f"the field {name!r} is only stored, for some of its values are long texts or objects; "
                            "documents cannot be chosen, counted or sorted by it")
    return kind
