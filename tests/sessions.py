"""Documents that are true: their files are written, their console and Python sessions run, and give what is shown.

    run_document(text, place)       # ```text file=NAME blocks become files; ```console and ```pycon blocks are run
    run_document(text, place, done=("crossbow demo",))      # but not commands whose results the place has already

A `…` in the shown output stands for anything: times and the last digits of scores differ from machine to machine.
"""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```(console|pycon|(?:python|text) file=\S+)\n(.*?)^```", re.M | re.S)
INSTALLING = ("git ", "make ", "pip ")  # is tested by setting up this environment


def commands(session: str) -> list[tuple[str, str]]:
    """Each command after a `$` with the output shown below it."""
    parts = re.split(r"^\$ (.*)\n", session, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def as_pattern(shown: str) -> str:
    """A regular expression for shown output."""
    return ".*".join(re.escape(piece) for piece in shown.split("…"))


def run_document(text: str, place: Path, done: tuple[str, ...] = ()) -> dict[str, int]:
    """Do in a folder all that a document shows; returns how many blocks of each kind there were."""
    counts = {"console": 0, "pycon": 0, "python": 0, "text": 0}
    path = os.pathsep.join((os.fspath(Path(sys.executable).parent), os.environ["PATH"]))
    exported: dict[str, str] = {}
    names: dict[str, Any] = {}  # the Python blocks of a document are one session
    for kind, content in BLOCK.findall(text):
        counts[kind.split()[0]] += 1
        if kind == "console":
            for command, shown in commands(content):
                if command.startswith("export "):
                    name, _, value = command.removeprefix("export ").partition("=")
                    exported[name] = value
                elif not command.startswith(INSTALLING + done):
                    run_command(command, shown, place, {**os.environ, **exported, "PATH": path})
        elif kind == "pycon":
            run_python(content, place, names)
        else:
            file = place / kind.partition("file=")[2]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf8")
    return counts


def run_command(command: str, shown: str, place: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=place, capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 0, (command, done.stderr)
    assert re.fullmatch(as_pattern(shown), done.stdout, re.S), (command, done.stdout)


def run_python(session: str, place: Path, names: dict[str, Any]) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    test = doctest.DocTestParser().get_doctest(session.replace("…", "..."), names, "document", "document", 0)
    assert test.examples
    with contextlib.chdir(place):
        results = runner.run(test, clear_globs=False)
    assert results.failed == 0
    names.update(test.globs)
