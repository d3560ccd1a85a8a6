"""The demo: train on the embedded German–English collection and translate its queries.

    run(Path("crossbow-demo"), report)

Writes the collection to OUT/collection and the model to OUT/model.
"""

from __future__ import annotations

import time
from pathlib import Path

from crossbow.datasets.demo.load import write
from crossbow.model import Model
from crossbow.pipeline import Report
from crossbow.train import TrainConfig, train


def run(out: Path, report: Report | None = None) -> None:
    """Train, then print what the test queries become in English."""
    start = time.perf_counter()
    collection = write(out / "collection")
    summary = train(collection.pairs(), out / "model", TrainConfig(), lm_texts=[out / "collection" / "docs.tsv"],
                    tuning=collection.tuning(), report=report)
    print(f"trained on {summary['pairs']:,} sentence pairs in {time.perf_counter() - start:.0f} s; "
          f"BLEU {summary['bleu'][-1]:.1f} and perplexity {summary['perplexity']:.1f} on held-out pairs")
    model = Model.load(out / "model")
    for query in list(collection.queries("test")):
        forests = [model.forest(sentence) for sentence in model.sentences(query.text)]
        edges = sum(forest.edges for forest in forests)
        print(f"\n{query.id}: {query.text}\n  {' '.join(w for forest in forests for w in model.best(forest))}"
              f"\n  ({edges:,} edges in the forest)")
    print(f"\nmodel {model.signature} in {out / 'model'}; {time.perf_counter() - start:.0f} s in all")
