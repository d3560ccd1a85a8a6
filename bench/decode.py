"""How long it takes to make a query's forest: rules, then decoding, on one core.

    python bench/decode.py MODEL QUERIES.tsv [--count 60] [--before 300] [--tokens 26 30] [--against OTHER/src]

Prints a Markdown table over the first queries whose number of tokens lies in the range: CPU time of the one thread that
works, so that a busy machine changes little. Each is translated once. Rules of frequent words are kept from sentence to
sentence, so there are two tables: one for a process that has just started and has seen only three other queries, and
one for a process that has seen as many other queries as --before says, those that follow in the file. With --against,
the code in another folder does the same, in turn with this one, in processes of their own; if the forests of the two
differ, a line says so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from crossbow import store
from crossbow.model import Model
from crossbow.records import read_queries

START = 3  # queries that a process has seen when it starts


def chosen(model: Model, queries: Path, shortest: int, longest: int) -> Iterator[list[str]]:
    """The tokens of the queries that have so many."""
    for query in read_queries(queries):
        tokens = model.source.tokens(query.text)
        if shortest <= len(tokens) <= longest:
            yield tokens


def timed(model: Model, texts: Iterable[list[str]]) -> tuple[list[list[float]], list[tuple[int, ...]], list[str]]:
    """CPU seconds for rules and for decoding of each text, sizes of what came out, and its digest."""
    spent, sizes, digests = [], [], []
    for tokens in texts:
        times = [time.thread_time()]
        rules = model.decoder.rules(tokens)
        times.append(time.thread_time())
        forest = model.decoder.decode(tokens, rules=rules)
        times.append(time.thread_time())
        spent.append(np.diff(times).tolist())
        sizes.append((len(tokens), len(rules.counts), forest.nodes, forest.edges))
        digests.append(forest.digest())
    return spent, sizes, digests


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """What decoding some queries takes, after others that are not measured."""
    start = time.perf_counter()
    model = Model.load(options.model)
    opened = time.perf_counter() - start
    texts = [tokens for tokens, _ in zip(chosen(model, options.queries, *options.tokens),
                                         range(options.count + START + options.before))]
    measured, seen = texts[: options.count], texts[options.count : options.count + START + options.before]
    for tokens in seen:
        model.decoder.rules(tokens)
    for tokens in seen[:START]:
        model.decoder.decode(tokens)
    spent, sizes, digests = timed(model, measured)
    return {"opened": opened, "spent": spent, "sizes": np.mean(sizes, axis=0).tolist(), "digest": store.digest(digests),
            "count": len(measured), "seen": len(seen), "pops": model.decoder.config.pop_limit,
            "model": model.signature}


def elsewhere(code: Path, options: argparse.Namespace, before: int) -> dict[str, Any]:
    """What the code in a folder measures, in a process of its own."""
    told = [sys.executable, __file__, str(options.model), str(options.queries), "--count", str(options.count),
            "--before", str(before), "--tokens", *map(str, options.tokens), "--json"]
    ran = subprocess.run(told, env={**os.environ, "PYTHONPATH": str(code)}, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(ran.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--before", type=int, default=300)
    parser.add_argument("--tokens", type=int, nargs=2, default=[26, 30])
    parser.add_argument("--against", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        print(json.dumps(measure(options)))
        return
    codes = {"now": Path(__file__).parent.parent / "src"}
    if options.against:
        codes = {"before": options.against, **codes}
    for before in (0, options.before):
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in codes}
        for _ in range(options.rounds):
            for name, code in codes.items():
                found[name].append(elsewhere(code, options, before))
        some = found["now"][0]
        tokens, rules, nodes, edges = some["sizes"]
        print(f"\n{some['count']} queries of {tokens:.1f} tokens on average, {some['seen']} others seen before; "
              f"{rules:,.0f} rules, {nodes:,.0f} nodes, {edges:,.0f} edges; pop limit {some['pops']}; model "
              f"{some['model']} opened in {some['opened']:.2f} s\n\n"
              "| milliseconds per query, one core | rules, median | decoding | both | mean | 95 % | most |\n"
              "|---|---|---|---|---|---|---|")
        for name, runs in found.items():
            for run in runs:
                spent = 1000 * np.array(run["spent"])
                both = spent.sum(axis=1)
                print(f"| {name} | {np.median(spent[:, 0]):.1f} | {np.median(spent[:, 1]):.1f} | {np.median(both):.1f} "
                      f"| {both.mean():.1f} | {np.quantile(both, 0.95):.1f} | {both.max():.1f} |")
        if len({run["digest"] for runs in found.values() for run in runs}) > 1:
            print("\nTHE FORESTS DIFFER.")


if __name__ == "__main__":
    main()
