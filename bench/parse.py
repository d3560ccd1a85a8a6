"""How long ranking by trees takes, and a round of end-to-end learning.

    python bench/parse.py PARSER INDEX QUERIES.tsv QRELS.txt [--words 8] [--count 200] [--training 5000]

Ranking: queries of so many words, 100 candidates each, one thread; once with no tree of a document kept and once with
all of them. Learning: parses, scripts, gradient and step for the first queries with 20 candidates each, on two threads.
Kernels are loaded before anything is measured.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from crossbow.index import Index
from crossbow.parse.endtoend import descend, trees_and_scripts
from crossbow.parse.objective import Problem
from crossbow.parse.parser import Parser
from crossbow.parse.pool import bm25_hits
from crossbow.parse.ranker import Ranker
from crossbow.parse.train import pool_of
from crossbow.records.judged import read_judged


def milliseconds(ranker: Ranker, texts: list[str]) -> np.ndarray:
    """CPU time of ranking each text anew, without the search for candidates."""
    found = []
    for text in texts:
        config = ranker.parser.config
        hits = bm25_hits(text, ranker.index, config.depth, config.bm25)
        start = time.process_time()
        queries, trees = ranker.parser.queries([text])
        ranker.distances_to([hit.doc for hit in hits], queries, trees)
        found.append(1000 * (time.process_time() - start))
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parser", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("qrels", type=Path)
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--training", type=int, default=5000)
    options = parser.parse_args()
    learned, index = Parser.load(options.parser), Index.load(options.index)
    queries = read_judged(options.queries, options.qrels)
    texts = [query.text for query in queries if len(learned.reader.words(query.text)) == options.words]
    ranker = Ranker(learned, index)
    ranker.rank(texts[0])
    print(f"{len(index):,} documents; parser {learned.signature}, index {index.signature}\n")
    print("| ranking 100 candidates anew | median ms | 95 % | most |\n|---|---|---|---|")
    for name in ("documents parsed for each query", "documents parsed before"):
        if name.startswith("documents parsed for"):
            spent = np.concatenate([milliseconds(Ranker(learned, index), [text]) for text in texts[: options.count]])
        else:
            milliseconds(ranker, texts[: options.count])
            spent = milliseconds(ranker, texts[: options.count])
        print(f"| {name} | {np.median(spent):.2f} | {np.quantile(spent, 0.95):.2f} | {spent.max():.2f} |")
    pool = pool_of(queries[: options.training], learned, index, 20, threads=2)
    descend(Problem(pool, *trees_and_scripts(learned, pool, 2), 1.0), learned.model.table.starts,
            learned.model.table.value, 0.01)
    wall, cpu = time.perf_counter(), time.process_time()
    problem = Problem(pool, *trees_and_scripts(learned, pool, 2), 1.0)
    descend(problem, learned.model.table.starts, learned.model.table.value, 0.01)
    print(f"\na round of learning, {len(pool.ids):,} queries with {len(pool.doc):,} candidates: "
          f"{time.perf_counter() - wall:.1f} s, {time.process_time() - cpu:.1f} s of CPU")


if __name__ == "__main__":
    main()
