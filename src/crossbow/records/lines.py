"""Lines of text files, plain or compressed: the one place where bytes become strings.

    for number, line in open_lines("docs.tsv.xz"): ...
    for block in open_blocks("memory.tmx.gz"): ...
    write_lines("run.txt.gz", lines)              # under a temporary name first: never half a file

A line ends at LF (a CR before it is dropped) and nowhere else: Unicode line separators inside a text stay inside.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, cast

from crossbow.errors import InputError, explaining_full_disk

PathLike = str | os.PathLike[str]
BOM = b"\xef\xbb\xbf"


def open_lines(path: PathLike, convert: str = "convert the file to UTF-8, e.g. with iconv"
               ) -> Iterator[tuple[int, str]]:
    """Yield (line number, line without its end) of a UTF-8 file, decompressed when its name ends in .gz or .xz.

    `convert` is the remedy for files in another encoding.
    """
    for number, raw in enumerate(_read(path, lambda handle: handle, numbered=True), 1):
        if number == 1:
            raw = raw.removeprefix(BOM)
        try:
            line = raw.decode("utf8")
        except UnicodeDecodeError as error:
            raise InputError(path, number, f"not UTF-8 (byte {error.start + 1} of the line)", convert) from None
        yield number, line.removesuffix("\n").removesuffix("\r")


def open_blocks(path: PathLike, size: int = 1 << 18) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks, decompressed as its name says."""
    return _read(path, lambda handle: iter(lambda: handle.read(size), b""), numbered=False)


def _read(path: PathLike, parts: Callable[[IO[bytes]], Iterable[bytes]], numbered: bool) -> Iterator[bytes]:
    """The parts of a file; what goes wrong is said in words, with the number of the part if that means something."""
    count = 0
    try:
        with _open_binary(path) as handle:
            for part in parts(handle):
                count += 1
                yield part
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise InputError(path, count + 1 if numbered else None,
                         f"the compressed file is truncated or damaged ({error})", "fetch or write it again") from None
    except FileNotFoundError:
        raise InputError(path, None, "no such file", "is this the right path?") from None
    except IsADirectoryError:
        raise InputError(path, None, "is a folder, expected a file", "give one of the files in it") from None


def plain_suffix(path: PathLike) -> str:
    """The suffix that tells the format: `.tsv` for docs.tsv, docs.tsv.gz and DOCS.TSV."""
    name = Path(path)
    return (name.with_suffix("") if name.suffix in (".gz", ".xz") else name).suffix.lower()


def write_lines(path: PathLike, lines: Iterable[str]) -> None:
    """Write lines as UTF-8, compressed when the name says so; the file appears only when all of it is written.

    The same lines give the same bytes: no time stamp goes into a .gz file.
    """
    with writing(path) as text:
        for line in lines:
            text.write(line + "\n")


@contextlib.contextmanager
def writing(path: PathLike) -> Iterator[IO[str]]:
    """A file to write text to, compressed when its name says so; it appears when the block ends well.

    What is no file, as /dev/stdout, is written to as it is, and never replaced.
    """
    target = Path(path)
    if target.is_dir():
        raise InputError(target, None, "is a folder, expected the name of a file to write", "choose another name")
    if target.exists() and not target.is_file():
        with explaining_full_disk(target), _text(target, target.suffix) as text:
            yield text
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with explaining_full_disk(target):
            with _text(fresh, target.suffix) as text:
                yield text
            fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


@contextlib.contextmanager
def _text(path: Path, suffix: str) -> Iterator[IO[str]]:
    with (path.open("wb") as raw, _compressed(raw, suffix) as packed,
          io.TextIOWrapper(packed, encoding="utf8", newline="\n") as text):
        yield text


def _open_binary(path: PathLike) -> IO[bytes]:
    suffix = Path(path).suffix
    if suffix in (".gz", ".dz"):
        return cast(IO[bytes], gzip.open(path, "rb"))
    if suffix == ".xz":
        return cast(IO[bytes], lzma.open(path, "rb"))
    return open(path, "rb")


def _compressed(raw: IO[bytes], suffix: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    if suffix == ".gz":
        return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=raw, mtime=0))
    if suffix == ".xz":
        return cast(IO[bytes], lzma.LZMAFile(raw, "wb"))
    return contextlib.nullcontext(raw)
