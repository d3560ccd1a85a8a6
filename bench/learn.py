"""How many pairs per second learning goes through, with stored forests, on one thread and on two.

    python bench/learn.py MODEL INDEX QUERIES.tsv QRELS.txt [--count 200] [--negatives 20]

One epoch is run before the measurement, to load kernels and pages. Half of the negatives are hard ones.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from crossbow.index import Index
from crossbow.learn.config import LEX, LearnConfig
from crossbow.learn.hands import Hands
from crossbow.learn.queries import read_usable
from crossbow.learn.shards import Counts, Shard, State
from crossbow.learn.training import TrainingSet
from crossbow.model import Model
from crossbow.pipeline import Stages
from crossbow.ranking.config import SearchConfig


def epoch(training: TrainingSet, config: LearnConfig, threads: int) -> tuple[Counts, float]:
    """What happens in a first epoch, and how long it takes."""
    state = State([Shard() for _ in range(config.shards)])
    begin = time.perf_counter()
    counts = state.run(training, lambda name: 0.0 if name.startswith(LEX) else training.search.weights.v, config,
                       Hands(threads), lambda what, done, total: None, "")
    return counts, time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("qrels", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--negatives", type=int, default=20)
    options = parser.parse_args()
    model, index = Model.load(options.model), Index.load(options.index)
    queries = read_usable(options.queries, options.qrels, model, index, options.count)
    print(f"{len(queries)} queries, {len(index):,} documents; model {model.signature}, index {index.signature}\n")
    print("| features | edges per query | pairs | violations | one thread | two threads | ratio |\n"
          "|---|---|---|---|---|---|---|")
    for lex in (False, True):
        config = LearnConfig(lex=lex, negatives=options.negatives, hard=options.negatives // 2)
        training = TrainingSet(queries, model, index, config, SearchConfig.of(model))
        with tempfile.TemporaryDirectory() as folder:
            training.prepare(Stages(Path(folder)), Stages(Path(folder)), "", Hands(2))
            edges = np.mean([len(each.score) for s in range(config.shards) for each in training.examples(s, dict)])
            counts, _ = epoch(training, config, 2)
            one, two = (counts.pairs / min(epoch(training, config, threads)[1] for _ in range(3)) for threads in (1, 2))
        print(f"| {'IR + LEX' if lex else 'IR'} | {edges:,.0f} | {counts.pairs:,} | {counts.violations:,} "
              f"| {one:,.0f} per second | {two:,.0f} | {two / one:.2f} |")


if __name__ == "__main__":
    main()
