"""One writer at a time: a lock on a file in the index's folder, which the system releases however the writer ends.

    with locked(folder): ...             # raises CrossbowError at once if another process or thread writes
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from crossbow.errors import CrossbowError
from crossbow.index.manifest import LOCK


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the writer's lock of an existing folder."""
    number = _acquire(folder)
    try:
        yield
    finally:
        os.close(number)  # also releases the lock


def _acquire(folder: Path) -> int:
    """An open lock file that is ours. If another writer removed it meanwhile, with the folder, there is a new one."""
    file = folder / LOCK
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            number = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:
            continue
        try:
            _lock(number, folder)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(number), os.stat(file)):
                    return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _lock(number: int, folder: Path) -> None:
    if sys.platform == "win32":
        return  # no such lock there; one writer at a time is up to the user
    import fcntl

    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CrossbowError(f"{folder}: another process is writing to this index; try again when it is done") from None
