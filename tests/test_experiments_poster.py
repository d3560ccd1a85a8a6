"""The poster's experiment on a small task: splits, decisions, table, report, and that test is not looked at before."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crossbow.datasets.demo.load import documents
from crossbow.errors import CrossbowError
from crossbow.evaluation.significance import randomization
from crossbow.experiments.poster import driver as module
from crossbow.experiments.poster.driver import ExperimentConfig, Results, by_length, reproduce
from crossbow.experiments.poster.report import BASE, LEARNED, LIKELY, START, text
from crossbow.experiments.poster.task import open_files, open_task, split_queries
from crossbow.records import write_docs
from crossbow.records.judged import JudgedQuery
from parsing import CONFIG, LESSON, Place, parse_place

QUICK = ExperimentConfig(CONFIG, LESSON, words=(20, 300), alternatives=False, trials=200)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return parse_place(tmp_path_factory)


@pytest.fixture
def collection(place: Place, tmp_path: Path) -> Path:
    """The shared queries in the layout of a collection."""
    folder = tmp_path / "collection"
    folder.mkdir()
    write_docs(folder / "docs.tsv", documents())
    for file in place.folder.glob("q*.t*"):
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "collection.json").write_text(json.dumps({"name": "small", "source": "en", "target": "en"}))
    return folder


def test_a_whole_report(collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "K1", (0.4, 1.2))
    monkeypatch.setattr(module, "B", (0.75,))
    out, work = tmp_path / "report", tmp_path / "work"
    data = reproduce(str(collection), out, QUICK, work=work, threads=1, command="crossbow parse reproduce small")
    assert json.loads((out / "report.json").read_text()) == json.loads(json.dumps(data))
    assert {row["words"] for row in data["sizes"]} == {20, 300}
    for system in (LIKELY, LEARNED):
        rows = [row for row in data["sizes"] if row["system"] == system]
        assert data["chosen"][system] == max(rows, key=lambda row: row["ndcg"])["words"]
    total = next(row for row in data["table"] if row["length"] == "all")
    assert total["queries"] == data["queries"]["test"]
    lengths = ("5", "≤ 5", "6", "7", "≥ 8")
    assert sum(row["queries"] for row in data["table"] if row["length"] in lengths) == total["queries"]
    page = (out / "report.md").read_text()
    assert "crossbow parse reproduce small" in page
    assert page.count(data["signature"]) == 5
    assert "![The objective" in page
    marked = [cell for line in page.splitlines() if line.startswith("|") for cell in line.split("|") if "†" in cell]
    assert ("† p <" in page) == bool(marked)  # the legend explains what is there
    assert (out / "objective.png").stat().st_size > 1000
    assert f"{LEARNED} − {LIKELY}" in text(data)
    for row in data["table"]:
        gains = {test["other"]: test["difference"] for test in row["tests"] if test["system"] == LEARNED}
        assert gains == pytest.approx({other: row[LEARNED] - row[other] for other in (LIKELY, START, BASE)})

    def never(*_: object, **__: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(module, "train", never)
    again = reproduce(str(collection), out, QUICK, work=work, threads=2, command="crossbow parse reproduce small")
    assert again == json.loads(json.dumps(data)) | {"parameters": data["parameters"]}


def test_judgements_of_test_decide_nothing(collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "K1", (0.4,))
    monkeypatch.setattr(module, "B", (0.75,))
    config = replace(QUICK, words=(20,), learning=replace(LESSON, rounds=1))
    first = reproduce(str(collection), tmp_path / "a", config, work=tmp_path / "work-a", threads=1)
    qrels = collection / "qrels.test.txt"
    lines = [line.split() for line in qrels.read_text().splitlines()]
    qrels.write_text("".join(f"{query} 0 {doc} {4 - int(level)}\n" for query, _, doc, level in lines))
    second = reproduce(str(collection), tmp_path / "b", config, work=tmp_path / "work-b", threads=1)
    assert first["parsers"] == second["parsers"]
    assert first["table"] != second["table"]


def test_the_table() -> None:
    rng = np.random.default_rng(1)
    lengths = np.array([3, 5, 6, 7, 8, 12] * 20, np.float64)
    values = {name: rng.random(120) for name in (BASE, LIKELY, START, LEARNED)}
    rows = {row["length"]: row for row in by_length(Results(lengths, values), 500)}
    assert {name: row["queries"] for name, row in rows.items()} == {
        "≤ 5": 40, "6": 20, "7": 20, "≥ 8": 40, "≥ 7": 60, "all": 120}
    long = lengths >= 7
    assert rows["≥ 7"][LIKELY] == pytest.approx(values[LIKELY][long].mean())
    test = rows["≥ 7"]["tests"][0]
    assert (test["system"], test["other"]) == (LEARNED, LIKELY)
    assert test["p"] == randomization(values[LEARNED][long], values[LIKELY][long], 500).p
    short = by_length(Results(np.array([5.0]), {name: np.ones(1) for name in values}), 10)
    assert [row["length"] for row in short] == ["5", "all"]


def test_any_documents_queries_and_judgements(place: Place, tmp_path: Path) -> None:
    write_docs(tmp_path / "docs.jsonl", documents())
    files = (str(tmp_path / "docs.jsonl"), str(place.folder / "queries.train.tsv"),
             str(place.folder / "qrels.train.txt"))
    task = open_files("mine", files, tmp_path / "work", threads=1)
    count = len(place.judged["train"])
    sizes = {split.name: len(split.queries) for split in task.splits}
    assert sizes == {"train": count * 3 // 6, "dev": count * 4 // 6 - count * 3 // 6, "test": count - count * 4 // 6}
    assert len({query.id for split in task.splits for query in split.queries}) == count
    assert task.digest == open_files("mine", files, tmp_path / "work", threads=1).digest
    german = open_files("mine", files, tmp_path / "work", "de", threads=1)
    assert german.test.index.analyzer.settings.lang == "de"
    write_docs(tmp_path / "docs.jsonl", documents()[:-1])
    assert open_files("mine", files, tmp_path / "work", threads=1).test.index.slots == len(documents()) - 1


def test_tasks_that_cannot_be(collection: Path, tmp_path: Path) -> None:
    with pytest.raises(CrossbowError, match="at least six"):
        split_queries([JudgedQuery(str(number), "text", {"d": 1}, "") for number in range(3)])
    (collection / "queries.train.tsv").unlink()
    with pytest.raises(CrossbowError, match="no training queries"):
        open_task(str(collection), tmp_path / "work")
    with pytest.raises(CrossbowError, match="one language"):
        open_task("demo", tmp_path / "work")
