"""The README is true: its console sessions and Python sessions are run, and give what it shows.

A `…` in the shown output stands for anything: times and the last digits of scores differ from machine to machine.
"""

import contextlib
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf8")
SESSION = re.compile(r"^```(console|pycon)\n(.*?)^```", re.M | re.S)


def commands(session: str) -> list[tuple[str, str]]:
    """Each command after a `$` with the output shown below it."""
    parts = re.split(r"^\$ (.*)\n", session, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def as_pattern(shown: str) -> str:
    """A regular expression for shown output."""
    return ".*".join(re.escape(piece) for piece in shown.split("…"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme")


def test_console_sessions(place: Path) -> None:
    path = os.pathsep.join((os.fspath(Path(sys.executable).parent), os.environ["PATH"]))
    sessions = [text for kind, text in SESSION.findall(README) if kind == "console"]
    assert sessions
    for session in sessions:
        for command, shown in commands(session):
            if command.startswith(("git ", "make ", "pip ")):
                continue  # installing is tested by setting up this environment
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=place, capture_output=True, text=True,
                                  env={**os.environ, "PATH": path})
            assert done.returncode == 0, (command, done.stderr)
            assert re.fullmatch(as_pattern(shown), done.stdout, re.S), (command, done.stdout)
    python_sessions(place)


def python_sessions(place: Path) -> None:
    """Run in the folder that the console sessions left behind."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    session = "\n".join(text.replace("…", "...") for kind, text in SESSION.findall(README) if kind == "pycon")
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    assert test.examples
    with contextlib.chdir(place):
        results = runner.run(test)
    assert results.failed == 0


def test_links_lead_somewhere() -> None:
    found = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src(?:set)?="([^"]+)"', README)
    targets = [target for target in found if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
