"""A report as a folder: report.json has all the data, report.md shows it, and pictures are beside them.

    check_report(out)                           # before any work: is there something that may not be replaced?
    write_report(out, data, markdown, plot)     # plot(folder) draws, and gives the lines that show its pictures
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from crossbow import store
from crossbow.errors import CrossbowError


def check_report(out: Path) -> None:
    """Raise an error if there is something in the way that is no report."""
    store.check_replaceable(out, store.REPORT)


def write_report(
    out: Path, data: Mapping[str, Any], markdown: Callable[[list[str]], str], plot: Callable[[Path], list[str]],
    more: Callable[[Path], None] = lambda folder: None,
) -> None:
    """Write a report in place of the one that is there, or nothing at all.

    `markdown` gets the lines that show the pictures, none if they cannot be drawn here; `more` writes further files.
    """
    with store.replacing(out, store.REPORT) as fresh:
        try:
            pictures = plot(fresh)
        except CrossbowError as error:
            print(f"crossbow: the report has no plots: {error}", file=sys.stderr)
            pictures = []
        more(fresh)
        (fresh / "report.md").write_text(markdown(pictures), encoding="utf8")
        write_json(fresh / store.REPORT, data)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Plain values as a file that people can read too."""
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf8")
