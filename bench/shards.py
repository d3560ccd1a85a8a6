"""What it costs to search shards instead of one index: in threads of a process, and on a Ray cluster of this machine.

    python bench/shards.py MODEL DOCS QUERIES.tsv -o FOLDER [--shards 1 2 4 8] [--count 40] [-k 10]

The indexes are built in FOLDER, which is kept for the next time: by two processes and, those of several shards, once
more by two workers of Ray, to see how long these take. Forests are made beforehand. Medians of wall milliseconds per
query; every query is searched once before the measurement. "Over the slowest shard" is what a round takes more than the
shard that works longest: sending, waiting and receiving. Shards get in each other's way if there are more of them than
processors, so then the slowest takes longer.
"""

from __future__ import annotations

import argparse
import pickle
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossbow.cluster import RayShards, actors, connect, in_tasks
from crossbow.cluster.connect import imported
from crossbow.cluster.packing import Packed
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index, build
from crossbow.model import Model
from crossbow.ranking.asks import Ask
from crossbow.ranking.config import STANDARD, SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.ranking.shards import ShardedSearcher
from crossbow.ranking.shards.contract import Question, Reply, Round
from crossbow.ranking.shards.local import LocalShards
from crossbow.records import read_docs, read_queries
from crossbow.settings import changed

WORKERS = 2  # that build an index
CONFIGS = {"DT": SearchConfig("dt"), "BOW-FD": SearchConfig(), "standard settings": changed(SearchConfig(), STANDARD)}


class TimedActor(actors.ShardActor):
    """A shard that remembers how long its last reply took."""

    last = 0.0

    def reply(self, *asked: Any) -> Any:
        start = time.perf_counter()
        try:
            return super().reply(*asked)
        finally:
            self.last = time.perf_counter() - start

    def spent(self) -> float:
        return self.last


class WatchedShards(RayShards):
    """Shards on a cluster; what each round takes is noted while there is a list for it."""

    rounds: list[tuple[float, float, int, int]] | None = None  # seconds, those of the slowest shard, bytes there, back

    def ask(
        self, homes: Sequence[int], question: Question, before: Sequence[Round], ask: Ask[Any, Any] | None
    ) -> dict[int, Reply]:
        start = time.perf_counter()
        replies = super().ask(homes, question, before, ask)
        took = time.perf_counter() - start
        if self.rounds is not None:
            slowest = max(self._ray.get([self._replicas[home][0].actor.spent.remote() for home in homes]))
            self.rounds.append((took, slowest, len(pickle.dumps((Packed.of(question), before, ask))),
                                sum(len(pickle.dumps(reply)) for reply in replies.values())))
        return replies


def timed(searcher: Searcher, queries: Sequence[list[Forest]], k: int) -> float:
    """Milliseconds of the median query."""
    spent = []
    for warm in (True, False):
        for query in queries:
            start = time.perf_counter()
            searcher.search(query, k)
            if not warm:
                spent.append(1000 * (time.perf_counter() - start))
    return float(np.median(spent))


def row(model: Model, name: str, folder: Path, queries: Sequence[list[Forest]], k: int, shards: WatchedShards) -> str:
    """A line of the table: a method with a number of shards."""
    config = CONFIGS[name]
    one = timed(Searcher(model, Index.load(folder), config), queries, k)
    local = ShardedSearcher(model, LocalShards(folder), config)
    threads = timed(local, queries, k)
    local.close()
    searcher = ShardedSearcher(model, shards, config)
    ray = timed(searcher, queries, k)
    shards.rounds = []
    for query in queries:
        searcher.search(query, k)
    found, shards.rounds = np.array(shards.rounds), None
    over = 1000 * np.median(found[:, 0] - found[:, 1])
    sent, received = found[:, 2:].mean(axis=0) / 1000
    return (f"| {name} | {shards.count} | {one:.1f} | {threads:.1f} | {ray:.1f} | {len(found) / len(queries):.1f} "
            f"| {over:.1f} | {sent:.0f} | {received:.1f} |")


def built(docs: str, folder: Path, model: Model, shards: int, **how: Any) -> str:
    """Two cells of the table: how long it takes to index the documents, and how many that is per second."""
    start = time.perf_counter()
    build(folder, read_docs(docs), model.target, workers=WORKERS, shards=shards, **how)
    took = time.perf_counter() - start
    return f"{took:.0f} | {len(Index.load(folder)) / took:,.0f}"


def build_all(docs: str, folders: dict[int, Path], model: Model) -> None:
    """Build the indexes that are not there yet; print a table of what that takes."""
    print("| shards | built in s | documents per second | by Ray in s | documents per second |\n|---|---|---|---|---|")
    connect("local", num_cpus=WORKERS)
    for count, folder in folders.items():
        if not folder.exists():
            alone, by_ray = built(docs, folder, model, count), "|"
            if count > 1:  # Ray builds no others
                again = folder.with_name(f"{folder.name}-by-ray")
                by_ray = built(docs, again, model, count, spread=in_tasks)
                shutil.rmtree(again)
            print(f"| {count} | {alone} | {by_ray} |", flush=True)
    imported().shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("docs")
    parser.add_argument("queries", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("-k", type=int, default=10)
    options = parser.parse_args()
    model = Model.load(options.model)
    queries = [model.forests(query.text, query.id) for query in list(read_queries(options.queries))[: options.count]]
    folders = {count: options.out / f"shards-{count}" for count in options.shards}
    build_all(options.docs, folders, model)
    index = Index.load(folders[options.shards[0]])
    print(f"\n{len(queries)} queries, top {options.k}, {len(index):,} documents; model {model.signature}, index "
          f"{index.signature}\n\n| | shards | one index | threads | Ray | rounds | over the slowest shard, per round "
          "| kB there | kB back |\n|---|---|---|---|---|---|---|---|---|")
    connect("local", num_cpus=max(options.shards))
    actors.ShardActor = TimedActor  # type: ignore[misc]
    for folder in folders.values():
        shards = WatchedShards(folder)
        for name in CONFIGS:
            print(row(model, name, folder, queries, options.k, shards), flush=True)
        shards.close()


if __name__ == "__main__":
    main()
