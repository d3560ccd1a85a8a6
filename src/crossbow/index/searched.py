"""Which fields of documents are searched, and how much a word counts in each.

    searched = Searched.parse("title^2,text,abstract")
    searched.bag(doc, analyzer)          # Counter of terms, and the length
    STANDARD                             # title and text, alike

A term that stands in several fields counts Σ weight · tf, and the document is Σ weight · length long: BM25F in its
simple form, where one saturation is taken of the sum. Both are fixed when a document is indexed, so searching knows
nothing of fields. Postings stay whole numbers: weights are fractions, and all are multiplied by their common
denominator, `scale`. BM25's saturation tf / (norm + tf) stays what it was if the norm is multiplied by it too.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from crossbow.errors import CrossbowError
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer

LARGEST = 100  # a weight
DECIMALS = 2  # of a weight, which bounds the scale
_FIELD = re.compile(r"([^,^]+)(?:\^([^,^]*))?")


class Searched(NamedTuple):
    """The fields by name, in the order in which they were given, with their weights times the scale."""

    names: tuple[str, ...]
    factors: tuple[int, ...]
    scale: int = 1

    @classmethod
    def of(cls, weights: Mapping[str, float]) -> Searched:
        """Fields by name with their weights."""
        if not weights:
            raise CrossbowError("no fields are given to be searched; give some, as in title^2,text")
        for name, weight in weights.items():
            if not isinstance(weight, int | float) or not 0 < weight <= LARGEST or round(weight, DECIMALS) != weight:
                raise CrossbowError(f"the weight of the field {name!r} is {weight!r}; it must be above 0 and at most "
                                    f"{LARGEST}, with at most {DECIMALS} decimals")
        exact = [Fraction(round(weight * 10**DECIMALS), 10**DECIMALS) for weight in weights.values()]
        scale = lcm(*(weight.denominator for weight in exact))
        return cls(tuple(weights), tuple(int(weight * scale) for weight in exact), scale)

    @classmethod
    def parse(cls, text: str) -> Searched:
        """What `title^2,text` means."""
        weights: dict[str, float] = {}
        for one in text.split(","):
            found = _FIELD.fullmatch(one.strip())
            name = found[1].strip() if found else ""
            try:
                weight = float(found[2]) if found and found[2] is not None else 1.0
            except ValueError:
                name = ""
            if not name or name in weights:
                raise CrossbowError(f"{text!r} is not a list of fields; expected names with or without weights, each "
                                    "once, as in title^2,text,abstract")
            weights[name] = weight
        return cls.of(weights)

    def weights(self) -> dict[str, float]:
        """The fields with their weights; whole numbers as such."""
        exact = (Fraction(factor, self.scale) for factor in self.factors)
        return {name: int(weight) if weight.denominator == 1 else float(weight)
                for name, weight in zip(self.names, exact)}

    def texts(self, doc: Doc) -> Iterator[tuple[int, str]]:
        """What is searched of a document, with the factor of each text."""
        for name, factor in zip(self.names, self.factors):
            text = field_text(doc, name)
            if text:
                yield factor, text

    def bag(self, doc: Doc, analyzer: Analyzer) -> tuple[Counter[str], int]:
        """How much each term of a document counts, and its length; both times the scale."""
        counts: Counter[str] = Counter()
        length = 0
        for factor, text in self.texts(doc):
            terms, size = analyzer.analyze(text)
            for term in terms:
                counts[term] += factor
            length += factor * size
        return counts, length

    def shown(self, doc: Doc) -> Doc:
        """The document whose text is all of it that is searched, except its title: what snippets are cut from."""
        if self == STANDARD:
            return doc
        texts = (field_text(doc, name) for name in self.names if name != "title")
        return doc._replace(text=" ".join(filter(None, texts)))


STANDARD = Searched(("title", "text"), (1, 1))


def field_text(doc: Doc, name: str) -> str:
    """A field of a document as a text to search; lists are joined."""
    if name == "title":
        return doc.title
    if name == "text":
        return doc.text
    return _text(doc.fields.get(name, ""), doc.id, name)


def _text(value: Any, id: str, name: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return " ".join(_text(one, id, name) for one in value)
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise CrossbowError(f"the field {name!r} of document {id!r} is {'nothing' if value is None else 'an object'}; only "
                        "texts, numbers and lists of them can be searched")
