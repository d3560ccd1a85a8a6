"""Snapshots: what they answer, that no later commit disturbs them, and that opening is quick, patient and readable."""

from __future__ import annotations

import os
import pickle
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index, add, build, delete, segments
from crossbow.index.manifest import read
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from folders import as_format_1
from reference.index import contents, expected

ENGLISH = Analyzer(Settings("en"))
DOCS = [Doc("b", "a house by the sea", "Houses"), Doc("a", "the sea"), Doc("ü", ""), Doc("c", "street, street")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index of two segments; one document of the first was deleted."""
    build(tmp_path / "index", DOCS[:3], ENGLISH)
    add(tmp_path / "index", [*DOCS[3:], Doc("a", "another sea")])
    assert len(read(tmp_path / "index").segments) == 1
    add(tmp_path / "index", [Doc(f"x{n}", "the house") for n in range(20)])
    add(tmp_path / "index", [Doc("y", "one more")])
    delete(tmp_path / "index", ["x3"])
    return tmp_path / "index"


def test_what_a_snapshot_answers(folder: Path) -> None:
    index = Index.load(folder)
    left = [*DOCS[2:], DOCS[0], Doc("a", "another sea"), Doc("y", "one more")]
    left += [Doc(f"x{n}", "the house") for n in range(20) if n != 3]
    assert contents(index) == expected(left, ENGLISH)
    assert [len(segment.alive) for segment in index.segments] == [24, 1]
    assert [segment.base for segment in index.segments] == [0, 24]
    assert [segment.complete for segment in index.segments] == [False, True]
    assert (len(index), index.slots) == (24, 25)
    assert index.df("hous") == 20
    assert index.df("nothing") == index.df("\ud800") == index.df("") == 0
    assert index.number("x3") == index.number("zzz") == index.number("") == index.number("\ud800") == -1
    assert index.doc(index.number("b")) == DOCS[0]
    assert index.doc(index.number("ü")) == DOCS[2]
    assert index.analyzer.to_json() == ENGLISH.to_json()
    assert index.meta["signature"] == index.signature
    assert index.meta["generation"] == 5


def test_documents_by_id(folder: Path) -> None:
    index = Index.load(folder)
    assert index["b"] == DOCS[0]
    assert index["ü"] == DOCS[2]
    assert ["b" in index, "ü" in index, "x3" in index, "" in index, "\ud800" in index, 7 in index] == [
        True, True, False, False, False, False]


@pytest.mark.parametrize(("id", "message"), [
    ("x3", "the index has no document 'x3'; is the id spelled right?"),
    ("zzz", "the index has no document 'zzz'; is the id spelled right?"),
    (7, "the index has no document 7; ids are strings, and index.doc takes numbers"),
])
def test_ids_that_no_document_has(folder: Path, id: Any, message: str) -> None:
    """A user may catch what dictionaries raise; the command line prints a sentence."""
    index = Index.load(folder)
    for kind in (KeyError, CrossbowError):
        with pytest.raises(kind) as caught:
            index[id]
        assert str(caught.value) == message


def test_all_documents_in_order(folder: Path) -> None:
    index = Index.load(folder)
    names = [doc.id for doc in index]
    assert names == ["b", "ü", "c", "a", *(f"x{n}" for n in range(20) if n != 3), "y"]
    assert all(doc == index[doc.id] for doc in index)
    assert len(names) == len(index)


def test_what_an_index_says_of_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index.load(folder)
    assert repr(index) == (f"Index(language='en', documents=24, segments=2, signature='{index.signature}', "
                           f"folder='{folder}')")
    monkeypatch.chdir(folder.parent)
    for given in ("index", Path("index")):
        assert Index.load(given).folder == folder.absolute()


def test_a_pickled_index_opens_its_folder_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    stored = pickle.dumps(Index.load("index"))
    assert len(stored) < 1000
    monkeypatch.chdir("/")
    index = pickle.loads(stored)
    assert contents(index) == contents(Index.load(folder))
    add(folder, [index["b"]])  # another commit of the same documents
    assert pickle.loads(stored).signature == index.signature


def test_a_pickled_index_whose_folder_has_changed(folder: Path) -> None:
    index = Index.load(folder)
    stored = pickle.dumps(index)
    add(folder, [Doc("z", "one more")])
    now = Index.load(folder).signature
    with pytest.raises(CrossbowError, match=rf"has other documents now \(signature {now}\) than when the index was "
                                            rf"pickled \({index.signature}\); open it with"):
        pickle.loads(stored)
    shutil.rmtree(folder)
    with pytest.raises(CrossbowError, match="no such folder"):
        pickle.loads(stored)


def test_what_cannot_be_pickled(folder: Path) -> None:
    index = Index.load(folder)
    made = Index(read(folder), index.segments)
    assert (made.folder, repr(made)[-13:]) == (None, " folder=None)")
    with pytest.raises(CrossbowError, match="only an index that was opened from a folder can be pickled"):
        pickle.dumps(made)


@pytest.mark.parametrize("number", [-1, 25, 1000])
def test_numbers_that_are_no_documents(folder: Path, number: int) -> None:
    with pytest.raises(IndexError, match=f"document {number} of 25"):
        Index.load(folder).doc(number)


def test_a_snapshot_stays_as_it_was(folder: Path) -> None:
    index = Index.load(folder)
    before = contents(index)
    names = {entry.name for entry in read(folder).segments}
    add(folder, [Doc(f"z{n}", "new") for n in range(100)])
    assert not names & {path.name for path in (folder / "segments").iterdir()}, "the old segments are gone"
    assert contents(index) == before
    shutil.rmtree(folder)
    assert contents(index) == before


def test_large_arrays_are_mapped_and_small_ones_read(tmp_path: Path) -> None:
    """So that an index of many small segments does not run out of file descriptors."""
    build(tmp_path / "large", [Doc(str(n), f"{n} " * 30) for n in range(3000)], ENGLISH)
    build(tmp_path / "small", [Doc(str(n), f"{n} " * 30) for n in range(30)], ENGLISH)
    before = len(os.listdir("/dev/fd"))
    small = Index.load(tmp_path / "small")
    assert len(os.listdir("/dev/fd")) == before
    large = Index.load(tmp_path / "large")
    assert len(os.listdir("/dev/fd")) > before
    assert len(small) + len(large) == 3030


def test_an_index_is_opened_again_when_a_writer_was_quicker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, commits = segments.open_segments, [0]

    def late(*arguments: object) -> object:
        if commits[0] < 3:
            commits[0] += 1
            more = [Doc(f"{commits[0]}-{n}", "x") for n in range(20 * 4 ** commits[0])]  # enough to absorb all others
            add(folder, [Doc("late", f"version {commits[0]}"), *more])
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(segments, "open_segments", late)
    index = Index.load(folder)
    assert index.doc(index.number("late")).text == "version 3"


def test_an_index_that_never_rests_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*arguments: object) -> object:
        add(folder, [Doc("late", "again")])
        raise FileNotFoundError

    monkeypatch.setattr(segments, "open_segments", late)
    with pytest.raises(InputError, match="changes too often"):
        Index.load(folder)


def test_readers_and_a_writer_at_once(tmp_path: Path) -> None:
    """Every snapshot is a state that was committed: all documents have the same version."""
    folder = tmp_path / "index"
    build(folder, [Doc(str(n), "version0") for n in range(30)], ENGLISH)
    problems: list[object] = []
    done = threading.Event()

    def search() -> None:
        while not done.is_set():
            try:
                index = Index.load(folder)
                texts = {index.doc(index.number(str(n))).text for n in range(30)}
                if len(texts) != 1 or index.df(texts.pop()) != 30 or len(index) != 30:
                    problems.append(index.meta)
            except BaseException as error:
                problems.append(error)

    readers = [threading.Thread(target=search) for _ in range(2)]
    for reader in readers:
        reader.start()
    for version in range(1, 40):
        add(folder, [Doc(str(n), f"version{version}") for n in range(30)])
    done.set()
    for reader in readers:
        reader.join()
    assert problems == []


def segment(folder: Path) -> Path:
    return folder / "segments" / read(folder).segments[0].name


def deletions(folder: Path) -> Path:
    return next((folder / "deletions").iterdir())


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a missing segment": (lambda f: shutil.rmtree(segment(f)), "no such folder"),
    "a missing array": (lambda f: (segment(f) / "docs.npy").unlink(), r"docs.npy: missing, truncated or damaged"),
    "a truncated array": (lambda f: os.truncate(segment(f) / "text_bytes.npy", 140), r"text_bytes.npy: missing, trunc"),
    "another segment": (lambda f: shutil.copytree(f / "segments" / read(f).segments[1].name, segment(f),
                                                  dirs_exist_ok=True), "has 1 documents, the manifest says 24"),
    "missing deletions": (lambda f: deletions(f).unlink(), r"npy: missing, truncated or damaged"),
    "truncated deletions": (lambda f: os.truncate(deletions(f), 100), r"npy: missing, truncated or damaged"),
    "empty deletions": (lambda f: os.truncate(deletions(f), 0), r"npy: missing, truncated or damaged"),
    "other deletions": (lambda f: np.save(deletions(f), np.array([4], np.int32)), "not have the checksum that was rec"),
    "wrong deletions": (lambda f: (as_format_1(f), np.save(deletions(f), np.array([1, 2], np.int32))),
                        "another number of documents"),
    "deletions out of range": (lambda f: (as_format_1(f), np.save(deletions(f), np.array([99], np.int32))), "damaged"),
    "deletions that are no numbers": (lambda f: (as_format_1(f), np.save(deletions(f), np.array([0.5]))), "damaged"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named(folder: Path, damage: str) -> None:
    act, message = DAMAGE[damage]
    act(folder)
    with pytest.raises(InputError, match=message):
        Index.load(folder)


def test_another_analyzer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crossbow.text.analyzer.RULES", 999)
    with pytest.raises(CrossbowError, match="rules = 1"):
        Index.load(folder)


def test_an_empty_index(tmp_path: Path) -> None:
    build(tmp_path / "index", [], ENGLISH)
    index = Index.load(tmp_path / "index")
    assert (len(index), index.slots, index.mean_length, index.segments) == (0, 0, 0.0, [])
    assert index.df("hous") == 0
    assert index.number("a") == -1
