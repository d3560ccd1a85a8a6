"""`crossbow reproduce` as a user meets it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from commands import runner
from crossbow.evaluation.report import run_digest
from crossbow.experiments.bowfd.systems import BASELINE, FORCED, SYSTEMS
from crossbow.experiments.core.cache import slug
from crossbow.records import read_run
from training import corpus


def test_a_quick_look_at_the_demo(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str]
) -> None:
    model = corpus(tmp_path_factory) / "model"
    monkeypatch.chdir(tmp_path)
    arguments = ("demo", "-o", "report", "--model", model, "--queries", "3", "--skip-learning", "--doc-words", "30",
                 "--threads", "1")
    code, out, err = runner(monkeypatch, capsys, "reproduce")(*arguments)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0].split() == ["system", "MAP", "NDCG", "PRES"]
    shown = [system.name for system in SYSTEMS if system.kind in (BASELINE, FORCED)]
    assert [line.split("  ")[0] for line in lines[1 : len(shown) + 1]] == shown
    assert lines[-1].startswith("report in report, everything else in ")
    assert "tuning BOW-FD …" in err.splitlines()
    data = json.loads((tmp_path / "report" / "report.json").read_text("utf8"))
    assert data["command"].startswith("crossbow reproduce demo -o report --model ")
    assert data["config"] == {"doc_words": 30, "queries": 3, "dev_queries": None, "train_queries": 1000,
                              "learning": False, "lm_order": 4, "pop_limit": None, "trials": 1_000_000, "seed": 1}
    assert data["queries"] == {"dev": 3, "test": 3}
    assert (tmp_path / ".report.work" / "decisions.json").exists()
    again = runner(monkeypatch, capsys, "reproduce")(*arguments, "--quiet")
    assert again == (0, out, "")

    # The report's own commands give the runs that were measured, in a folder where WORK is the work folder.
    (tmp_path / "report" / "WORK").symlink_to(tmp_path / ".report.work")
    queries = tmp_path / ".report.work" / "collection" / "queries.test.tsv"
    queries.write_text("".join(queries.read_text("utf8").splitlines(keepends=True)[:3]), "utf8")
    monkeypatch.chdir(tmp_path / "report")
    for name in ("DT tuned", "BOW-FD + expected terms", "BOW-FD −LM"):
        facts = data["systems"][name]
        assert runner(monkeypatch, capsys)(*shlex.split(facts["command"])[1:], "--quiet") == (0, "", "")
        assert run_digest(read_run(f"{slug(name)}.txt")) == facts["run"]


@pytest.mark.parametrize(("arguments", "message"), [
    (["nowhere", "-o", "report"], "nowhere: no such folder; give the folder of a test collection"),
    (["debian:xx!", "-o", "report"], "'xx!' is not a language code"),
    (["demo", "-o", "report", "--model", "nowhere"], "nowhere: no such folder"),
    (["demo", "-o", "report", "--also", "neural"], "--also 'neural': expected a name and a model's folder"),
    (["demo"], "missing option '-o'"),
    (["demo", "-o", "report", "--queries", "0"], "invalid value for '--queries'"),
])
def test_errors_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str],
    message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = runner(monkeypatch, capsys, "reproduce")(*arguments, "--quiet")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err
    assert not (tmp_path / "report").exists()
