"""The two decorators all numeric code uses, and the folder where compiled kernels are kept.

    from crossbow.jit import helper, kernel

`kernel` marks what Python calls: compiled on first use, cached on disk, runs without the GIL. `helper` marks what only
kernels call: always inlined, for a call that passes arrays costs reference counting, a factor of four in inner loops.

Numba does not notice an edit in a callee of another file, nor a change of the bounds-check flag. So the cache folder
is named by a digest of that flag and of this package's sources, wherever a folder has kernels: constants of the files
beside them are compiled in too.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numba
from numba.core import config

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


numba_config.CACHE_DIR = str(cache_folder())

kernel = numba.njit(cache=True, nogil=True)
helper = numba.njit(forceinline=True)
