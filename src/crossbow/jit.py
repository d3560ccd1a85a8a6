"""The two decorators all numeric code uses, and the folder where compiled kernels are kept.

    from crossbow.jit import helper, kernel

`kernel` marks what Python calls: compiled on first use, cached on disk, runs without the GIL. `helper` marks what only
kernels call: always inlined, for a call that passes arrays costs reference counting, a factor of four in inner loops.

Numba does not notice an edit in a callee of another file, nor a change of the bounds-check flag. So the cache folder
is named by a digest of that flag and of this package's sources, wherever a folder has kernels: constants of the files
beside them are compiled in too.

Compiling takes about a minute in all, so whoever wants to be told of it is: see compiling.py.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numba
from numba.core import config, event

from crossbow.compiling import tell

numba_config: Any = config  # its settings are made at run time, so a type checker cannot know them


def kernel_sources(package: Path) -> list[Path]:
    """This file, and all files of the package's folders in which any imports it."""
    folders = {path.parent for path in package.rglob("*.py") if b"from crossbow.jit import" in path.read_bytes()}
    return sorted({package / "jit.py", *(path for f in folders - {package} for path in f.glob("*.py"))})


def cache_folder() -> Path:
    """Where compiled kernels live: in $CROSSBOW_CACHE or the user's cache folder, named by their sources' digest."""
    package = Path(__file__).parent
    digest = hashlib.sha256(f"{numba.__version__} {numba_config.BOUNDSCHECK}".encode())
    for path in kernel_sources(package):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    base = os.environ.get("CROSSBOW_CACHE")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crossbow"
    return root / f"kernels-{digest.hexdigest()[:16]}"


def anything_cached() -> bool:
    """Whether the cache folder has any kernel yet."""
    return any(Path(numba_config.CACHE_DIR).rglob("*.nbi"))


class _Watch(event.Listener):
    """Tells which kernel is being compiled. Its callees are compiled meanwhile, as parts of it.

    Numba compiles under a lock, so there is one at a time. What it loads from a cache is no event.
    """

    def __init__(self) -> None:
        self.depth = 0

    def on_start(self, event: event.Event) -> None:
        if self.depth == 0:
            tell(event.data["dispatcher"].py_func.__name__)
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if self.depth == 0:
            tell(None)


numba_config.CACHE_DIR = str(cache_folder())
event.register("numba:compile", _Watch())

kernel = numba.njit(cache=True, nogil=True)
helper = numba.njit(forceinline=True)
