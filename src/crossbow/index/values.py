"""Values of fields as they are filtered, counted and sorted by: as strings, and numbers and dates as numbers too.

    spelled(2008.0), spelled(["a", "b"]), spelled({"deep": 1})          # ["2008"], ["a", "b"], None
    infer([b"2008", b"1999"])                                           # "number", and what each is
    moment("2008-05")                                                   # when it begins and ends, in seconds since 1970

What a column is follows from its values alone: numbers if all are, dates if all are, else keywords. So it does not
matter in which order documents came, and one value that is no number turns a column of numbers into keywords.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from crossbow.arrays import F64

NUMBER, DATE, KEYWORD, STORED = "number", "date", "keyword", "stored"
LONGEST = 200  # characters of a value; longer texts are not counted or filtered by
EXACT = 2**53  # larger whole numbers are names: as numbers they would lose digits
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
_DATE = re.compile(rf"[0-9]{{4}}(-[0-9]{{2}}(-[0-9]{{2}}({_CLOCK})?)?)?")
_START = datetime(1970, 1, 1, tzinfo=UTC)


def spelled(value: Any) -> list[str] | None:
    """A value as strings, none if there is nothing in it; None if it can only be stored: long texts and objects."""
    if isinstance(value, list | tuple):
        found: list[str] = []
        for one in value:
            inner = None if isinstance(one, list | tuple) else spelled(one)
            if inner is None:
                return None
            found += inner
        return list(dict.fromkeys(found))
    if value is None:
        return []
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, int | float):
        return [str(int(value)) if abs(value) < EXACT and value == int(value) else repr(value)]
    if isinstance(value, str):
        text = " ".join(value.split())
        return None if len(text) > LONGEST else [text] if text else []
    return None


def infer(values: Sequence[bytes]) -> tuple[str, F64]:
    """The kind that fits all these values, and each as a number: its value, when it begins, or NaN for a keyword."""
    for kind, parse in ((NUMBER, number), (DATE, _begin)):
        keys = _all(values, parse)
        if keys is not None and values:
            return kind, keys
    return KEYWORD, np.full(len(values), np.nan)


def _all(values: Sequence[bytes], parse: Callable[[str], float | None]) -> F64 | None:
    keys = np.empty(len(values))
    for at, value in enumerate(values):
        key = parse(value.decode())
        if key is None:
            return None
        keys[at] = key
    return keys


def number(text: str) -> float | None:
    """The number that is spelled so, if it is one and keeps all its digits."""
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    value = float(text)
    return value if math.isfinite(value) and (abs(value) < EXACT or found[2] or found[3]) else None


def moment(text: str) -> tuple[float, float] | None:
    """When a year, month, day, minute or second begins and ends, in seconds since 1970; without a zone it is UTC."""
    if not _DATE.fullmatch(text):
        return None
    try:
        begin = datetime.fromisoformat(text + "-01-01"[len(text) - 4:] if len(text) < 8 else text)
        begin = begin.replace(tzinfo=begin.tzinfo or UTC)
        return _seconds(begin), _seconds(begin) + _width(text, begin)
    except (ValueError, OverflowError):
        return None


def _seconds(time: datetime) -> float:
    return (time - _START) / timedelta(seconds=1)


def _width(text: str, begin: datetime) -> float:
    """How long what is spelled so lasts, in seconds."""
    day = 86400.0
    if len(text) == 4:
        return day * (366 if begin.year % 4 == 0 and (begin.year % 100 or begin.year % 400 == 0) else 365)
    if len(text) == 7:
        following = datetime(begin.year + begin.month // 12, begin.month % 12 + 1, 1) if begin.year < 9999 else None
        return day * ((following - begin.replace(tzinfo=None)).days if following else 31)
    if len(text) == 10:
        return day
    clock = re.split(r"Z|[+-]", text[11:])[0]
    return 60.0 if clock.count(":") == 1 else 1.0 if "." not in clock else 1e-6


def _begin(text: str) -> float | None:
    found = moment(text) if len(text) >= 7 else None  # four digits alone are a number
    return found[0] if found else None
