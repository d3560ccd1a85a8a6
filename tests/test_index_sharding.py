"""Shards made in stages: the same index whoever does the work, and whatever happened on the way."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index, add, build, delete, sharding
from crossbow.index.manifest import read
from crossbow.index.searched import Searched
from crossbow.index.statistics import Statistics
from crossbow.integrity import check_files
from crossbow.processes import in_processes
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from reference.index import litter

ENGLISH = Analyzer(Settings("en"))
DOCS = [Doc(f"d{n}", f"Text number {n} of the houses", f"title {n % 7}", {"year": 1990 + n % 5} if n % 2 else {})
        for n in range(60)]


class Killed(BaseException):
    """The end of a run at some moment."""


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.name != "writer.lock"}


def dying(after: int) -> Callable[..., Generator[Any, None, None]]:
    """Somebody who does so many tasks and then dies."""
    def spread(
        work: Callable[[Any, Any], Any], chunks: Iterable[Any], state: Any, workers: int, doing: str
    ) -> Generator[Any, None, None]:
        for chunk in chunks:
            done.append(doing)
            if len(done) > after:
                raise Killed
            yield work(chunk, state)

    done: list[str] = []
    return spread


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharding, "CHUNK_DOCS", 7)


def test_the_signature_is_that_of_one_index(tmp_path: Path) -> None:
    searched = Searched.parse("title^2,text")
    build(tmp_path / "one", DOCS, ENGLISH, workers=1, searched=searched)
    build(tmp_path / "four", DOCS, ENGLISH, workers=1, searched=searched, shards=4)
    one, four = Index.load(tmp_path / "one"), Index.load(tmp_path / "four")
    assert four.signature == one.signature
    assert four.shards == 4
    assert sorted(doc.id for doc in four) == sorted(doc.id for doc in one)
    assert four["d7"] == DOCS[7]
    check_files(tmp_path / "four")
    outline = Index.outline(tmp_path / "four")
    assert (len(outline), outline.segments, outline.df("hous"), outline.kinds) == (60, [], 60, {"year": "number"})
    assert len(Index.outline(tmp_path / "one").segments) == 1


@pytest.mark.parametrize("largest", [1, 3 << 28])
def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    monkeypatch.setattr(sharding, "LARGEST", largest)
    build(tmp_path / "calm", DOCS, ENGLISH, workers=1, shards=3)
    wanted = files(tmp_path / "calm")
    analyzed: list[int] = []
    honest = sharding.analyze
    monkeypatch.setattr(sharding, "analyze", lambda docs, how: analyzed.append(1) or honest(docs, how))  # type: ignore[func-returns-value]
    for after in (0, 1, 3, 5, 9, 10, 11):
        with pytest.raises(Killed):
            build(tmp_path / "index", DOCS, ENGLISH, workers=1, shards=3, spread=dying(after))
        assert not (tmp_path / "index").exists()
    build(tmp_path / "index", DOCS, ENGLISH, workers=1, shards=3)
    assert files(tmp_path / "index") == wanted
    assert len(analyzed) == 9  # each chunk once
    assert sorted(os.listdir(tmp_path)) == ["calm", "index"]


def test_processes_make_the_same_bytes(tmp_path: Path) -> None:
    build(tmp_path / "alone", DOCS, ENGLISH, workers=1, shards=2)
    build(tmp_path / "two", DOCS, ENGLISH, workers=2, shards=2, spread=in_processes)
    assert files(tmp_path / "alone") == files(tmp_path / "two")


def test_the_same_once_more(tmp_path: Path) -> None:
    for _ in range(2):
        build(tmp_path / "index", DOCS, ENGLISH, workers=1, shards=2)
    assert len(Index.load(tmp_path / "index")) == 60
    assert litter(tmp_path / "index") == set()


def test_documents_that_changed_are_analyzed_again(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        build(tmp_path / "index", DOCS, ENGLISH, workers=1, shards=2, spread=dying(4))
    other = [doc._replace(text="new") if doc.id == "d3" else doc for doc in DOCS]
    build(tmp_path / "index", other, ENGLISH, workers=1, shards=2)
    assert Index.load(tmp_path / "index")["d3"].text == "new"


@pytest.mark.parametrize("largest", [1, 3 << 28])
def test_an_id_that_is_given_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    monkeypatch.setattr(sharding, "LARGEST", largest)
    with pytest.raises(CrossbowError, match="'d4' was given twice"):
        build(tmp_path / "index", [*DOCS, DOCS[4]], ENGLISH, workers=1, shards=2)
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("shards", [0, -1, 10_001])
def test_how_many_shards_there_can_be(tmp_path: Path, shards: int) -> None:
    with pytest.raises(CrossbowError, match="1 to 10,000 shards"):
        build(tmp_path / "index", DOCS, ENGLISH, shards=shards)


def test_more_shards_than_documents_and_no_documents(tmp_path: Path) -> None:
    build(tmp_path / "few", DOCS[:2], ENGLISH, workers=1, shards=9)
    assert sum(len(Index.load(tmp_path / "few", shard).segments) for shard in range(9)) in (1, 2)
    build(tmp_path / "none", [], ENGLISH, workers=1, shards=3)
    assert len(Index.load(tmp_path / "none", 1)) == 0
    with pytest.raises(CrossbowError, match="has no shard 3; there are 3"):
        Index.load(tmp_path / "none", 3)


def test_statistics_follow_every_commit_and_old_ones_go(tmp_path: Path) -> None:
    build(tmp_path / "index", DOCS, ENGLISH, workers=1, shards=3)
    old = Index.load(tmp_path / "index", 0)
    delete(tmp_path / "index", ["d1", "d2"])
    add(tmp_path / "index", [Doc("d3", "houses of paper"), Doc("new", "paper")], workers=1)
    index = Index.load(tmp_path / "index", 0)
    assert (index.df("hous"), index.df("paper"), len(index)) == (58, 2, 59)
    assert (old.df("hous"), len(old)) == (60, 60)
    assert litter(tmp_path / "index") == set()
    assert len(os.listdir(tmp_path / "index" / "statistics")) == 1


def test_damaged_or_missing_statistics(tmp_path: Path) -> None:
    build(tmp_path / "index", DOCS, ENGLISH, workers=1, shards=2)
    place = tmp_path / "index" / "statistics" / str(read(tmp_path / "index").statistics)
    assert Statistics.load(place).df("hous") == 60
    (place / "df.npy").write_bytes((place / "df.npy").read_bytes()[:-3])
    with pytest.raises(InputError, match=r"df.npy: missing, truncated or damaged"):
        Index.load(tmp_path / "index", 0)
    shutil.rmtree(place)
    with pytest.raises(InputError, match="no such folder"):
        Index.load(tmp_path / "index", 1)
    assert len(Index.load(tmp_path / "index")) == 60  # who has all documents can count by himself


def test_who_reads_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit may come between reading the manifest and opening what it lists."""
    build(tmp_path / "index", DOCS, ENGLISH, workers=1, shards=2)
    from crossbow.index import segments

    honest, commits = segments.read, iter([True, False])

    def late(folder: Any) -> Any:
        manifest = honest(folder)
        if next(commits, False):
            delete(tmp_path / "index", ["d1"])
        return manifest

    monkeypatch.setattr(segments, "read", late)
    assert len(Index.load(tmp_path / "index", 0)) == 59


def endless(docs: list[Doc]) -> Iterator[Doc]:
    yield from docs
    raise Killed


def test_a_stream_that_breaks_off_leaves_no_index(tmp_path: Path) -> None:
    with pytest.raises(Killed):
        build(tmp_path / "index", endless(DOCS), ENGLISH, workers=1, shards=2)
    assert not (tmp_path / "index").exists()
