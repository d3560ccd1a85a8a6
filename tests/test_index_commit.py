"""Commits: any sequence of additions and deletions gives what a fresh build of the same documents gives."""

from __future__ import annotations

import random
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.index import Index, add, analysis, build, commit, delete, postings, sharding, update
from crossbow.index.commit import Size, plan
from crossbow.index.manifest import read, shard_of
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from reference.index import contents, expected, litter

ENGLISH = Analyzer(Settings("en"))
IDS = [f"d{n}" for n in range(12)]
TEXT = st.lists(st.sampled_from(["house", "sea", "the", "straße", "日本", "x."]), max_size=6).map(" ".join)
VALUES = st.sampled_from([2008, 2.0, 1.5, "2008-05-01", "n/a", "", "日本", True, ["a", "b", "a"], [], ["x", 3]])
FIELDS = st.dictionaries(st.sampled_from(["year", "lang", "tags"]), VALUES, max_size=3)
ADDED = st.lists(st.builds(Doc, st.sampled_from(IDS), TEXT, TEXT, FIELDS), unique_by=lambda doc: doc.id, max_size=8)
STEPS = st.lists(st.tuples(ADDED, st.sets(st.sampled_from(IDS), max_size=5)), max_size=6)


def same_as_fresh(folder: Path, docs: dict[str, Doc]) -> None:
    """The index holds these documents and says about itself what a fresh one says."""
    index = Index.load(folder)
    assert contents(index) == expected(list(docs.values()), ENGLISH)
    with tempfile.TemporaryDirectory() as name:
        build(f"{name}/index", docs.values(), ENGLISH)
        fresh = Index.load(f"{name}/index")
        assert fresh.signature == index.signature
        assert fresh.mean_length == index.mean_length
    assert litter(folder) == set()


def shards_are_the_whole(folder: Path) -> None:
    """Every document is in the shard that its id says, and each shard knows what the whole index knows."""
    whole, seen = Index.load(folder), set[str]()
    for number in range(whole.shards):
        shard = Index.load(folder, number)
        ids = {doc.id for doc in shard}
        assert ids == {doc.id for doc in whole if shard_of(doc.id.encode(), whole.shards) == number}
        seen |= ids
        assert (len(shard), shard.mean_length, shard.signature) == (len(whole), whole.mean_length, whole.signature)
        assert shard.kinds == whole.kinds
        assert all(shard.df(term) == whole.df(term) for term in ("hous", "sea", "strass", "日", "x", "nothing"))
    assert seen == {doc.id for doc in whole}


@settings(deadline=None, max_examples=30)
@given(ADDED, STEPS, st.sampled_from([1, 2000, commit.LARGEST]), st.sampled_from([1, 3, 2000]),
       st.sampled_from([1, 1, 2, 5]))
def test_any_sequence(
    first: list[Doc], steps: list[tuple[list[Doc], set[str]]], largest: int, chunk: int, shards: int
) -> None:
    """Also with segments that are full early, in small chunks, and with several shards."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(commit, "LARGEST", largest)
        patch.setattr(sharding, "LARGEST", largest)
        patch.setattr(analysis, "CHUNK_DOCS", chunk)
        patch.setattr(postings, "SLICE", 7)
        folder, live = Path(name) / "index", {doc.id: doc for doc in first}
        build(folder, first, ENGLISH, workers=1, shards=shards)
        for docs, ids in steps:
            here = ids & live.keys()
            update(folder, docs, here, workers=1)
            for gone in here:
                del live[gone]
            live |= {doc.id: doc for doc in docs}
        same_as_fresh(folder, live)
        shards_are_the_whole(folder)


def test_a_long_life(tmp_path: Path) -> None:
    """Hundreds of commits, single documents and many: few segments, little that is dead, nothing lost."""
    rng, folder, live = random.Random(5), tmp_path / "index", {}
    build(folder, [], ENGLISH)
    for step in range(150):
        size = rng.choice([1, 1, 1, 2, 5, 40])
        docs = {name: Doc(name, f"{name} step {step} {'sea ' * rng.randrange(4)}")
                for name in (str(rng.randrange(400)) for _ in range(size))}
        gone = rng.sample(sorted(live), min(len(live), rng.choice([0, 0, 1, 3, 20])))
        update(folder, docs.values(), gone)
        live = {name: doc for name, doc in live.items() if name not in gone} | docs
        entries = read(folder).segments
        assert len(entries) <= 12
        assert all(3 * entry.deleted <= entry.documents for entry in entries)
    assert len(live) > 100
    same_as_fresh(folder, live)


def test_single_additions_make_few_segments(tmp_path: Path) -> None:
    build(tmp_path / "index", [], ENGLISH)
    most = 0
    for n in range(100):
        add(tmp_path / "index", [Doc(str(n), "text")])
        sizes = [entry.documents for entry in read(tmp_path / "index").segments]
        assert all(one > 2 * two for one, two in pairwise(sizes))
        most = max(most, len(sizes))
    assert 3 <= most <= 6


def test_texts_are_not_analyzed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "index", [Doc(str(n), "old text") for n in range(5)], ENGLISH)
    seen = []
    real = Analyzer.analyze
    monkeypatch.setattr(Analyzer, "analyze", lambda self, text: (seen.append(text), real(self, text))[1])
    add(tmp_path / "index", [Doc(f"new{n}", "new text") for n in range(5)])
    assert set(seen) == {"new text"}
    assert len(read(tmp_path / "index").segments) == 1


@given(st.builds(Size, st.integers(0, 50), st.just(0), st.integers(0, 90)),
       st.lists(st.builds(Size, st.integers(0, 50), st.integers(0, 50), st.integers(0, 90)), max_size=9))
def test_the_plan(new: Size, old: list[Size]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commit, "LARGEST", 100)
        together, alone = plan(new, old)
    assert not {*together} & {*alone}
    merged = [old[number] for number in together]
    assert not merged or new.bytes + sum(one.bytes for one in merged) <= 100
    for number, one in enumerate(old):
        if not one.live:
            assert number not in together + alone, "an empty segment is dropped, not merged"
        elif 3 * one.dead > one.live + one.dead:
            assert number in together + alone
        elif number not in together:
            live, size = new.live + sum(m.live for m in merged), new.bytes + sum(m.bytes for m in merged)
            assert one.live > 2 * live or size + one.bytes > 100
            assert number not in alone


@pytest.mark.parametrize("largest", [1, commit.LARGEST])
def test_an_id_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    """In one chunk, in two, and in two segments."""
    monkeypatch.setattr(commit, "LARGEST", largest)
    monkeypatch.setattr(analysis, "CHUNK_DOCS", 2)
    folder = tmp_path / "index"
    build(folder, [Doc("old", "text")], ENGLISH)
    before = contents(Index.load(folder))
    for other in (["x"], ["a", "x"], ["a", "b", "c", "x"]):
        docs = [Doc(name, "text") for name in ["x", *other]]
        with pytest.raises(CrossbowError, match="the document id 'x' was given twice; ids must be unique"):
            add(folder, docs)
        with pytest.raises(CrossbowError, match="'x' was given twice"):
            build(folder, docs, ENGLISH)
        assert contents(Index.load(folder)) == before
        assert litter(folder) == set()


def test_unknown_ids_change_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(folder, [Doc(name, "text") for name in "abc"], ENGLISH)
    before = read(folder)
    with pytest.raises(CrossbowError, match=r"index: no document has the id 'x'; nothing was changed"):
        delete(folder, ["a", "x"])
    with pytest.raises(CrossbowError, match=r"the id 'p', 'q', 'r' and 2 others; nothing"):
        update(folder, [Doc("n", "new")], ["p", "q", "a", "r", "s", "t"])
    delete(folder, ["a", "a"])
    with pytest.raises(CrossbowError, match="no document has the id 'a'"):
        delete(folder, ["a"])
    assert read(folder).generation == before.generation + 1
    same_as_fresh(folder, {name: Doc(name, "text") for name in "bc"})


def test_a_document_that_is_deleted_and_added_at_once_is_there(tmp_path: Path) -> None:
    build(tmp_path / "index", [Doc("a", "old"), Doc("b", "old")], ENGLISH)
    update(tmp_path / "index", [Doc("a", "new")], ["a", "b"])
    same_as_fresh(tmp_path / "index", {"a": Doc("a", "new")})


def test_an_index_can_become_empty_and_grow_again(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(folder, [Doc("a", "one"), Doc("b", "two")], ENGLISH)
    delete(folder, ["a", "b"])
    same_as_fresh(folder, {})
    assert [path.name for path in folder.iterdir() if path.is_dir()] == []
    add(folder, [Doc("b", "again")])
    same_as_fresh(folder, {"b": Doc("b", "again")})


def test_many_processes_and_one_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "CHUNK_DOCS", 20)
    monkeypatch.setattr(commit, "LARGEST", 6_000)
    docs = [Doc(str(n), f"text number {n} " * (n % 9)) for n in range(200)]
    for workers in (1, 2):
        build(tmp_path / str(workers), docs, ENGLISH, workers=workers)
        add(tmp_path / str(workers), [doc._replace(text="new") for doc in docs[::3]], workers=workers)
    one, two = ({path.relative_to(tmp_path / workers): path.read_bytes() for path in (tmp_path / workers).rglob("*")
                 if path.is_file()} for workers in "12")
    assert len(read(tmp_path / "1").segments) > 2
    assert one == two


def test_progress(tmp_path: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    build(tmp_path / "index", [Doc("a", "x")], ENGLISH, report=lambda *what: reports.append(what))
    assert reports == [("analyze", 1, 0), ("analyze", 1, 1), ("write", 0, 0), ("write", 1, 1)]
