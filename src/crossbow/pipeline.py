"""Long work in stages that are not done twice: each is named by a digest of what goes into it.

    with stages_beside(out, report) as stages:
        text = stages.run("text", {"files": digests, "settings": …}, make_text)     # make_text(folder) saves its arrays
        links = stages.run("align", {"text": text.name, "config": …}, make_links)

An interrupted run leaves the finished stages behind; the next run with the same input and settings takes them up. A
second run beside the first is told to wait, as it would lose its stages when the first is done with them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from crossbow import __version__, store
from crossbow.errors import InputError
from crossbow.lock import LOCK, locked

Report = Callable[[str, int, int], None]  # (what, done, of how many; 0 if that is not known)


class Stages:
    """A folder of finished stages."""

    def __init__(self, folder: Path, report: Report | None = None):
        self.folder = folder
        self.report: Report = report or (lambda what, done, total: None)
        self.seconds: dict[str, float] = {}

    def run(self, name: str, key: object, make: Callable[[Path], None]) -> Path:
        """The folder of a stage, made by `make` unless an earlier run finished it."""
        place = self.folder / f"{name}-{store.digest(__version__, key)}"
        start = time.perf_counter()
        if not (place / store.HEADER).exists():
            self.report(name, 0, 0)
            with store.replacing(place, name) as fresh:  # whatever kind `make` writes: there is nothing to replace
                make(fresh)
        self.report(name, 1, 1)
        self.seconds[name] = round(time.perf_counter() - start, 2)
        return place

    def remove(self) -> None:
        """Forget all stages, once what they were for is safe."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Keep other runs out of a work folder, and leave none behind that is empty."""
    if store.kind_of(folder) is not None:
        raise InputError(folder, None, "is a model, an index or another result, so it cannot be a work folder",
                         "choose another folder for what is made on the way")
    with locked(folder, "work folder"):
        try:
            yield
        finally:
            (folder / LOCK).unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                folder.rmdir()


@contextlib.contextmanager
def stages_beside(out: Path, report: Report | None = None) -> Iterator[Stages]:
    """The stages of what is made in the folder `out`; once that went well they are removed."""
    out = out.absolute()
    stages = Stages(out.parent / f".{out.name}.stages", report)
    with working_in(stages.folder):
        yield stages
        stages.remove()


def file_digest(path: str | os.PathLike[str]) -> str:
    """A short name for a file's content."""
    sha = hashlib.sha256()
    try:
        with open(path, "rb") as handle:
            while block := handle.read(1 << 20):
                sha.update(block)
    except OSError as error:
        raise InputError(path, None, f"cannot be read ({error.strerror})", "is this the right path?") from None
    return sha.hexdigest()[:16]
