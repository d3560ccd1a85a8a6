"""How indexing grows with the collection: seconds, memory and bytes.

    python bench/indexing.py TEXT.tsv.xz… -o FOLDER [--documents 100000 400000 1232019] [--lang en] [--workers 2]

A document is the last column of a line, lines of all files one after the other. They are taken at even distances, so
that a smaller collection is made of the same kinds of text. For a collection with more documents than there are lines,
lines are taken again with other ids. Every size is indexed in a process of its own. The index stays in FOLDER. Wall
seconds depend on what else runs; CPU seconds, of all processes together, hardly do.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from crossbow.index import Index, build
from crossbow.records import Doc
from crossbow.records.lines import open_lines
from crossbow.text.analyzer import Analyzer, Settings


class Cost(NamedTuple):
    """What indexing took; of memory, the most that the process and one of its workers had, in GB."""

    wall: float
    cpu: float
    memory: float
    worker_memory: float
    opened: float


def lines(files: Iterable[Path]) -> Iterator[str]:
    """The last columns of all lines."""
    for file in files:
        for _, line in open_lines(file):
            yield line.rpartition("\t")[2]


def documents(files: list[Path], wanted: int, available: int) -> Iterator[Doc]:
    """So many of them, evenly spaced; all of them again and again if more are wanted."""
    for copy in range(-(-wanted // available)):
        rest, taken = min(wanted - copy * available, available), 0
        for number, text in enumerate(lines(files)):
            if taken < rest and number * rest >= taken * available:
                taken += 1
                yield Doc(f"{copy}-{number}" if copy else str(number), text)


def indexed(folder: Path, files: list[Path], wanted: int, available: int, lang: str, workers: int) -> Cost:
    """Index, and say what it took; in a process of its own."""
    start = time.perf_counter()
    build(folder, documents(files, wanted, available), Analyzer(Settings(lang)), workers=workers)
    done = time.perf_counter()
    Index.load(folder)
    opened = time.perf_counter() - done
    own, others = (resource.getrusage(who).ru_maxrss / 1e6 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Cost(done - start, sum(os.times()[:4]), own, others, opened)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--documents", type=int, nargs="+", default=[100_000, 400_000, 1_232_019])
    parser.add_argument("--lang", default="en")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    available = sum(1 for _ in lines(options.files))
    names = ["documents", "postings", "wall s", "CPU s", "memory GB", "of a worker", "size MB", "open ms"]
    print(f"{available:,} lines\n\n| {' | '.join(names)} |\n{'|---' * len(names)}|", flush=True)
    for wanted in options.documents:
        folder = options.out / f"index-{wanted}"
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            cost = pool.submit(indexed, folder, options.files, wanted, available, options.lang,
                               options.workers).result()
        index = Index.load(folder)
        postings = sum(len(segment.postings.docs) for segment in index.segments)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
        print(f"| {len(index):,} | {postings / 1e6:.1f}M | {cost.wall:.1f} | {cost.cpu:.1f} | {cost.memory:.2f} "
              f"| {cost.worker_memory:.2f} | {size:.0f} | {1000 * cost.opened:.0f} |", flush=True)


if __name__ == "__main__":
    main()
