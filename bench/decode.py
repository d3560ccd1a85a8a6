"""How long it takes to make a query's forest: rules, then decoding, on one core.

    python bench/decode.py MODEL QUERIES.tsv [--count 200] [--tokens 20 26]

Prints a Markdown table over the queries whose number of tokens lies in the range. CPU time of the one thread that
works, so that a busy machine changes little; every query once before the measurement, to load kernels and pages.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from crossbow.model import Model
from crossbow.records import read_queries


def chosen(model: Model, queries: Path, shortest: int, longest: int, count: int) -> list[list[str]]:
    """The tokens of the first queries that have so many."""
    texts = (model.source.tokens(query.text) for query in read_queries(queries))
    return [tokens for tokens in texts if shortest <= len(tokens) <= longest][:count]


def measure(model: Model, texts: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
    """CPU seconds for rules and for decoding of each text; and its tokens, rules, nodes and edges."""
    spent = np.zeros((len(texts), 2))
    sizes = np.zeros((len(texts), 4))
    for warm in (True, False):
        for number, tokens in enumerate(texts):
            times = [time.thread_time()]
            rules = model.decoder.rules(tokens)
            times.append(time.thread_time())
            forest = model.decoder.decode(tokens, rules=rules)
            times.append(time.thread_time())
            if not warm:
                spent[number] = np.diff(times)
                sizes[number] = len(tokens), len(rules.counts), forest.nodes, forest.edges
    return spent, sizes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--tokens", type=int, nargs=2, default=[20, 26])
    options = parser.parse_args()
    start = time.perf_counter()
    model = Model.load(options.model)
    opened = time.perf_counter() - start
    texts = chosen(model, options.queries, *options.tokens, options.count)
    spent, sizes = measure(model, texts)
    tokens, rules, nodes, edges = sizes.mean(axis=0)
    print(f"{len(texts)} queries of {tokens:.1f} tokens on average; {rules:,.0f} rules, {nodes:,.0f} nodes, "
          f"{edges:,.0f} edges; pop limit {model.decoder.config.pop_limit}; model {model.signature} opened in "
          f"{opened:.2f} s\n")
    print("| seconds a query, one core | mean | median | 95 % | most |\n|---|---|---|---|---|")
    for name, values in (("rules", spent[:, 0]), ("decoding", spent[:, 1]), ("both", spent.sum(axis=1))):
        print(f"| {name} | {values.mean():.3f} | {np.median(values):.3f} | {np.quantile(values, 0.95):.3f} "
              f"| {values.max():.3f} |")


if __name__ == "__main__":
    main()
