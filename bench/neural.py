"""A neural model: opening it, its memory, from text to hits by length of the query, and beside a long query.

    python bench/neural.py NEURAL_MODEL INDEX QUERIES.tsv [--count 100] [--nbest 24]

Wall time of a process that does nothing else, and the CPU time of all its threads; every row's queries are asked once
before. The memory of the model is what the process has grown by when it has translated for the first time; mapped
files are not counted. "Beside a long one" asks short queries while another thread translates a long text over and over,
as requests of a server do.
"""

from __future__ import annotations

import argparse
import re
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from crossbow.decode.translation import Translation
from crossbow.index import Index
from crossbow.model import Model
from crossbow.neural.translator import NeuralTranslator
from crossbow.ranking.config import STANDARD, SearchConfig
from crossbow.ranking.searcher import Searcher
from crossbow.records import Query, read_queries
from crossbow.settings import changed

LENGTHS = ((1, 7), (8, 13), (14, 18), (19, 40))


def memory() -> float:
    """MB of this process, mapped files not counted."""
    return int(re.search(r"RssAnon:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1000  # type: ignore[index]


def measured(work: Callable[[Query], object], queries: Sequence[Query]) -> tuple[np.ndarray, float]:
    """Wall milliseconds for each query, and CPU milliseconds on average."""
    for query in queries:
        work(query)
    spent, begin = [], time.process_time()
    for query in queries:
        start = time.perf_counter()
        work(query)
        spent.append(1000 * (time.perf_counter() - start))
    return np.array(spent), 1000 * (time.process_time() - begin) / len(queries)


def row(name: str, work: Callable[[Query], object], queries: Sequence[Query]) -> None:
    wall, cpu = measured(work, queries)
    print(f"| {name} | {len(queries)} | {wall.mean():.0f} | {np.median(wall):.0f} | {np.quantile(wall, 0.95):.0f} "
          f"| {cpu:.0f} |", flush=True)


def opened(folder: Path, query: Query) -> Model:
    """The model, when it is ready; prints what that took."""
    before, start = memory(), time.perf_counter()
    model = Model.load(folder)
    model.forests(query.text, query.id)
    print(f"opened, and a first query translated: {time.perf_counter() - start:.2f} s, {memory() - before:.0f} MB\n")
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("model", "index", "queries"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--nbest", type=int, default=24)
    options = parser.parse_args()
    queries = list(read_queries(options.queries))[: options.count]
    model = opened(options.model, queries[0]).with_translation(Translation(nbest=options.nbest))
    translator = model.decoder
    assert isinstance(translator, NeuralTranslator)
    index = Index.load(options.index)
    standard = changed(SearchConfig(), STANDARD)
    searchers = {name: Searcher(model, index, search) for name, search in (
        ("BOW-FD", SearchConfig()), ("standard settings without feedback", standard.set("feedback.documents", 0)),
        ("standard settings", standard))}

    print(f"{len(index):,} documents, {options.nbest} translations, ms\n")
    print("| | queries | mean | median | 95 % | CPU |\n|---|---|---|---|---|---|")
    pieces = {query.id: len(translator.system.cut(query.text).names) for query in queries}
    for low, high in LENGTHS:
        some = [query for query in queries if low <= pieces[query.id] <= high]
        if some:
            name = f"{low}–{high} pieces"
            row(f"{name}: forests", lambda query: model.forests(query.text, query.id), some)
            for label, searcher in searchers.items():
                row(f"{name}: text to top 10, {label}", lambda query, one=searcher: one.search(query.text, k=10),  # type: ignore[misc]
                    some)

    short = [query for query in queries if pieces[query.id] <= LENGTHS[1][1]]
    text = " ".join(query.text for query in queries)[:600]
    start = time.perf_counter()
    model.forests(text, "long")
    print(f"\nBeside a long one, of {len(translator.system.cut(text).names)} pieces, which alone takes "
          f"{1000 * (time.perf_counter() - start):.0f} ms\n")
    print("| | queries | mean | median | 95 % | CPU |\n|---|---|---|---|---|---|")
    row("short queries alone", lambda query: model.forests(query.text, query.id), short)
    done = threading.Event()

    def translate_on() -> None:
        while not done.is_set():
            model.forests(text, "long")

    other = threading.Thread(target=translate_on)
    other.start()
    row("beside the long one", lambda query: model.forests(query.text, query.id), short)
    done.set()
    other.join()


if __name__ == "__main__":
    main()
