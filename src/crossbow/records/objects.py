"""Records as JSON objects: one per line, or all in one array.

    for number, record in json_lines("docs.jsonl", open_lines("docs.jsonl")): ...
    for number, record in json_array("docs.json"): ...          # the line on which each begins, and the object

An array is read piece by piece, so that memory does not grow with the file.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from crossbow.errors import InputError
from crossbow.records.lines import PathLike, open_blocks

Numbered = tuple[int, dict[str, Any]]
SPACE = " \t\r\n"


def json_lines(source: PathLike, lines: Iterable[tuple[int, str]]) -> Iterator[Numbered]:
    """One object per line."""
    for number, line in lines:
        try:
            record = json.loads(line, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise InputError(source, number, f"not valid JSON ({error})", "expected one JSON object per line") from None
        yield number, _object(source, number, record)


def json_array(source: PathLike) -> Iterator[Numbered]:
    """The objects of one array."""
    text = _Buffer(source)
    if text.skip() != "[":
        text.fail("there is no [", "expected an array of objects")
    text.at += 1
    if text.skip() != "]":
        while True:
            line = text.line()
            yield line, _object(source, line, text.value())
            end = text.skip()
            if end not in (",", "]"):
                text.fail("expected a comma or a ]", "is the file complete?")
            text.at += 1
            if end == "]":
                break
            text.skip()
    else:
        text.at += 1
    if text.skip():
        text.fail("there is more behind the array", "expected one array of objects")


class _Buffer:
    """The part of a file that is being looked at. What has been read is dropped when more is needed."""

    def __init__(self, source: PathLike):
        self.source, self.text, self.at, self.lines = source, "", 0, 1
        self._blocks = open_blocks(source)
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._scan = json.JSONDecoder(parse_constant=_no_constant).raw_decode
        self._ended = False

    def line(self) -> int:
        """The number of the line that is being looked at."""
        return self.lines + self.text.count("\n", 0, self.at)

    def fail(self, problem: str, remedy: str) -> NoReturn:
        raise InputError(self.source, self.line(), problem, remedy)

    def skip(self) -> str:
        """The next character that is not white space, or nothing at the end of the file."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in SPACE:
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._more(1):
                return ""

    def value(self) -> Any:
        """The value that begins here. If it does not end here, as much again is read: each byte is seen few times."""
        while True:
            try:
                found, end = self._scan(self.text, self.at)
                if end < len(self.text) or not self._more(1):  # the last digits of a number may be in the next block
                    self.at = end
                    return found
            except (ValueError, RecursionError) as error:
                if not self._more(len(self.text)):
                    self.fail(f"not valid JSON ({error})", "expected an array of JSON objects")

    def _more(self, size: int) -> bool:
        """Read at least so many characters, unless the file ends; returns whether any came."""
        self.lines = self.line()
        pieces, self.at, length = [self.text[self.at:]], 0, 0
        try:
            while length < size and not self._ended:
                block = next(self._blocks, b"")
                self._ended = not block
                pieces.append(self._decode(block, self._ended))
                length += len(pieces[-1])
        except UnicodeDecodeError:
            self.fail("not UTF-8", "convert the file to UTF-8, e.g. with iconv")
        self.text = "".join(pieces)
        return length > 0


def _object(source: PathLike, number: int, record: Any) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise InputError(source, number, "not a JSON object", 'expected {"id": …, "text": …}')
    return record


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
