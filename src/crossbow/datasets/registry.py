"""Data sets by id, and layouts of folders that are recognized as they come. To add one, write a file that ends in
`DATASETS.add(…)`; docs/extending.md walks through it.

    collection = open_dataset("debian:de", Path("collection"))      # built there, unless it is there already
    collection = open_dataset("kyoto-articles")                     # a folder
    for name, dataset in DATASETS.items(): print(name, dataset.help)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from crossbow.datasets.collection import MANIFEST, Collection, recognize
from crossbow.errors import CrossbowError, InputError
from crossbow.registry import Registry

Say = Callable[[str], None]  # told what is being done


@dataclass(frozen=True)
class Dataset:
    """A data set that can be built, a layout that can be recognized, or both."""

    help: str
    build: Callable[[str, Path, Say], Collection] | None = None  # what follows the colon of the id, folder to write
    recognize: Callable[[Path], Collection | None] | None = None  # None: the folder is something else


DATASETS: Registry[Dataset] = Registry("data set", {
    "demo": "crossbow.datasets.demo.load",
    **{name: f"crossbow.datasets.{name}" for name in ("debian", "named", "boostclir", "wikiclir")}})


def open_dataset(name: str, built: Path | None = None, say: Say = lambda message: None) -> Collection:
    """The data set of this id, built into the folder `built` unless it is there; or the folder of this name."""
    kind, _, argument = name.partition(":")
    if Path(name).is_dir() or kind not in DATASETS or DATASETS[kind].build is None:
        return open_folder(Path(name))
    if built is None:
        raise CrossbowError(f"the data set {name!r} has to be built; say where")
    build = DATASETS[kind].build
    assert build is not None
    note = built.with_name(f".{built.name}.id")  # which data set lies there
    if built.is_dir() and note.is_file() and note.read_text(encoding="utf8") == name:
        return open_folder(built)
    note.unlink(missing_ok=True)
    collection = build(argument, built, say)
    note.write_text(name, encoding="utf8")
    return collection


def open_folder(folder: Path) -> Collection:
    """The collection in a folder, whichever layout it has."""
    if not folder.is_dir():
        known = ", ".join(name for name, dataset in DATASETS.items() if dataset.build)
        raise InputError(folder, None, "no such folder", f"give the folder of a test collection, or one of {known}")
    for layout in (recognize, *(dataset.recognize for dataset in DATASETS.values())):
        found = layout(folder) if layout else None
        if found is not None:
            return found
    raise InputError(folder, None, "not a test collection that Crossbow knows",
                     f"expected {MANIFEST}, or the files of {', '.join(_layouts())}")


def _layouts() -> list[str]:
    return [name for name, dataset in DATASETS.items() if dataset.recognize]
