"""Things by name that users may add to: methods, variants of idf, data sets.

    METHODS: Registry[Method] = Registry("method", {"dt": "crossbow.ranking.methods.dt", …})
    METHODS.add("dt", DirectTranslation())          # at the end of the file that defines it
    METHODS["dt"]; list(METHODS)

A file of this package is imported when its name is first looked up. Plugins are imported when somebody asks for a name
that does not come with this package, or for all names: modules of installed packages that declare the entry point group
`crossbow`, and the files or modules that the variable CROSSBOW_PLUGINS lists.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import Generic, TypeVar

from crossbow.errors import CrossbowError
from crossbow.settings import suggestion

VARIABLE = "CROSSBOW_PLUGINS"
GROUP = "crossbow"
Entry = TypeVar("Entry")
_LOCK = RLock()
_loaded: set[str] = set()


class Registry(Mapping[str, Entry], Generic[Entry]):
    """Entries by name: those that come with this package in the order of `homes`, then those that were added."""

    def __init__(self, kind: str, homes: Mapping[str, str] = MappingProxyType({})):
        self.kind, self.homes = kind, homes  # the module that adds each name
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

    def __getitem__(self, name: str) -> Entry:
        if name not in self:
            raise CrossbowError(f"there is no {self.kind} {name!r}; "
                                f"there are {', '.join(self)}{suggestion(name, self)}")
        if name not in self._entries:
            importlib.import_module(self.homes[name])
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        """What comes with this package is known without any import: settings are checked while modules load."""
        return name in self._entries or name in self.homes or name in self._with_plugins()

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(dict.fromkeys((*self.homes, *self._with_plugins()))))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _with_plugins(self) -> dict[str, Entry]:
        load_plugins()
        return self._entries


def load_plugins() -> None:
    """Import what adds to the registries, each once."""
    with _LOCK:
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
