"""`crossbow learn` as a user meets it, and how search, explain and info use what was learned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from crossbow.ranking.search import SearchConfig, search

from commands import Done, Run, runner
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.explain.derivation import explain
from crossbow.records import Qrel, Query, write_lines, write_qrels, write_queries
from crossbow.weights import TermWeights
from learning import Place, demo_place
from training import litter

TEXT = "Räuber überfällt eine Bank in Tessenbruck"
DEV = ("--dev-queries", "dev.tsv", "--dev-qrels", "dev.txt")
TRAIN = ("--queries", "train.tsv", "--qrels", "train.txt", "--epochs", "2", "--negatives", "6", "--hard", "3", *DEV)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


@pytest.fixture
def run(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in a folder with model, index, queries and judgements."""
    (tmp_path / "model").symlink_to(place.folder)
    (tmp_path / "index").symlink_to(place.index_folder)
    for name, tasks in (("train", place.training[:6]), ("dev", place.development[:4])):
        write_queries(tmp_path / f"{name}.tsv", [Query(task.id, task.text) for task in tasks])
        write_qrels(tmp_path / f"{name}.txt",
                    [Qrel(task.id, doc, level) for task in tasks for doc, level in task.judged.items()])
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def good(done: Done) -> str:
    assert done.code == 0, done
    return done.out


def failure(done: Done) -> str:
    """The one line that a command prints when it fails."""
    assert done.code == 2, done
    assert done.err.splitlines()[-1].startswith("crossbow: ")
    return done.err.splitlines()[-1]


def test_learning_and_searching_with_what_was_learned(run: Run, place: Place, tmp_path: Path) -> None:
    done = run("learn", "model", "index", *TRAIN, "--v", "0.9", "--lex", "-o", "learned", "--limit", "5", "--dev-limit",
               "3", "--shards", "3", "--seed", "5", "--pop-limit", "20", "--threads", "1")
    lines = good(done).splitlines()
    assert lines[0].split() == ["epoch", "AP", "loss", "pairs", "violations", "features", "seconds"]
    assert [line.split()[0] for line in lines[1:4]] == ["0", "1", "2"]
    assert [len(line.split()) for line in lines[1:4]] == [2, 7, 7]
    assert [line.split()[0] for line in done.err.splitlines() if not line.startswith("compiling kernels")] == [
        "forests", "examples", "epoch-0", "epoch-1", "epoch-2"]  # fmt: skip
    summary = {line[:16].strip(): line[17:] for line in lines[5:]}
    model, index = Model.load("learned"), place.index
    assert summary["signature"] == model.signature
    assert (summary["queries"], summary["left out"], summary["v"]) == ("5", "0", "0.9")
    assert model.decoder.config.pop_limit == place.model.decoder.config.pop_limit
    assert litter(tmp_path) == []

    TermWeights(1.5, {"bank": -2.0, "robber": 4.0}, lex={"LEX:I:the": 0.75}).save(tmp_path / "other")
    for file in (tmp_path / "other").iterdir():
        file.replace(tmp_path / "learned" / "retrieval" / file.name)
    model = Model.load("learned")
    shown = good(run("search", "learned", "index", "-q", TEXT, "--json", "-k", "5"))
    hits = search(TEXT, index, model, k=5)
    assert [json.loads(line)["doc"] for line in shown.splitlines()] == [hit.doc for hit in hits]
    assert [json.loads(line)["score"] for line in shown.splitlines()] == [hit.score for hit in hits]
    assert hits != search(TEXT, index, place.model, k=5)
    shown = good(run("search", "learned", "index", "-q", TEXT, "--json", "-k", "5", "--v", "0.3"))
    other = SearchConfig(k=5, weights=TermWeights(0.3, model.retrieval.terms, lex=model.retrieval.lex))
    assert [json.loads(line)["score"] for line in shown.splitlines()] == [
        hit.score for hit in search(TEXT, index, model, config=other)] == [
        hit.score for hit in search(TEXT, index, model, v=0.3, k=5)]  # fmt: skip
    write_lines("weights.json", ['{"v": 0.8}'])
    shown = good(run("search", "learned", "index", "-q", TEXT, "--json", "-k", "5", "--weights", "weights.json"))
    assert [json.loads(line)["score"] for line in shown.splitlines()] == [
        hit.score for hit in search(TEXT, index, place.model, k=5)]  # fmt: skip
    shown = good(run("explain", "learned", "index", "-q", TEXT, hits[0].doc, "--json"))
    expected = explain(model.forests(TEXT), index, hits[0].doc, SearchConfig(weights=model.retrieval))
    assert json.loads(shown) == expected.to_json()
    rows = {line[:16].strip(): line[17:] for line in good(run("info", "learned")).splitlines()}
    assert (rows["v"], rows["term weights"], rows["LEX weights"]) == ("1.5", "2", "1")


def test_info_of_a_model_that_learned_nothing(run: Run) -> None:
    rows = {line[:16].strip(): line[17:] for line in good(run("info", "model")).splitlines()}
    assert (rows["v"], rows["term weights"], rows["LEX weights"]) == ("0.8", "0", "0")


def test_a_share_of_expected_terms_is_saved(run: Run) -> None:
    good(run("learn", "model", "index", *DEV, "--only-v", "--grid", "0.9", "--expected", "1.5", "-o", "wide"))
    assert Model.load("wide").retrieval == TermWeights(0.9, expected=1.5)
    rows = {line[:16].strip(): line[17:] for line in good(run("info", "wide")).splitlines()}
    assert rows["expected terms"] == "1.5"


def test_only_v(run: Run, place: Place) -> None:
    out = good(run("learn", "model", "index", *DEV, "--only-v", "--grid", "0.2, 0.9 2", "--measure", "nDCG@5", "-o",
                   "best", "--quiet"))
    rows = [line.split() for line in out.splitlines()[:4]]
    assert rows[0] == ["v", "nDCG@5"]
    assert [row[0] for row in rows[1:]] == ["0.2", "0.9", "2"]
    best = max(rows[1:], key=lambda row: float(row[1]))
    assert Model.load("best").retrieval == TermWeights(float(best[0]))
    assert Model.load("best").signature in out
    text = place.development[0].text
    assert search(text, Index.load("index"), Model.load("best")) == search(text, place.index, v=float(best[0]),
                                                                           model=place.model)  # fmt: skip


PROBLEMS = {
    "no training queries": (DEV, "needs --queries and --qrels"),
    "training queries for --only-v": (("--only-v", *TRAIN), "--only-v looks at the development queries alone"),
    "epochs for --only-v": (("--only-v", "--epochs", "3", *DEV), "leave out the options of learning"),
    "a start for --only-v": (("--only-v", "--v", "0.5", *DEV), "leave out the options of learning"),
    "a grid without --only-v": ((*TRAIN, "--grid", "1"), "--grid says what --only-v tries"),
    "words in the grid": (("--only-v", "--grid", "0.5 much", *DEV), "the grid is '0.5 much'; expected numbers"),
    "an empty grid": (("--only-v", "--grid", " ", *DEV), "the grid is ' '"),
    "NaN in the grid": (("--only-v", "--grid", "nan", *DEV), "the grid is 'nan'"),
    "expected terms in learning": ((*TRAIN, "--expected", "2"), "--expected needs --only-v"),
    "NaN as v": ((*TRAIN, "--v", "nan"), "the weight v is nan"),
    "a measure": ((*TRAIN, "--measure", "MAPP"), "no measure 'MAPP' (did you mean MAP?)"),
    "too many hard ones": ((*TRAIN, "--hard", "7"), "7 of 6 negatives cannot be hard ones"),
    "a file that is not there": (("--queries", "no.tsv", *TRAIN[2:]), "no.tsv"),
    "groups of other queries": ((*TRAIN, "--groups", "groups"), "groups: 2 lines for the 6 queries of train.tsv"),
    "groups that the model does not know": ((*TRAIN, "--groups", "strange"), "has none of the groups in strange"),
    "judgements of other queries": ((*TRAIN[:2], "--qrels", "dev.txt", *TRAIN[4:]),
                                    "no query of train.tsv has a relevant document in the index by dev.txt"),
    "no development judgements": ((*TRAIN[:-1], "train.txt"), "no query of dev.tsv has a relevant document"),
}  # fmt: skip


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems_have_one_line(run: Run, tmp_path: Path, case: str) -> None:
    arguments, message = PROBLEMS[case]
    write_lines(tmp_path / "groups", ["a", "b"])
    write_lines(tmp_path / "strange", ["c"] * 6)
    assert message in failure(run("learn", "model", "index", *arguments, "-o", "out", "--quiet"))
    assert not (tmp_path / "out").exists()
    assert litter(tmp_path) == []
