"""The command line inside the process of a test: quicker than a process of its own, and kernels stay compiled."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from crossbow.cli import app


class Done(NamedTuple):
    """What a command exited with and printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *command: str) -> Run:
    """A function that runs `crossbow`, or one of its commands, with arguments."""
    def run(*arguments: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["crossbow", *command, *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            app()
        shown = capsys.readouterr()
        return Done(int(caught.value.code or 0), shown.out, shown.err)

    return run


def good(done: Done) -> str:
    """What a command prints that ends well and has nothing to complain about."""
    assert (done.code, done.err) == (0, ""), done
    return done.out


def failure(done: Done) -> str:
    """The one line that a command prints when it fails."""
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("crossbow: ")
    assert done.err.count("\n") == 1
    return done.err
