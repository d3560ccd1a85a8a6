"""The exceptions that users are meant to read: what was found, what was expected, what to do.

    raise InputError("run.txt", 7, "5 columns", "expected 6: query Q0 document rank score tag")
    with explaining_full_disk("run.txt"): ...        # a full disk is said plainly, with the name of what was written
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator

STANDARD_OUTPUT = "standard output"


class CrossbowError(Exception):
    """A problem that the user can fix. The command line prints it without a traceback and exits with 2."""


class InputError(CrossbowError):
    """Bad input, with the place it was found: `file:line: what is wrong; what to do`."""

    def __init__(self, path: str | os.PathLike[str], line: int | None, problem: str, remedy: str = ""):
        place = os.fspath(path) if line is None else f"{os.fspath(path)}:{line}"
        super().__init__(f"{place}: {problem}" + (f"; {remedy}" if remedy else ""))
        self.path, self.line = os.fspath(path), line


class CrossbowWarning(UserWarning):
    """Something that is allowed but perhaps not intended, such as a configuration that was decided on another index."""


class UnknownDocument(CrossbowError, KeyError, IndexError):
    """A document that an index does not have, asked for by id or by number."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


@contextlib.contextmanager
def explaining_full_disk(target: str | os.PathLike[str]) -> Iterator[None]:
    """Say plainly that the disk is full, when that is what an error of the block means; `target` is what is written."""
    try:
        yield
    except OSError as error:
        full = full_disk(error, target)
        if full is None:
            raise
        raise full from error


def full_disk(error: OSError, target: str | os.PathLike[str]) -> CrossbowError | None:
    """What to say of an error in writing the target, if it means that the disk is full."""
    short = error.errno is None and "requested and" in str(error)  # all that numpy.save says
    if not short and error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return None
    before = "" if target == STANDARD_OUTPUT else "what was there before is intact, "
    return CrossbowError(f"{os.fspath(target)}: the disk is full; {before}make room and try again")
