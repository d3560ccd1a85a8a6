"""Stored folders: what is written is read back, what is damaged is named, and a replacement is all or nothing."""

import contextlib
import errno
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from folders import as_format_1, change_header, flip
from training import litter, run_python


class Pair(NamedTuple):
    """Two arrays, the least that has a first and a second file to go wrong."""

    numbers: Any
    more: Any


SAMPLE = Pair(np.arange(20_000, dtype=np.int32), np.zeros((0, 2), np.float32))  # large enough to be mapped, and empty
META = {"name": "Straße", "list": [1, 2.5, None], "nested": {"a": True}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A stored folder in a parent of its own."""
    place = tmp_path / "thing"
    with store.replacing(place, "pair") as fresh:
        store.save(fresh, "pair", SAMPLE, META)
    return place


def assert_unchanged(folder: Path) -> None:
    record, meta = store.load(folder, "pair", Pair)
    assert all(np.array_equal(found, given) for found, given in zip(record, SAMPLE))
    assert meta == META
    assert litter(folder.parent) == []


PLAIN = st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.float32, np.float64, np.bool_])
ANY_ARRAY = PLAIN.flatmap(lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=1, max_dims=3, min_side=0)))


@settings(deadline=None, max_examples=60)
@given(ANY_ARRAY, ANY_ARRAY, st.dictionaries(st.text(st.characters(codec="utf-8")), st.integers() | st.text("aß\n\t")))
def test_round_trip(first: np.ndarray, second: np.ndarray, meta: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "sub" / "folder"
        store.save(place, "pair", Pair(first, second), meta)
        record, read = store.load(place, "pair", Pair)
        assert read == meta
        for found, given in zip(record, (first, second)):
            assert found.dtype == given.dtype
            assert found.shape == given.shape
            assert found.tobytes() == given.tobytes()


def test_round_trip_of_records_slices_and_columns(tmp_path: Path) -> None:
    entries = np.zeros(5, np.dtype([("key", "<u8"), ("value", "<f4")]))
    entries["key"] = range(5)
    columns = np.asfortranarray(np.arange(12.0).reshape(3, 4))[:, ::2]
    store.save(tmp_path / "x", "pair", Pair(entries, columns), {})
    record, _ = store.load(tmp_path / "x", "pair", Pair)
    assert record.numbers.dtype == entries.dtype
    assert record.numbers.tolist() == entries.tolist()
    assert record.more.tolist() == columns.tolist()


def test_arrays_are_mapped_and_never_written_back(folder: Path) -> None:
    record, _ = store.load(folder, "pair", Pair)
    base = record.numbers
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert type(record.numbers) is np.ndarray
    record.numbers[:] = -1  # copy on write: this memory only
    assert_unchanged(folder)


def test_small_files_are_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = (folder / "numbers.npy").stat().st_size
    for small, mapped in ((size, True), (size + 1, False)):
        monkeypatch.setattr(store, "SMALL", small)
        numbers = store.load(folder, "pair", Pair)[0].numbers
        assert isinstance(numbers.base, np.memmap) == mapped
        assert np.array_equal(numbers, SAMPLE.numbers)
        assert numbers.flags.writeable


class Garbage:
    """What only the collector can take away, and not before Python code has run: then threads change places."""

    def __init__(self) -> None:
        self.own = self

    def __del__(self) -> None:
        for _ in range(200):
            pass


def test_threads_may_open_folders_at_once(folder: Path) -> None:
    """Python 3.11's parser, by which NumPy reads headers, fails when a collection lets another thread into it."""
    problems: list[object] = []

    def work() -> None:
        for _ in range(1000):
            Garbage()
            try:
                store.load(folder, "pair", Pair)
            except BaseException as error:
                problems.append(error)

    before = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(30)
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*before[0])
        sys.setswitchinterval(before[1])
    assert problems == []


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"pair\.more.*object"):
        store.save(tmp_path / "x", "pair", Pair(np.zeros(3), np.array(["a", None], object)), {})
    with pytest.raises(InputError):
        store.load(tmp_path / "x", "pair", Pair)


def header_with(**changes: object) -> Callable[[Path], None]:
    """Damage to a folder: its header with some entries changed."""
    return lambda folder: change_header(folder, **changes)


def cut(name: str, size: int) -> Callable[[Path], None]:
    """Damage to a folder: a file cut short."""
    return lambda folder: os.truncate(folder / name, size)


def change_number(folder: Path) -> None:
    file = folder / "header.json"
    file.write_text(file.read_text().replace("2.5", "2.6"))


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (shutil.rmtree, r"thing: no such folder"),
    "a file": (lambda f: (shutil.rmtree(f), f.write_text("text")), r"thing: not a Crossbow folder"),
    "a foreign folder": (lambda f: (f / "header.json").unlink(), r"thing: not a Crossbow folder \(no header.json"),
    "another kind": (header_with(kind="lm"), r"thing: of kind 'lm', expected 'pair'"),
    "another format": (header_with(format=3), r"header.json: format 3, this version reads 1 and 2; build"),
    "a changed header": (change_number, r"header.json: damaged header \(it does not have the checksum that it st"),
    "a header without its checksum": (lambda f: (f / "header.json").write_text(
        '{"format": 2, "kind": "pair", "meta": {}, "arrays": {}}'), r"header.json: damaged header \('checksum'\)"),
    "no format": (lambda f: (f / "header.json").write_text("{}"), r"header.json: damaged header"),
    "a list": (lambda f: (f / "header.json").write_text("[1]"), r"header.json: damaged header"),
    "an empty header": (cut("header.json", 0), r"header.json: damaged header"),
    "a truncated header": (cut("header.json", 40), r"header.json: damaged header"),
    "a binary header": (lambda f: (f / "header.json").write_bytes(b"\xff\xfe\0"), r"header.json: damaged header"),
    "an unlisted array": (header_with(arrays={}), r"thing: the header lists no array 'numbers'"),
    "a missing array": (lambda f: (f / "numbers.npy").unlink(), r"numbers.npy: missing, truncated or damaged"),
    "an empty array file": (cut("numbers.npy", 0), r"numbers.npy: missing, truncated or damaged"),
    "a truncated array head": (cut("numbers.npy", 50), r"numbers.npy: missing, truncated or damaged"),
    "a truncated array": (cut("numbers.npy", 2000), r"numbers.npy: missing, truncated or damaged"),
    "one missing byte": (cut("numbers.npy", 128 + 79_999), r"numbers.npy: missing, truncated or damaged"),
    "a truncated empty array": (cut("more.npy", 60), r"more.npy: missing, truncated or damaged"),
    "a pickle": (lambda f: np.save(f / "numbers.npy", np.array([{}], object), allow_pickle=True), r"numbers.npy: "),
    "noise": (lambda f: (f / "numbers.npy").write_bytes(bytes(range(256)) * 20), r"numbers.npy: missing, trunc"),
    "another array": (lambda f: np.save(f / "numbers.npy", np.zeros(40_000, np.int16)),
                      r"numbers.npy: holds int16\(40000,\), the header says int32\(20000,\)"),
    "a changed small array": (lambda f: flip(f / "more.npy", 100), r"more.npy: .* not have the checksum that was rec"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named(folder: Path, damage: str) -> None:
    act, message = DAMAGE[damage]
    act(folder)
    with pytest.raises(InputError, match=message):
        store.load(folder, "pair", Pair)


def test_every_changed_byte_of_a_header_is_noticed(folder: Path) -> None:
    """Unless it changes nothing that is read: a space between two entries, or how a character is written."""
    good = store.header(folder)
    for at in range((folder / "header.json").stat().st_size):
        for mask in (1, 32):
            flip(folder / "header.json", at, mask)
            with contextlib.suppress(InputError):
                assert store.header(folder) == good
            flip(folder / "header.json", at, mask)


def test_a_folder_of_the_first_format_is_read(folder: Path) -> None:
    as_format_1(folder)
    assert_unchanged(folder)


def test_headers_hold_a_checksum_of_every_file(folder: Path) -> None:
    """Also of the headers below, so that one header leads to everything."""
    shutil.copytree(folder, folder / "inner")
    store.save(folder, "pair", SAMPLE, META)
    checksums = store.header(folder)["checksums"]
    assert list(checksums) == ["numbers.npy", "more.npy", "inner/header.json"]
    for name, value in checksums.items():
        assert value == f"{zlib.crc32((folder / name).read_bytes()):08x}" == store.checksum(folder / name)


def test_checksums_of_files_of_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "BLOCK", 16)
    for size in (0, 1, 15, 16, 17, 64, 100):
        (tmp_path / "file").write_bytes(bytes(range(size)))
        assert store.checksum(tmp_path / "file") == f"{zlib.crc32(bytes(range(size))):08x}"


class Rows(NamedTuple):
    """Three rows of five values, and a number for each row."""

    starts: Any
    values: Any
    numbers: Any


@pytest.mark.parametrize(("change", "wrong"), [
    ({}, None), ({"starts": [0, 2, 2, 6]}, "starts"), ({"starts": [1, 2, 2, 5]}, "starts"),
    ({"starts": [0, 2, 5]}, "starts"), ({"starts": []}, "starts"), ({"values": [1]}, "starts"),
    ({"numbers": [1, 2]}, "numbers"),
])
def test_sizes_and_ends(tmp_path: Path, change: dict[str, list[int]], wrong: str | None) -> None:
    rows = Rows(**{"starts": [0, 2, 2, 5], "values": [1, 2, 3, 4, 5], "numbers": [7, 8, 9], **change})
    expected = pytest.raises(InputError, match=f"{wrong}.npy: does not fit the other arrays; build the folder again")
    with expected if wrong else contextlib.nullcontext():
        store.check_fit(tmp_path, rows, {"starts": (3, len(rows.values))}, {"numbers": 3})


@pytest.mark.parametrize("entry", [None, [], ["int32"], "int32", ["int32", None], ["int32", ["a"]]])
def test_a_malformed_entry_of_the_header_is_named(folder: Path, entry: object) -> None:
    header_with(arrays={"numbers": entry, "more": ["float32", [0, 2]]})(folder)
    with pytest.raises(InputError, match="build the folder again"):
        store.load(folder, "pair", Pair)


@pytest.mark.parametrize("problem", [ValueError("x"), KeyboardInterrupt(), CrossbowError("y"), OSError(errno.EIO, "z")])
def test_an_exception_leaves_the_old_folder_and_no_litter(folder: Path, problem: BaseException) -> None:
    def fail() -> None:
        with store.replacing(folder, "pair") as fresh:
            store.save(fresh, "pair", Pair(np.zeros(9), np.zeros(9)), {})
            raise problem

    with pytest.raises(type(problem)) as caught:
        fail()
    assert caught.value is problem
    assert_unchanged(folder)


def test_an_exception_leaves_nothing_where_nothing_was(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), store.replacing(tmp_path / "deep" / "new", "pair") as fresh:
        raise ZeroDivisionError(fresh)
    assert list((tmp_path / "deep").iterdir()) == []


def test_replacing_replaces_everything(folder: Path) -> None:
    (folder / "stale.npy").write_bytes(b"from an older version")
    with store.replacing(folder, "pair") as fresh:
        assert_complete = set(os.listdir(folder))  # the old folder stays in its place meanwhile
        store.save(fresh / "inner", "pair", SAMPLE, {})
        store.save(fresh, "pair", Pair(np.ones(2), np.ones(1)), {"new": True})
    assert "stale.npy" in assert_complete
    record, meta = store.load(folder, "pair", Pair)
    assert record.numbers.tolist() == [1, 1]
    assert meta == {"new": True}
    assert {path.name for path in folder.iterdir()} == {"inner", "header.json", "numbers.npy", "more.npy"}
    assert litter(folder.parent) == []


def test_an_open_record_survives_its_replacement(folder: Path) -> None:
    record, _ = store.load(folder, "pair", Pair)
    with store.replacing(folder, "pair") as fresh:
        store.save(fresh, "pair", Pair(np.ones(2), np.ones(1)), {})
    assert np.array_equal(record.numbers, SAMPLE.numbers)


def test_an_empty_folder_may_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with store.replacing(tmp_path / "empty", "pair") as fresh:
        store.save(fresh, "pair", SAMPLE, META)
    assert_unchanged(tmp_path / "empty")


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_not_ours_is_never_overwritten(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "precious"
    file = place / "thesis.txt" if kind == "folder" else place
    file.parent.mkdir(exist_ok=True)
    file.write_text("years of work")
    with pytest.raises(InputError, match="precious: exists and is not a Crossbow folder, so it will not be over"), \
            store.replacing(place, "pair"):
        pytest.fail("nothing should be written before the check")
    assert file.read_text() == "years of work"
    assert litter(tmp_path) == []


@pytest.mark.parametrize("head", ["not JSON", "[]", '{"title": "thesis"}'])
def test_a_foreign_folder_that_also_has_a_header_is_never_overwritten(tmp_path: Path, head: str) -> None:
    place = tmp_path / "precious"
    place.mkdir()
    (place / "header.json").write_text(head)
    (place / "thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="exists and is not a Crossbow folder"), store.replacing(place, "pair"):
        pytest.fail("nothing should be written before the check")
    assert (place / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("kind", ["other", store.REPORT])
def test_a_folder_of_another_kind_is_never_overwritten(folder: Path, kind: str) -> None:
    shown = kind.removesuffix(".json")
    with pytest.raises(InputError, match=rf"thing: holds a Crossbow pair, .* by another kind \({shown}\)"), \
            store.replacing(folder, kind):
        pytest.fail("nothing should be written before the check")
    assert_unchanged(folder)


def test_a_report_is_known_by_its_file(tmp_path: Path) -> None:
    def write(text: str) -> None:
        with store.replacing(tmp_path / "report", store.REPORT) as fresh:
            (fresh / store.REPORT).write_text(text)

    write('{"crossbow": "1"}')
    with pytest.raises(InputError, match="holds a Crossbow report"), store.replacing(tmp_path / "report", "pair"):
        pytest.fail("nothing should be written before the check")
    write('["of another program"]')
    with pytest.raises(InputError, match="exists and is not a Crossbow folder"):
        write('{"crossbow": "1"}')


def test_a_folder_of_another_version_keeps_its_kind(folder: Path) -> None:
    header_with(format=99)(folder)
    assert store.kind_of(folder) == "pair"
    store.check_replaceable(folder, "pair")


def test_relative_paths(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    with store.replacing("thing", "pair") as fresh:
        store.save(fresh, "pair", SAMPLE, META)
    assert store.header("thing")["kind"] == "pair"
    assert_unchanged(folder)


def test_a_link_to_a_folder_can_be_replaced_again_and_again(folder: Path) -> None:
    link = folder.with_name("current")
    link.symlink_to(folder)
    for _ in range(2):
        with store.replacing(link, "pair") as fresh:
            store.save(fresh, "pair", SAMPLE, META)
    assert_unchanged(link)


def test_a_crash_between_the_two_renames_is_repaired_on_load(folder: Path) -> None:
    folder.rename(folder.with_name(".thing.old"))
    assert_unchanged(folder)


def test_a_crash_between_the_two_renames_is_repaired_by_info(folder: Path) -> None:
    folder.rename(folder.with_name(".thing.old"))
    assert store.header(folder)["meta"] == META
    assert_unchanged(folder)


def test_a_crash_between_the_two_renames_then_a_new_folder(folder: Path) -> None:
    folder.rename(folder.with_name(".thing.old"))
    with store.replacing(folder, "pair") as fresh:
        store.save(fresh, "pair", Pair(np.ones(2), np.ones(1)), {})
    assert store.load(folder, "pair", Pair)[0].numbers.tolist() == [1, 1]
    assert litter(folder.parent) == []


def test_an_old_folder_left_behind_does_not_displace_the_new_one(folder: Path) -> None:
    old = folder.with_name(".thing.old")
    shutil.copytree(folder, old)
    header_with(kind="stale")(old)
    assert store.header(folder)["kind"] == "pair"
    with store.replacing(folder, "pair") as fresh:
        store.save(fresh, "pair", SAMPLE, META)
    assert_unchanged(folder)


KILLED = """
import os, signal, sys
from typing import Any, NamedTuple
from pathlib import Path
import numpy as np
from crossbow import store

class Pair(NamedTuple):
    numbers: Any
    more: Any

die = lambda *ignored: os.kill(os.getpid(), signal.SIGKILL)
place, moment = Path(sys.argv[1]), sys.argv[2]
if moment == "renaming":
    rename = Path.rename
    Path.rename = lambda self, to: die() if ".new-" in self.name else rename(self, to)
elif moment == "syncing":
    os.fsync = die
with store.replacing(place, "pair") as fresh:
    store.save(fresh, "pair", Pair(np.zeros(10), np.zeros(10)), {})
    if moment == "writing":
        (fresh / "header.json").unlink()
        die()
"""


@pytest.mark.parametrize("moment", ["writing", "syncing", "renaming"])
def test_a_killed_writer_leaves_the_old_folder(folder: Path, moment: str) -> None:
    assert run_python(KILLED, folder, moment).returncode == -9
    record, meta = store.load(folder, "pair", Pair)
    assert np.array_equal(record.numbers, SAMPLE.numbers)
    assert meta == META


def test_what_a_killed_writer_left_is_cleared_away_by_the_next(folder: Path) -> None:
    run_python(KILLED, folder, "writing")
    with store.replacing(folder, "pair") as fresh:
        store.save(fresh, "pair", SAMPLE, META)
    assert_unchanged(folder)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("where", ["numpy.save", "os.fsync"])
def test_a_full_disk_is_said_plainly(folder: Path, monkeypatch: pytest.MonkeyPatch, where: str, code: int) -> None:
    def full(*ignored: object, **options: object) -> None:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr(where, full)
        with pytest.raises(CrossbowError, match="thing: the disk is full"), store.replacing(folder, "pair") as fresh:
            store.save(fresh, "pair", Pair(np.ones(2), np.ones(2)), {})
    assert_unchanged(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], capture_output=True).returncode:
        pytest.skip("A REALLY FULL DISK WAS NOT TESTED: this user may not mount a small file system")
    yield place
    subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("numbers", [
    pytest.param(100_000, id="array"),
    pytest.param(15_000, id="header"),
])
def test_a_really_full_disk(small_disk: Path, numbers: int) -> None:
    """The disk fills up in an array, or only when the header is written."""
    place = small_disk / "thing"
    with store.replacing(place, "pair") as fresh:
        store.save(fresh, "pair", SAMPLE, META)
    with pytest.raises(CrossbowError, match="the disk is full"), store.replacing(place, "pair") as fresh:
        store.save(fresh, "pair", Pair(np.ones(numbers), np.ones(2)), {"long": "x" * 300_000})
    assert_unchanged(place)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1)))
def test_strings_are_packed_and_unpacked(strings: list[str]) -> None:
    packed = store.pack_strings(strings)
    assert packed.dtype == np.uint8
    assert store.unpack_strings(packed) == strings


def no_links(*ignored: object, **options: object) -> None:
    raise OSError("no hard links here")


@pytest.mark.parametrize("link", [os.link, no_links])
def test_adopt_links_or_copies(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: Callable[..., None]
) -> None:
    store.save(folder / "inner", "inner", SAMPLE, {})
    monkeypatch.setattr(os, "link", link)
    with store.replacing(tmp_path / "result", "result") as fresh:
        store.adopt(folder, fresh / "part")
        store.save(fresh, "result", SAMPLE, {})
    adopted = tmp_path / "result" / "part"
    assert (adopted / "numbers.npy").samefile(folder / "numbers.npy") == (link is not no_links)
    shutil.rmtree(folder)
    assert_unchanged(adopted)
    assert store.load(adopted / "inner", "inner", Pair)[0].numbers.tolist() == SAMPLE.numbers.tolist()


def test_empty_strings_among_others_are_kept() -> None:
    assert store.unpack_strings(store.pack_strings(["", "a", "", ""])) == ["", "a", "", ""]


def test_one_empty_string_is_kept() -> None:
    assert store.unpack_strings(store.pack_strings([""])) == [""]


def test_a_digest_tells_values_types_and_borders_apart() -> None:
    values: list[tuple[object, ...]] = [
        (), ("a",), ("a", "b"), ("ab",), (["a", "b"],), (1,), ("1",), (1.5,), (None,), (b"a",), ({"x": 1, "y": 2},),
        (np.arange(4),), (np.arange(4, dtype=np.int32),), (np.arange(4).reshape(2, 2),), (np.zeros(0),),
        (np.arange(2), np.arange(2, 4)), (["a"], ["b"]),
    ]
    digests = [store.digest(*parts) for parts in values]
    assert len(set(digests)) == len(values)
    assert all(len(name) == 12 for name in digests)


def test_a_digest_does_not_depend_on_the_order_of_keys_or_memory() -> None:
    assert store.digest({"x": 1, "y": [2]}) == store.digest({"y": [2], "x": 1})
    table = np.arange(6).reshape(2, 3)
    assert store.digest(table) == store.digest(np.asfortranarray(table))
    assert store.digest(np.arange(10)[::2]) == store.digest(np.array([0, 2, 4, 6, 8]))
    assert store.digest("text", 1) == "abaf5916f603"  # names on disk must not change between versions
