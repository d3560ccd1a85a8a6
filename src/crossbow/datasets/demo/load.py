"""Read the demo collection, or write it as a folder that `Collection.open` understands.

    pairs = train_pairs()                      # [("Die Bank verleiht Geld …", "The bank lends money …"), …]
    docs, asked, judged = documents(), queries("test"), qrels("test")
    collection = write("demo")

Each call reads its file; nothing is read before it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from crossbow.datasets.collection import Collection, write_collection
from crossbow.datasets.registry import DATASETS, Dataset
from crossbow.errors import CrossbowError, InputError
from crossbow.records import Doc, Query, load_qrels, open_lines, read_queries

NAME, SOURCE, TARGET = "demo", "de", "en"
SPLITS = ("dev", "test")


def train_pairs() -> list[tuple[str, str]]:
    """Sentence pairs to train on, German first."""
    return [(german, english) for german, english in _rows("train.tsv", columns=2)]


def tune_pairs() -> list[tuple[str, str]]:
    """Sentence pairs to tune the translation weights on; none of them is a training pair."""
    return [(german, english) for german, english in _rows("tune.tsv", columns=2)]


def documents() -> list[Doc]:
    """The English documents, with their titles."""
    return [Doc(identifier, text, title) for identifier, title, text in _rows("docs.tsv", columns=3)]


def queries(split: str) -> list[Query]:
    """The German queries of `dev` or `test`."""
    with _file(f"queries.{_checked(split)}.tsv") as path:
        return list(read_queries(path))


def qrels(split: str) -> dict[str, dict[str, int]]:
    """The judgments of `dev` or `test`: {query: {document: level}}."""
    with _file(f"qrels.{_checked(split)}.txt") as path:
        return load_qrels(path)


def write(folder: str | os.PathLike[str]) -> Collection:
    """Lay the collection out as a folder (new, empty or an older collection) and open it."""
    return write_collection(folder, NAME, SOURCE, TARGET, documents(), {split: queries(split) for split in SPLITS},
                            {split: qrels(split) for split in SPLITS}, train_pairs(), tune_pairs())


def _rows(name: str, columns: int) -> list[list[str]]:
    with _file(name) as path:
        rows = []
        for number, line in open_lines(path):
            row = line.split("\t")
            if len(row) != columns:
                raise InputError(path, number, f"{len(row)} columns, expected {columns}", "install the package again")
            rows.append(row)
        return rows


@contextmanager
def _file(name: str) -> Iterator[Path]:
    """A path to a data file, also when the package lies in a zip archive."""
    with as_file(files("crossbow.datasets.demo") / name) as path:
        yield path


def _checked(split: str) -> str:
    if split not in SPLITS:
        raise CrossbowError(f"the demo collection has no split {split!r}, there are {', '.join(SPLITS)}")
    return split


DATASETS.add("demo", Dataset("A small German to English collection, written for this project.",
                             lambda argument, out, say: write(out)))
