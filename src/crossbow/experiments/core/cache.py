"""What systems share: models, forests of a split's queries, measured settings and runs, each made once and stored.

    cache = Cache(work, {"": model_folder}, threads=2)
    cache.values(dev, Source(), search, "AP")          # a number for each judged query
    cache.run(test, "BOW-FD", Source(), search)        # a TREC run in the work folder, and what it cost

Forests of one translation of one split are in memory at a time, for they are large, and are made when first needed. So
a caller that asks for many things should ask for those with the same split and translation one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F64
from crossbow.evaluation.measures import per_query
from crossbow.experiments.core.split import Split
from crossbow.experiments.core.systems import Source
from crossbow.forest.hypergraph import Forest
from crossbow.model import Model
from crossbow.pipeline import Report, Stages
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.ranking.searcher import Searcher, check_languages
from crossbow.records import read_run, write_run
from crossbow.records.trec import Run
from crossbow.threads import in_order

RUN_FILE = "run.txt"


class Measured(NamedTuple):
    """The value of each judged query, in the order of their names."""

    values: F64


class Timed(NamedTuple):
    """CPU seconds of each query."""

    seconds: F64


@dataclass(frozen=True)
class StoredRun:
    """A run in the work folder."""

    file: Path
    search_seconds: float  # of CPU for a query, the median: the first ones to read a posting list take longer
    decode_seconds: float

    def read(self) -> Run:
        return read_run(self.file)


class Cache:
    """Everything that systems share; see the module's docstring."""

    def __init__(self, work: Path, models: Mapping[str, Path], threads: int = 2, report: Report | None = None):
        self.work, self.threads = work, threads
        self.models: dict[str, Model] = {}
        self.folders: dict[str, Path] = {}
        for name, folder in models.items():
            self.open(name, folder)
        self.report: Report = report or (lambda what, done, total: None)
        self.points, self.runs = Stages(work / "points"), Stages(work / "runs")  # silent: there are very many
        self._models: dict[Source, Model] = {}  # kept, for a model makes its lexicon once
        self._at: tuple[str, str] = ("", "")
        self._forests: list[list[Forest]] = []
        self._seconds: F64 = np.zeros(0)

    def open(self, name: str, folder: Path) -> Model:
        """Make a model known under a name."""
        self.folders[name], self.models[name] = folder, Model.load(folder)
        return self.models[name]

    def values(self, split: Split, source: Source, search: SearchConfig, measure: str) -> F64:
        """What the settings are worth on each judged query of a split."""
        def make(folder: Path) -> None:
            found, _ = self._search(split, source, search)
            values = per_query(split.qrels, found, [measure]).by_measure[measure]
            store.save(folder, "point", Measured(values), {"split": split.name, "mean": float(values.mean())})

        key = [split.judged, self.translated(source), search.signature, measure]
        return store.load(self.points.run("point", key, make), "point", Measured)[0].values

    def run(self, split: Split, name: str, source: Source, search: SearchConfig) -> StoredRun:
        """The run of a system, as a file."""
        def make(folder: Path) -> None:
            found, seconds = self._search(split, source, search)
            write_run(folder / RUN_FILE, found, slug(name))
            store.save(folder, "run", Timed(seconds), {"decode": float(np.median(self._seconds))})

        key = [split.asked, self.translated(source), search.signature]
        place = self.runs.run(f"{split.name}-{slug(name)}", key, make)
        timed, meta = store.load(place, "run", Timed)
        return StoredRun(place / RUN_FILE, float(np.median(timed.seconds)), meta["decode"])

    def share(self, split: Split, source: Source) -> float:
        """The share of the documents that have a term of the query's forest: those that forced decoding scores."""
        def scored(forests: list[Forest]) -> float:
            found = np.zeros(split.index.slots, np.bool_)
            for forest in forests:
                for part in ForcedQuery(forest, split.index).parts:
                    for begin, end in zip(part.begin.tolist(), part.end.tolist()):
                        found[part.base + part.docs[begin:end]] = True
                    found[part.base : part.base + len(part.alive)] &= part.alive
            return float(found.sum()) / len(split.index)

        def make(folder: Path) -> None:
            rows = in_order(scored, self.forests(split, source), self.threads)
            store.save(folder, "share", Measured(np.array([value for _, value in rows])), {})

        place = self.points.run("share", [split.asked, self.translated(source)], make)
        return float(store.load(place, "share", Measured)[0].values.mean())

    def model(self, source: Source) -> Model:
        """The model of a source, with its settings."""
        if source not in self._models:
            self._models[source] = self.models[source.model].with_translation(source.translation)
        return self._models[source]

    def choices(self, model: str) -> list[Source]:
        """The ways to translate with a model among which to choose, its own first."""
        return [Source(model, translation) for translation in self.models[model].decoder.candidates]

    def translated(self, source: Source) -> str:
        """A digest of what decides how queries are translated."""
        model = self.model(source)
        return store.digest(model.signature, model.decoder.weights, asdict(model.decoder.config))

    def forests(self, split: Split, source: Source) -> list[list[Forest]]:
        """The forests of all queries, of each sentence one, without their features."""
        at = split.asked, self.translated(source)
        if at == self._at:
            return self._forests
        self.release()  # before the new ones are made: there is no room for both
        model = self.model(source)
        check_languages(model, split.index)
        decode = timed(lambda query: [forest.without_features() for forest in model.forests(query.text, query.id)])
        made = []
        for done, (_, row) in enumerate(in_order(decode, split.queries, self.threads), 1):
            made.append(row)
            self.report(f"forests of {split.name}{_label(source)}", done, len(split.queries))
        self._at, self._forests = at, [row for row, _ in made]
        self._seconds = np.array([seconds for _, seconds in made])
        return self._forests

    def release(self) -> None:
        """Forget the forests."""
        self._at, self._forests = ("", ""), []

    def _search(self, split: Split, source: Source, search: SearchConfig) -> tuple[Run, F64]:
        """What all queries find, and the CPU seconds that each took."""
        forests = self.forests(split, source)
        searcher = Searcher(self.model(source), split.index, search)
        work = timed(lambda row: searcher.prepare(row).search(search.k))
        found = [row for _, row in in_order(work, forests, self.threads)]
        return ({query.id: hits for query, (hits, _) in zip(split.queries, found)},
                np.array([seconds for _, seconds in found]))


def timed(work: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, float]]:
    """The work with the CPU seconds that it takes, which other threads do not change."""
    def both(item: Any) -> tuple[Any, float]:
        start = time.thread_time()
        return work(item), time.thread_time() - start

    return both


def slug(name: str) -> str:
    """A name as file names and tags have it."""
    kept = "".join(letter if letter.isalnum() or letter == "−" else "-" for letter in name.lower())
    return "-".join(part for part in kept.replace("−", "no-").split("-") if part)


def _label(source: Source) -> str:
    plain, own = Source().translation.to_json(), source.translation.to_json()
    changes = {**({"model": source.model} if source.model else {}),
               **{name: value for name, value in own.items() if value != plain[name]}}
    return "".join(f", {name} {value}" for name, value in changes.items())
