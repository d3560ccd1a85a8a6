"""No command writes over a folder of another kind: it says what is there, and leaves it byte for byte as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from commands import Run, failure, runner
from crossbow import store
from crossbow.index import build
from crossbow.records import Doc, Hit, Qrel, Query, write_lines, write_qrels, write_queries, write_run
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from supplies import GRAMMAR
from training import litter

JUDGED = ("--queries", "queries.tsv", "--qrels", "qrels.txt",
          "--dev-queries", "queries.tsv", "--dev-qrels", "qrels.txt")
COMMANDS = {  # what each writes
    ("train", "pairs.de", "pairs.en"): "model",
    ("dictionary", "de-en.tsv"): "model",
    ("grammar", "rules"): "model",
    ("learn", "a-model", "an-index", *JUDGED): "model",
    ("learn", "a-model", "an-index", *JUDGED[4:], "--only-v"): "model",
    ("parse", "train", "an-index", *JUDGED): "parser",
    ("index", "docs.tsv"): "index",
    ("evaluate", "qrels.txt", "run.txt"): "report",
    ("reproduce", "demo"): "report",
    ("parse", "reproduce", "demo"): "report",
}
KINDS = ("model", "index", "parser", "report")


class Numbers(NamedTuple):
    numbers: np.ndarray


def files(folder: Path) -> dict[str, bytes]:
    """Everything below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in a folder with all that the commands read, and a folder of each kind in their way."""
    monkeypatch.chdir(tmp_path)
    docs, english = [Doc("d1", "an old castle"), Doc("d2", "a lock")], Analyzer(Settings("en"))
    write_lines("de-en.tsv", ["Schloss\tcastle", "Schloss\tlock"])
    write_lines("docs.tsv", [f"{doc.id}\t{doc.text}" for doc in docs])
    write_lines("pairs.de", ["altes Schloss", "Schloss"])
    write_lines("pairs.en", ["old castle", "lock"])
    write_queries("queries.tsv", [Query("q1", "Schloss")])
    write_qrels("qrels.txt", [Qrel("q1", "d1", 1)])
    write_run("run.txt", {"q1": [Hit("d1", 1.0, 1)]})
    Path("rules").write_text(GRAMMAR, "utf8")
    for place in ("a-model", "model"):
        from_dictionary("de-en.tsv", Path(place), SuppliedConfig(Settings("de"), Settings("en")))
    for place in ("an-index", "index"):
        build(place, docs, english)
    store.save(Path("parser"), "parser", Numbers(np.arange(3)), {})
    Path("report").mkdir()
    Path("report/report.json").write_text(json.dumps({"crossbow": "1", "table": [1, 2]}))
    return runner(monkeypatch, capsys)


@pytest.mark.parametrize(("command", "kind", "there"), [
    pytest.param(command, kind, there, id=f"{' '.join(command)} -o {there}")
    for command, kind in COMMANDS.items() for there in KINDS if there != kind])
def test_a_folder_of_another_kind_stays(
    run: Run, tmp_path: Path, command: tuple[str, ...], kind: str, there: str
) -> None:
    before = files(tmp_path)
    done = run(*command, "-o", there)
    assert done.code == 2, done
    message = f"{there}: holds a Crossbow {there}, so it will not be overwritten by another kind ({kind}); choose"
    assert message in done.err.splitlines()[-1]
    assert files(tmp_path) == before
    assert litter(tmp_path) == []


@pytest.mark.parametrize("command", [
    command for command in COMMANDS if command[0] in ("dictionary", "index", "evaluate")], ids=" ".join)
def test_a_folder_of_the_same_kind_is_replaced(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    place = tmp_path / COMMANDS[command]
    (place / "stale").mkdir()
    head = "report.json" if place.name == "report" else "header.json"
    before = (place / head).stat().st_ino
    assert run(*command, "-o", place).code == 0
    assert (place / head).stat().st_ino != before


def test_results_are_no_place_to_work_in(run: Run, tmp_path: Path) -> None:
    before = files(tmp_path)
    for there in KINDS:
        message = failure(run("reproduce", "demo", "-o", "new", "--work", there, "--quiet"))
        assert f"{there}: is a model, an index or another result, so it cannot be a work folder" in message
    assert files(tmp_path) == before
