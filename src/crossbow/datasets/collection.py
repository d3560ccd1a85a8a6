"""Test collections in folders: parallel text, documents, queries and judgments under one name.

    collection = Collection.open("debian-de")
    for doc in collection.docs(): ...
    for query in collection.queries("test", long=True): ...

Our own layout (SRC and TGT are language codes, one record per line):

    train.SRC train.TGT train.groups     parallel text, and the group (source package, article) of each pair
    tune.SRC tune.TGT                    parallel text for tuning the translation weights
    docs.tsv                             id TAB text
    queries.{train,dev,test}.tsv         id TAB text; queries-long.* are variants of many sentences with the same ids,
                                         queries-original.* the same in the language of the documents
    queries.{train,dev,test}.groups      the group of each query, to leave its text out of training
    qrels.{train,dev,test}.txt           TREC judgments
    collection.json                      name, source, target, counts, digest, settings

Folders of WikiCLIR and BoostCLIR, and those whose file names tell the languages, are read as they come (registry.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from crossbow.errors import CrossbowError, InputError, explaining_full_disk
from crossbow.records import (
    Doc,
    ParallelText,
    Qrel,
    Query,
    load_qrels,
    open_lines,
    read_docs,
    read_queries,
    write_docs,
    write_lines,
    write_qrels,
    write_queries,
)
from crossbow.records.judged import JudgedQuery, read_judged

SPLITS = ("train", "dev", "test")
MANIFEST = "collection.json"


@dataclass(frozen=True)
class SplitFiles:
    """The files of one split. `original` are the queries in the language of the documents, which few collections have,
    as they have `long` ones and `groups`.
    """

    docs: Path
    queries: Path
    qrels: Path
    long: Path | None = None
    groups: Path | None = None
    original: Path | None = None


@dataclass(frozen=True)
class Collection:
    """A collection's files by role, and iterators over them."""

    folder: Path
    name: str
    source: str
    target: str
    splits: dict[str, SplitFiles]
    train: ParallelText | None = None
    tune: ParallelText | None = None
    groups: Path | None = None
    texts: Path | None = None  # what queries say, if their files only name it
    manifest: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def open(folder: str | os.PathLike[str]) -> Collection:
        """Recognize the layout of a folder; raises when it is none that is known (see registry.py)."""
        from crossbow.datasets.registry import open_folder

        return open_folder(Path(folder))

    def docs(self, split: str = "test") -> Iterator[Doc]:
        return read_docs(self._split(split).docs)

    def queries(self, split: str, long: bool = False) -> Iterator[Query]:
        files = self._split(split)
        if long and files.long is None:
            raise CrossbowError(f"{self.folder}: this collection has no long queries; use the short ones")
        asked = read_queries(files.long if long and files.long else files.queries)
        return asked if self.texts is None else (query._replace(text=self._text(query)) for query in asked)

    def qrels(self, split: str) -> dict[str, dict[str, int]]:
        return load_qrels(self._split(split).qrels)

    def originals(self, split: str) -> list[Query]:
        """The queries of a split in the language of the documents; none if the collection does not have them."""
        file = self._split(split).original
        return [] if file is None else list(read_queries(file))

    def judged(self, split: str, long: bool = False) -> list[JudgedQuery]:
        """The queries of a split with their judgments and groups."""
        files = self._split(split)
        judged = read_judged(files.long if long and files.long else files.queries, files.qrels, files.groups)
        return judged if self.texts is None else [query._replace(text=self._text(query)) for query in judged]

    def spelled_out(self, folder: Path) -> Collection:
        """The collection with queries that have their text, written into a folder if their files only name it."""
        if self.texts is None:
            return self
        splits = {}
        for split, files in self.splits.items():
            place = folder / f"queries.{split}.tsv"
            write_queries(place, self.queries(split))
            splits[split] = replace(files, queries=place)
        return replace(self, splits=splits, texts=None)

    def _text(self, query: Query | JudgedQuery) -> str:
        """The text that a query names."""
        text = self._named_texts.get(query.text)
        if not text:
            raise InputError(self.texts or self.folder, None, f"has no text for {query.text!r}, which the query "
                             f"{query.id!r} names", "give the text of every query, as `name TAB text`")
        return text

    @cached_property
    def _named_texts(self) -> dict[str, str]:
        return {} if self.texts is None else {query.id: query.text for query in read_queries(self.texts)}

    def pairs(self) -> ParallelText:
        """The parallel text to train on."""
        if self.train is None:
            raise CrossbowError(f"{self.folder}: this collection brings no parallel text; give some of your own")
        return self.train

    def tuning(self) -> ParallelText:
        """The parallel text to tune on."""
        if self.tune is None:
            raise CrossbowError(f"{self.folder}: this collection brings no text for tuning; hold some pairs out")
        return self.tune

    def train_groups(self) -> list[str]:
        """The group of each training pair, in order."""
        return _column(self.groups, self.folder)

    def query_groups(self, split: str) -> list[str]:
        """The group of each query of a split, in order."""
        return _column(self._split(split).groups, self.folder)

    def _split(self, split: str) -> SplitFiles:
        if split not in self.splits:
            raise CrossbowError(f"{self.folder}: no split {split!r}, there are {', '.join(self.splits)}")
        return self.splits[split]


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[Path]:
    """A fresh folder that takes the place of `folder` (new, empty or a collection) when the block ends well."""
    target = folder.absolute()
    if target.exists() and not (target / MANIFEST).exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(target, None, "exists and is not a collection, so it will not be overwritten",
                         "choose another output folder or remove it")
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh, old = (target.parent / f".{target.name}.{mark}-{os.getpid()}" for mark in ("new", "old"))
    fresh.mkdir()
    try:
        with explaining_full_disk(target):
            yield fresh
            if target.exists():
                target.rename(old)
            fresh.rename(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def digest_folder(folder: Path) -> str:
    """A short signature of all files but the manifest: their names and bytes."""
    sha = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        if file.is_file() and file.name != MANIFEST:
            sha.update(f"{file.name}\0{file.stat().st_size}\0".encode())
            sha.update(file.read_bytes())
    return sha.hexdigest()[:12]


def write_manifest(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """Write collection.json into a folder whose other files are complete; adds their digest."""
    full = {**manifest, "digest": digest_folder(folder)}
    (folder / MANIFEST).write_text(json.dumps(full, ensure_ascii=False, indent=1) + "\n", encoding="utf8")
    return full


def write_collection(
    folder: str | os.PathLike[str], name: str, source: str, target: str, docs: Sequence[Doc],
    queries: Mapping[str, Sequence[Query]], qrels: Mapping[str, Mapping[str, Mapping[str, int]]],
    train: Sequence[tuple[str, str]] = (), tune: Sequence[tuple[str, str]] = (),
) -> Collection:
    """Lay a collection out as a folder (new, empty or an older collection) and open it.

    Queries and judgments are by split; `train` and `tune` are sentence pairs, in the language of the queries first.
    """
    with writing(Path(folder)) as fresh:
        counts = {"docs": len(docs)}
        for part, pairs in (("train", train), ("tune", tune)):
            if pairs:
                write_lines(fresh / f"{part}.{source}", (left for left, _ in pairs))
                write_lines(fresh / f"{part}.{target}", (right for _, right in pairs))
                counts[part] = len(pairs)
        write_docs(fresh / "docs.tsv", docs)
        for split, asked in queries.items():
            write_queries(fresh / f"queries.{split}.tsv", asked)
            write_qrels(fresh / f"qrels.{split}.txt", (Qrel(query, doc, level) for query, levels in
                                                       qrels[split].items() for doc, level in levels.items()))
            counts[f"queries.{split}"] = len(asked)
        write_manifest(fresh, {"name": name, "source": source, "target": target, "counts": counts})
    return Collection.open(folder)


def one_file(folder: Path, pattern: str) -> Path | None:
    """The file whose name matches, perhaps compressed; raises when several do."""
    names = [file for file in sorted(folder.iterdir()) if re.fullmatch(pattern + r"(?:\.gz|\.xz)?", file.name)]
    if len(names) > 1:
        raise InputError(folder, None, f"both {names[0].name} and {names[1].name} are there", "leave one of them")
    return names[0] if names else None


def recognize(folder: Path) -> Collection | None:
    """The collection in a folder of our own layout."""
    file = folder / MANIFEST
    if not file.is_file():
        return None
    try:
        manifest = json.loads(file.read_text(encoding="utf8"))
        name, source, target = manifest["name"], manifest["source"], manifest["target"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(file, None, f"damaged ({error!r})", "build the collection again") from None
    splits = {split: SplitFiles(docs=folder / "docs.tsv", queries=folder / f"queries.{split}.tsv",
                                qrels=folder / f"qrels.{split}.txt", long=_there(folder / f"queries-long.{split}.tsv"),
                                original=_there(folder / f"queries-original.{split}.tsv"),
                                groups=_there(folder / f"queries.{split}.groups"))
              for split in SPLITS if (folder / f"queries.{split}.tsv").is_file()}
    train, tune = (ParallelText(folder / f"{part}.{source}", folder / f"{part}.{target}")
                   if (folder / f"{part}.{source}").is_file() else None for part in ("train", "tune"))
    return Collection(folder, name, source, target, splits, train, tune, _there(folder / "train.groups"),
                      manifest=manifest)


def _there(file: Path) -> Path | None:
    """A file that not every collection has."""
    return file if file.is_file() else None


def _column(file: Path | None, folder: Path) -> list[str]:
    if file is None:
        raise CrossbowError(f"{folder}: this collection has no groups; leave-one-out training needs them")
    return [line for _, line in open_lines(file)]
