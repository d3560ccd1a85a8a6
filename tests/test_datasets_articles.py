"""Parallel text article by article: every pair finds its article, and what is tuned on is trained on nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossbow.datasets import articles
from crossbow.datasets.articles import AHEAD, BLOCK, NO_GROUP, article_groups, hold_out
from crossbow.datasets.collection import Collection
from crossbow.records import Query, write_lines

ARTICLES, SENTENCES = 120, 5


def asked(*texts: str) -> list[Query]:
    return [Query(f"A{n}", text) for n, text in enumerate(texts)]


def test_a_pair_belongs_to_the_last_query_that_equals_a_line() -> None:
    lines = ["before", "one", "x", "two", "y", "one", "three", "three", "z"]
    assert article_groups(lines, asked("one", "two", "three", "three")) == [
        NO_GROUP, "A0", "A0", "A1", "A1", "A1", "A2", "A3", "A3"]


def test_queries_without_an_article_are_passed_over_but_not_too_many() -> None:
    missing = [f"missing {n}" for n in range(AHEAD)]
    assert article_groups(["one", "two"], asked("one", *missing[:-1], "two")) == ["A0", f"A{AHEAD}"]
    assert article_groups(["one", "two"], asked("one", *missing, "two")) == ["A0", "A0"]


@pytest.fixture
def kyoto(tmp_path: Path) -> Collection:
    """Articles of five sentences."""
    folder = tmp_path / "kyoto"
    rows = [f"{n} 番の {s}\tarticle {n}, sentence {s}" for n in range(ARTICLES) for s in range(SENTENCES)]
    write_lines(folder / "parallel.ja-en.tsv.xz", rows)
    write_lines(folder / "docs.en.tsv", [f"A{n}\tarticle {n}" for n in range(ARTICLES)])
    for split in ("train", "dev", "test"):
        write_lines(folder / f"queries.{split}.ja.tsv", [f"A{n}\t{n} 番の 0" for n in range(ARTICLES)])
        write_lines(folder / f"qrels.{split}.txt", [f"A{n} 0 A{n} 3" for n in range(ARTICLES)])
    return Collection.open(folder)


def test_whole_articles_are_held_out(kyoto: Collection, tmp_path: Path) -> None:
    prepared = hold_out(kyoto, tmp_path / "text")
    groups = prepared.train_groups()
    assert groups == [right.partition(",")[0].replace("article ", "A") for _, right in prepared.pairs()]
    tuned = {right.partition(",")[0].replace("article ", "A") for _, right in prepared.tuning()}
    assert tuned
    assert not tuned & set(groups)
    pairs = ARTICLES * SENTENCES
    assert 0.5 * pairs / 20 < len(list(prepared.tuning())) < 2 * pairs / 20
    left = {query.id for query in prepared.queries("train")}
    assert left == set(groups)  # queries of articles that are tuned on are not learned from
    assert [query.id for query in prepared.queries("dev")] == [query.id for query in kyoto.queries("dev")]


def test_text_without_articles_is_held_out_in_blocks(kyoto: Collection, tmp_path: Path) -> None:
    """If the queries do not stand in the text."""
    write_lines(kyoto.folder / "queries.train.ja.tsv", [f"A{n}\tanother query {n}" for n in range(ARTICLES)])
    prepared = hold_out(kyoto, tmp_path / "text")
    assert [query.id for query in prepared.queries("train")] == [query.id for query in kyoto.queries("train")]
    pairs = list(kyoto.pairs())
    place = {pair: n for n, pair in enumerate(pairs)}
    tuned, trained = ([place[pair] for pair in text] for text in (prepared.tuning(), prepared.pairs()))
    assert 0.5 * len(pairs) / 20 < len(tuned) < 2 * len(pairs) / 20
    assert not {n // BLOCK for n in tuned} & {n // BLOCK for n in trained}
    assert prepared.train_groups() == [f"{NO_GROUP}{n // BLOCK}" for n in trained]


def test_the_same_text_gives_the_same_files(kyoto: Collection, tmp_path: Path) -> None:
    for name in ("a", "b"):
        hold_out(kyoto, tmp_path / name)
    files = [{file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("a", "b")]
    assert files[0] == files[1]
    assert set(files[0]) == {"train.ja", "train.en", "train.groups", "tune.ja", "tune.en", "queries.train.tsv"}


def test_tuning_takes_no_more_than_it_wants(kyoto: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(articles, "TUNING", 5)
    prepared = hold_out(kyoto, tmp_path / "text")
    assert 3 <= len(list(prepared.tuning())) <= 8
    assert len(list(prepared.pairs())) == len(prepared.train_groups()) >= ARTICLES * SENTENCES - 40
