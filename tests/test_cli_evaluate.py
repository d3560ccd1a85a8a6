"""`crossbow evaluate` as a user meets it: tables, reports, and errors of one line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import Run, failure, good, runner
from crossbow.evaluation.measures import DEFAULT_MEASURES
from crossbow.evaluation.report import compare
from crossbow.records import Qrel, load_qrels, rank, read_run, write_qrels, write_run
from training import crossbow, litter

FILES = ["report.json", "report.md"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Judgments of 20 queries and three runs; the last lacks a query and has one more."""
    rng = np.random.default_rng(1)
    qrels = {f"q{n}": {f"d{doc}": int(rng.integers(0, 4)) for doc in rng.integers(0, 30, 6)} for n in range(20)}
    write_qrels(tmp_path / "qrels.txt", [Qrel(q, doc, level) for q, all in qrels.items() for doc, level in all.items()])
    for name, bonus in (("dt", 0.0), ("psq", 0.5), ("bowfd", 1.5)):
        run = {query: rank({f"d{n}": float(rng.normal() + bonus * levels.get(f"d{n}", 0)) for n in range(30)})
               for query, levels in qrels.items()}
        if name == "bowfd":
            run["new"] = run.pop("q7")
        write_run(tmp_path / f"{name}.txt", run)
    return tmp_path


@pytest.fixture
def run(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, in the folder."""
    monkeypatch.chdir(place)
    return runner(monkeypatch, capsys, "evaluate")


def test_tables(run: Run, place: Path) -> None:
    """What is printed is what the library says, with the defaults that it has."""
    qrels = load_qrels(place / "qrels.txt")
    runs = {name: read_run(place / f"{name}.txt") for name in ("dt", "bowfd")}
    expected = compare(qrels, runs)
    shown = good(run("qrels.txt", "dt.txt", "bowfd.txt", "--quiet"))
    assert shown == expected.text() + "\n"
    lines = shown.splitlines()
    assert lines[0].split() == ["run", *DEFAULT_MEASURES]
    assert [line.split()[0] for line in lines[1:3]] == ["dt", "bowfd"]
    assert len([line for line in lines if " bowfd − dt " in line]) == 6
    assert "bowfd: 1 of 20 judged queries are missing from the run and count 0" in lines
    assert "100,000 trials, seed 1" in lines[-1]
    assert json.loads(good(run("qrels.txt", "dt.txt", "bowfd.txt", "--quiet", "--json"))) == expected.to_json()


def test_settings(run: Run, place: Path) -> None:
    expected = compare(load_qrels(place / "qrels.txt"),
                       {name: read_run(place / f"{name}.txt") for name in ("psq", "dt")},
                       ["AP", "PRES@7"], depth=9, trials=50, seed=5)  # fmt: skip
    shown = good(run("qrels.txt", "psq.txt", "dt.txt", "-m", "MAP PRES@7", "--depth", "9", "--trials", "50", "--seed",
                     "5", "--quiet"))  # fmt: skip
    assert shown == expected.text() + "\n"


def test_cutoffs_beyond_the_usual_depth(run: Run) -> None:
    assert "PRES@2000" in good(run("qrels.txt", "dt.txt", "-m", "PRES@2000", "--depth", "2000", "--quiet"))


def test_one_run(run: Run) -> None:
    shown = good(run("qrels.txt", "dt.txt", "-m", "P@5", "--quiet"))
    assert len(shown.splitlines()) == 4
    assert " − " not in shown


def test_values_of_queries(run: Run, place: Path) -> None:
    good(run("qrels.txt", "dt.txt", "bowfd.txt", "-m", "AP NumRelRet", "--per-query", "new/values.tsv", "--quiet"))
    rows = [line.split("\t") for line in (place / "new" / "values.tsv").read_text().splitlines()]
    assert rows[0] == ["run", "query", "AP", "NumRelRet"]
    assert [row[0] for row in rows[1:]] == ["dt"] * 20 + ["bowfd"] * 20
    told = json.loads(good(run("qrels.txt", "dt.txt", "bowfd.txt", "-m", "AP NumRelRet", "--json", "--quiet")))
    for at, known in enumerate(told["runs"]):
        own = np.array([row[2:] for row in rows[1 + 20 * at: 21 + 20 * at]], float)
        assert own[:, 0].mean() == pytest.approx(known["values"]["AP"])
        assert own[:, 1].sum() == known["values"]["NumRelRet"]
    assert ["bowfd", "q7", "0", "0"] in rows


def test_a_report(run: Run, place: Path) -> None:
    arguments = ("qrels.txt", "dt.txt", "psq.txt", "bowfd.txt", "-m", "nDCG RR", "-o", "out/report", "--quiet")
    shown = good(run(*arguments))
    folder = place / "out" / "report"
    pictures = ["bars.png", "scatter-1-2.png", "scatter-1-3.png", "scatter-2-3.png"]
    assert sorted(path.name for path in folder.iterdir()) == [pictures[0], *FILES, *pictures[1:]]
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert all(first[name].startswith(b"\x89PNG") for name in pictures)
    assert len({first[name] for name in pictures}) == 4
    text = first["report.md"].decode()
    assert [f"]({name})" in text for name in pictures] == [True] * 4
    assert "![nDCG of each query, bowfd against dt](scatter-1-3.png)" in text
    assert text.count(shown.splitlines()[-1]) == 2
    assert json.loads(first["report.json"])["signature"] == shown.splitlines()[-1]
    # Another one takes its place, with none of the old files; and gives the same bytes.
    good(run("qrels.txt", "dt.txt", "-o", "out/report", "--quiet"))
    assert sorted(path.name for path in folder.iterdir()) == ["bars.png", *FILES]
    good(run(*arguments))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    assert litter(place / "out") == []


def test_a_report_without_matplotlib(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    done = run("qrels.txt", "dt.txt", "psq.txt", "-o", "report", "--quiet")
    assert (done.code, done.out) == (0, good(run("qrels.txt", "dt.txt", "psq.txt", "--quiet")))
    assert done.err == ("crossbow: the report has no plots: plots need the package matplotlib; "
                        "install crossbow-clir[plots]\n")
    assert sorted(path.name for path in (place / "report").iterdir()) == FILES
    assert ".png" not in (place / "report" / "report.md").read_text()


def test_foreign_folders_are_left_alone(run: Run, place: Path) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "thesis.md").write_text("years of work")
    message = failure(run("qrels.txt", "dt.txt", "nowhere.txt", "-o", "mine", "--quiet"))  # said before any work
    assert "exists and is not a Crossbow folder, so it will not be overwritten" in message
    assert (place / "mine" / "thesis.md").read_text() == "years of work"
    assert "dt.txt: exists" in failure(run("qrels.txt", "dt.txt", "-o", "dt.txt", "--quiet"))


def test_names_tell_runs_apart(run: Run, place: Path) -> None:
    def names(*paths: str) -> list[str]:
        told = json.loads(good(run("qrels.txt", *paths, "-m", "AP", "--trials", "9", "--json", "--quiet")))
        return [known["name"] for known in told["runs"]]

    text = (place / "dt.txt").read_text()
    (place / "other").mkdir()
    for copy in ("other/dt.txt", "dt.trec", "psq.run.txt"):
        (place / copy).write_text(text)
    write_run(place / "zipped.txt.gz", read_run("dt.txt"))
    assert names("dt.txt", "psq.run.txt", "zipped.txt.gz") == ["dt", "psq.run", "zipped"]
    assert names("dt.txt", str(place / "dt.trec")) == ["dt.txt", "dt.trec"]
    assert names("dt.txt", "other/dt.txt", "psq.txt") == ["dt.txt", "other/dt.txt", "psq.txt"]
    assert names("dt.txt", "dt.txt") == ["1:dt.txt", "2:dt.txt"]


def test_progress(run: Run) -> None:
    done = run("qrels.txt", "dt.txt", "psq.txt", "-o", "report")
    assert done.out == good(run("qrels.txt", "dt.txt", "psq.txt", "--quiet"))
    assert done.err.splitlines() == ["reading runs …", "measuring runs …", "testing differences …", "plotting …"]


@pytest.mark.parametrize(("arguments", "message"), [
    ("qrels.txt", "missing argument"),
    ("qrels.txt dt.txt -m NDGC", "no measure 'NDGC' (did you mean nDCG?); known are AP, nDCG"),
    ("qrels.txt dt.txt -m P", "P needs a cutoff"),
    ("qrels.txt nowhere.txt -m AP@0", "'AP@0' is not well formed"),
    ("qrels.txt nowhere.txt -m R@2000", "add --depth 2000"),
    ("qrels.txt nowhere.txt", "nowhere.txt: no such file"),
    ("nowhere.txt dt.txt", "nowhere.txt: no such file"),
    ("irds:no/such dt.txt", "irds:no/such: ir_datasets knows no such data set"),
    ("dt.txt dt.txt", "dt.txt:1: 6 columns; expected `query 0 document level`"),
    ("qrels.txt qrels.txt", "qrels.txt:1: 4 columns; expected 6"),
    ("qrels.txt dt.txt empty.txt", "empty.txt: the run is empty; expected `query Q0"),
    ("empty.txt dt.txt", "empty.txt: the file is empty"),
    ("qrels.txt broken.txt", "broken.txt:2: the score 'much' is not a finite number"),
    ("qrels.txt dt.txt foreign.txt", "foreign: none of its queries (x1, x2) has a relevant document"),
    ("zero.txt dt.txt", "the judgments name no relevant document"),
    ("qrels.txt dt.txt --depth 0", "--depth"),
    ("qrels.txt dt.txt --trials 0", "--trials"),
    ("qrels.txt dt.txt --seed -1", "--seed"),
])  # fmt: skip
def test_errors(run: Run, place: Path, arguments: str, message: str) -> None:
    (place / "empty.txt").touch()
    (place / "broken.txt").write_text("q1 Q0 d1 1 0.5 x\nq1 Q0 d2 2 much x\n")
    (place / "foreign.txt").write_text("x1 Q0 d1 1 0.5 x\nx2 Q0 d2 2 0.5 x\n")
    (place / "zero.txt").write_text("q1 0 d1 0\n")
    before = sorted(path.name for path in place.iterdir())
    assert message in failure(run(*arguments.split(), "--quiet", "-o", "report", "--per-query", "values.tsv"))
    assert sorted(path.name for path in place.iterdir()) == before
    assert message in failure(run(*arguments.split(), "--quiet"))


def test_no_measures(run: Run) -> None:
    assert "no measure was given" in failure(run("qrels.txt", "dt.txt", "-m", " "))


def test_the_command(place: Path, run: Run) -> None:
    """A process of its own prints the same, and its help has an example."""
    done = crossbow("evaluate", "qrels.txt", "dt.txt", "psq.txt", "--quiet", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == good(run("qrels.txt", "dt.txt", "psq.txt", "--quiet"))
    assert "Example: crossbow evaluate qrels.txt dt.txt bowfd.txt" in crossbow("evaluate", "--help").stdout
