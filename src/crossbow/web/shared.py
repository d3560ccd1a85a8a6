"""What the processes of one server know of each other: a small file each, in a folder of their own.

    shared = Shared(folder, number=0)
    shared.tell({"full": False, …})         # this process, for the others
    shared.others()                         # what they told last
    with shared.writing(): ...              # one of them at a time, however a process ends

A file takes the place of the one before it by renaming, so nobody reads half of one. What is told is up to a second
old. A process that is started again finds what the one before it told, so that counters lose no more than a second.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

LOCK = "writing"


class Shared(NamedTuple):
    """One of several processes; `number` tells it from the others."""

    folder: Path
    number: int

    def tell(self, state: Mapping[str, Any]) -> None:
        """Tell the other processes something about this one."""
        new = self.folder / f"{self.number}.new"
        new.write_text(json.dumps(state), "utf8")
        os.replace(new, self._file(self.number))

    def told(self) -> Any:
        """What was told last under this number, or None."""
        return _read(self._file(self.number))

    def others(self) -> list[Any]:
        """What the other processes told last."""
        files = (path for path in self.folder.glob("*.json") if path != self._file(self.number))
        return [state for state in map(_read, sorted(files)) if state is not None]

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Wait until no other process writes; then none does until this is done."""
        with open(self.folder / LOCK, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # is released when the file is closed, also by a kill
            yield

    def _file(self, number: int) -> Path:
        return self.folder / f"{number}.json"


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf8"))
    except FileNotFoundError:
        return None
