"""What an operator says about the page in a small file: its title, a line on what there is, examples, facets.

    page = PageSettings.load("page.json")       # {"title": "Court search", "examples": ["Haftung des Vermieters"]}
    page.check(index)                           # are there such fields?

All of it is text; none of it becomes markup. docs/formats.md describes the file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index
from crossbow.index.values import STORED
from crossbow.ranking.conditions import field_kind
from crossbow.settings import suggestion
from crossbow.web.requests import MOST_FACETS

LONGEST_TITLE, LONGEST_LEAD, LONGEST_EXAMPLE = 60, 300, 300  # characters: what looks well on the page
MOST_EXAMPLES = 12
EXPECTED = ('expected an object such as {"title": "Court search", "lead": "Judgments since 1990.", "examples": '
            '["Haftung des Vermieters"], "facets": ["court", "year"]}')


class PageSettings(NamedTuple):
    """How the page presents itself."""

    title: str = "Crossbow"
    lead: str = ""  # one or two sentences; the page has its own
    examples: tuple[str, ...] = ()  # queries to try
    facets: tuple[str, ...] | None = None  # the fields beside the hits, in this order; None: all that can be counted

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PageSettings:
        """Read the file of an operator."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf8"))
        except FileNotFoundError:
            raise InputError(path, None, "no such file", "is this the right path?") from None
        except OSError as error:
            raise InputError(path, None, f"cannot be read ({error.strerror})", "give a file of JSON") from None
        except UnicodeDecodeError:
            raise InputError(path, None, "this is not UTF-8", EXPECTED) from None
        except json.JSONDecodeError as error:
            raise InputError(path, error.lineno, f"this is not JSON ({error.msg})", EXPECTED) from None
        except RecursionError:
            raise InputError(path, None, "this is nested too deeply", EXPECTED) from None
        if not isinstance(data, dict):
            raise InputError(path, None, "this is not an object", EXPECTED)
        try:
            return cls._of(data)
        except CrossbowError as error:
            raise InputError(path, None, str(error)) from None

    @classmethod
    def _of(cls, data: dict[str, Any]) -> PageSettings:
        for name in data:
            if name not in cls._fields:
                raise CrossbowError(f"there is no {name!r:.60}; there are {', '.join(cls._fields)}"
                                    f"{suggestion(name, cls._fields)}")
        given: dict[str, Any] = {}
        for name, longest in (("title", LONGEST_TITLE), ("lead", LONGEST_LEAD)):
            if name in data:
                given[name] = _text(f"{name!r}", data[name], longest)
        for name, most, longest in (("examples", MOST_EXAMPLES, LONGEST_EXAMPLE), ("facets", MOST_FACETS, 200)):
            if name in data:
                given[name] = _texts(name, data[name], most, longest)
        return cls(**given)

    def check(self, index: Index) -> None:
        """Raise an error if documents cannot be counted by one of the facets."""
        for name in self.facets or ():
            field_kind(index, name)

    def shown_facets(self, index: Index) -> list[str]:
        """The fields to count; those that an index has lost meanwhile are left out."""
        usable = [name for name, kind in index.kinds.items() if kind != STORED]
        return [name for name in (usable if self.facets is None else self.facets) if name in usable][:MOST_FACETS]


PLAIN = PageSettings()  # without such a file


def _text(name: str, value: Any, longest: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > longest:
        raise CrossbowError(f"{name} must be a text of 1 to {longest} characters; change it in the file")
    return " ".join(value.split())


def _texts(name: str, value: Any, most: int, longest: int) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > most:
        raise CrossbowError(f"{name!r} must be a list of at most {most} texts; change it in the file")
    return tuple(_text(f"entry {at} of {name!r}", one, longest) for at, one in enumerate(value, 1))
