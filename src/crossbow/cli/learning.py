"""The command that learns from relevance judgements: learn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossbow.cli.configuring import ConfigOption, SetOption, configured
from crossbow.cli.shared import Quiet, cli, given, progress, table
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.learn.driver import Epoch
    from crossbow.model import Model
    from crossbow.records.judged import JudgedQuery

Groups = Annotated[Path | None, typer.Option(
    "--groups", help="The group of training text of each query, to be left out; else the group of the query's id.")]
OnlyV = Annotated[bool, typer.Option("--only-v", help="Just find the best v on the development queries.")]
Grid = Annotated[str | None, typer.Option("--grid", metavar="'V V …'", help="With --only-v: what to try.")]
Freeze = Annotated[list[str] | None, typer.Option(
    "--freeze", metavar="PATTERN", help="Features that keep their weights, as IR:*.")]
Negatives = Annotated[int | None, typer.Option("--negatives", min=1, help="Documents drawn for each relevant one.")]
Hard = Annotated[int | None, typer.Option("--hard", min=0, help="So many of them from the top of the query's ranking.")]
MinLevel = Annotated[int | None, typer.Option(
    "--min-level", min=1, help="Least level of a document that should be ranked before others.")]


@cli.command()
def learn(
    model_folder: Annotated[Path, typer.Argument(metavar="MODEL", help="Model folder to learn from.")],
    index_folder: Annotated[Path, typer.Argument(metavar="INDEX", help="Index of the judged documents.")],
    dev_queries: Annotated[str, typer.Option("--dev-queries", help="Development queries, which decide when to stop.")],
    dev_qrels: Annotated[str, typer.Option("--dev-qrels", help="Their judgements.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Model folder to write.")],
    queries: Annotated[str | None, typer.Option("--queries", help="Training queries, TSV or JSONL.")] = None,
    qrels: Annotated[str | None, typer.Option("--qrels", help="Their judgements, in TREC's form.")] = None,
    groups: Groups = None,
    only_v: OnlyV = False,
    grid: Grid = None,
    lex: Annotated[bool, typer.Option("--lex", help="Learn weights of word translations too.")] = False,
    dense: Annotated[bool, typer.Option("--dense", help="One weight for all terms.")] = False,
    joint: Annotated[bool, typer.Option("--joint", help="Learn the translation model's weights too (slow).")] = False,
    freeze: Freeze = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Training queries, evenly spaced.")] = None,
    dev_limit: Annotated[int | None, typer.Option("--dev-limit", min=1, help="Development queries, likewise.")] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="At most.")] = None,
    negatives: Negatives = None,
    hard: Hard = None,
    min_level: MinLevel = None,
    shards: Annotated[int | None, typer.Option("--shards", min=1, help="Parts that learn by themselves.")] = None,
    measure: Annotated[str | None, typer.Option("--measure", help="To be maximised, as AP or nDCG@10.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Decides which documents are drawn.")] = None,
    config_file: ConfigOption = None,
    settings: SetOption = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Threads to use.")] = 2,
    quiet: Quiet = False,
) -> None:
    """Learn from relevance judgements how much terms and translations count.

    Example: crossbow learn model index --queries q.tsv --qrels q.txt --dev-queries d.tsv --dev-qrels d.txt -o model2
    """
    from crossbow.index import Index
    from crossbow.learn.config import LearnConfig
    from crossbow.learn.driver import GRID, choose_v
    from crossbow.learn.driver import learn as run
    from crossbow.learn.queries import read_usable
    from crossbow.model import Model

    how = given(epochs=epochs, negatives=negatives, hard=hard, min_level=min_level, shards=shards, seed=seed)
    if only_v and (queries or qrels or groups or lex or dense or joint or freeze or limit or how):
        raise CrossbowError("--only-v looks at the development queries alone; leave out the options of learning")
    if not only_v and (queries is None or qrels is None):
        raise CrossbowError("learning needs --queries and --qrels; only --only-v does without")
    if grid is not None and not only_v:
        raise CrossbowError("--grid says what --only-v tries; give both")
    config = LearnConfig(dense, lex, joint, tuple(freeze or ()), **how, **given(measure=measure))
    values = GRID if grid is None else _numbers(grid)
    model, index = Model.load(model_folder), Index.load(index_folder)
    search = configured(model, config_file, settings)
    dev = read_usable(dev_queries, dev_qrels, model, index, dev_limit)
    with progress(quiet) as report:
        if queries is None or qrels is None:
            print(f"{'v':>8} {config.measure:>8}")
            summary = choose_v(model, index, dev, values, config, folder=model_folder, out=out, search=search,
                               jobs=jobs, report=report, each=_show_v)
        else:
            training = read_usable(queries, qrels, model, index, limit, groups)
            _check_groups(groups, training, model)
            print(f"epoch {config.measure:>8}     loss     pairs violations  features  seconds")
            summary = run(model, index, training, dev, config, folder=model_folder, out=out, search=search, jobs=jobs,
                          report=report, each=_show_epoch)
    print()
    table(summary)


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
        raise CrossbowError(f"the grid is {text!r}; expected numbers, as '0.4 0.8 1.6'")
    return found
