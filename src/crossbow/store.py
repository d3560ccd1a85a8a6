"""Models and indexes on disk: folders of .npy files and a JSON header, memory-mapped, not pickled, never half-written.

    with replacing(path) as folder:                     # a crash or a full disk leaves the old folder as it was
        save(folder / "lm", "lm", tables, meta)         # tables: a NamedTuple of arrays
        adopt(stage, folder / "bitext")                 # or take over what is finished already, without a copy
    tables, meta = load(path / "lm", "lm", Tables)      # arrays are mapped, not read
"""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import json
import os
import platform
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from crossbow import __version__
from crossbow.arrays import U8
from crossbow.errors import CrossbowError, InputError

FORMAT = 1
HEADER = "header.json"
Record = TypeVar("Record", bound=tuple[Any, ...])  # a NamedTuple class
Meta = dict[str, Any]
_READING = threading.RLock()


def save(folder: Path, kind: str, record: NamedTuple, meta: Meta) -> None:
    """Write a NamedTuple of arrays into a new folder. Use inside `replacing` when the folder may already exist."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.ascontiguousarray(value) for name, value in record._asdict().items()}
    for name, value in arrays.items():
        if value.dtype.hasobject:
            raise TypeError(f"{kind}.{name}: only plain numeric arrays can be stored, not {value.dtype}")
        np.save(folder / f"{name}.npy", value, allow_pickle=False)
    header = {
        "format": FORMAT,
        "kind": kind,
        "crossbow": __version__,
        "meta": meta,
        "arrays": {name: [str(value.dtype), list(value.shape)] for name, value in arrays.items()},
    }
    (folder / HEADER).write_text(json.dumps(header, ensure_ascii=False, indent=1) + "\n", encoding="utf8")


def header(folder: str | os.PathLike[str]) -> Meta:
    """The header of a stored folder, checked for format; raises a readable error for anything else."""
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
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(file, None, f"damaged header ({error})", "build the folder again") from None
    if found != FORMAT:
        raise InputError(file, None, f"format {found}, this version reads format {FORMAT}", "build the folder again")
    return head


def load(
    folder: str | os.PathLike[str], kind: str, record: type[Record], small: int = 0
) -> tuple[Record, Meta]:
    """Map the arrays of a stored folder into the NamedTuple class they were saved from, and return its metadata.

    Mapped copy-on-write rather than read-only: Numba would compile every kernel a second time for read-only arrays.
    Files of fewer than `small` bytes are read instead, for each mapping takes a file descriptor.
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
            mapped = np.prod(shape) > 0 and file.stat().st_size >= small
            value = read_array(file, mapped)
        except (OSError, ValueError, EOFError) as error:
            raise InputError(file, None, f"missing, truncated or damaged ({error})", "build the folder again") from None
        if str(value.dtype) != dtype or list(value.shape) != shape:
            raise InputError(file, None, f"holds {value.dtype}{value.shape}, the header says {dtype}{tuple(shape)}",
                             "build the folder again")
        arrays[name] = np.asarray(value)
    return record(**arrays), head["meta"]


def read_array(file: Path, mapped: bool = False) -> npt.NDArray[Any]:
    """An array of a .npy file, mapped copy-on-write or read.

    One at a time: NumPy parses the file's header by Python's own parser, and that of Python 3.11 fails now and then
    when two threads are in it (SystemError: AST constructor recursion depth mismatch).
    """
    with _READING:
        array: npt.NDArray[Any] = np.load(file, mmap_mode="c" if mapped else None, allow_pickle=False)
    return array


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], mark: str = HEADER) -> Iterator[Path]:
    """A temporary folder beside `path` that takes its place when the block ends well, and vanishes when it does not.

    What is there already is replaced only if it is ours: `mark` names a JSON file in it with the key "crossbow".
    """
    target = Path(path).resolve()
    check_replaceable(target, mark)
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


@contextlib.contextmanager
def explaining_full_disk(target: Path) -> Iterator[None]:
    """Say plainly that the disk is full, when that is what an error of the block means."""
    try:
        yield
    except OSError as error:
        short = error.errno is None and "requested and" in str(error)  # all that numpy.save says
        if short or error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"{target}: the disk is full; what was there before is intact, make room and try again"
            raise CrossbowError(message) from error
        raise


def check_replaceable(path: str | os.PathLike[str], mark: str = HEADER) -> None:
    """Raise an error if there is something at the path that we did not write; `replacing` would refuse it too."""
    target = Path(path)
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    try:
        ours = "crossbow" in json.loads((target / mark).read_text(encoding="utf8"))
    except (OSError, ValueError, TypeError):
        ours = False
    if not ours:
        raise InputError(target, None, "exists and is not a Crossbow folder, so it will not be overwritten",
                         "choose another output path or remove it")


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
    """Strings without line breaks as one array of UTF-8 bytes, a line each."""
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
