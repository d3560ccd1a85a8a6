"""The demo: train on the embedded German–English collection, index its documents, search, evaluate, explain one hit.

    run(Path("crossbow-demo"), report)

Writes the collection to OUT/collection, the model to OUT/model and the index to OUT/index.
"""

from __future__ import annotations

import time
from pathlib import Path

from crossbow.datasets.collection import Collection
from crossbow.datasets.demo.load import write
from crossbow.display import print_explanation, print_hits
from crossbow.evaluate.measures import per_query
from crossbow.index import Index, build
from crossbow.model import Model
from crossbow.pipeline import Report
from crossbow.ranking.explain import explain
from crossbow.ranking.search import METHODS, SearchConfig, search_all, search_forests
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.train import TrainConfig, train

MEASURES = ("AP", "nDCG", "RR")
SHOWN = "test28"  # its best translation mistakes the ceiling for a blanket


def run(out: Path, report: Report | None = None) -> None:
    """Do everything once and print what came out."""
    start = time.perf_counter()
    collection = write(out / "collection")
    summary = train(collection.pairs(), out / "model", TrainConfig(), lm_texts=[out / "collection" / "docs.tsv"],
                    tuning=collection.tuning(), report=report)
    print(f"trained on {summary['pairs']:,} sentence pairs in {time.perf_counter() - start:.0f} s; "
          f"BLEU {summary['bleu'][-1]:.1f} and perplexity {summary['perplexity']:.1f} on held-out pairs")
    build(out / "index", collection.docs(), Analyzer(Settings(collection.target)), report=report)
    model, index = Model.load(out / "model"), Index.load(out / "index")
    print(f"indexed {len(index):,} documents\n")
    evaluate(collection, model, index)
    show(collection, model, index)
    print(f"\nmodel {model.signature}, index {index.signature}, in {out}; {time.perf_counter() - start:.0f} s in all")


def evaluate(collection: Collection, model: Model, index: Index) -> None:
    """How well the three methods do on the test queries."""
    queries = [(query.id, query.text) for query in collection.queries("test")]
    print(f"{len(queries)} test queries      MAP    NDCG     MRR")
    for method in METHODS:
        run = dict(search_all(queries, index, model, SearchConfig(method, weights=model.retrieval)))
        values = per_query(collection.qrels("test"), run, MEASURES)
        print(f"{method:15}  " + " ".join(f"{values.total(measure):7.4f}" for measure in MEASURES))


def show(collection: Collection, model: Model, index: Index) -> None:
    """One query, what it finds, and why the first hit was found."""
    text = next(query.text for query in collection.queries("test") if query.id == SHOWN)
    forests, config = model.forests(text), SearchConfig(k=3, weights=model.retrieval)
    hits = search_forests(forests, index, model, config)
    print(f"\n{SHOWN}: {text}")
    print_hits(hits, forests, index, model, config)
    print(f"\nwhy {hits[0].doc}?")
    print_explanation(explain(forests, index, hits[0].doc, config))
