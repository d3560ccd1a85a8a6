"""A changed index or model is taken up; what is under way keeps what it began with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from crossbow.errors import CrossbowError
from crossbow.index import add, build, delete
from crossbow.ranking.shards import LocalShards
from crossbow.records import Doc
from crossbow.store import HEADER
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.web.engine import Deadline, Engine
from crossbow.web.reload import Watch
from crossbow.web.requests import SearchRequest
from training import corpus

ENGLISH = Analyzer(Settings("en"))


@pytest.fixture
def place(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    shutil.copytree(corpus(tmp_path_factory) / "model", tmp_path / "model")
    build(tmp_path / "index", [Doc("d1", "the bank lends money")], ENGLISH, workers=1)
    return tmp_path


def test_an_index_that_grows(place: Path) -> None:
    watch = Watch(place / "model", place / "index")
    first = watch.news()
    assert first is not None
    assert watch.news(first) is None
    add(place / "index", [Doc("d2", "a castle")], workers=1)
    second = watch.news(first)
    assert second is not None
    assert (len(first.index), len(second.index)) == (1, 2)
    assert second.model is first.model
    assert second.forests is first.forests
    delete(place / "index", ["d1"])
    third = watch.news(second)
    assert third is not None
    assert third.index.number("d1") == -1
    assert first.index.doc(first.index.number("d1")).text == "the bank lends money"  # its files may be gone by now
    assert watch.news(third) is None


def test_a_model_that_is_replaced(place: Path) -> None:
    watch = Watch(place / "model", place / "index")
    first = watch.news()
    shutil.copytree(place / "model", place / "other")
    shutil.rmtree(place / "model")
    assert watch.news(first) is None  # missing for a moment
    (place / "other").rename(place / "model")
    second = watch.news(first)
    assert first is not None
    assert second is not None
    assert second.model is not first.model
    assert watch.news(second) is None


def test_what_cannot_be_opened_is_tried_again(place: Path) -> None:
    watch = Watch(place / "model", place / "index")
    first = watch.news()
    good = (place / "index" / HEADER).read_bytes()
    (place / "index" / HEADER).write_bytes(b"{")
    for _ in range(2):
        with pytest.raises(CrossbowError):
            watch.news(first)
    (place / "index" / HEADER).write_bytes(good)
    assert watch.news(first) is not None


def test_at_the_start_everything_must_be_there(place: Path) -> None:
    with pytest.raises(CrossbowError, match="no such folder"):
        Watch(place / "nowhere", place / "index").news()
    with pytest.raises(CrossbowError, match="no such folder"):
        Watch(place / "model", place / "nowhere").news()


def test_shards_that_others_hold(place: Path) -> None:
    build(place / "index", [Doc("d1", "the bank lends money"), Doc("d2", "a castle")], ENGLISH, workers=1, shards=2)
    opened: list[LocalShards] = []

    def hold(folder: Path) -> LocalShards:
        opened.append(LocalShards(folder))
        return opened[-1]

    watch = Watch(place / "model", place / "index", hold=hold)
    first = watch.news()
    assert first is not None
    assert watch.news(first) is None
    add(place / "index", [Doc("d3", "a castle by the lake")], workers=1)
    second = watch.news(first)
    assert second is not None
    assert (len(first.index), len(second.index), len(opened)) == (2, 3, 1)
    asked = SearchRequest("castle", method="dt")
    assert [Engine(served).search(asked, Deadline(60.0))["total"] for served in (first, second)] == [1, 2]
    build(place / "index", [Doc("d1", "the castle")], ENGLISH, workers=1, shards=3)
    third = watch.news(second)
    assert third is not None
    assert third.shards is not None
    assert third.shards.count == 3
    assert Engine(third).search(asked, Deadline(60.0))["total"] == 1
