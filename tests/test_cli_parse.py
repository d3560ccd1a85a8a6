"""`crossbow parse` and `crossbow search --rerank parse` as a user meets them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from crossbow.ranking.search import SearchConfig, search_forests

from commands import Run, failure, good, runner
from crossbow.datasets.demo.load import queries
from crossbow.index import Index
from crossbow.model import Model
from crossbow.parse.parser import Parser
from crossbow.parse.ranker import Ranker
from crossbow.ranking.explain.derivation import explain, translations
from crossbow.records import read_run, write_queries
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
    for query in place.judged["test"].queries[:5]:
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


def test_rerank(run: Run, place: Place, tmp_path: Path) -> None:
    """With the derivation that each document forces, as explanations show it."""
    model, index = Model.load(place.folder / "model"), place.index
    forests, config = model.forests(GERMAN), SearchConfig(k=15, weights=model.retrieval)  # as many as the parser ranks
    hits = search_forests(forests, index, model, config)
    words = translations(forests, index, [hit.doc for hit in hits], config)
    for hit, found in zip(hits, words):
        assert found == [sentence.target for sentence in explain(forests, index, hit.doc, config).sentences]
    expected = Ranker(Parser.load(place.folder / "parser"), index).rerank(hits, words)[:8]
    out = tmp_path / "run.txt"
    good(run("search", "model", "index", "-q", GERMAN, "-k", "8", "--rerank", "parse", "--parser", "parser", "-o", out,
             "--quiet"))
    assert read_run(out)["1"] == expected
    assert [hit.doc for hit in expected] != [hit.doc for hit in hits[:8]]
    plain = good(run("search", "model", "index", "-q", GERMAN, "-k", "8"))
    same = good(run("search", "model", "index", "-q", GERMAN, "-k", "8", "--rerank", "parse", "--parser", "parser",
                    "--alpha", "0"))
    assert same == plain
    write_queries(tmp_path / "q.tsv", queries("test")[:3])
    for method in ("dt", "psq"):
        good(run("search", "model", "index", "--queries", tmp_path / "q.tsv", "-o", out, "--method", method, "--quiet",
                 "--rerank", "parse", "--parser", "parser"))
        assert len(read_run(out)) == 3


def test_the_best_translation_for_methods_that_force_none(place: Place) -> None:
    model = Model.load(place.folder / "model")
    forests = model.forests(GERMAN)
    found = translations(forests, place.index, ["a", "b"], SearchConfig("dt"))
    assert found == [[model.best(forest) for forest in forests]] * 2


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
    search = ["search", "model", "index", "-q", "x"]
    assert "only parse" in failure(run(*search, "--rerank", "magic", "--parser", "parser"))
    assert "--parser" in failure(run(*search, "--rerank", "parse"))
    assert "--parser" in failure(run(*search, "--alpha", "1"))
    assert "α inf" in failure(run(*search, "--rerank", "parse", "--parser", "parser", "--alpha", "inf"))


def test_indexes_are_not_changed(place: Place) -> None:
    assert Index.load(place.folder / "index").signature == place.index.signature
