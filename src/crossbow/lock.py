"""One writer at a time: a lock on a file in a folder, which the system releases however the writer ends.

    with locked(folder, "index"): ...    # raises CrossbowError at once if another process or thread writes there
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from crossbow.errors import CrossbowError

LOCK = "writer.lock"


@contextlib.contextmanager
def locked(folder: Path, kind: str) -> Iterator[None]:
    """Hold the writer's lock of a folder of some kind, which is made if it is not there."""
    number = _acquire(folder, kind)
    try:
        yield
    finally:
        os.close(number)  # also releases the lock


def _acquire(folder: Path, kind: str) -> int:
    """An open lock file that is ours. If another writer removed it meanwhile, with the folder, there is a new one."""
    file = folder / LOCK
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            number = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            continue
        try:
            _lock(number, folder, kind)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(number), os.stat(file)):
                    return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _lock(number: int, folder: Path, kind: str) -> None:
    if sys.platform == "win32":
        return  # no such lock there; one writer at a time is up to the user
    import fcntl

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CrossbowError(f"{folder}: another process is writing to this {kind}; try again when it is done") from None
