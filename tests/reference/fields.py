"""Fields of documents by their definition: conditions, counts and orders, document by document.

    docs = random_fields(docs, seed)                     # documents with fields of all kinds
    passes(doc, "year", "<", [2000])                     # what a condition must say of it
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from crossbow.records import Doc

YEARS = [1998, 1999, 2000, 2000.5, -3]
LANGS = ["en", "de", "Middle, English", "日本", 'a "b"', "en..de"]
DAYS = ["1999-12-31", "2000-01-01", "2000-01-31", "2000-02-01", "2001-07-09"]
VALUES: dict[str, list[Any]] = {"year": YEARS, "lang": LANGS, "day": DAYS}
NEXT_DAY = {"2000": "2001-01-01", "2000-01": "2000-02-01", "2000-01-01": "2000-01-02", "2000-01-31": "2000-02-01"}


def random_fields(docs: Iterable[Doc], seed: int) -> list[Doc]:
    """Each document with none, one or several values of some fields."""
    rng, made = random.Random(seed), []
    for doc in docs:
        fields: dict[str, Any] = {}
        for name, values in VALUES.items():
            chosen = rng.sample(values, rng.choice([0, 1, 1, 1, 2]))
            if chosen:
                fields[name] = chosen if len(chosen) > 1 or rng.random() < 0.3 else chosen[0]
        made.append(doc._replace(fields=fields))
    return made


def values_of(doc: Doc, name: str) -> list[Any]:
    value = doc.fields.get(name, [])
    return value if isinstance(value, list) else [value]


def passes(doc: Doc, name: str, sign: str, operands: Sequence[Any]) -> bool:
    """Whether a document has a value that is one of the operands, or lies where the sign says; `..` has two."""
    return any(_holds(value, name, sign, operands) for value in values_of(doc, name))


def _holds(value: Any, name: str, sign: str, operands: Sequence[Any]) -> bool:
    first = operands[0]
    if name == "day":  # days compare as their strings do, and what is less exact ends when the next one begins
        end = {one: NEXT_DAY.get(one, f"{one}~") for one in operands}
        return {":": any(one <= value < end[one] for one in operands), ">=": value >= first, ">": value >= end[first],
                "<": value < first, "<=": value < end[first], "..": first <= value < end[operands[-1]]}[sign]
    if sign == ":":
        return value in operands
    return {">=": value >= first, ">": value > first, "<": value < first, "<=": value <= first,
            "..": first <= value <= operands[-1]}[sign]


def counted(docs: Iterable[Doc], name: str) -> Counter[str]:
    """How many documents have each value."""
    return Counter(str(value) for doc in docs for value in {*values_of(doc, name)})


def ordered(docs: Iterable[Doc], scores: dict[str, float], name: str, descending: bool) -> list[str]:
    """Ids by field, then by score, then by descending id; documents without the field last."""
    def best(doc: Doc) -> Any:
        values = [value.encode() if isinstance(value, str) else value for value in values_of(doc, name)]
        return (max if descending else min)(values)

    by_score = sorted(sorted(docs, key=lambda doc: doc.id, reverse=True), key=lambda doc: -scores[doc.id])
    having = [doc for doc in by_score if values_of(doc, name)]
    lacking = [doc.id for doc in by_score if not values_of(doc, name)]
    if descending:  # reverse=True keeps the order of equal ones
        return [doc.id for doc in sorted(having, key=best, reverse=True)] + lacking
    return [doc.id for doc in sorted(having, key=best)] + lacking
