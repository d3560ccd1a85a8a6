"""A full disk, as a user meets it: one line that names what could not be written, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import Run, failure, runner
from crossbow.datasets.demo.load import documents, qrels, queries
from crossbow.index import build
from crossbow.records import Qrel, rank, write_lines, write_qrels, write_queries, write_run
from crossbow.text.analyzer import Analyzer, Settings
from training import corpus, litter

FULL = Path("/dev/full")  # takes nothing, as a full disk
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="A FULL DISK WAS NOT TESTED: there is no /dev/full here")
SEARCH = ("search", "model", "index", "--queries", "queries.tsv", "-k", "200", "--quiet")
TRANSLATE = ("translate", "model", "--nbest", "20")
OUTPUT_FULL = "crossbow: standard output: the disk is full; make room and try again\n"
EVALUATE = ("evaluate", "qrels.txt", "old.txt", "--quiet", "--trials", "10")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the commands read, where run.txt lies on a full disk."""
    folder = tmp_path_factory.mktemp("disk")
    (folder / "model").symlink_to(corpus(tmp_path_factory) / "model")
    build(folder / "index", documents(), Analyzer(Settings("en")), workers=1)
    write_queries(folder / "queries.tsv", queries("test"))
    judged = qrels("test")
    write_qrels(folder / "qrels.txt", [Qrel(q, doc, level) for q, all in judged.items() for doc, level in all.items()])
    write_run(folder / "old.txt", {query: rank(dict.fromkeys(levels, 1.0)) for query, levels in judged.items()})
    write_lines(folder / "sentences", (query.text for query in queries("test")))
    (folder / "run.txt").symlink_to(FULL)
    return folder


@pytest.fixture
def run(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in the folder."""
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "stdin", (place / "sentences").open())
    return runner(monkeypatch, capsys)


@pytest.mark.parametrize("arguments", [
    (*SEARCH, "-o", "run.txt"),
    (*SEARCH, "-o", "run.txt", "--threads", "1"),
    (*EVALUATE, "--per-query", "run.txt"),
], ids=" ".join)
def test_a_file_on_a_full_disk_is_named(run: Run, place: Path, arguments: tuple[str, ...]) -> None:
    before = sorted(path.name for path in place.iterdir())
    assert failure(run(*arguments)).startswith("crossbow: run.txt: the disk is full; ")
    assert sorted(path.name for path in place.iterdir()) == before
    assert FULL.is_char_device()


def test_forests_on_a_full_disk(run: Run, place: Path) -> None:
    done = run("translate", "model", "--forest", "run.txt")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("crossbow: run.txt: the disk is full; ")
    assert litter(place) == []


def crossbow_onto(output: Path, place: Path, *arguments: str, buffered: bool = True
                  ) -> subprocess.CompletedProcess[str]:
    """The installed command with its standard output redirected."""
    command = [str(Path(sys.executable).with_name("crossbow")), *arguments]
    environment = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    with output.open("w") as out, (place / "sentences").open() as text:
        return subprocess.run(command, cwd=place, stdin=text, stdout=out, stderr=subprocess.PIPE, text=True,
                              env=environment)


@pytest.mark.parametrize("arguments", [
    SEARCH, ("search", "model", "index", "-q", "Schloss", "--json"), ("search", "model", "index", "-q", "Schloss"),
    TRANSLATE, (*TRANSLATE, "--forest", "forests.jsonl"), EVALUATE, ("info", "model"), ("--help",), ("--version",),
], ids=" ".join)
def test_standard_output_onto_a_full_disk(place: Path, arguments: tuple[str, ...]) -> None:
    before = sorted(path.name for path in place.iterdir())
    done = crossbow_onto(FULL, place, *arguments)
    assert (done.returncode, done.stderr) == (2, OUTPUT_FULL)
    assert sorted(path.name for path in place.iterdir()) == before


@pytest.mark.parametrize("arguments", [SEARCH, TRANSLATE, ("--version",)], ids=" ".join)
def test_also_if_python_does_not_collect_what_is_printed(place: Path, arguments: tuple[str, ...]) -> None:
    done = crossbow_onto(FULL, place, *arguments, buffered=False)
    assert (done.returncode, done.stderr) == (2, OUTPUT_FULL)


def test_a_failure_that_has_printed_something_says_only_what_failed(place: Path) -> None:
    done = crossbow_onto(FULL, place, "learn", "model", "index", "--dev-queries", "queries.tsv", "--dev-qrels",
                         "qrels.txt", "--only-v", "-o", "index", "--quiet")
    assert done.returncode == 2
    assert done.stderr.startswith("crossbow: index: holds a Crossbow index")
    assert done.stderr.count("\n") == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("A REALLY FULL DISK WAS NOT TESTED: this user may not mount a small file system")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("name", ["run.txt", "run.txt.gz"])
def test_a_really_full_disk_keeps_the_old_run(run: Run, small_disk: Path, name: str) -> None:
    target = small_disk / name
    write_lines(target, ["an older run"])
    old = target.read_bytes()
    (small_disk / "filler").write_bytes(os.urandom(52_000))
    message = failure(run(*SEARCH, "-o", str(target)))
    assert message == (f"crossbow: {target}: the disk is full; what was there before is intact, make room and try "
                       "again\n")
    assert target.read_bytes() == old
    assert sorted(path.name for path in small_disk.iterdir()) == ["filler", name]
