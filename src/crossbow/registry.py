"""Things by name that users may add to: methods, variants of idf, data sets.

    METHODS: Registry[Method] = Registry("method", ["crossbow.ranking.methods.dt", …])
    METHODS.add("dt", DirectTranslation())          # at the end of the file that defines it
    METHODS["dt"]; list(METHODS)

The files of this package are imported when a name is first looked up. So are plugins: modules of installed packages
that declare the entry point group `crossbow`, and the files or modules that the variable CROSSBOW_PLUGINS lists.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from threading import RLock
from typing import Generic, TypeVar

from crossbow.errors import CrossbowError
from crossbow.settings import suggestion

VARIABLE = "CROSSBOW_PLUGINS"
GROUP = "crossbow"
Entry = TypeVar("Entry")
_LOCK = RLock()
_loaded: set[str] = set()


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Entries by name, in the order in which they were added."""

    def __init__(self, kind: str, modules: Sequence[str] = ()):
        self.kind, self._modules = kind, list(modules)
        self._entries: dict[str, Entry] = {}

    def add(self, name: str, entry: Entry) -> Entry:
        """Make an entry known; another one of the same name is an error."""
        if name in self._entries and type(self._entries[name]) is not type(entry):
            raise CrossbowError(f"there is a {self.kind} {name!r} already; choose another name")
        self._entries[name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Forget an entry."""
        self._entries.pop(name, None)

    def _load(self) -> dict[str, Entry]:
        with _LOCK:
            while self._modules:
                importlib.import_module(self._modules.pop(0))
            load_plugins()
        return self._entries

    def __getitem__(self, name: str) -> Entry:
        found = self._load()
        if name not in found:
            raise CrossbowError(f"there is no {self.kind} {name!r}{suggestion(name, found)}; "
                                f"there are {', '.join(found)}")
        return found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._load()

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._load()))

    def __len__(self) -> int:
        return len(self._load())


def load_plugins() -> None:
    """Import what adds to the registries, each once."""
    listed = [name for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
    installed = [] if GROUP in _loaded else [point.value for point in entry_points(group=GROUP)]
    _loaded.add(GROUP)
    for name in (*installed, *listed):
        if name not in _loaded:
            _loaded.add(name)
            _load_one(name)


def _load_one(name: str) -> None:
    try:
        if name.endswith(".py"):
            path = Path(name)
            spec = importlib.util.spec_from_file_location(f"crossbow_plugin_{path.stem}", path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
        else:
            importlib.import_module(name)
    except CrossbowError:
        raise
    except Exception as error:
        raise CrossbowError(f"the plugin {name} could not be loaded: {type(error).__name__}: {error}; see {VARIABLE} "
                            "or uninstall the package that brings it") from error
