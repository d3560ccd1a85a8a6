"""What the commands share: the application they belong to, options, the table of results; progress is in screen.py.

    with progress(quiet) as report:
        summary = work(report)
    table(summary)
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossbow.cli.screen import hush
from crossbow.cli.screen import progress as progress
from crossbow.cli.usage import Commands

if TYPE_CHECKING:
    from crossbow.records import Hit
    from crossbow.text.analyzer import Settings

cli = typer.Typer(
    name="crossbow", cls=Commands, no_args_is_help=True, rich_markup_mode=None,
    pretty_exceptions_enable=False, help="Cross-lingual search by bag-of-words forced decoding.",
)

DEMO = Path("crossbow-demo")  # where the demo is written, and where `serve` looks for it
Quiet = Annotated[bool, typer.Option("--quiet", callback=hush, help="Do not show progress.")]
PopLimit = Annotated[int | None, typer.Option(
    "--pop-limit", min=0, help="Keep at most this many hypotheses per span, or with phrases per number of translated "
                               "words; 0 keeps all.")]
SourceOption = Annotated[str | None, typer.Option(
    "--source", metavar="CODE", help="Translate from this language, such as de. By default it is taken from the name "
                                     "of the file.")]
TargetOption = Annotated[str | None, typer.Option(
    "--target", metavar="CODE", help="Translate into this language, such as en. By default it is taken from the name "
                                     "of the file.")]
LmTextOption = Annotated[list[Path] | None, typer.Option(
    "--lm-text", help="Train the language model on this text too: plain text, TSV (only its last column counts) or "
                      "documents in JSONL.")]
ArpaOption = Annotated[Path | None, typer.Option(
    "--arpa", help="Use this language model in the ARPA format instead of training one.")]
AnalyzerOption = Annotated[str, typer.Option(
    "--analyzer", help="Split text into words; with 'tokens', split it only at white space, because it is tokenized "
                       "already.")]
SegmenterOption = Annotated[list[str] | None, typer.Option(
    "--segmenter", metavar="CODE=NAME", help="Use this segmenter for a language without spaces, such as zh=jieba; "
                                             "`crossbow languages CODE` lists them.")]
CompoundsOption = Annotated[bool, typer.Option(help="Split compounds of the source language.")]
OrderOption = Annotated[int | None, typer.Option(
    "--order", min=1, max=6, help="Count word sequences up to this length for the language model.")]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Use this many threads.")]


def given(**options: Any) -> dict[str, Any]:
    """The options that were given; the others keep the defaults that their dataclass defines."""
    return {name: value for name, value in options.items() if value is not None}


def table(rows: dict[str, Any]) -> None:
    """Name and value, on a line each."""
    for name, value in rows.items():
        if isinstance(value, dict):
            value = "  ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in value.items())
        elif isinstance(value, list):
            value = "  ".join(map(str, value))
        elif isinstance(value, int) and not isinstance(value, bool):
            value = f"{value:,}"
        print(f"{name:16} {value}")


def write_or_print(run: Iterable[tuple[str, Sequence[Hit]]], out: Path | None, tag: str) -> None:
    """Write a run into a file or to standard output; there too all of it, or nothing."""
    from crossbow.records.trec import run_lines, write_run

    if out:
        write_run(out, run, tag)
    else:
        sys.stdout.writelines([f"{line}\n" for line in run_lines("standard output", run, tag)])


def say_what_is_missing(settings: Settings) -> None:
    """Say on standard error if the language lacks something that these settings ask for."""
    for problem in settings.lacks():
        print(problem, file=sys.stderr)


def index_rows(meta: dict[str, Any]) -> dict[str, Any]:
    """What to show of an index's manifest. Terms and postings are the sums over segments, deleted documents' too."""
    from crossbow.index.searched import Searched
    from crossbow.store import digest
    from crossbow.text.analyzer import Settings

    settings = meta["analyzer"]
    sums = {name: sum(segment[name] for segment in meta["segments"]) for name in ("deleted", "terms", "postings")}
    words, lacks = settings["stopwords"], Settings.recorded(settings).lacks()
    if settings["stopwords_digest"] == digest([]):
        words = "none"  # whatever was asked for
    scale = Searched.of(meta["fields"]).scale if "fields" in meta else 1
    return {
        "language": settings["lang"],
        "analyzer": {name: settings[name] for name in ("kind", "segmenter", "split", "stem") if name in settings}
        | {"stopwords": words if isinstance(words, str) else len(words)},
        **({"lacks": "; ".join(lacks)} if lacks else {}),
        "documents": meta["documents"], "deleted": sums["deleted"], "segments": len(meta["segments"]),
        **({"shards": meta["shards"]} if "shards" in meta else {}),
        "terms": sums["terms"], "postings": sums["postings"],
        "mean length": f"{meta['tokens'] / scale / max(1, meta['documents']):.2f}", "signature": meta["signature"],
    }


def disk_size(folder: Path) -> str:
    """Of all files in a folder. A writer may remove some meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.stat(os.path.join(place, name)).st_size
    return f"{total / 1e6:,.1f} MB"
