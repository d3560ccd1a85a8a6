"""`crossbow parse` and `crossbow search --rerank parse` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from commands import Run, failure, good, runner
from crossbow.datasets.demo.load import documents, queries
from crossbow.index import Index
from crossbow.model import Model
from crossbow.parse.parser import Parser
from crossbow.parse.ranker import Ranker
from crossbow.parse.rerank import by_trees
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.records import read_run, write_docs, write_queries
from parsing import Place, parse_place
from training import corpus

TEXT = "Draughts and health, or how to keep the cold out"
GERMAN = "Macht ein kalter Zug krank?"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = parse_place(tmp_path_factory)
    if not (made.folder / "parser").exists():
        made.trained.likely.replace(alpha=3.0).save(made.folder / "parser", made.trained.facts())
        (made.folder / "model").symlink_to(corpus(tmp_path_factory) / "model")
    return made


@pytest.fixture
def run(place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(place.folder)
    return runner(monkeypatch, capsys)


def judged(split: str, prefix: str = "") -> list[str]:
    return [f"--{prefix}queries", f"queries.{split}.tsv", f"--{prefix}qrels", f"qrels.{split}.txt"]


def test_train_and_rank(run: Run, tmp_path: Path, place: Place) -> None:
    out = tmp_path / "parser"
    shown = good(run("parse", "train", "index", *judged("train"), *judged("dev", "dev-"), "-o", out, "--words", "60",
                     "--rounds", "2", "--candidates", "5", "--depth", "12", "--sentences", "2", "--quiet"))
    lines = shown.splitlines()
    assert lines[0].split()[:3] == ["round", "before", "after"]
    assert [line.split()[0] for line in lines[1:4]] == ["0", "1", "2"]
    assert "words            61" in shown
    parser = Parser.load(out)
    assert (parser.config.text.sentences, parser.config.depth) == (2, 12)
    run_file = tmp_path / "run.txt"
    assert good(run("parse", "rank", out, "index", "--queries", "queries.test.tsv", "-o", run_file)) == ""
    ranker = Ranker(parser, place.index)
    for query in place.judged["test"][:5]:
        assert read_run(run_file)[query.id] == ranker.rank(query.text)
    printed = good(run("parse", "rank", out, "index", "-q", TEXT, "-k", "3", "--alpha", "0")).splitlines()
    assert len(printed) == 3
    assert printed[0].endswith("crossbow-parse")
    info = good(run("info", out))
    assert "parser" in info
    assert parser.signature in info
    assert "sentences 2" in info
    assert f"alpha            {parser.config.alpha}" in info


def test_only_likelihood(run: Run, tmp_path: Path) -> None:
    shown = good(run("parse", "train", "index", *judged("train"), *judged("dev", "dev-"), "-o", tmp_path / "parser",
                     "--only-likelihood", "--quiet"))
    assert "before" not in shown


def test_show(run: Run, tmp_path: Path, place: Place) -> None:
    tree = good(run("parse", "show", "parser", TEXT, "--svg", tmp_path / "tree.svg"))
    assert tree.startswith("ROOT\n")
    assert all(word in tree for word in TEXT.lower().replace(",", "").split())
    ElementTree.parse(tmp_path / "tree.svg")
    script = good(run("parse", "show", "parser", TEXT, "--against", "Keep the cold out.", "--svg", tmp_path / "s.svg"))
    assert "= kept" in script
    assert "✗ deleted" in script
    ElementTree.parse(tmp_path / "s.svg")
    doc = place.index.id(3)
    assert "document" in good(run("parse", "show", "parser", TEXT, "--doc", "index", doc))


RERANK = ("--rerank", "parse", "--parser", "parser")
PAPER = (*RERANK, "--config", "paper")


def test_rerank(run: Run, place: Place, tmp_path: Path) -> None:
    """With the derivation that each document forces, as explanations show it."""
    model, index = Model.load(place.folder / "model"), place.index
    ranker = Ranker(Parser.load(place.folder / "parser"), index)
    searcher = Searcher(model, index, SearchConfig(k=15))  # as many as the parser ranks
    scores = {}
    for hit in searcher.search(GERMAN):
        words = [sentence.target for sentence in searcher.explain(GERMAN, hit.doc).sentences]
        (distance,) = ranker.distances_to([hit.doc], *ranker.parser.sentences([words]))
        scores[hit.doc] = hit.score - 3.0 * distance
    expected = sorted(scores, key=scores.__getitem__, reverse=True)[:8]
    out = tmp_path / "run.txt"
    good(run("search", "model", "index", "-q", GERMAN, "-k", "8", *PAPER, "-o", out, "--quiet"))
    found = read_run(out)["1"]
    assert [hit.doc for hit in found] == expected != [hit.doc for hit in searcher.search(GERMAN, 8)]
    assert [hit.score for hit in found] == pytest.approx([scores[doc] for doc in expected], abs=1e-6)
    assert out.read_text().endswith(" crossbow-bowfd-parse\n")
    again = Searcher(model, index, SearchConfig(k=15), wrap=by_trees(ranker))
    assert again.search(GERMAN, 8) == found
    write_queries(tmp_path / "q.tsv", queries("test")[:3])
    for method in ("dt", "psq"):
        good(run("search", "model", "index", "--queries", tmp_path / "q.tsv", "-o", out, "--method", method, "--quiet",
                 *RERANK))
        assert len(read_run(out)) == 3


def test_trees_that_do_not_count_change_nothing(run: Run, place: Place, tmp_path: Path) -> None:
    place.trained.likely.replace(alpha=0.0).save(tmp_path / "idle", place.trained.facts())
    arguments = ("search", "model", "index", "-q", GERMAN, "-k", "8")
    assert good(run(*arguments, "--rerank", "parse", "--parser", tmp_path / "idle")) == good(run(*arguments))


def test_the_distance_is_a_part_of_the_explanation(run: Run) -> None:
    hits = good(run("search", "model", "index", "-q", GERMAN, "-k", "20", "--json", *PAPER))
    rows = [json.loads(line) for line in hits.splitlines()]
    assert len(rows) > 15  # the last ones lie behind those that were compared
    for row in (rows[0], rows[5], rows[-1]):
        told = json.loads(good(run("explain", "model", "index", row["doc"], "-q", GERMAN, "--json", *PAPER)))
        assert told["score"] == row["score"] == pytest.approx(sum(part["value"] for part in told["parts"]), abs=2e-6)
        assert [part["label"] for part in told["parts"]] == ["best", "cost", "gain", "trees"]
        shown = good(run("explain", "model", "index", row["doc"], "-q", GERMAN, *PAPER))
        assert f"{row['score']:.6f}  {row['doc']}, by bowfd" in shown
        assert "\n  trees " in shown


def test_errors_are_one_line(run: Run, place: Place, tmp_path: Path) -> None:
    assert "-q and --queries" in failure(run("parse", "rank", "parser", "index"))
    assert "no such folder" in failure(run("parse", "rank", "nowhere", "index", "-q", "x"))
    assert "'index'" in failure(run("parse", "rank", "index", "index", "-q", "x"))
    assert "no word" in failure(run("parse", "show", "parser", "?!"))
    assert "no document 'x'" in failure(run("parse", "show", "parser", "otter", "--doc", "index", "x"))
    assert "--against and --doc" in failure(run("parse", "show", "parser", "otter", "--doc", "index", "x", "--against",
                                                "y"))
    assert "posterior" in failure(run("parse", "train", "index", *judged("train"), *judged("dev", "dev-"), "-o",
                                      tmp_path / "p", "--parse", "greedy"))
    assert "--pivot" in failure(run("parse", "train", "index", *judged("train"), *judged("dev", "dev-"), "-o",
                                    tmp_path / "p", "--similarity", "pivot", "--only-likelihood", "--quiet"))
    assert "no query of queries.dev.tsv has a relevant document in the index by qrels.train.txt" in failure(run(
        "parse", "train", "index", *judged("train"), *judged("dev", "dev-")[:3], "qrels.train.txt", "-o",
        tmp_path / "p"))
    assert "--similarity pivot" in failure(run("parse", "train", "index", *judged("train"), *judged("dev", "dev-"),
                                               "-o", tmp_path / "p", "--pivot", "model"))
    assert "belong together" in failure(run("parse", "reproduce", "mine", "-o", tmp_path / "r", "--docs", "d.tsv"))
    write_docs(tmp_path / "docs.tsv", documents())
    assert "too few for 50 parts" in failure(run("parse", "reproduce", "mine", "-o", tmp_path / "r", "--docs",
                                                 tmp_path / "docs.tsv", *judged("test"), "--folds", "50", "--quiet"))
    search = ["search", "model", "index", "-q", "x"]
    assert "the only value is 'parse'" in failure(run(*search, "--rerank", "magic", "--parser", "parser"))
    assert "--parser" in failure(run(*search, "--rerank", "parse"))
    assert "--rerank parse" in failure(run(*search, "--parser", "parser"))


def test_indexes_are_not_changed(place: Place) -> None:
    assert Index.load(place.folder / "index").signature == place.index.signature
