"""How long a search takes: exact forced decoding, the baselines beside bm25s, from text to hits, and with two threads.

    python bench/search.py MODEL INDEX QUERIES.tsv [--count 200] [--against OTHER/src]

Forests are made beforehand, each query as one sentence, except where it says "from text". CPU time of the one thread
that works; every query once before the measurement. bm25s gets the same terms of the same documents.

With --against there is only the table of forests that say what translates what, and of those that do not: the code in
another folder and this one search for them in turn, in processes of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.config import STANDARD, SearchConfig
from crossbow.ranking.forced.cascade import best_documents
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.ranking.methods.dt import bag_of_words
from crossbow.ranking.searcher import Searcher
from crossbow.ranking.structured.search import StructuredQuery
from crossbow.ranking.structured.tables import PsqConfig, query_tables
from crossbow.ranking.topk import top
from crossbow.ranking.weighted import search_terms
from crossbow.records import Query, read_queries
from crossbow.settings import changed
from crossbow.weights import TermWeights

ROUNDS = 2  # in which old and new code take turns


def timed(work: Callable[[Any], object], items: Sequence[Any]) -> np.ndarray:
    """Milliseconds for each item."""
    spent = []
    for warm in (True, False):
        for item in items:
            start = time.thread_time()
            work(item)
            if not warm:
                spent.append(1000 * (time.thread_time() - start))
    return np.array(spent)


def row(name: str, spent: np.ndarray) -> None:
    print(f"| {name} | {spent.mean():.2f} | {np.median(spent):.2f} | {np.quantile(spent, 0.95):.2f} "
          f"| {spent.max():.2f} |")


def without(forest: Forest, *columns: str) -> Forest:
    """As another system might write it: nothing says which source words an edge translates, or which word a word."""
    return replace(forest, **{name: getattr(forest, name)[:0] for name in columns},
                   **{f"{name}_starts": np.zeros(forest.edges + 1, np.int32) for name in columns})


def exhaustive(forest: Forest, index: Index) -> object:
    """Every document that has a term is scored: the exact program is its own bound."""
    query = ForcedQuery(forest, index)
    return best_documents(query.parts, query.weight, query.exact, query.exact, index.slots)


def forced(forest: Forest, index: Index, k: int = 1000) -> object:
    """From a forest to the best documents."""
    query = ForcedQuery(forest, index)
    docs, gains = query.best_documents(k)
    return top(index, docs, query.best + gains, k)


def peer(index: Index) -> tuple[bm25s.BM25, dict[str, int]]:
    """bm25s over the same terms, returning ids as we do."""
    vocab: dict[str, int] = {}
    corpus = [[vocab.setdefault(term, len(vocab)) for term in index.analyzer.analyze(index.doc(d).text)[0]]
              for d in range(index.slots)]
    engine = bm25s.BM25(method="robertson", k1=1.2, b=0.75, backend="numba",
                        corpus=np.array([index.id(d) for d in range(index.slots)]))
    engine.index((corpus, vocab), show_progress=False)
    return engine, vocab


def throughput(queries: Sequence[tuple[str, Any]], index: Index, model: Model, threads: int) -> float:
    """Queries per second, all of them in one go."""
    start = time.perf_counter()
    for _ in Searcher(model, index).search_all(queries, threads):
        pass
    return len(queries) / (time.perf_counter() - start)


def feedback(model: Model, index: Index, forests: Sequence[Forest], texts: Sequence[str]) -> None:
    """The standard settings, which search twice, beside the same without feedback."""
    print("\n| milliseconds per query, medians, top 1,000 | searched once | with feedback | ratio |\n|---|---|---|---|")
    twice = changed(SearchConfig(), STANDARD)
    both = [Searcher(model, index, config) for config in (changed(twice, {"feedback.documents": 0}), twice)]
    for name, items in (("forests given", forests), ("from text", texts)):
        once, again = (np.median(timed(lambda item, s=one: s.search(item), items)) for one in both)
        print(f"| {name} | {once:.2f} | {again:.2f} | {again / once:.2f} |")


def measured(model: Model, index: Index, queries: Sequence[Query]) -> dict[str, list[float]]:
    """Milliseconds of forced decoding for each query, by how forests are written and how many documents are found."""
    forests = [model.forest(query.text, query.id) for query in queries]
    kinds = {"as they are": (), "without `align`": ("align",), "without `lex` and `align`": ("lex", "align")}
    return {f"{name}, top {k:,}": timed(lambda f, k=k: forced(f, index, k),
                                        [without(forest, *columns) for forest in forests]).tolist()
            for name, columns in kinds.items() for k in (1000, 10)}


def side_by_side(options: argparse.Namespace) -> None:
    """Print the table of old and new code."""
    found: dict[str, dict[str, list[float]]] = {}
    told = [sys.executable, __file__, *map(str, (options.model, options.index, options.queries)), "--count",
            str(options.count), "--json"]
    for _ in range(ROUNDS):
        for name, code in {"before": options.against, "now": Path(__file__).parent.parent / "src"}.items():
            ran = subprocess.run(told, env={**os.environ, "PYTHONPATH": str(code)}, stdout=subprocess.PIPE, check=True)
            for kind, spent in json.loads(ran.stdout).items():
                found.setdefault(kind, {}).setdefault(name, []).extend(spent)
    print("| milliseconds per query, one core | before: mean | median | now: mean | median | ratio of means |\n"
          "|---|---|---|---|---|---|")
    for kind, codes in found.items():
        cells = [f"{np.mean(spent):.2f} | {np.median(spent):.2f}" for spent in codes.values()]
        before, now = map(np.mean, codes.values())
        print(f"| {kind} | {' | '.join(cells)} | {before / now:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.against:
        side_by_side(options)
        return
    model, index = Model.load(options.model), Index.load(options.index)
    queries = list(read_queries(options.queries))[: options.count]
    if options.json:
        print(json.dumps(measured(model, index, queries)))
        return
    forests = [model.forest(query.text, query.id) for query in queries]
    print(f"{len(forests)} queries of {np.mean([len(f.source) for f in forests]):.1f} tokens; "
          f"{np.mean([f.nodes for f in forests]):,.0f} nodes, {np.mean([f.edges for f in forests]):,.0f} edges; "
          f"{len(index):,} documents; v = {TermWeights().v}; model {model.signature}, index {index.signature}\n")
    print("| milliseconds per query, one core | mean | median | 95 % | most |\n|---|---|---|---|---|")
    for k in (1000, 100, 10):
        row(f"forced decoding, exact top {k:,}", timed(lambda f, k=k: forced(f, index, k), forests))
    for columns in (("align",), ("lex", "align")):
        bare = [without(forest, *columns) for forest in forests]
        for k in (1000, 10):
            row(f"without `{'` and `'.join(columns)}`, top {k:,}", timed(lambda f, k=k: forced(f, index, k), bare))
    row("exhaustive, 20 queries", timed(lambda f: exhaustive(f, index), forests[:20]))
    bags = [bag_of_words([forest], index) for forest in forests]
    row("DT, translation given, top 1,000", timed(lambda bag: search_terms(bag, index, 1000), bags))
    engine, vocab = peer(index)
    tokens = [[[term for term in bag.elements() if term in vocab]] for bag in bags]
    row("bm25s (numba), the same",
        timed(lambda t: engine.retrieve(t, k=1000, show_progress=False, n_threads=0), tokens))
    kinds = {"PSQ (λ .4, L 0, C 1)": PsqConfig(), "PSQ (λ 1, L .005, C .95)": PsqConfig(1000, 1, 0.005, 0.95),
             "forest PSQ (λ .4)": PsqConfig(forest=True)}
    for name, config in kinds.items():
        row(f"{name}, making tables", timed(lambda f, c=config: query_tables([f], index, c, model.lexicon), forests))
        tables = [query_tables([forest], index, config, model.lexicon) for forest in forests]
        row(f"{name}, tables given, top 1,000", timed(lambda t: StructuredQuery(t, index, Bm25()).search(1000), tables))
    searcher = Searcher(model, index)
    row("from text to hits, forced decoding, top 1,000", timed(lambda q: searcher.search(q.text), queries))
    feedback(model, index, forests, [query.text for query in queries])
    print("\n| queries per second, forced decoding, top 1,000 | one thread | two threads | ratio |\n|---|---|---|---|")
    ways: dict[str, list[tuple[str, Any]]] = {"forests given": [(f.id, f) for f in forests],
                                              "from text": [(q.id, q.text) for q in queries]}
    for name, asked in ways.items():
        one, two = (max(throughput(asked, index, model, threads) for _ in range(3)) for threads in (1, 2))
        print(f"| {name} | {one:.1f} | {two:.1f} | {two / one:.2f} |")


if __name__ == "__main__":
    main()
