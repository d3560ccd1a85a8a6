"""What a command shows on a terminal: bars while it works, and in the end every line that it printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crossbow.datasets.demo.load import documents
from crossbow.index import build
from crossbow.records import Qrel, Query, write_qrels, write_queries
from crossbow.text.analyzer import Analyzer, Settings
from learning import demo_place
from parsing import parse_place
from terminal import SIZES, on_terminal
from training import corpus

COMMAND = (sys.executable, "-c", "from crossbow.cli import app; app()")
NOTICE = "compiling kernels, about a minute, only the first time …"

# The demo as it is, but for the work that takes long: that reports as much, and takes what was made before.
DEMO = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from crossbow import demo
from crossbow.cli import app
place = Path(sys.argv.pop(1))
def work(report, *stages):
    for stage in stages:
        for done in range(4):
            if report:
                report(stage, done, 3 if "open" not in stage else 0)
                time.sleep(0.04)
def make(name, *stages):
    def made(collection, out, report):
        work(report, *stages)
        (out / name).symlink_to(place / name)
        return {"pairs": 3867, "bleu": [62.5], "perplexity": 28.8}
    return made
def compare_methods(*given, report=None):
    work(report, *(f"open stage {n}" for n in range(9)), "testing")
    return {"table1": {"rows": [{"system": name, "AP": .5, "nDCG": .5, "PRES": .5, "marks":
            {"AP": "", "nDCG": "", "PRES": ""}} for name in ("DT", "PSQ", "BOW-FD")]}}
demo.make_model = make("model", "text", "align", "tune", *(f"tune, pass {n} of 12" for n in range(1, 13)))
demo.make_index = make("index", "analyze")
demo.compare_methods = compare_methods
demo.time = SimpleNamespace(perf_counter=lambda: 0.0)
app()
"""


def folder(place: Path, name: str) -> Path:
    (place / name).mkdir()
    return place / name


def kept(lines: list[str]) -> list[str]:
    """What is left but for the notice, which comes if no test before this one has compiled what it needs."""
    return [line for line in lines if not line.startswith("compiling kernels")]


def without_seconds(lines: list[str]) -> list[str]:
    """With … for the last column, the seconds that something took."""
    return [re.sub(r" +\d+\.\d$", " …", line) for line in lines]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_demo_leaves_all_that_it_printed(size: tuple[int, int], tmp_path: Path,
                                             tmp_path_factory: pytest.TempPathFactory) -> None:
    (tmp_path / "model").symlink_to(corpus(tmp_path_factory) / "model")
    build(tmp_path / "index", documents(), Analyzer(Settings("en")), workers=1)
    shown, quiet = (on_terminal([sys.executable, "-c", DEMO, tmp_path, "demo", *options, "-o", "out"], *size,
                                cwd=folder(tmp_path, name)) for name, options in (("bars", ()), ("quiet", ["--quiet"])))
    assert shown.code == quiet.code == 0, shown.lines
    assert "indexed 220 documents" in quiet.lines
    assert len(quiet.lines) > 24
    assert kept(shown.lines) == quiet.lines
    assert any("tune, pass 3 of 12" in frame for frame in shown.frames)
    assert not any("━" in frame for frame in quiet.frames)


def test_learning_leaves_its_rows(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = demo_place(tmp_path_factory)
    for name, judged in (("train", place.training[:6]), ("dev", place.development[:4])):
        write_queries(tmp_path / f"{name}.tsv", [Query(query.id, query.text) for query in judged])
        write_qrels(tmp_path / f"{name}.txt",
                    [Qrel(query.id, doc, level) for query in judged for doc, level in query.levels.items()])
    command = [*COMMAND, "learn", place.folder, place.index_folder, "--queries", "train.tsv", "--qrels", "train.txt",
               "--dev-queries", "dev.tsv", "--dev-qrels", "dev.txt", "--epochs", "3", "-o", "learned"]
    shown, quiet = (on_terminal([*command, *options], cwd=tmp_path) for options in ((), ["--quiet"]))
    assert shown.code == quiet.code == 0, shown.lines
    assert [line.split()[0] for line in quiet.lines[:5]] == ["epoch", "0", "1", "2", "3"]
    assert without_seconds(kept(shown.lines)) == without_seconds(quiet.lines)
    assert any("━" in frame for frame in shown.frames)
    with (tmp_path / "out.txt").open("w") as file:
        elsewhere = on_terminal(command, cwd=tmp_path, stdout=file)
    assert kept(elsewhere.lines) == []
    assert without_seconds((tmp_path / "out.txt").read_text().splitlines()) == without_seconds(quiet.lines)


def test_training_a_parser_leaves_its_rows(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    judged = [part for split, prefix in (("train", ""), ("dev", "dev-"))
              for part in (f"--{prefix}queries", f"queries.{split}.tsv", f"--{prefix}qrels", f"qrels.{split}.txt")]
    command = [*COMMAND, "parse", "train", "index", *judged, "-o", tmp_path / "parser", "--words", "60", "--rounds",
               "2", "--candidates", "5", "--depth", "12"]
    shown = on_terminal(command, cwd=parse_place(tmp_path_factory).folder)
    assert shown.code == 0, shown.lines
    lines = kept(shown.lines)
    assert [line.split()[0] for line in lines] == ["round", "0", "1", "2", "words", "parameters", "α", "signature"]


PRINTING = """
import random, sys, threading, time
from crossbow.cli.screen import progress
random.seed(int(sys.argv[1]))
with progress(False) as report:
    def work():
        for n in range(600):
            report(f"stage {random.randrange(7)}", random.randrange(4), 3)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for n in range(300):
        print(f"line {n}", file=random.choice([sys.stdout, sys.stderr]))
        time.sleep(0.002)
    for thread in threads:
        thread.join()
    print("\\x1b[1mbold\\x1b[0m and [red]plain[/red]", "x" * 100)
    sys.stdout.writelines(["two\\n", "lines\\n"])
    print("the end", end="", flush=True)
print(", and after it")
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_no_line_is_lost_while_bars_come_and_go(seed: int) -> None:
    shown = on_terminal([sys.executable, "-c", PRINTING, str(seed)], 60, 10)
    long = "bold and [red]plain[/red] " + "x" * 100
    assert shown.lines == [*(f"line {n}" for n in range(300)), *(long[at : at + 60] for at in (0, 60, 120)), "two",
                           "lines", "the end, and after it"]
    assert any("━" in frame for frame in shown.frames)
    assert max(frame.count("━" * 24) for frame in shown.frames) <= 4


def test_a_terminal_that_cannot_draw_gets_lines() -> None:
    code = """if True:
        from crossbow.cli.screen import progress
        with progress(False) as report:
            report("text", 0, 2)
            print("printed")
            report("text", 1, 2)
            report("align", 1, 1)
        """
    shown = on_terminal([sys.executable, "-c", code], env={"TERM": "dumb"})
    assert shown.lines == ["text …", "printed", "align …"]


# A command with a kernel of its own, which takes a moment to compile.
TOY = """
from crossbow.jit import helper, kernel

@helper
def twice(x):
    return 2 * x

@kernel
def {name}(x):
    return twice(x)
"""
TOY_COMMAND = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from crossbow.cli import app, cli
from crossbow.cli.shared import Quiet, progress

@cli.command()
def toy(kernel: str, quiet: Quiet = False) -> None:
    import importlib
    print(getattr(importlib.import_module(kernel), kernel)(21))

@cli.command()
def staged(kernel: str, quiet: Quiet = False) -> None:
    with progress(quiet) as report:
        toy(kernel)

app()
"""


@pytest.fixture
def toys(tmp_path: Path) -> Path:
    for name in ("one", "another", "third"):
        (tmp_path / f"{name}.py").write_text(TOY.format(name=name))
    return tmp_path


@pytest.mark.parametrize("command", ["toy", "staged"])
def test_compiling_is_announced_once_and_the_first_time_only(toys: Path, command: str) -> None:
    env = {"CROSSBOW_CACHE": str(toys / "cache")}

    def run(*arguments: str) -> list[str]:
        shown = on_terminal([sys.executable, "-c", TOY_COMMAND, toys, command, *arguments], env=env)
        assert shown.code == 0, shown.lines
        named = {kernel for frame in shown.frames for kernel in re.findall(r"kernel \d+: \w+", frame)}
        assert named == ({f"kernel 1: {arguments[0]}"} if "compiling" in shown.lines[0] else set())
        return shown.lines

    assert run("one") == [NOTICE, "42"]
    assert run("one") == ["42"]
    assert run("another", "--quiet") == ["42"]
    assert run("another") == ["42"]
    assert run("third") == ["compiling kernels, only the first time …", "42"]
    assert run("third") == ["42"]


@pytest.mark.parametrize(("command", "announced"), [("toy", ""), ("staged", f"{NOTICE}\n")])
def test_without_a_terminal_compiling_is_a_line_among_the_stages(toys: Path, command: str, announced: str) -> None:
    def run(*arguments: str) -> tuple[str, str]:
        done = subprocess.run([sys.executable, "-c", TOY_COMMAND, toys, command, *arguments], capture_output=True,
                              text=True, check=True, env={**os.environ, "CROSSBOW_CACHE": str(toys / "cache")})
        return done.stdout, done.stderr

    assert run("one", "--quiet") == ("42\n", "")
    (toys / "cache").rename(toys / "old")
    assert run("one") == ("42\n", announced)
    assert run("one") == ("42\n", "")
