"""The command that compiles all kernels: warm."""

from __future__ import annotations

from typing import Annotated

import typer

from crossbow.cli.screen import progress
from crossbow.cli.shared import Quiet, cli


@cli.command()
def warm(
    threads: Annotated[int | None, typer.Option(
        "--threads", min=1, help="Compile in this many processes. The default is one per core, and three at most.",
    )] = None,
    quiet: Quiet = False,
) -> None:
    """Compile all kernels now, so that no later command has to wait for them.

    Example: crossbow warm
    """
    from crossbow.warm import warm

    with progress(quiet) as report:
        count = warm(report, threads)
    print(f"{count} kernels are compiled")
