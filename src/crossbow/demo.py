"""The demo: train on the embedded German–English collection, index its documents, search, evaluate, explain one hit.

    run(Path("crossbow-demo"), report)
    ensure(Path("crossbow-demo"), report)       # just the model and the index, and only if they are not there

Writes the collection to OUT/collection, the model to OUT/model and the index to OUT/index. The table is Table 1 of the
paper without learning, as `crossbow reproduce demo` makes it: settings are chosen on the dev queries (in OUT/work).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from crossbow import store
from crossbow.datasets.collection import Collection
from crossbow.datasets.demo.load import queries, write
from crossbow.display import print_explanation, print_hits
from crossbow.experiments.bowfd.driver import compare_methods
from crossbow.experiments.bowfd.report import text
from crossbow.index import Index, build
from crossbow.model import Model
from crossbow.pipeline import Report
from crossbow.ranking.searcher import Searcher
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.parallel import TrainConfig, train

SHOWN = "test28"  # its best translation mistakes the ceiling for a blanket
EXAMPLES = (SHOWN, "test01", "test13", "test58", "test61")  # others whose best translation mistakes a word


def run(out: Path, report: Report | None = None) -> None:
    """Do everything once and print what came out."""
    start = time.perf_counter()
    collection = write(out / "collection")
    summary = make_model(collection, out, report)
    print(f"trained on {summary['pairs']:,} sentence pairs in {time.perf_counter() - start:.0f} s; "
          f"BLEU {summary['bleu'][-1]:.1f} and perplexity {summary['perplexity']:.1f} on held-out pairs")
    make_index(collection, out, report)
    model, index = Model.load(out / "model"), Index.load(out / "index")
    print(f"indexed {len(index):,} documents\n")
    print(f"{len(list(collection.queries('test')))} test queries")
    print(text(compare_methods(collection, out / "model", index, out / "work", report=report)))
    show(collection, model, index)
    print(f"\nmodel {model.signature}, index {index.signature}, in {out}; {time.perf_counter() - start:.0f} s in all")


def ensure(out: Path, report: Report | None = None) -> None:
    """Make what is missing of model and index. Both appear under their names only when they are complete."""
    missing = [make for name, make in (("model", make_model), ("index", make_index))
               if not (out / name / store.HEADER).exists()]
    if missing:
        collection = write(out / "collection")
        for make in missing:
            make(collection, out, report)


def examples() -> list[str]:
    """Queries to try."""
    texts = {query.id: query.text for query in queries("test")}
    return [texts[name] for name in EXAMPLES]


def make_model(collection: Collection, out: Path, report: Report | None) -> dict[str, Any]:
    """Train OUT/model and return the summary of it."""
    config = TrainConfig(Settings(collection.source), Settings(collection.target))
    return train(collection.pairs(), out / "model", config, lm_texts=[out / "collection" / "docs.tsv"],
                 tuning=collection.tuning(), report=report)


def make_index(collection: Collection, out: Path, report: Report | None) -> dict[str, Any]:
    """Build OUT/index and return its manifest."""
    return build(out / "index", collection.docs(), Analyzer(Settings(collection.target)), report=report)


def show(collection: Collection, model: Model, index: Index) -> None:
    """One query, what it finds by forced decoding alone, and why the first hit was found."""
    query_text = next(query.text for query in collection.queries("test") if query.id == SHOWN)
    searcher = Searcher(model, index, {"method": "bowfd", "k": 3})
    hits = searcher.search(query_text)
    print(f"\n{SHOWN}: {query_text}")
    print_hits(hits)
    print(f"\nwhy {hits[0].doc}?")
    print_explanation(searcher.explain(hits.forests, hits[0].doc))
