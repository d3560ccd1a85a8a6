"""Checking files: all of them are looked at, what is damaged or missing is named, and old folders are not blamed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from crossbow import integrity, store
from crossbow.errors import InputError
from crossbow.index import Index, add, build, delete
from crossbow.integrity import check_files
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from folders import as_format_1, change_header, flip

ENGLISH = Analyzer(Settings("en"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "dictionary.tsv").write_text("Schloss\tcastle\nSchloss\tlock\n")
    from_dictionary(tmp_path / "dictionary.tsv", tmp_path / "model", SuppliedConfig(Settings("de"), Settings("en")))
    return tmp_path / "model"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Of two segments, one with a deleted document."""
    build(tmp_path / "index", [Doc(f"d{n}", f"text number {n}", "title") for n in range(30)], ENGLISH)
    add(tmp_path / "index", [Doc("more", "one more text")])
    delete(tmp_path / "index", ["d3"])
    assert len(Index.load(tmp_path / "index").segments) == 2
    return tmp_path / "index"


def stored(folder: Path) -> list[Path]:
    """All files below a folder but the lock."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "writer.lock")


@pytest.mark.parametrize("kind", ["model", "index"])
def test_every_file_is_looked_at(kind: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(kind)
    files = stored(folder)
    assert check_files(folder) == (len(files), 0)
    assert len(files) > 20
    for file in files:
        at = file.stat().st_size - 3
        flip(file, at)
        name = file.relative_to(folder).as_posix()
        with pytest.raises(InputError, match="damaged") as caught:
            check_files(folder)
        if name != "header.json":
            assert f"{kind}: 1 of {len(files) - _hidden(name, files)} files are damaged: {name} (" in str(caught.value)
        flip(file, at)
    assert check_files(folder) == (len(files), 0)


def _hidden(name: str, files: list[Path]) -> int:
    """How many files a damaged header does not lead to any more."""
    return sum(file.parent.as_posix().endswith(name.removesuffix("/header.json")) for file in files) - 1 \
        if name.endswith("header.json") else 0


def test_what_is_missing_is_named(model: Path) -> None:
    (model / "lm" / "flags.npy").unlink()
    shutil.rmtree(model / "bitext")
    with pytest.raises(InputError, match=r"2 of \d+ files .*: bitext/header.json \(missing\), lm/flags.npy \(miss"):
        check_files(model)


def test_of_many_damaged_files_some_are_named(model: Path) -> None:
    for file in (model / "bitext").glob("*.npy"):
        file.unlink()
    with pytest.raises(InputError, match=r"19 of \d+ files are damaged: .*, .*, bitext/[a-z]+.npy \(missing\) and 16 "):
        check_files(model)


def test_an_older_version_wrote_no_checksums(index: Path, model: Path) -> None:
    for folder in (index, model):
        as_format_1(folder)
        arrays = list(folder.rglob("*.npy"))
        assert check_files(folder) == (len(arrays) + 1, len(arrays) + 1)
    add(index, [Doc("z", "after a commit, only what it left in place")])
    assert len(Index.load(index)) == 31
    files, unknown = check_files(index)
    assert files == len(stored(index))
    assert unknown == len(Index.load(index).segments[0].postings)


def test_the_state_that_a_writer_commits_meanwhile_is_checked(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, commits = integrity._damaged, [0]

    def late(path: Path, *arguments: object) -> dict[str, str]:
        if path == index and commits[0] < 2:
            commits[0] += 1
            more = [Doc(f"{commits[0]}-{n}", "x") for n in range(40 * 4 ** commits[0])]  # enough to absorb all others
            add(index, more)
        return real(path, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(integrity, "_damaged", late)
    assert check_files(index) == (len(stored(index)), 0)
    assert commits == [2]


def test_an_index_that_never_rests_is_given_up(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*ignored: object) -> dict[str, str]:
        change_header(index, crossbow=f"{store.header(index)['crossbow']}+")
        return {"x": "missing"}

    monkeypatch.setattr(integrity, "_damaged", late)
    with pytest.raises(InputError, match="changes too often to be checked"):
        check_files(index)


def test_progress_is_told_in_bytes(model: Path) -> None:
    told: list[tuple[str, int, int]] = []
    check_files(model, lambda *arguments: told.append(arguments))
    total = sum(file.stat().st_size for file in stored(model)) - (model / "header.json").stat().st_size
    assert told[-1] == ("checking", total, total)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


@pytest.mark.parametrize("change", [
    pytest.param(lambda index: add(index, [Doc(f"n{n}", "new") for n in range(30)]), id="new ones absorb it"),
    pytest.param(lambda index: delete(index, [f"d{n}" for n in range(4, 20)]), id="most of it is deleted"),
])
def test_damage_is_not_merged_into_files_that_look_sound(
    index: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]
) -> None:
    """A merged segment gets checksums of its own."""
    segment = index / "segments" / sorted(path.name for path in (index / "segments").iterdir())[0]
    flip(segment / "text_bytes.npy", 130)
    monkeypatch.setattr(store, "SMALL", 0)  # so that it is mapped, as large files are
    before = {path: path.read_bytes() for path in stored(index)}
    with pytest.raises(InputError, match=r"1 of \d+ files are damaged: text_bytes.npy \(its checksum is another\); b"):
        change(index)
    assert {path: path.read_bytes() for path in stored(index)} == before


def test_a_small_damaged_array_is_found_without_asking(index: Path) -> None:
    """Small files are read whole, so checking them costs nothing."""
    for segment in (index / "segments").iterdir():
        for file in segment.glob("*.npy"):
            for at in np.linspace(0, file.stat().st_size - 1, 9).astype(int).tolist():
                flip(file, at)
                with pytest.raises(InputError, match=rf"{file.name}: missing, truncated or damaged"):
                    Index.load(index)
                flip(file, at)
    assert len(Index.load(index)) == 30
