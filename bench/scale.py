"""How training grows with the parallel text: seconds, memory and bytes of every stage; then opening and decoding.

    python bench/scale.py PAIRS.tsv.xz QUERIES.tsv -o FOLDER [--pairs 100000 400000 833221] [--grammar phrase]
        [--against OTHER/src]

PAIRS has `source TAB target` on every line; each size is how many of its first lines are trained on. Every size is
trained in a process of its own, and its model is opened in another one, so that each row has its own peak of memory.
Wall seconds depend on what else runs; CPU seconds, of all threads together, hardly do. Models stay in FOLDER. With
--against, the code in another folder trains each size first.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from crossbow.model import Model
from crossbow.pipeline import Report
from crossbow.records import ParallelText
from crossbow.records.lines import open_lines, write_lines
from crossbow.text.analyzer import Settings
from crossbow.training.parallel import GRAMMARS, TrainConfig, train
from decode import chosen, timed

STAGES = ("text", "align", "lm", "bitext")


@dataclass
class Cost:
    """What some work took: wall seconds, CPU seconds with all processes, and the most memory of this process, in GB."""

    wall: float
    cpu: float
    memory: float

    @classmethod
    def start(cls) -> Cost:
        """The clocks as they are, and the peak counted anew from what is held now."""
        Path("/proc/self/clear_refs").write_text("5")
        return cls(time.perf_counter(), sum(os.times()[:4]), 0.0)

    def stop(self) -> Cost:
        """What was spent since; mapped files that were read count as memory."""
        line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
        return Cost(time.perf_counter() - self.wall, sum(os.times()[:4]) - self.cpu, int(line.split()[1]) / 1e6)

    def __str__(self) -> str:
        return f"{self.wall:.0f} / {self.cpu:.0f} / {self.memory:.1f}"


def watch(costs: dict[str, Cost]) -> Report:
    """A report that notes what each stage of training takes."""
    running: dict[str, Cost] = {}

    def report(what: str, done: int, total: int) -> None:
        if what in STAGES and what not in running:
            running[what] = Cost.start()
        elif what in running and what not in costs and (done, total) == (1, 1):
            costs[what] = running[what].stop()

    return report


def trained(text: Path, out: Path, options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Cost]]:
    """Train, and say what each stage took; in a process of its own."""
    config = TrainConfig(Settings(options.source), Settings(options.target), decode=GRAMMARS[options.grammar].decode)
    threads, costs = options.threads, dict[str, Cost]()
    begin = Cost.start()
    summary = train(ParallelText(text), out, config, threads=threads, report=watch(costs))
    most = max(cost.memory for cost in costs.values())
    costs["all"] = begin.stop()
    costs["all"].memory = max(most, costs["all"].memory)
    return summary, costs


def elsewhere(code: Path, text: Path, out: Path, options: argparse.Namespace) -> Any:
    """What `trained` returns, as plain data, with the code in a folder."""
    told = [sys.executable, __file__, str(text), str(options.queries), "-o", str(out), "--grammar", options.grammar,
            "--source", options.source, "--target", options.target, "--threads", str(options.threads), "--json"]
    ran = subprocess.run(told, env={**os.environ, "PYTHONPATH": str(code)}, stdout=subprocess.PIPE, check=True)
    summary, costs = json.loads(ran.stdout)
    return summary, {name: Cost(**cost) for name, cost in costs.items()}


def used(folder: Path, queries: Path, count: int) -> tuple[Cost, np.ndarray, float]:
    """What opening the model takes, seconds for rules and decoding of each query, GB in all; in its own process."""
    begin = Cost.start()
    model = Model.load(folder)
    opened = begin.stop()
    spent, _, _ = timed(model, islice(chosen(model, queries, 20, 26), count))
    return opened, np.array(spent), begin.stop().memory


def size(folder: Path) -> float:
    """GB on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e9


def alone(function: Any, *arguments: Any) -> Any:
    """The function's result, from a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def row(name: str, summary: dict[str, Any], costs: dict[str, Cost]) -> str:
    """A line of the table of training."""
    return (f"| {name} | {summary['pairs']:,} | {summary['source_tokens'] / 1e6:.1f}M + "
            f"{summary['target_tokens'] / 1e6:.1f}M | {' | '.join(map(str, costs.values()))} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", metavar="PAIRS", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--pairs", type=int, nargs="+", default=[100_000, 400_000, 833_221])
    parser.add_argument("--grammar", choices=GRAMMARS, default="hierarchical")
    parser.add_argument("--source", default="de")
    parser.add_argument("--target", default="en")
    parser.add_argument("--count", type=int, default=100, help="queries of 20 to 26 tokens to decode")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        summary, costs = trained(options.text, options.out, options)
        print(json.dumps([summary, {name: asdict(cost) for name, cost in costs.items()}]))
        return
    training, using = [], []
    for pairs in options.pairs:
        text, folder = options.out / f"pairs-{pairs}.tsv", options.out / f"model-{options.grammar}-{pairs}"
        write_lines(text, (line for _, line in islice(open_lines(options.text), pairs)))
        if options.against:
            before = elsewhere(options.against, text, folder.with_name(f"{folder.name}-before"), options)
            training.append(row("before", *before))
        summary, costs = elsewhere(Path(__file__).parent.parent / "src", text, folder, options)
        text.unlink()
        opened, spent, memory = alone(used, folder, options.queries, options.count)
        noted = {**summary, "costs": {name: asdict(cost) for name, cost in costs.items()}, "open": asdict(opened)}
        write_lines(folder.with_suffix(".json"), [json.dumps(noted, indent=1)])
        training.append(row("now", summary, costs))
        both = spent.sum(axis=1)
        seconds = *spent.mean(axis=0), both.mean(), np.quantile(both, 0.95), both.max()
        using.append(f"| {summary['pairs']:,} | {size(folder):.2f} | {size(folder / 'bitext'):.2f} "
                     f"| {size(folder / 'lm'):.2f} | {opened.wall:.2f} / {opened.cpu:.2f} | "
                     f"{' | '.join(f'{value:.3f}' for value in seconds)} | {memory:.2f} |")
    print("Wall seconds / CPU seconds of all threads / GB of memory at most:\n")
    _table(["", "pairs", "tokens", *STAGES, "all"], training)
    print("\nGB on disk, wall / CPU seconds to open it, CPU seconds per query, GB of memory with what was mapped:\n")
    _table(["pairs", "disk", "bitext", "lm", "open", "rules", "decoding", "both", "95 %", "most", "memory"], using)


def _table(names: list[str], rows: list[str]) -> None:
    print("\n".join((f"| {' | '.join(names)} |", "|---" * len(names) + "|", *rows)))


if __name__ == "__main__":
    main()
