"""What a client may ask, and within which limits: bodies are checked here, and become records.

    asked = SearchRequest.of(body)          # bytes; raises Refused with a sentence that says what is wrong
    asked.query, asked.config(served.configured), asked.filter

The OpenAPI description takes its limits from here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from crossbow.errors import CrossbowError
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods import METHODS
from crossbow.settings import Described, suggestion

LARGEST_V = 100.0
MOST_SETTINGS = 20
# What a client may ask for at most, where a setting decides how long a search takes.
MOST_OF = {"psq.nbest": 1000, "expected.tables.nbest": 1000, "translation.pop_limit": 500, "weights.v": LARGEST_V,
           "weights.expected": LARGEST_V, "translation.lm_scale": 10.0, "bm25.k1": 1000.0, "repeats.k3": 1000.0,
           "bowfd.beam": 1_000_000, "translation.nbest": 100, "translation.samples": 100}
LEAST_OF = {"translation.pop_limit": 1, "weights.v": 0.0, "weights.expected": 0.0}  # a pop limit of 0 means none
FIXED = ("method", "k")  # fields of a request of their own
MOST_WORDS, LONGEST_WORD = 10, 100  # of a filter
LONGEST_CODE = 40  # of a language
MOST_CONDITIONS, LONGEST_CONDITION = 20, 1000
MOST_SKIPPED = 1000  # hits before those that are wanted
MOST_FACETS, LONGEST_FIELD = 10, 200
LONGEST_ID = 1000
MOST_TEXTS, LONGEST_TEXT = 100, 2000  # to gloss
LARGEST_BODY = 64 * 1024  # bytes, unless longer queries are allowed
FEW = 10  # hits, if a client does not say


class Limits(NamedTuple):
    """How large a request may be, as far as the operator decides."""

    longest_query: int = 1000  # characters
    most_hits: int = 100  # of an answer; at least FEW
    most_documents: int = 1000  # in a batch
    largest_batch: int = 16 << 20  # bytes


USUAL = Limits()


def largest_body(longest: int) -> int:
    """How many bytes a request may have whose query has so many characters; escaped, one has up to 12."""
    return max(LARGEST_BODY, LARGEST_BODY // 2 + 12 * longest)


class Refused(Exception):
    """A request that is answered with a status of 4xx or 503 and a sentence."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass(frozen=True, kw_only=True)
class _Configured:
    """A request that may change the settings of the server's search."""

    method: str | None = None  # None: the server's own, as for all that follows
    v: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    language: str | None = None  # the language of the query; None: the server finds it out

    def config(self, served: Callable[[str | None], SearchConfig]) -> SearchConfig:
        """The server's configuration for the method, if one is named, with the changes of the request."""
        changes = {**({} if self.v is None else {"weights.v": self.v}), **self.settings}
        try:
            config = served(self.method)
            known = {one.path: one for one in open_settings(config)} if changes else {}
            _check_paths(changes.keys() - known.keys(), config)
            for path, value in changes.items():
                config = config.set(path, _within(known[path], value))
        except CrossbowError as error:
            raise Refused(400, str(error)) from None
        return config


def open_settings(config: SearchConfig) -> list[Described]:
    """The settings that the method looks at and a client may change, with the limits that hold here."""
    return [one._replace(limits=one.limits._replace(least=LEAST_OF.get(one.path, one.limits.least),
                                                    most=MOST_OF.get(one.path, one.limits.most)))
            for one in config.described() if one.path not in FIXED]


def _within(one: Described, value: Any) -> Any:
    """A value that is within the server's limits; whether it is of the right kind is for the configuration to say."""
    value = _whole(value) if one.kind == "whole number" else value
    if type(value) in (int, float) and one.limits.choices is None and one.limits.problem(value):
        raise Refused(400, f"{one.path} is {value!r}; here it must be {one.limits.sentence()}")
    return value


def _whole(value: Any) -> Any:
    """To JSON, 10 and 10.0 are the same number."""
    return int(value) if type(value) is float and value.is_integer() else value


def _check_paths(paths: Collection[str], config: SearchConfig) -> None:
    """Raise an error for settings that are not open: there is none of that name, or the method does not look at it."""
    if not paths:
        return
    known = {one.path for method in METHODS for one in open_settings(config.set("method", method))}
    for path in paths:
        if path not in known:
            raise Refused(400, f"there is no setting {path[:60]!r}; /info lists all of them{suggestion(path, known)}")
    config.check_read(paths)


@dataclass(frozen=True)
class SearchRequest(_Configured):
    """A search."""

    query: str
    k: int = FEW
    filter: Filter = field(default_factory=Filter)
    explain: bool = False
    offset: int = 0
    sort: str | None = None
    facets: tuple[str, ...] = ()
    syntax: bool = False
    partial: bool = False

    @classmethod
    def of(cls, body: bytes, limits: Limits = USUAL) -> SearchRequest:
        fields = read_object(body, {"query", "method", "k", "v", "filter", "explain", "settings", "offset", "sort",
                                "facets", "syntax", "partial", "language"})
        sort = None if fields.get("sort") is None else _string(fields, "sort", LONGEST_FIELD)
        return cls(_query(fields, limits), _count(fields, "k", FEW, 1, limits.most_hits),
                   _filter(fields.get("filter", {})), _flag(fields, "explain"),
                   _count(fields, "offset", 0, 0, MOST_SKIPPED), sort,
                   _strings(fields, "facets", MOST_FACETS, LONGEST_FIELD, "fields"), _flag(fields, "syntax"),
                   _flag(fields, "partial"), **_configured(fields))


@dataclass(frozen=True)
class ExplainRequest(_Configured):
    """A question why a document gets its score."""

    query: str
    id: str
    syntax: bool = False
    document: bool = False  # whether the document itself is wanted too

    @classmethod
    def of(cls, body: bytes, limits: Limits = USUAL) -> ExplainRequest:
        fields = read_object(body, {"query", "id", "method", "v", "settings", "syntax", "document", "language"})
        return cls(_query(fields, limits), _string(fields, "id", LONGEST_ID), _flag(fields, "syntax"),
                   _flag(fields, "document"), **_configured(fields))


@dataclass(frozen=True)
class GlossRequest:
    """A question what the words of some texts mean."""

    texts: tuple[str, ...]

    @classmethod
    def of(cls, body: bytes) -> GlossRequest:
        fields = read_object(body, {"texts"})
        if "texts" not in fields:
            raise Refused(400, "'texts' is missing; give a list of texts")
        return cls(_strings(fields, "texts", MOST_TEXTS, LONGEST_TEXT, "texts"))


def _configured(fields: Mapping[str, Any]) -> dict[str, Any]:
    language = None if fields.get("language") is None else _string(fields, "language", LONGEST_CODE)
    return {"method": _method(fields), "v": _v(fields), "settings": _settings(fields), "language": language}


def _method(fields: Mapping[str, Any]) -> str | None:
    if "method" not in fields:
        return None
    method = fields["method"]
    if not isinstance(method, str) or method not in METHODS:
        raise Refused(400, f"'method' must be one of {', '.join(METHODS)}{suggestion(method, METHODS)}")
    return method


def _settings(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by path; whether there are such settings, and what they may be, is for the configuration to say."""
    found = fields.get("settings", {})
    if not isinstance(found, dict) or len(found) > MOST_SETTINGS:
        raise Refused(400, f"'settings' must be an object of at most {MOST_SETTINGS} paths and values")
    for path, value in found.items():
        if path in FIXED:
            raise Refused(400, f"'{path}' is a field of the request, not one of its settings")
        if isinstance(value, dict | list):
            raise Refused(400, f"the setting {path[:60]!r} must be a single value")
    return found


def read_object(body: bytes, known: set[str]) -> dict[str, Any]:
    """The fields of a body, none of which may be unknown."""
    try:
        fields = json.loads(body.decode("utf8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(400, "the body must be JSON in UTF-8") from None
    if not isinstance(fields, dict):
        raise Refused(400, "the body must be a JSON object")
    return _known(fields, known, "the body")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


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


def _count(fields: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = _whole(fields.get(name, default))
    if type(value) is not int or not least <= value <= most:
        raise Refused(400, f"'{name}' must be a whole number from {least} to {most}")
    return value


def _flag(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name, False)
    if type(value) is not bool:
        raise Refused(400, f"'{name}' must be true or false")
    return value


def _query(fields: Mapping[str, Any], limits: Limits) -> str:
    return _string(fields, "query", limits.longest_query)


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
    _known(fields, {"having", "lacking", "id_prefix", "where"}, "'filter'")
    prefix = _string({"id_prefix": "", **fields}, "id_prefix", LONGEST_ID, shortest=0)
    having, lacking = (_strings(fields, name, MOST_WORDS, LONGEST_WORD, "words") for name in ("having", "lacking"))
    return Filter(having, lacking, prefix, _strings(fields, "where", MOST_CONDITIONS, LONGEST_CONDITION, "conditions"))


def _strings(fields: Mapping[str, Any], name: str, most: int, longest: int, what: str) -> tuple[str, ...]:
    found = fields.get(name, [])
    if not isinstance(found, list) or len(found) > most or not all(
            isinstance(one, str) and len(one) <= longest for one in found):
        raise Refused(400, f"'{name}' must be a list of at most {most} {what}, each of at most {longest:,} characters")
    return tuple(found)
