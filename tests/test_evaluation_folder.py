"""Reports as folders: all of it or nothing, replaced if it is ours, and without pictures where none can be drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossbow.errors import CrossbowError
from crossbow.evaluation.folder import check_report, write_json, write_report
from crossbow.store import REPORT
from training import litter

DATA = {"crossbow": "0", "name": "Zürich"}


def draw(folder: Path) -> list[str]:
    (folder / "bars.png").write_bytes(b"picture")
    return ["![bars](bars.png)"]


def page(pictures: list[str]) -> str:
    return "\n".join(["# Report", *pictures])


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_report_and_what_goes_with_it(tmp_path: Path) -> None:
    def more(folder: Path) -> None:
        (folder / "configs").mkdir()
        write_json(folder / "configs" / "x.json", {"x": 1})

    write_report(tmp_path / "out", DATA, page, draw, more)
    assert names(tmp_path / "out") == ["bars.png", "configs/x.json", "report.json", "report.md"]
    assert (tmp_path / "out" / "report.md").read_text() == "# Report\n![bars](bars.png)"
    assert "Zürich" in (tmp_path / "out" / REPORT).read_text("utf8")
    assert json.loads((tmp_path / "out" / REPORT).read_text("utf8")) == DATA
    check_report(tmp_path / "out")
    write_report(tmp_path / "out", DATA, page, draw)  # takes its place, with none of the old files
    assert names(tmp_path / "out") == ["bars.png", "report.json", "report.md"]
    assert litter(tmp_path) == []


def test_without_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def cannot(folder: Path) -> list[str]:
        raise CrossbowError("plots need the package matplotlib")

    write_report(tmp_path / "out", DATA, page, cannot)
    assert capsys.readouterr().err == "crossbow: the report has no plots: plots need the package matplotlib\n"
    assert (tmp_path / "out" / "report.md").read_text() == "# Report"


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    write_report(tmp_path / "out", DATA, page, draw)

    def fails(pictures: list[str]) -> str:
        raise ValueError("no page")

    with pytest.raises(ValueError, match="no page"):
        write_report(tmp_path / "out", {**DATA, "name": "other"}, fails, draw)
    assert json.loads((tmp_path / "out" / REPORT).read_text("utf8")) == DATA
    assert litter(tmp_path) == []


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("years of work")
    for attempt in (lambda: check_report(tmp_path), lambda: write_report(tmp_path, DATA, page, draw)):
        with pytest.raises(CrossbowError, match="will not be overwritten"):
            attempt()
    assert names(tmp_path) == ["thesis.md"]
