"""The pulse of the project: MAP of direct translation and of exhaustive forced decoding on development queries.

    python bench/pulse.py MODEL COLLECTION [--queries 100] [--v 0.8]

Everything is as plain as it can be: BM25 over all documents, and the Inside algorithm over the whole forest for every
document that has one of its terms, 128 documents at a time.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter, defaultdict
from pathlib import Path

import ir_measures
import numpy as np
from ir_measures import AP, nDCG

from crossbow.datasets.collection import Collection
from crossbow.forest.hypergraph import Forest
from crossbow.jit import kernel
from crossbow.model import Model
from crossbow.text.analyzer import Analyzer, Settings

K1, B, BLOCK = 1.2, 0.75, 128


class Bm25:
    """Term → (documents, BM25 weights), by the paper's formula."""

    def __init__(self, documents: list[tuple[str, str]], analyzer: Analyzer):
        self.ids = [name for name, _ in documents]
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = np.zeros(len(documents))
        for number, (_, text) in enumerate(documents):
            terms, lengths[number] = analyzer.analyse(text)
            for term, tf in Counter(terms).items():
                postings[term].append((number, tf))
        norm = K1 * (1 - B + B * lengths / lengths.mean())
        self.lists = {}
        for term, entries in postings.items():
            docs, tf = np.array(entries).T
            rsj = max(0.0, math.log((len(documents) - len(docs) + 0.5) / (len(docs) + 0.5)))
            self.lists[term] = docs, (rsj * tf / (norm[docs] + tf)).astype(np.float32)


@kernel
def _forced(first, tail_starts, tails, score, term_starts, terms, impact, alpha):
    """The Inside algorithm for a block of documents at once; impact[t] and alpha[v] are rows over the documents."""
    width = impact.shape[1]
    gain = np.empty(width, np.float32)
    for v in range(first.shape[0] - 1):
        best = alpha[v]
        best[:] = -np.inf
        for e in range(first[v], first[v + 1]):
            gain[:] = score[e]
            for k in range(tail_starts[e], tail_starts[e + 1]):
                below = alpha[tails[k]]
                for d in range(width):
                    gain[d] += below[d]
            for k in range(term_starts[e], term_starts[e + 1]):
                row = impact[terms[k]]
                for d in range(width):
                    gain[d] += row[d]
            for d in range(width):
                best[d] = max(best[d], gain[d])


def direct(words: list[str], index: Bm25, analyzer: Analyzer) -> dict[str, float]:
    scores = np.zeros(len(index.ids))
    for word in words:
        for term in analyzer.terms(word):
            if term in index.lists:
                docs, weights = index.lists[term]
                scores[docs] += weights
    top = np.argsort(-scores, kind="stable")[:1000]
    return {index.ids[d]: float(scores[d]) for d in top if scores[d] > 0}


def forced(forest: Forest, index: Bm25, analyzer: Analyzer, v: float) -> dict[str, float]:
    """Exact scores of all matching documents."""
    vocab: dict[str, int] = {}
    of_word = [[vocab.setdefault(t, len(vocab)) for t in analyzer.terms(w) if t in index.lists] for w in forest.words]
    per_edge = [[t for s in forest.target[a:b] if s >= 0 for t in of_word[s]]
                for a, b in zip(forest.target_starts[:-1], forest.target_starts[1:])]
    starts = np.concatenate(([0], np.cumsum([len(x) for x in per_edge])))
    flat = np.array([t for x in per_edge for t in x], np.int64)
    dense = np.zeros((max(1, len(vocab)), len(index.ids)), np.float32)
    for term, t in vocab.items():
        docs, weights = index.lists[term]
        dense[t, docs] = v * weights
    matching = np.flatnonzero(dense.any(axis=0))
    scores = np.empty(len(matching))
    alpha = np.empty((forest.nodes, BLOCK), np.float32)
    for at in range(0, len(matching), BLOCK):
        block = matching[at : at + BLOCK]
        impact = np.zeros((len(dense), BLOCK), np.float32)
        impact[:, : len(block)] = dense[:, block]
        _forced(forest.first, forest.tail_starts, forest.tails, forest.score.astype(np.float32), starts, flat, impact,
                alpha)
        scores[at : at + BLOCK] = alpha[-1, : len(block)]
    top = np.argsort(-scores, kind="stable")[:1000]
    return {index.ids[matching[d]]: float(scores[d]) for d in top}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--v", type=float, nargs="+", default=[0.8])
    options = parser.parse_args()
    model, collection = Model.load(options.model), Collection.open(options.collection)
    analyzer = Analyzer(Settings(collection.target))
    index = Bm25([(doc.id, doc.text) for doc in collection.docs()], analyzer)
    queries = list(collection.queries("dev"))[: options.queries]
    judged = collection.qrels("dev")
    qrels = {query.id: judged[query.id] for query in queries}
    runs: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    spent: Counter[str] = Counter()
    for query in queries:
        start = time.perf_counter()
        forest = model.forest(query.text)
        spent["forest"] += time.perf_counter() - start
        runs["DT"][query.id] = direct(model.best(forest), index, analyzer)
        for v in options.v:
            start = time.perf_counter()
            runs[f"BOW-FD v={v}"][query.id] = forced(forest, index, analyzer, v)
            spent["forced"] += time.perf_counter() - start
    for name, run in runs.items():
        values = ir_measures.calc_aggregate([AP, nDCG], qrels, run)
        print(f"{name:14} MAP {values[AP]:.4f}  NDCG {values[nDCG]:.4f}  ({len(queries)} dev queries)")
    print("seconds a query:", {k: round(s / len(queries), 3) for k, s in spent.items()}, model.signature)


if __name__ == "__main__":
    main()
