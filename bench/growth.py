"""How forced decoding grows with the collection: the same forests on a small and on a large index.

    python bench/growth.py MODEL QUERIES.tsv SMALL_INDEX LARGE_INDEX [--count 100] [-k 100]

CPU time of the one thread that works; every query once before the measurement, in a process of its own for each index.
"Postings" are all those of the query's terms, read or skipped; their rate is that of all queries together.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from pathlib import Path

import numpy as np

from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.ranking.topk import top
from crossbow.records import read_queries


def peak() -> float:
    """The most memory that this process had, in MB; what the parent had is not counted, as it is by getrusage."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1000


def measure(forests: list[Forest], folder: Path, k: int) -> tuple[int, np.ndarray, float, float, float]:
    """Documents, seconds and postings per query, the memory that searching took, and that of all postings, in MB."""
    before = peak()
    index = Index.load(folder)
    spent, lists = [], []
    for warm in (True, False):
        for forest in forests:
            start = time.thread_time()
            query = ForcedQuery(forest, index)
            docs, gains = query.best_documents(k)
            top(index, docs, query.best + gains, k)
            if not warm:
                spent.append(time.thread_time() - start)
                lists.append(sum(int((part.end - part.begin).sum()) for part in query.parts))
    used = peak() - before
    postings = sum(s.postings.docs.nbytes + s.postings.tfs.nbytes for s in index.segments) / 1e6
    return len(index), np.array(spent), float(np.mean(lists)), used, postings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("indexes", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("-k", type=int, default=100)
    options = parser.parse_args()
    model = Model.load(options.model)
    forests = [model.forest(query.text, query.id) for query in list(read_queries(options.queries))[: options.count]]
    print(f"{len(forests)} queries, top {options.k}, model {model.signature}\n\n| documents | mean ms | median | 95 % "
          "| most | times the first | postings | millions per second | memory MB | postings MB |\n"
          "|---|---|---|---|---|---|---|---|---|---|")
    first = 0.0
    for folder in options.indexes:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            documents, spent, lists, used, postings = pool.apply(measure, (forests, folder, options.k))
        first = first or spent.mean()
        low, high = np.quantile(spent, (0.5, 0.95))
        print(f"| {documents:,} | {1000 * spent.mean():.1f} | {1000 * low:.1f} | {1000 * high:.1f} "
              f"| {1000 * spent.max():.1f} | {spent.mean() / first:.1f} | {lists:,.0f} "
              f"| {lists / spent.mean() / 1e6:.0f} | {used:.0f} | {postings:.0f} |")


if __name__ == "__main__":
    main()
