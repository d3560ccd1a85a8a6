"""XML as a stream of events, for files of any size; entities are refused: a few lines of them can fill the memory.

    class Titles(Events):
        def start(self, name, attributes): ...
        def text(self, text): ...
        def end(self, name): self.found.append(…)

    for title in stream("big.xml.gz", Titles()): ...

Names come without the prefix of a namespace. Encodings are those that the file declares.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar
from xml.parsers import expat

from crossbow.errors import InputError
from crossbow.records.lines import PathLike, open_blocks

LONGEST = 1_000_000  # characters of one text; more means that an end is missing
Found = TypeVar("Found")


class Problem(Exception):
    """What a handler found to be wrong; the place is added to it."""


class Events(Generic[Found]):
    """What happens in a file; whatever `found` holds is handed on."""

    def __init__(self) -> None:
        self.found: list[Found] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, text: str) -> None:
        """Characters, perhaps only some of those that stand together."""


def stream(path: PathLike, events: Events[Found], form: str) -> Iterator[Found]:
    """What is found in a file, as soon as it is; `form` says what was expected when the file is wrong."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: events.start(name.rpartition(":")[2], attributes)
    parser.EndElementHandler = lambda name: events.end(name.rpartition(":")[2])
    parser.CharacterDataHandler = events.text
    parser.EntityDeclHandler = _refuse
    parser.SkippedEntityHandler = _unknown
    try:
        for block in open_blocks(path):
            parser.Parse(block, False)
            yield from events.found
            events.found.clear()
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise InputError(path, error.lineno, f"not well-formed XML ({expat.ErrorString(error.code)})",
                         f"is the file complete, and in the encoding that it declares? {form}") from None
    except (LookupError, ValueError) as error:
        raise InputError(path, parser.CurrentLineNumber, f"cannot be read ({error})",
                         "convert the file to UTF-8") from None
    except Problem as error:
        raise InputError(path, parser.CurrentLineNumber, str(error), form) from None
    yield from events.found


def _refuse(name: str, parameter: bool, value: str | None, *_: object) -> None:
    if not (parameter and value in ("INCLUDE", "IGNORE")):  # switches of old TEI files
        raise Problem(f"the file declares the entity {name!r}, which is refused: entities can blow a file up; remove "
                      "the declaration and write what it stands for")


def _unknown(name: str, parameter: bool) -> None:
    if not parameter:
        raise Problem(f"the entity &{name}; is not declared in the file; write the character itself")
