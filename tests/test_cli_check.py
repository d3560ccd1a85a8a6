"""`crossbow info --check` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commands import Run, failure, good, runner
from crossbow.index import add, build, delete
from crossbow.parse.model import ParseModel, Table
from crossbow.parse.parser import Parser, ParserConfig
from crossbow.parse.similarity import Pivot, SimilarityConfig
from crossbow.ranking.config import SearchConfig
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from crossbow.vocab import Vocab
from folders import as_format_1, flip
from searching import weighing

ENGLISH = Analyzer(Settings("en"))
DEEP = {"model": "lm/entries.npy", "index": "deletions", "parser": "pivot/columns.npy"}  # a file below each folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in a folder with a model, an index and a parser."""
    monkeypatch.chdir(tmp_path)
    Path("dictionary.tsv").write_text("Schloss\tcastle\nSchloss\tlock\n")
    from_dictionary("dictionary.tsv", Path("model"), SuppliedConfig(Settings("de"), Settings("en")))
    build("index", [Doc("a", "a castle"), Doc("b", "a lock"), Doc("c", "more"), Doc("d", "text")], ENGLISH)
    delete("index", ["a"])
    table = Table(np.arange(4), np.zeros(3, np.int32), np.full(3, 0.5))
    pivot = Pivot(np.arange(2), np.array([0, 1, 2]), np.array([1, 0]), np.full(2, 0.5))
    config = ParserConfig(similarity=SimilarityConfig("pivot"))
    Parser(ParseModel(Vocab(["UNK", "otter"]), table), ENGLISH, config, pivot).save(Path("parser"), {})
    return runner(monkeypatch, capsys, "info")


def deep_file(kind: str) -> Path:
    file = Path(kind) / DEEP[kind]
    return next(file.iterdir()) if file.is_dir() else file


@pytest.mark.parametrize("kind", DEEP)
def test_intact_and_damaged(run: Run, kind: str) -> None:
    files = [path for path in Path(kind).rglob("*") if path.is_file() and path.name != "writer.lock"]
    shown = good(run(kind, "--check", "--quiet"))
    assert shown == good(run(kind)) + f"all {len(files)} files are intact\n"
    file = deep_file(kind)
    flip(file, file.stat().st_size - 1)
    message = failure(run(kind, "--check", "--quiet"))
    assert message == (f"crossbow: {kind}: 1 of {len(files)} files are damaged: {file.relative_to(kind)} (its checksum "
                       "is another); build the folder again, or take it from a copy\n")
    assert run(kind).code == 0  # what it is can still be said
    file.unlink()
    assert f"{file.relative_to(kind)} (missing)" in failure(run(kind, "--check", "--quiet"))


@pytest.mark.parametrize("kind", DEEP)
def test_a_damaged_header(run: Run, kind: str) -> None:
    header = Path(kind) / "header.json"
    header.write_text(header.read_text("utf8").replace('"crossbow"', '"crossbar"'), "utf8")
    assert "header.json: damaged header (it does not have the checksum" in failure(run(kind, "--check", "--quiet"))


@pytest.mark.parametrize("kind", DEEP)
def test_a_folder_of_an_older_version(run: Run, kind: str) -> None:
    as_format_1(Path(kind))
    files = len(list(Path(kind).rglob("*.npy"))) + 1
    assert good(run(kind, "--check", "--quiet")).splitlines()[-1] == (
        f"{files} of {files} files have no checksums, because an older version wrote them; build the folder again to "
        "have some")
    if kind == "index":
        add("index", [Doc("e", "a text")])
        assert good(run(kind, "--check", "--quiet")).splitlines()[-1].endswith("the others are intact")


def test_progress(run: Run) -> None:
    done = run("index", "--check")
    assert (done.code, done.err) == (0, "checking …\n")


def test_json_is_the_header_alone(run: Run) -> None:
    message = failure(run("index", "--check", "--json"))
    assert "--json prints the header alone; leave it out to --check the files" in message


def test_what_was_learned_is_checked_too(run: Run, tmp_path: Path) -> None:
    from crossbow.learn.choose import save
    from crossbow.model import Model

    model = Model.load("model")
    search = SearchConfig(weights=weighing(terms={"castl": 2.0}))
    save(model, Path("model"), Path("learned"), search, model.decoder.weights, {})
    assert "files are intact" in good(run("learned", "--check", "--quiet"))
    flip(Path("learned/learned/term_weights.npy"), 130)
    assert "learned/term_weights.npy" in failure(run("learned", "--check", "--quiet"))
