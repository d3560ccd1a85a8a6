"""The command that searches in a browser: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossbow.cli.shared import DEMO, Quiet, cli, progress
from crossbow.errors import CrossbowError


@cli.command()
def serve(
    paths: Annotated[list[Path] | None, typer.Argument(
        metavar="[MODEL INDEX]", help="Folders; without them the embedded demo, in crossbow-demo.")] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0: any that is free.")] = 8000,
    quiet: Quiet = False,
) -> None:
    """Search in a browser, and from other programs by HTTP (described at /openapi.json).

    An index that changes meanwhile is taken up within seconds.

    Example: crossbow serve
    """
    if paths and len(paths) != 2:
        raise CrossbowError(f"expected MODEL INDEX, or neither for the demo, found {' '.join(map(str, paths))}; "
                            "see --help")
    examples: list[str] = []
    if not paths:
        from crossbow import demo

        with progress(quiet) as report:
            demo.ensure(DEMO, report)
        paths, examples = [DEMO / "model", DEMO / "index"], demo.examples()
    from crossbow.web.server import serve as run

    run(paths[0], paths[1], host, port, examples)
