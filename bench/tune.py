"""How long tuning takes, and how well its weights translate text that they were not tuned on.

    python bench/tune.py MODEL PAIRS.source PAIRS.target [--count 600] [--against OTHER/src]

Weights are tuned on every other pair and tried on the rest. The pairs must not be part of the model's text, and should
not be part of what its language model has seen. CPU seconds of all threads. With --against, the code in another folder
does the same with the same pairs, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from crossbow.decode.bleu import SIZE, bleu, bleu_stats, reference_counts
from crossbow.decode.kbest import kbest
from crossbow.decode.tune import TuneConfig, tune
from crossbow.model import Model
from crossbow.records import ParallelText
from crossbow.vocab import Vocab


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Tune on half of the pairs, and translate the other half."""
    model = Model.load(options.model)
    pairs = [(model.source.tokens(left), model.target.tokens(right))
             for (left, right), _ in zip(ParallelText(options.source, options.target), range(options.count))]
    tuned_on, rest = pairs[::2], [pair for pair in pairs[1::2] if pair[0]]
    fresh = model.decoder.changed(dict(model.decoder.start_weights), model.decoder.config)
    tune(fresh, *map(list, zip(*tuned_on[:4])), TuneConfig(passes=1))  # compiles
    start, wall = time.process_time(), time.perf_counter()
    result = tune(fresh, *map(list, zip(*tuned_on)), TuneConfig(), threads=2)
    spent, wall = time.process_time() - start, time.perf_counter() - wall
    fresh.weights = result.weights
    stats = np.zeros(SIZE)
    for left, right in rest:
        forest, vocab = fresh.decode(left), Vocab()
        reference = reference_counts(vocab.add_all(right))
        best = kbest(forest, 1)
        stats += bleu_stats(vocab.ids(forest.words)[best.words], best.word_starts, reference)[0]
    return {"pairs": len(tuned_on), "rest": len(rest), "wall": wall, "cpu": spent, "passes": len(result.bleu),
            "bleu": 100 * float(bleu(stats)[0]), "model": model.signature}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        print(json.dumps(measure(options)))
        return
    print("| | passes | wall s | CPU s | BLEU of the other half |\n|---|---|---|---|---|")
    codes = {"before": options.against, "now": Path(__file__).parent.parent / "src"}
    for name, code in codes.items():
        if code:
            told = [sys.executable, __file__, str(options.model), str(options.source), str(options.target), "--count",
                    str(options.count), "--json"]
            ran = subprocess.run(told, env={**os.environ, "PYTHONPATH": str(code)}, stdout=subprocess.PIPE, check=True)
            some = json.loads(ran.stdout)
            print(f"| {name} | {some['passes']} | {some['wall']:.0f} | {some['cpu']:.0f} | {some['bleu']:.2f} |",
                  flush=True)
    print(f"\n{some['pairs']} pairs to tune on, {some['rest']} to translate; model {some['model']}")


if __name__ == "__main__":
    main()
