"""The poster's experiment on a small task: splits, decisions, table, report, and that test is not looked at before;
and in folds, where every query is tested once, by parsers that have not seen it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossbow.datasets.demo.load import documents
from crossbow.errors import CrossbowError
from crossbow.evaluation.significance import randomization, standard_error
from crossbow.experiments.core.split import Split
from crossbow.experiments.poster import crossfit
from crossbow.experiments.poster import decisions as module
from crossbow.experiments.poster.crossfit import poster_gain, power_rows
from crossbow.experiments.poster.decisions import ExperimentConfig
from crossbow.experiments.poster.driver import reproduce
from crossbow.experiments.poster.folds import DEVELOPMENT, fold_tasks
from crossbow.experiments.poster.report import text
from crossbow.experiments.poster.results import BASE, LEARNED, LIKELY, START, Results, by_length
from crossbow.experiments.poster.task import Task, open_files, open_task, split_queries
from crossbow.index import Index, build
from crossbow.records import write_docs
from crossbow.records.judged import JudgedQuery
from crossbow.text.analyzer import Analyzer, Settings
from parsing import CONFIG, LESSON, Place, parse_place

QUICK = ExperimentConfig(CONFIG, LESSON, words=(20, 300), alternatives=False, trials=200)
FOLDED = replace(QUICK, words=(20,), learning=replace(LESSON, rounds=1), folds=3)


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


def test_judgments_of_test_decide_nothing(collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    rows = {row["length"]: row for row in by_length(Results(tuple(map(str, range(120))), lengths, values), 500)}
    assert {name: row["queries"] for name, row in rows.items()} == {
        "≤ 5": 40, "6": 20, "7": 20, "≥ 8": 40, "≥ 7": 60, "all": 120}
    long = lengths >= 7
    assert rows["≥ 7"][LIKELY] == pytest.approx(values[LIKELY][long].mean())
    test = rows["≥ 7"]["tests"][0]
    assert (test["system"], test["other"]) == (LEARNED, LIKELY)
    assert test["p"] == randomization(values[LEARNED][long], values[LIKELY][long], 500).p
    assert test["error"] == standard_error(values[LEARNED][long], values[LIKELY][long])
    short = by_length(Results(("q",), np.array([5.0]), {name: np.ones(1) for name in values}), 10)
    assert [row["length"] for row in short] == ["5", "all"]
    assert short[0]["tests"][0]["error"] is None


def test_any_documents_queries_and_judgments(place: Place, tmp_path: Path) -> None:
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


def grouped(place: Place, size: int) -> Task:
    """The shared queries, with so many in a group; groups go across the splits."""
    order = [query for queries in place.judged.values() for query in queries][::-1]
    group = {query.id: f"g{number % (len(order) // size)}" for number, query in enumerate(order)}
    return Task("grouped", *(Split(name, tuple(query._replace(group=group[query.id]) for query in queries), place.index)
                             for name, queries in place.judged.items()))


@pytest.mark.parametrize("count", [2, 3, 5])
def test_folds_test_every_query_once_and_part_no_group(place: Place, count: int) -> None:
    task = grouped(place, 3)
    names = sorted(query.id for split in task.splits for query in split.queries)
    folds = fold_tasks(task, count)
    assert sorted(query.id for fold in folds for query in fold.test.queries) == names
    for fold in folds:
        assert sorted(query.id for split in fold.splits for query in split.queries) == names
        groups = [{query.group for query in split.queries} for split in fold.splits]
        assert sum(map(len, groups)) == len(set.union(*groups))
        assert len(fold.test.queries) == pytest.approx(len(names) / count, abs=3)
        assert len(fold.dev.queries) == pytest.approx((len(names) - len(fold.test.queries)) / DEVELOPMENT, abs=3)
    drawn = [[[query.id for query in fold.test.queries] for fold in fold_tasks(task, count, seed)]
             for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_queries_without_anything_relevant_are_in_no_fold(place: Place) -> None:
    task = grouped(place, 1)
    gone = task.test.queries[0]
    queries = (gone._replace(levels={"d": 0}), *task.test.queries[1:])
    folds = fold_tasks(task._replace(test=Split("test", queries, place.index)), 3)
    assert gone.id not in {query.id for fold in folds for split in fold.splits for query in split.queries}


def test_folds_that_cannot_be(place: Place, tmp_path: Path) -> None:
    task = grouped(place, 1)
    with pytest.raises(CrossbowError, match="several queries have the id"):
        fold_tasks(task._replace(test=Split("test", task.dev.queries, place.index)), 3)
    with pytest.raises(CrossbowError, match="too few for 60 parts"):
        fold_tasks(grouped(place, 20), 60)
    build(tmp_path / "index", documents()[:9], Analyzer(Settings("en")), workers=1)
    other = Split("test", task.test.queries, Index.load(tmp_path / "index"))
    with pytest.raises(CrossbowError, match="documents of their own"):
        fold_tasks(task._replace(test=other), 3)


class Watch:
    """Notes what every parser has seen, and what it is tested on; can break off before a fold is tested."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, patience: int = 99) -> None:
        self.seen: dict[str, set[str]] = {}
        self.trainings = 0
        self.tested: list[Results] = []
        self.patience = patience
        train, rank = module.train, crossfit.rank_test

        def watched_train(index: Index, training: Any, development: Any, *more: Any, **named: Any) -> Any:
            made = train(index, training, development, *more, **named)
            self.trainings += 1
            for parser in (made.likely, made.parser):
                self.seen[parser.signature] = {query.id for query in (*training, *development)}
            return made

        def watched_rank(test: Split, parsers: dict[str, Any], *more: Any) -> Results:
            if len(self.tested) == self.patience:
                raise InterruptedError
            for parser in parsers.values():
                assert not self.seen[parser.signature] & {query.id for query in test.queries}
            self.tested.append(rank(test, parsers, *more))
            return self.tested[-1]

        monkeypatch.setattr(module, "train", watched_train)
        monkeypatch.setattr(crossfit, "rank_test", watched_rank)


def test_every_query_is_tested_once_by_parsers_that_have_not_seen_it(
    collection: Path, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a run that is interrupted goes on with the fold that it was at."""
    monkeypatch.setattr(module, "K1", (0.4,))
    monkeypatch.setattr(module, "B", (0.75,))
    out, work = tmp_path / "report", tmp_path / "work"
    watch = Watch(monkeypatch, patience=1)
    with pytest.raises(InterruptedError):
        reproduce(str(collection), out, FOLDED, work=work, threads=1)
    assert watch.trainings == 3  # for the plain experiment, the first fold, and the second before it broke off
    watch.patience = 99
    data = reproduce(str(collection), out, FOLDED, work=work, threads=1)
    assert watch.trainings == 4  # only the third fold was left
    names = sorted(query.id for queries in place.judged.values() for query in queries)
    assert sorted(query for part in watch.tested for query in part.queries) == names
    folds = data["folds"]
    assert [fold["queries"]["test"] for fold in folds["each"]] == [len(part.queries) for part in watch.tested]
    rows = {row["length"]: row for row in folds["table"]}
    assert rows["all"]["queries"] == folds["queries"] == len(names)
    for system in (BASE, LIKELY, START, LEARNED):
        pairs = [pair for part in watch.tested for pair in zip(part.lengths, part.values[system])]
        assert rows["all"][system] == pytest.approx(np.mean([value for _, value in pairs]))
        assert rows["≥ 7"][system] == pytest.approx(np.mean([value for length, value in pairs if length >= 7]))
    page = (out / "report.md").read_text()
    assert page.count(folds["signature"]) == 4
    assert f"all {len(names)} queries, cross-fitted" in page
    assert "all queries, in 3 folds" in text(data)
    assert reproduce(str(collection), out, FOLDED, work=work, threads=2)["folds"] == json.loads(json.dumps(folds))
    assert (watch.trainings, len(watch.tested)) == (4, 3)


def test_judgments_of_a_fold_do_not_decide_for_it(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "K1", (0.4,))
    monkeypatch.setattr(module, "B", (0.75,))
    work = tmp_path / "work"  # the same for both runs: what depends on judgments must not be taken for the other's
    task = open_task(str(collection), work, threads=1)
    first = reproduce(str(collection), tmp_path / "a", FOLDED, work=work, threads=1)
    held = {query.id for query in fold_tasks(task, 3)[0].test.queries}
    for qrels in collection.glob("qrels.*.txt"):
        lines = [line.split() for line in qrels.read_text().splitlines()]
        qrels.write_text("".join(f"{query} 0 {doc} {4 - int(level) if query in held else level}\n"
                                 for query, _, doc, level in lines))
    second = reproduce(str(collection), tmp_path / "b", FOLDED, work=work, threads=1)
    same = [all(one[fact] == other[fact] for fact in ("parsers", "sizes", "bm25", "chosen"))
            for one, other in zip(first["folds"]["each"], second["folds"]["each"])]
    assert same[0]
    assert not all(same)  # where these queries are for development, they matter
    assert first["folds"]["table"] != second["folds"]["table"]


def test_power() -> None:
    """Against numbers that are computed step by step."""
    rng = np.random.default_rng(2)
    lengths = np.array([5, 6, 7, 9] * 50, np.float64)
    values = {name: rng.random(200) for name in (BASE, LIKELY, START, LEARNED)}
    rows = {row["length"]: row for row in power_rows(by_length(Results(("q",) * 200, lengths, values), 100))}
    gains = (values[LEARNED] - values[LIKELY])[lengths >= 7]
    error = math.sqrt(sum((gain - gains.mean()) ** 2 for gain in gains) / 99 / 100)
    long = rows["≥ 7"]
    assert (long["queries"], long["error"]) == (100, pytest.approx(error))
    assert long["detectable"] == pytest.approx(2.8016 * error, rel=1e-4)
    assert long["interval"] == pytest.approx([gains.mean() - 1.96 * error, gains.mean() + 1.96 * error], rel=1e-3)
    assert long["poster"] == pytest.approx((51 * 0.0051 + 56 * 0.0066) / 107)
    assert 0.05 < long["power"] < 0.06  # a hundred queries with values at random show nothing of that size
    assert [rows[name]["poster"] for name in ("5", "6", "7", "≥ 8")] == [0.0011, 0.0028, 0.0051, 0.0066]
    assert poster_gain("≤ 5") is None
    short = by_length(Results(("q",), np.array([5.0]), {name: np.ones(1) for name in values}), 10)
    assert power_rows(short) == []
