"""Models and indexes on disk: folders of .npy files and a JSON header, memory-mapped, not pickled, never half-written.

    with replacing(path, "lm") as folder:               # a crash or a full disk leaves the old folder as it was
        save(folder, "lm", tables, meta)                # tables: a NamedTuple of arrays
        adopt(stage, folder / "bitext")                 # or take over what is finished already, without a copy
    tables, meta = load(path, "lm", Tables)             # arrays are mapped, not read

A folder has a kind, which its header names, and is replaced by a folder of the same kind only. The header also holds a
checksum of every file, of the headers of folders below it, and of itself. Loading checks what it reads: headers and
small files. Large arrays are mapped; integrity.py reads them whole.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import io
import json
import os
import platform
import shutil
import threading
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from crossbow import __version__
from crossbow.arrays import U8
from crossbow.errors import InputError, explaining_full_disk

FORMAT = 2
READABLE = (1, FORMAT)  # format 1 has no checksums
HEADER = "header.json"
REPORT = "report.json"  # a folder with this file instead of a header is a report; the file's name stands for the kind
Record = TypeVar("Record", bound=tuple[Any, ...])  # a NamedTuple class
Meta = dict[str, Any]
SMALL = 1 << 16  # files of fewer bytes are read and checked rather than mapped: a mapping takes a file descriptor
BLOCK = 1 << 20  # bytes that are read at a time
_READING = threading.RLock()


def save(folder: Path, kind: str, record: NamedTuple, meta: Meta, others: Sequence[str] = ()) -> None:
    """Write a NamedTuple of arrays into a new folder. Use inside `replacing` when the folder may already exist.

    Parts in folders below it are saved before it: the header records the checksums of their headers. So it does of
    other files that are in the folder already, given by name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.ascontiguousarray(value) for name, value in record._asdict().items()}
    for name, value in arrays.items():
        if value.dtype.hasobject:
            raise TypeError(f"{kind}.{name}: only plain numeric arrays can be stored, not {value.dtype}")
        np.save(folder / f"{name}.npy", value, allow_pickle=False)
    types = {name: [str(value.dtype), list(value.shape)] for name, value in arrays.items()}
    files = [*(folder / f"{name}.npy" for name in arrays), *(folder / name for name in others),
             *sorted(folder.glob(f"*/{HEADER}"))]
    checksums = {file.relative_to(folder).as_posix(): checksum(file) for file in files}
    (folder / HEADER).write_text(header_text(kind, meta, types, checksums), encoding="utf8")


def header_text(kind: str, meta: Meta, arrays: Meta, checksums: dict[str, str]) -> str:
    """A header as it is written. The checksums are those of files by their paths inside the folder."""
    return sealed({"format": FORMAT, "kind": kind, "crossbow": __version__, "meta": meta, "arrays": arrays,
                   "checksums": checksums})


def sealed(head: Meta) -> str:
    """A header as text, with a checksum of all the rest."""
    return json.dumps({**head, "checksum": _own_checksum(head)}, ensure_ascii=False, indent=1) + "\n"


def _own_checksum(head: Meta) -> str:
    text = json.dumps({name: value for name, value in head.items() if name != "checksum"}, ensure_ascii=False)
    return f"{zlib.crc32(text.encode()):08x}"


def checksum(file: Path) -> str:
    """The CRC-32 of a file's bytes.

    It is meant for damage and not for malice, so a fast one will do: of 300 MB it takes 0.1 s, where SHA-256 takes 0.2,
    BLAKE2b and MD5 0.4.
    """
    value, block = 0, memoryview(bytearray(BLOCK))
    with file.open("rb", buffering=0) as handle:
        while size := handle.readinto(block):
            value = zlib.crc32(block[:size], value)
    return f"{value:08x}"


def header(folder: str | os.PathLike[str]) -> Meta:
    """The header of a stored folder, checked for format and damage; raises a readable error for anything else."""
    path = Path(folder)
    _restore(path)
    file = path / HEADER
    if not path.exists():
        raise InputError(path, None, "no such folder", "give one that `crossbow train` or `crossbow index` wrote")
    if not file.is_file():
        raise InputError(path, None, f"not a Crossbow folder (no {HEADER} in it)", "is this the right path?")
    try:
        head: Meta = json.loads(file.read_text(encoding="utf8"))
        found = head["format"]
        head["kind"], head["meta"]
        for name, (dtype, shape) in head["arrays"].items():
            if not isinstance(dtype, str) or not all(type(size) is int for size in shape):
                raise ValueError(f"array {name!r} has no type or shape")
        if found in READABLE and (found > 1 or "checksum" in head) and head["checksum"] != _own_checksum(head):
            raise ValueError("it does not have the checksum that it states")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(file, None, f"damaged header ({error})", "build the folder again") from None
    if found not in READABLE:
        raise InputError(file, None, f"format {found}, this version reads {' and '.join(map(str, READABLE))}",
                         "build the folder again")
    return head


def load(folder: str | os.PathLike[str], kind: str, record: type[Record]) -> tuple[Record, Meta]:
    """Map the arrays of a stored folder into the NamedTuple class they were saved from, and return its metadata.

    Mapped copy-on-write rather than read-only: Numba would compile every kernel a second time for read-only arrays.
    Small files are read instead, and compared with their checksums.
    """
    path = Path(folder)
    head = header(path)
    if head["kind"] != kind:
        raise InputError(path, None, f"of kind {head['kind']!r}, expected {kind!r}", "is this the right path?")
    arrays = {}
    names: tuple[str, ...] = record._fields  # type: ignore[attr-defined]
    for name in names:
        file = path / f"{name}.npy"
        if name not in head["arrays"]:
            raise InputError(path, None, f"the header lists no array {name!r}", "build the folder again")
        dtype, shape = head["arrays"][name]
        try:
            large = np.prod(shape) > 0 and file.stat().st_size >= SMALL
            value = map_array(file) if large else read_array(file, head.get("checksums", {}).get(file.name))
        except Exception as error:  # NumPy has many ways to fail on a damaged file
            raise InputError(file, None, f"missing, truncated or damaged ({error})", "build the folder again") from None
        if str(value.dtype) != dtype or list(value.shape) != shape:
            raise InputError(file, None, f"holds {value.dtype}{value.shape}, the header says {dtype}{tuple(shape)}",
                             "build the folder again")
        arrays[name] = np.asarray(value)
    return record(**arrays), head["meta"]


def check_fit(folder: Path, record: Any, rows: dict[str, tuple[int, int]], sizes: dict[str, int]) -> None:
    """Raise an error unless arrays that were loaded from a folder fit together; reads nothing but their sizes and ends.

    `rows` gives for each array of places where rows begin how many rows there are, and what they take up together;
    `sizes` says how long other arrays must be.
    """
    for name, (count, size) in rows.items():
        starts = getattr(record, name)
        if len(starts) != count + 1 or starts[0] != 0 or starts[-1] != size:
            raise _misfit(folder, name)
    for name, size in sizes.items():
        if len(getattr(record, name)) != size:
            raise _misfit(folder, name)


def _misfit(folder: Path, name: str) -> InputError:
    return InputError(folder / f"{name}.npy", None, "does not fit the other arrays", "build the folder again")


def map_array(file: Path) -> npt.NDArray[Any]:
    """An array of a .npy file, mapped copy-on-write.

    One at a time: NumPy parses the file's header by Python's own parser, and that of Python 3.11 fails now and then
    when two threads are in it (SystemError: AST constructor recursion depth mismatch).
    """
    with _READING:
        mapped: npt.NDArray[Any] = np.load(file, mmap_mode="c", allow_pickle=False)
    return mapped


def read_array(file: Path, expected: str | None) -> npt.NDArray[Any]:
    """An array of a .npy file, read whole; raises ValueError unless it has the checksum, if one is known."""
    data = file.read_bytes()
    if expected is not None and f"{zlib.crc32(data):08x}" != expected:
        raise ValueError("its bytes do not have the checksum that was recorded")
    with _READING:
        array: npt.NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
    return array


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], kind: str) -> Iterator[Path]:
    """A temporary folder beside `path` that takes its place when the block ends well, and vanishes when it does not.

    What is there already is replaced only if it is a folder of the same kind: see `check_replaceable`.
    """
    target = Path(path).resolve()
    check_replaceable(target, kind)
    target.parent.mkdir(parents=True, exist_ok=True)
    _clear_away(target)
    fresh = _beside(target, f"new-{platform.node()}-{os.getpid()}")
    fresh.mkdir()
    try:
        with explaining_full_disk(target):
            yield fresh
            sync(fresh)
            _swap(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def check_replaceable(path: str | os.PathLike[str], kind: str) -> None:
    """Raise an error if there is something at the path that is not a folder of this kind; `replacing` refuses it too.

    Call it before long work, so that the work is not lost.
    """
    target = Path(path)
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    found = kind_of(target)
    if found is None:
        problem = "exists and is not a Crossbow folder, so it will not be overwritten"
    elif found != kind:
        problem = f"holds a Crossbow {_plain(found)}, so it will not be overwritten by another kind ({_plain(kind)})"
    else:
        return
    raise InputError(target, None, problem, "choose another output path or remove it")


def kind_of(folder: Path) -> str | None:
    """The kind of a folder that this program wrote, also by another version of it; None for anything else."""
    for file in (HEADER, REPORT):
        try:
            found = json.loads((folder / file).read_text(encoding="utf8"))
        except (OSError, ValueError):
            continue
        if isinstance(found, dict) and "crossbow" in found:
            return str(found.get("kind")) if file == HEADER else REPORT
    return None


def _plain(kind: str) -> str:
    """A kind as it is called in messages."""
    return kind.removesuffix(".json")


def _clear_away(target: Path) -> None:
    """Remove what killed writers left beside the target. Only this machine's: its process numbers can be looked up."""
    if os.name != "posix":
        return  # elsewhere signal 0 is not a question
    for left in target.parent.glob(f".{glob.escape(target.name)}.new-{glob.escape(platform.node())}-*"):
        number = left.name.rpartition("-")[2]
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            shutil.rmtree(left, ignore_errors=True)
        except (OSError, ValueError):
            continue


def _beside(path: Path, mark: str) -> Path:
    return path.parent / f".{path.name}.{mark}"


def _swap(fresh: Path, target: Path) -> None:
    """Two renames. A crash between them leaves the old folder under a name that `_restore` knows."""
    old = _beside(target, "old")
    if target.exists():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _restore(path: Path) -> None:
    old = _beside(path.absolute(), "old")
    if not path.exists() and (old / HEADER).exists():
        old.rename(path)


def adopt(finished: Path, place: Path) -> None:
    """Make a finished folder part of another; by hard links where the file system has them, for it may be large."""

    def link(source: str, target: str) -> None:
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)

    shutil.copytree(finished, place, copy_function=link)


def sync(folder: Path) -> None:
    """Have all files below a folder written to the disk, and their names."""
    for path in (*folder.rglob("*"), folder):
        if path.is_file():
            with path.open("rb") as handle:
                os.fsync(handle.fileno())
        else:
            sync_folder(path)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder written to the disk. Only POSIX systems can be asked to."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def pack_strings(strings: Sequence[str]) -> U8:
    """Strings without line breaks as one array of UTF-8 bytes, one per line."""
    return np.frombuffer("".join(f"{string}\n" for string in strings).encode("utf8"), np.uint8)


def unpack_strings(packed: U8) -> list[str]:
    """The strings that `pack_strings` packed."""
    return packed.tobytes().decode("utf8").split("\n")[:-1]


def digest(*parts: object) -> str:
    """A short, stable name for arrays, bytes and JSON-like values: the signature of data and settings."""
    sha = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            sha.update(f"{part.dtype}{part.shape}".encode())
            sha.update(np.ascontiguousarray(part).data)
        elif isinstance(part, bytes):
            sha.update(part)
        else:
            sha.update(json.dumps(part, sort_keys=True, ensure_ascii=False).encode())
        sha.update(b"\x1e")
    return sha.hexdigest()[:12]
