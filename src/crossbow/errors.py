"""The one exception that users are meant to read: what was found, what was expected, what to do."""

from __future__ import annotations

import os


class CrossbowError(Exception):
    """A problem the user can mend. The command line prints it without a traceback and exits with 2."""


class InputError(CrossbowError):
    """Bad input, with the place it was found: `file:line: what is wrong; what to do`."""

    def __init__(self, path: str | os.PathLike[str], line: int | None, problem: str, remedy: str = ""):
        place = os.fspath(path) if line is None else f"{os.fspath(path)}:{line}"
        super().__init__(f"{place}: {problem}" + (f"; {remedy}" if remedy else ""))
        self.path, self.line = os.fspath(path), line


class CrossbowWarning(UserWarning):
    """Something that is allowed and may not be meant, such as a configuration that was decided on another index."""
