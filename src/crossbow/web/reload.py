"""Opening what is served, and taking up a changed index or model while requests go on.

    watch = Watch(model_folder, index_folder, configure)
    engine = Engine(watch.news())
    fresh = watch.news(engine.served)       # None if nothing has changed; raises if the new state cannot be opened

A commit replaces the header of an index, and training that of a model, by renaming; so a header that is another file
means news. Whatever is under way keeps the old state, whose files stay mapped until the last request is done with them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from crossbow.index import Index
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.shards import Shards
from crossbow.store import HEADER
from crossbow.web.engine import Configure, Served

Stamp = tuple[int, int, int]


class Watch:
    """Knows which state of the folders was opened last: of a model and an index, or of models by language."""

    def __init__(
        self, model: Path | Sequence[Path], index: Path, configure: Configure = SearchConfig.of,
        hold: Callable[[Path], Shards] | None = None,
    ):
        """`hold` connects to the holders of the index's shards, if other processes hold them."""
        self.model, self.index, self.configure, self._hold = model, index, configure, hold
        self._seen: tuple[Stamp | None, ...] = (None,)

    def news(self, served: Served | None = None) -> Served | None:
        """What is there now, ready to be searched, if it is new. What cannot be opened is news at the next look too."""
        # Before anything is opened: a later change is seen at the next look.
        models = [self.model] if isinstance(self.model, Path) else self.model
        now = (*map(_stamp, models), _stamp(self.index))
        if served is not None and (now == self._seen or None in now):
            return None  # a folder that is being replaced is missing for a moment
        if served is not None and now[:-1] == self._seen[:-1]:
            fresh = served.with_index(self._held(served) or Index.load(self.index))
        elif isinstance(self.model, Path):
            fresh = Served.load(self.model, self._held(served) or self.index, self.configure)
        else:
            fresh = Served.load_all(self.model, self.index, self.configure)
        fresh.warm()
        self._seen = now
        return fresh

    def _held(self, served: Served | None) -> Shards | None:
        """The shards at their present state, if others hold them."""
        if self._hold is None:
            return None
        return served.shards.renewed() if served and served.shards else self._hold(self.index)


def _stamp(folder: Path) -> Stamp | None:
    """What tells one header from another."""
    try:
        found = os.stat(folder / HEADER)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
