"""`crossbow learn` as a user meets it, and how search, explain and info use what was learned."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands import Done, Run, runner
from crossbow.index import Index
from crossbow.model import SEARCH, Model, ModelParts, write_model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.searcher import search
from crossbow.records import Qrel, Query, write_lines, write_qrels, write_queries
from crossbow.weights import Learned
from learning import Place, demo_place
from training import litter

TEXT = "Räuber überfällt eine Bank in Tessenbruck"
OTHER = "Der Zug hat Verspätung."
LEARNED = Learned({"bank": -2.0, "robber": 4.0}, {"LEX:I:the": 0.75})
DEV = ("--dev-queries", "dev.tsv", "--dev-qrels", "dev.txt")
TRAIN = ("--queries", "train.tsv", "--qrels", "train.txt", "--epochs", "2", "--negatives", "6", "--hard", "3", *DEV)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


@pytest.fixture
def run(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in a folder with model, index, queries and judgments."""
    (tmp_path / "model").symlink_to(place.folder)
    (tmp_path / "index").symlink_to(place.index_folder)
    for name, judged in (("train", place.training[:6]), ("dev", place.development[:4])):
        write_queries(tmp_path / f"{name}.tsv", [Query(query.id, query.text) for query in judged])
        write_qrels(tmp_path / f"{name}.txt",
                    [Qrel(query.id, doc, level) for query in judged for doc, level in query.levels.items()])
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


def rows_of(shown: str) -> dict[str, str]:
    """The table that a command prints."""
    return {line[:16].strip(): line[17:] for line in shown.splitlines()}


def test_learning(run: Run, place: Place, tmp_path: Path) -> None:
    done = run("learn", "model", "index", *TRAIN, "--set", "weights.v=0.9", "--set", "translation.pop_limit=20",
               "--lex", "-o", "learned", "--limit", "5", "--dev-limit", "3", "--shards", "3", "--seed", "5",
               "--threads", "1")
    lines = good(done).splitlines()
    assert lines[0].split() == ["epoch", "AP", "loss", "pairs", "violations", "features", "seconds"]
    assert [line.split()[0] for line in lines[1:4]] == ["0", "1", "2"]
    assert [len(line.split()) for line in lines[1:4]] == [2, 7, 7]
    assert [line.split()[0] for line in done.err.splitlines() if not line.startswith("compiling kernels")] == [
        "forests", "examples", "epoch-0", "epoch-1", "epoch-2"]  # fmt: skip
    summary = rows_of("\n".join(lines[5:]))
    model = Model.load("learned")
    assert summary["signature"] == model.signature
    assert (summary["queries"], summary["left out"], summary["v"]) == ("5", "0", "0.9")
    assert model.decoder.config.pop_limit == place.model.decoder.config.pop_limit
    decided = SearchConfig.of(model)  # what learning started from travels with the model
    assert (decided.weights.v, decided.translation.pop_limit) == (0.9, 20)
    assert decided.weights.learned == model.learned
    assert litter(tmp_path) == []


def relearned(place: Place, out: Path) -> Model:
    """A model that might have learned these weights, and is searched with a v of its own."""
    parts = ModelParts.of_folder(place.folder)
    write_model(out, replace(parts, meta={**parts.meta, SEARCH: {"weights": {"v": 1.5}}}, learned=LEARNED))
    return Model.load(out)


def test_searching_with_what_was_learned(run: Run, place: Place, tmp_path: Path) -> None:
    model, index = relearned(place, tmp_path / "learned"), place.index

    def scores(*options: str) -> list[tuple[str, float]]:
        shown = good(run("search", "learned", "index", "-q", TEXT, "--json", "-k", "5", *options))
        return [(row["doc"], row["score"]) for row in map(json.loads, shown.splitlines())]

    def hits(**options: Any) -> list[tuple[str, float]]:
        return [hit[:2] for hit in search(TEXT, index, k=5, **options)]

    assert scores() == hits(model=model) != hits(model=place.model, v=1.5)
    assert scores("--v", "0.3") == hits(model=model, v=0.3) != scores()
    weights = SearchConfig().set("weights.v", 0.8)
    weights.save(tmp_path / "plain.json")
    assert scores("--config", "plain.json") == hits(model=place.model, config=weights)
    rows = rows_of(good(run("info", "learned")))
    assert (rows["search"], rows["term weights"], rows["LEX weights"]) == ("weights.v 1.5", "2", "1")


def test_explanations_show_the_score_of_the_hit(run: Run, place: Place, tmp_path: Path) -> None:
    """Also of a model that has learned weights, and its own default settings."""
    relearned(place, tmp_path / "learned")
    for options in ((), ("--v", "0.3"), ("--set", "weights.expected=2"), ("--set", "bowfd.join=true")):
        hits = good(run("search", "learned", "index", "-q", f"{TEXT}. {OTHER}", "--json", "-k", "4", *options))
        for row in map(json.loads, hits.splitlines()):
            arguments = ("explain", "learned", "index", "-q", f"{TEXT}. {OTHER}", row["doc"], *options)
            told = json.loads(good(run(*arguments, "--json")))
            assert told["score"] == row["score"]
            assert sum(part["value"] for part in told["parts"]) == pytest.approx(row["score"], abs=2e-6)
            assert f"{row['score']:.6f}  {row['doc']}, by bowfd" in good(run(*arguments))
    plain = good(run("explain", "model", "index", "-q", TEXT, "bank-robbery"))
    assert good(run("explain", "learned", "index", "-q", TEXT, "bank-robbery")) != plain


def test_info_of_a_model_that_learned_nothing(run: Run) -> None:
    rows = rows_of(good(run("info", "model")))
    assert rows["search"].startswith("standard settings")
    assert (rows["term weights"], rows["LEX weights"]) == ("0", "0")


def test_settings_of_the_search_are_saved(run: Run, tmp_path: Path) -> None:
    """Those of a file and single ones; the copy of the model is searched with them by default."""
    SearchConfig().set("bm25.k1", 0.5).save(tmp_path / "start.json")
    good(run("learn", "model", "index", *DEV, "--only-v", "--grid", "0.9", "--config", "start.json", "--set",
             "weights.expected=1.5", "-o", "wide"))
    expected = SearchConfig().set("bm25.k1", 0.5).set("weights.expected", 1.5).set("weights.v", 0.9)
    assert SearchConfig.of(Model.load("wide")) == expected
    assert rows_of(good(run("info", "wide")))["search"] == "bm25.k1 0.5  weights.v 0.9  weights.expected 1.5"


def test_only_v(run: Run, place: Place) -> None:
    out = good(run("learn", "model", "index", *DEV, "--only-v", "--grid", "0.2, 0.9 2", "--measure", "nDCG@5", "-o",
                   "best", "--quiet"))
    rows = [line.split() for line in out.splitlines()[:4]]
    assert rows[0] == ["v", "nDCG@5"]
    assert [row[0] for row in rows[1:]] == ["0.2", "0.9", "2"]
    best = max(rows[1:], key=lambda row: float(row[1]))
    assert SearchConfig.of(Model.load("best")) == SearchConfig().set("weights.v", float(best[0]))
    assert Model.load("best").signature in out
    text = place.development[0].text
    assert search(text, Index.load("index"), Model.load("best")) == search(
        text, place.index, place.model, "bowfd", v=float(best[0]))


PROBLEMS = {
    "no training queries": ((*DEV, "--lex"), "needs --queries and --qrels"),
    "nothing to choose": ((*DEV, "--set", "bm25.k1=1"), "nothing left to choose; leave them out, or give --queries"),
    "training queries for --only-v": (("--only-v", *TRAIN), "--only-v looks at the development queries alone"),
    "epochs for --only-v": (("--only-v", "--epochs", "3", *DEV), "leave out the options of learning"),
    "a method without weights": ((*TRAIN, "--set", "method=dt"), "the method is 'dt'; weights are learned for forced"),
    "a setting that is ignored": ((*TRAIN, "--set", "psq.mix=0.5"), "the method 'bowfd' does not look at psq.mix"),
    "a grid without --only-v": ((*TRAIN, "--grid", "1"), "--grid says what --only-v tries"),
    "words in the grid": (("--only-v", "--grid", "0.5 much", *DEV), "the grid is '0.5 much'; expected numbers"),
    "an empty grid": (("--only-v", "--grid", " ", *DEV), "the grid is ' '"),
    "NaN in the grid": (("--only-v", "--grid", "nan", *DEV), "the grid is 'nan'"),
    "NaN as v": ((*TRAIN, "--set", "weights.v=nan"), "weights.v is nan; it must be a number"),
    "a measure": ((*TRAIN, "--measure", "MAPP"), "no measure 'MAPP' (did you mean MAP?)"),
    "too many hard ones": ((*TRAIN, "--hard", "7"), "7 of 6 negatives cannot be hard ones"),
    "a file that is not there": (("--queries", "no.tsv", *TRAIN[2:]), "no.tsv"),
    "groups of other queries": ((*TRAIN, "--groups", "groups"), "groups: 2 lines for the 6 queries of train.tsv"),
    "groups that the model does not know": ((*TRAIN, "--groups", "strange"), "has none of the groups in strange"),
    "judgments of other queries": ((*TRAIN[:2], "--qrels", "dev.txt", *TRAIN[4:]),
                                    "no query of train.tsv has a relevant document in the index by dev.txt"),
    "no development judgments": ((*TRAIN[:-1], "train.txt"), "no query of dev.tsv has a relevant document"),
}  # fmt: skip


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems_have_one_line(run: Run, tmp_path: Path, case: str) -> None:
    arguments, message = PROBLEMS[case]
    write_lines(tmp_path / "groups", ["a", "b"])
    write_lines(tmp_path / "strange", ["c"] * 6)
    assert message in failure(run("learn", "model", "index", *arguments, "-o", "out", "--quiet"))
    assert not (tmp_path / "out").exists()
    assert litter(tmp_path) == []
