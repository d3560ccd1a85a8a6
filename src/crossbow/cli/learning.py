"""The command that learns from relevance judgments: learn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossbow.cli.clustering import RayOption
from crossbow.cli.configuring import ConfigOption, SetOption, configured
from crossbow.cli.shared import Quiet, Threads, cli, given, progress, table
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.learn.driver import Epoch
    from crossbow.learn.hands import Hands
    from crossbow.model import Model
    from crossbow.records.judged import JudgedQuery

DevQueries = Annotated[str, typer.Option(
    "--dev-queries", help="Choose settings on these development queries (TSV or JSONL), and stop learning weights when "
                          "their results get no better.")]
DevQrels = Annotated[str, typer.Option(
    "--dev-qrels", help="Read the judgments of the development queries from this TREC file.")]
Queries = Annotated[str | None, typer.Option(
    "--queries", help="Learn weights from these training queries (TSV or JSONL).")]
Qrels = Annotated[str | None, typer.Option(
    "--qrels", help="Read the judgments of the training queries from this TREC file.")]
Groups = Annotated[Path | None, typer.Option(
    "--groups", help="Translate each training query without the training text of its group. The file has the name of a "
                     "query's group on every line; without it, a query's id is its group.")]
OnlyV = Annotated[bool, typer.Option(
    "--only-v", help="Only find the best v for the development queries, with the paper's other settings.")]
Grid = Annotated[str | None, typer.Option(
    "--grid", metavar="'V V …'", help="Try these values of v, with --only-v.")]
Lex = Annotated[bool, typer.Option("--lex", help="Learn weights of word translations too.")]
Dense = Annotated[bool, typer.Option("--dense", help="Learn one weight for all terms.")]
Joint = Annotated[bool, typer.Option("--joint", help="Learn the translation model's weights too, which is slow.")]
Freeze = Annotated[list[str] | None, typer.Option(
    "--freeze", metavar="PATTERN", help="Keep the weights of these features, for example 'IR:*'.")]
Limit = Annotated[int | None, typer.Option(
    "--limit", min=1, help="Learn from this many training queries, evenly spaced.")]
DevLimit = Annotated[int | None, typer.Option(
    "--dev-limit", min=1, help="Use this many development queries, evenly spaced.")]
Epochs = Annotated[int | None, typer.Option("--epochs", min=1, help="Learn for at most this many epochs.")]
Negatives = Annotated[int | None, typer.Option(
    "--negatives", min=1, help="Draw this many other documents for each relevant one, to compare it with.")]
Hard = Annotated[int | None, typer.Option(
    "--hard", min=0, help="Draw this many of the --negatives from the top of the query's own ranking.")]
MinLevel = Annotated[int | None, typer.Option(
    "--min-level", min=1, help="Learn only from relevant documents of this level or above.")]
Shards = Annotated[int | None, typer.Option(
    "--shards", min=1, help="Divide the queries into this many parts, whose weights are averaged after each epoch.")]
Measure = Annotated[str | None, typer.Option(
    "--measure", help="Maximize this measure on the development queries, for example AP or nDCG@10.")]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Draw documents with this random seed.")]


@cli.command()
def learn(
    model_folder: Annotated[Path, typer.Argument(metavar="MODEL", help="Learn from the model in this folder.")],
    index_folder: Annotated[Path, typer.Argument(metavar="INDEX", help="Find the judged documents in this index.")],
    dev_queries: DevQueries,
    dev_qrels: DevQrels,
    out: Annotated[Path, typer.Option("-o", "--out", help="Write the learned model to this folder.")],
    queries: Queries = None, qrels: Qrels = None, groups: Groups = None,
    only_v: OnlyV = False, grid: Grid = None,
    lex: Lex = False, dense: Dense = False, joint: Joint = False,
    freeze: Freeze = None,
    limit: Limit = None, dev_limit: DevLimit = None,
    epochs: Epochs = None,
    negatives: Negatives = None, hard: Hard = None, min_level: MinLevel = None,
    shards: Shards = None, measure: Measure = None, seed: Seed = None,
    config_file: ConfigOption = None, settings: SetOption = None,
    ray: RayOption = None,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Learn from relevance judgments how much terms and translations count, and how best to search.

    Weights are learned from --queries and --qrels, if given. Then all settings are chosen on the development queries
    and saved with the model as its default. With --config or --set they stay as given. On a cluster, at most --shards
    processes learn at a time.

    Example: crossbow learn model index --queries q.tsv --qrels q.txt --dev-queries d.tsv --dev-qrels d.txt -o model2
    """
    from crossbow.index import Index
    from crossbow.learn.choose import GRID, choose_settings, choose_v
    from crossbow.learn.config import LearnConfig
    from crossbow.learn.driver import learn as run
    from crossbow.learn.queries import read_usable
    from crossbow.model import Model
    from crossbow.ranking.config import PAPER

    how = given(epochs=epochs, negatives=negatives, hard=hard, min_level=min_level, shards=shards, seed=seed)
    kept = bool(config_file or settings)
    _check_options(only_v, any((queries, qrels, groups, lex, dense, joint, freeze, limit, how)),
                   queries is not None and qrels is not None, grid, kept)
    config = LearnConfig(dense, lex, joint, tuple(freeze or ()), **how, **given(measure=measure))
    values = GRID if grid is None else _numbers(grid)
    model, index = Model.load(model_folder), Index.load(index_folder)
    shared: dict[str, Any] = {"folder": model_folder, "out": out, "hands": _hands(ray, threads)}
    search = configured(model, config_file or Path(PAPER), settings) if kept else None
    dev = read_usable(dev_queries, dev_qrels, model, index, dev_limit)
    with progress(quiet) as report:
        if only_v:
            print(f"{'v':>8} {config.measure:>8}")
            summary = choose_v(model, index, dev, values, config, search=search, each=_show_v, report=report, **shared)
        elif queries is None or qrels is None:
            summary = choose_settings(model, index, dev, config, report=report, **shared)
        else:
            training = read_usable(queries, qrels, model, index, limit, groups)
            _check_groups(groups, training, model)
            print(f"epoch {config.measure:>8}     loss     pairs violations  features  seconds")
            summary = run(model, index, training, dev, config, search=search, each=_show_epoch, report=report, **shared)
    print()
    chosen = summary.pop("chosen", {})
    table({**summary, **chosen})


def _hands(ray: str | None, threads: int) -> Hands:
    """Who does the work: threads of this process, or a cluster."""
    from crossbow.learn.hands import Hands

    if ray is None:
        return Hands(threads)
    from crossbow.cluster import connect, cpus, in_tasks

    connect(ray)
    return Hands(cpus(), in_tasks)


def _check_options(only_v: bool, learning: bool, judged: bool, grid: str | None, kept: bool) -> None:
    """Raise an error if options contradict each other: those of learning, and those of --only-v."""
    if only_v and learning:
        raise CrossbowError("--only-v looks at the development queries alone; leave out the options of learning")
    if learning and not judged:
        raise CrossbowError("learning needs --queries and --qrels; without options of learning, settings are chosen on "
                            "the development queries alone")
    if kept and not (only_v or judged):
        raise CrossbowError("--config and --set say which settings to keep, so there is nothing left to choose; leave "
                            "them out, or give --queries and --qrels to learn from")
    if grid is not None and not only_v:
        raise CrossbowError("--grid says what --only-v tries; give both")


def _check_groups(path: Path | None, training: Sequence[JudgedQuery], model: Model) -> None:
    """Raise an error if groups were given and nothing would be left out."""
    if path is not None and not {query.group for query in training} & set(model.groups):
        raise CrossbowError(f"the model's training text has none of the groups in {path}, so nothing would be left "
                            "out; was it trained with --groups, and do the names fit?")


def _show_v(v: float, value: float) -> None:
    print(f"{v:8g} {value:8.4f}", flush=True)


def _show_epoch(epoch: Epoch) -> None:
    learned = f" {epoch.loss:8.4f} {epoch.pairs:9,} {epoch.violations:10,} {epoch.features:9,} {epoch.seconds:8.1f}"
    print(f"{epoch.number:5} {epoch.measure:8.4f}{learned if epoch.number else ''}", flush=True)


def _numbers(text: str) -> list[float]:
    """The values of a grid."""
    try:
        found = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        found = []
    if not found or not all(map(math.isfinite, found)):
        raise CrossbowError(f"the grid is {text!r}; expected numbers, such as '0.4 0.8 1.6'")
    return found
