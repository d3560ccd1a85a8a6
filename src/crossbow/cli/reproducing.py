"""The command that repeats the paper's experiments: reproduce."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from crossbow.cli.shared import Quiet, Threads, cli, given, progress
from crossbow.errors import explaining_full_disk


@cli.command()
def reproduce(
    collection: Annotated[str, typer.Argument(
        metavar="COLLECTION", help="demo, debian:LANGUAGE, or the folder of a test collection.")],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="REPORT", help="Folder to write: report.md, report.json, "
                                                                            "plots.")],
    work: Annotated[Path | None, typer.Option(
        "--work", help="Folder for all that is made on the way.  [default: hidden, beside REPORT]")] = None,
    model: Annotated[Path | None, typer.Option(
        "--model", help="A trained model, instead of one trained on the collection's own text.")] = None,
    phrase_model: Annotated[Path | None, typer.Option(
        "--phrase-model", help="A trained phrase-based model, likewise.")] = None,
    doc_words: Annotated[int | None, typer.Option(
        "--doc-words", min=1, help="Cut documents to so many words.  [default: whole documents]")] = None,
    queries: Annotated[int | None, typer.Option(
        "--queries", min=1, help="For a quick look: only the first so many of dev and test.")] = None,
    dev_queries: Annotated[int | None, typer.Option(
        "--dev-queries", min=1, help="Choose settings on the first so many of dev.  [default: all]")] = None,
    train_queries: Annotated[int | None, typer.Option(
        "--train-queries", min=1, help="Learn from so many, evenly spaced.  [default: 1000]")] = None,
    skip_learning: Annotated[bool, typer.Option("--skip-learning", help="No learning to rank.")] = False,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Repeat the experiments of the BOW-FD paper on a collection: its tables and its figure, with significance.

    Settings are chosen on the development queries, for the baselines too; the test queries are searched once. An
    interrupted run goes on where it was.

    Example: crossbow reproduce demo -o report
    """
    from crossbow.experiments.bowfd.driver import reproduce as run
    from crossbow.experiments.bowfd.report import text
    from crossbow.experiments.core.prepare import ReproduceConfig
    from crossbow.pipeline import working_in

    config = ReproduceConfig(learning=not skip_learning, **given(
        doc_words=doc_words, queries=queries, dev_queries=dev_queries, train_queries=train_queries))
    place = work or out.absolute().parent / f".{out.name}.work"
    with progress(quiet) as report, explaining_full_disk(place), working_in(place):
        data = run(collection, out, config, work=place, model=model, phrase_model=phrase_model, threads=threads,
                   report=report, command=shlex.join(["crossbow", *sys.argv[1:]]))
    print(text(data))
    print(f"\n{data['signature']}\nreport in {out}, everything else in {place}")
