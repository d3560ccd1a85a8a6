"""The command that repeats the paper's experiments: reproduce."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from crossbow.cli.shared import Quiet, Threads, cli, given, progress
from crossbow.errors import CrossbowError, explaining_full_disk

ReportFolder = Annotated[Path, typer.Option(
    "-o", "--out", metavar="REPORT", help="Write report.md, report.json and the plots to this folder.")]
WorkFolder = Annotated[Path | None, typer.Option(
    "--work", help="Keep everything that is made on the way in this folder. By default it is hidden, beside REPORT.")]


@cli.command()
def reproduce(
    collection: Annotated[str, typer.Argument(
        metavar="COLLECTION", help="Use this collection: demo, debian:LANGUAGE, or the folder of a test collection.")],
    out: ReportFolder,
    work: WorkFolder = None,
    model: Annotated[Path | None, typer.Option(
        "--model", help="Use this trained model instead of training one on the collection's own text.")] = None,
    phrase_model: Annotated[Path | None, typer.Option(
        "--phrase-model", help="Use this trained phrase-based model instead of training one.")] = None,
    also: Annotated[list[str] | None, typer.Option(
        "--also", metavar="NAME=MODEL", help="Measure the main systems with this model too, such as a neural one or "
        "one that combines several, and compare. May be given several times.")] = None,
    brief: Annotated[bool, typer.Option(
        "--brief", help="Measure only the main systems, without learning and without tuned feedback.")] = False,
    doc_words: Annotated[int | None, typer.Option(
        "--doc-words", min=1, help="Cut documents to this many words. By default they are not cut.")] = None,
    lm_order: Annotated[int | None, typer.Option(
        "--lm-order", min=2, max=6, help="Train a language model of this order. The default is 4; the paper used 5 for "
                                         "patents.")] = None,
    pop_limit: Annotated[int | None, typer.Option(
        "--pop-limit", min=1, help="Keep this many hypotheses per span. The default is 200, and 1,000 for phrases.")] =
        None,
    queries: Annotated[int | None, typer.Option(
        "--queries", min=1, help="Take only this many development and test queries, for a quick look.")] = None,
    dev_queries: Annotated[int | None, typer.Option(
        "--dev-queries", min=1, help="Choose settings on this many development queries. The default is all.")] = None,
    train_queries: Annotated[int | None, typer.Option(
        "--train-queries", min=1, help="Learn from this many training queries, evenly spaced; the default is 1,000.")]
    = None,
    skip_learning: Annotated[bool, typer.Option("--skip-learning", help="Do not learn to rank.")] = False,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Repeat the experiments of the BOW-FD paper on a collection: its tables and its figure, with significance.

    Settings are chosen on the development queries, for the baselines too; the test queries are searched once. An
    interrupted run continues where it stopped.

    Example: crossbow reproduce demo -o report
    """
    from crossbow.experiments.bowfd.driver import reproduce as run
    from crossbow.experiments.bowfd.report import text
    from crossbow.experiments.bowfd.systems import BRIEF, SYSTEMS
    from crossbow.experiments.core.prepare import ReproduceConfig
    from crossbow.pipeline import working_in

    others = dict(_named_model(one) for one in also or ())
    config = ReproduceConfig(learning=not (skip_learning or brief), **given(
        doc_words=doc_words, lm_order=lm_order, pop_limit=pop_limit, queries=queries, dev_queries=dev_queries,
        train_queries=train_queries))
    place = work or beside(out)
    with progress(quiet) as report, explaining_full_disk(place), working_in(place):
        data = run(collection, out, config, work=place, model=model, phrase_model=phrase_model, threads=threads,
                   report=report, command=shlex.join(["crossbow", *sys.argv[1:]]), also=others,
                   systems=BRIEF if brief else SYSTEMS)
    print(text(data))
    print(f"\n{data['signature']}\nreport in {out}, everything else in {place}")


def _named_model(text: str) -> tuple[str, Path]:
    """The name and the folder of a model as they were typed."""
    name, _, folder = text.partition("=")
    if not name.strip() or not folder:
        raise CrossbowError(f"--also {text!r}: expected a name and a model's folder, such as neural=models/neural")
    return name.strip(), Path(folder)


def beside(out: Path) -> Path:
    """The hidden folder where a report's intermediate results go."""
    return out.absolute().parent / f".{out.name}.work"
