"""The command line. Commands mirror the modules; each imports what it needs when it runs, so that --help is instant."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import Annotated

import typer

from crossbow import __version__
from crossbow.cli import (
    data,
    evaluating,
    languages,
    learning,
    methods,
    parsing,
    pulling,
    reproducing,
    retrieval,
    search,
    serving,
    supplying,
    training,
    warming,
)
from crossbow.cli.screen import compile_notices
from crossbow.cli.shared import cli
from crossbow.cli.usage import usage_problem
from crossbow.errors import STANDARD_OUTPUT, CrossbowError, CrossbowWarning, full_disk

# The modules add their commands to `cli`.
__all__ = ["app", "cli", "data", "evaluating", "languages", "learning", "methods", "parsing", "pulling", "reproducing",
           "retrieval", "search", "serving", "supplying", "training", "warming"]
INTERRUPTED = 130


def app() -> None:
    """Run the command line; problems the user can mend are printed without a traceback."""
    try:
        warnings.showwarning = _say
        warnings.simplefilter("always", CrossbowWarning)  # every command says it, wherever the code that warns is
        with compile_notices():
            # What a command exits with, 130 if the user interrupted it.
            code = cli(prog_name="crossbow", standalone_mode=False)
            sys.stdout.flush()
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        sys.exit(code)
    except (KeyboardInterrupt, typer.Abort):
        _fail("interrupted; run the same command again (train, learn, reproduce and index --shards go on where "
              "they stopped)", INTERRUPTED)
    except CrossbowError as error:
        _fail(str(error), 2)
    except BrokenPipeError:
        _leave_output()
        sys.exit(0)
    except SystemExit as end:
        reader_gone = end.code == 1 and hasattr(sys.stdout, "wrapped")  # what click makes of a broken pipe
        sys.exit(0 if reader_gone else end.code)
    except OSError as error:
        full = full_disk(error, error.filename or STANDARD_OUTPUT)  # what writes files reports full disks itself
        _fail(str(full or f"{error.filename or ''}: {error.strerror or error}".lstrip(": ")), 2)
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error)
            sys.exit(2)
        problem = usage_problem(error)
        if problem is None:
            raise
        _fail(problem, 2)


def _say(message: Warning | str, category: type[Warning], filename: str, lineno: int, file: object = None,
         line: str | None = None) -> None:
    """Print a warning of ours as a sentence, and any other with the place where it arose."""
    ours = issubclass(category, CrossbowWarning)
    print(f"crossbow: {message}" if ours else f"{filename}:{lineno}: {category.__name__}: {message}", file=sys.stderr)


def _fail(message: str, code: int) -> None:
    print(f"crossbow: {message}", file=sys.stderr)
    _leave_output()
    sys.exit(code)


def _leave_output() -> None:
    """Write what was printed, or give it up: Python would try once more as it ends, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError):  # it may be something without a number
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(value: bool) -> None:
    if value:
        print(f"crossbow {__version__}")
        raise typer.Exit


@cli.callback()
def main(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True,
                                          help="Print the version.")] = False,
) -> None:
    pass
