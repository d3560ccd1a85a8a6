"""What a client may ask, and within which limits: bodies are checked here, and become records.

    asked = SearchRequest.of(body)          # bytes; raises Refused with a sentence that says what is wrong
    asked.query, asked.config(model), asked.filter

The OpenAPI description takes its limits from here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crossbow.model import Model
from crossbow.ranking.filters import Filter
from crossbow.ranking.search import METHODS, SearchConfig
from crossbow.weights import TermWeights

LONGEST_QUERY = 1000  # characters
MOST_HITS = 100
LARGEST_V = 100.0
MOST_WORDS, LONGEST_WORD = 10, 100  # of a filter
LONGEST_ID = 1000
LARGEST_BODY = 64 * 1024  # bytes
FEW = 10  # hits, if a client does not say


class Refused(Exception):
    """A request that is answered with a status of 4xx or 503 and a sentence."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass(frozen=True)
class SearchRequest:
    """A search."""

    query: str
    method: str
    k: int
    v: float | None  # None: the model's own
    filter: Filter
    explain: bool

    @classmethod
    def of(cls, body: bytes) -> SearchRequest:
        fields = _object(body, {"query", "method", "k", "v", "filter", "explain"})
        method = fields.get("method", "bowfd")
        if method not in METHODS:
            raise Refused(400, f"'method' must be one of {', '.join(METHODS)}")
        k = fields.get("k", FEW)
        if type(k) is float and k.is_integer():
            k = int(k)  # to JSON 10 and 10.0 are the same number
        if type(k) is not int or not 1 <= k <= MOST_HITS:
            raise Refused(400, f"'k' must be a whole number from 1 to {MOST_HITS}")
        explain = fields.get("explain", False)
        if type(explain) is not bool:
            raise Refused(400, "'explain' must be true or false")
        return cls(_query(fields), method, k, _v(fields), _filter(fields.get("filter", {})), explain)

    def config(self, model: Model) -> SearchConfig:
        """The same for the search itself."""
        return SearchConfig(self.method, self.k, _weights(model, self.v))


@dataclass(frozen=True)
class ExplainRequest:
    """A question why a document gets its score."""

    query: str
    id: str
    v: float | None

    @classmethod
    def of(cls, body: bytes) -> ExplainRequest:
        fields = _object(body, {"query", "id", "v"})
        return cls(_query(fields), _string(fields, "id", LONGEST_ID), _v(fields))

    def config(self, model: Model) -> SearchConfig:
        """The same for the explanation itself."""
        return SearchConfig(weights=_weights(model, self.v))


def _weights(model: Model, v: float | None) -> TermWeights:
    return model.retrieval if v is None else replace(model.retrieval, v=v)


def _object(body: bytes, known: set[str]) -> dict[str, Any]:
    try:
        fields = json.loads(body.decode("utf8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(400, "the body must be JSON in UTF-8") from None
    if not isinstance(fields, dict):
        raise Refused(400, "the body must be a JSON object")
    return _known(fields, known, "the body")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _known(fields: dict[str, Any], known: set[str], where: str) -> dict[str, Any]:
    for name in fields:
        if name not in known:
            raise Refused(400, f"{where} has an unknown field {name[:40]!r}; there are {', '.join(sorted(known))}")
    return fields


def _string(fields: Mapping[str, Any], name: str, longest: int, shortest: int = 1) -> str:
    text = fields.get(name)
    if not isinstance(text, str):
        raise Refused(400, f"'{name}' must be a string")
    if not shortest <= len(text) <= longest:
        raise Refused(400, f"'{name}' has {len(text):,} characters; it must have {shortest} to {longest:,}")
    return text


def _query(fields: Mapping[str, Any]) -> str:
    return _string(fields, "query", LONGEST_QUERY)


def _v(fields: Mapping[str, Any]) -> float | None:
    v = fields.get("v")
    if v is None:
        return None
    if type(v) not in (int, float) or not 0 <= v <= LARGEST_V or not math.isfinite(v):
        raise Refused(400, f"'v' must be a number from 0 to {LARGEST_V:g}")
    return float(v)


def _filter(fields: Any) -> Filter:
    if not isinstance(fields, dict):
        raise Refused(400, "'filter' must be an object")
    _known(fields, {"having", "lacking", "id_prefix"}, "'filter'")
    prefix = _string({"id_prefix": "", **fields}, "id_prefix", LONGEST_ID, shortest=0)
    return Filter(_words(fields, "having"), _words(fields, "lacking"), prefix)


def _words(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    words = fields.get(name, [])
    if not isinstance(words, list) or len(words) > MOST_WORDS or not all(
            isinstance(word, str) and len(word) <= LONGEST_WORD for word in words):
        raise Refused(400, f"'{name}' must be a list of at most {MOST_WORDS} words, each of at most {LONGEST_WORD} "
                           "characters")
    return tuple(words)
