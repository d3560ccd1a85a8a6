"""What the commands share: the application they belong to, options, the table of results; progress is in screen.py.

    with progress(quiet) as report:
        summary = work(report)
    table(summary)
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossbow.cli.screen import hush
from crossbow.cli.screen import progress as progress
from crossbow.cli.usage import Commands

if TYPE_CHECKING:
    from crossbow.text.analyzer import Settings

cli = typer.Typer(
    name="crossbow", cls=Commands, no_args_is_help=True, add_completion=False, rich_markup_mode=None,
    pretty_exceptions_enable=False, help="Cross-lingual search by bag-of-words forced decoding.",
)

DEMO = Path("crossbow-demo")  # where the demo is written, and where `serve` looks for it
Quiet = Annotated[bool, typer.Option("--quiet", callback=hush, help="Do not show progress.")]
PopLimit = Annotated[int | None, typer.Option(
    "--pop-limit", min=0, help="Keep at most this many hypotheses per span, or with phrases per number of translated "
                               "words; 0 keeps all.")]
SourceOption = Annotated[str | None, typer.Option(
    "--source", metavar="CODE", help="Source language, such as de.  [default: what the name of the file tells]")]
TargetOption = Annotated[str | None, typer.Option(
    "--target", metavar="CODE", help="Target language, such as en.  [default: what the name of the file tells]")]
LmTextOption = Annotated[list[Path] | None, typer.Option(
    "--lm-text", help="More text for the language model: plain, TSV (its last column counts) or JSONL documents.")]
ArpaOption = Annotated[Path | None, typer.Option(
    "--arpa", help="Language model in the ARPA format, instead of our own.")]
AnalyzerOption = Annotated[str, typer.Option(
    "--analyzer", help="'words', or 'tokens' if the text is tokenised already.")]
CompoundsOption = Annotated[bool, typer.Option(help="Split compounds of the source language.")]
OrderOption = Annotated[int | None, typer.Option("--order", min=1, max=6, help="Of the language model.")]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Use this many threads.")]


def given(**options: Any) -> dict[str, Any]:
    """The options that were given; the others keep the defaults that their dataclass defines."""
    return {name: value for name, value in options.items() if value is not None}


def table(rows: dict[str, Any]) -> None:
    """Name and value, a line each."""
    for name, value in rows.items():
        if isinstance(value, dict):
            value = "  ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in value.items())
        elif isinstance(value, list):
            value = "  ".join(map(str, value))
        elif isinstance(value, int) and not isinstance(value, bool):
            value = f"{value:,}"
        print(f"{name:16} {value}")


def say_what_is_missing(settings: Settings) -> None:
    """Say on standard error if the language lacks something that these settings ask for."""
    from crossbow.text.stem import has_stemmer
    from crossbow.text.stopwords import stopwords

    lang, words = settings.lang, settings.kind == "words"
    if words and settings.stem and not has_stemmer(lang):
        print(f"no stemmer for {lang!r}: words are matched as they stand", file=sys.stderr)
    elif words and settings.stopwords == "default" and not stopwords(lang):
        print(f"no list of function words for {lang!r}: all words count", file=sys.stderr)


def index_rows(meta: dict[str, Any]) -> dict[str, Any]:
    """What to show of an index's manifest. Terms and postings are the sums over segments, deleted documents' too."""
    settings = meta["analyzer"]
    sums = {name: sum(segment[name] for segment in meta["segments"]) for name in ("deleted", "terms", "postings")}
    words = settings["stopwords"]
    return {
        "language": settings["lang"],
        "analyser": {name: settings[name] for name in ("kind", "split", "stem")}
        | {"stopwords": words if isinstance(words, str) else len(words)},
        "documents": meta["documents"], "deleted": sums["deleted"], "segments": len(meta["segments"]),
        "terms": sums["terms"], "postings": sums["postings"],
        "mean length": f"{meta['tokens'] / max(1, meta['documents']):.2f}", "signature": meta["signature"],
    }


def disk_size(folder: Path) -> str:
    """Of all files in a folder. A writer may remove some meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.stat(os.path.join(place, name)).st_size
    return f"{total / 1e6:,.1f} MB"
