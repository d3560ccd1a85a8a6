"""The command that fetches models and indexes: pull."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossbow.cli.shared import cli


@cli.command()
def pull(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name on the hub, such as someone/model-de-en.")],
    out: Annotated[Path | None, typer.Option(
        "-o", "--out", help="Copy it to this folder. Without one, it stays in the hub's cache, and its place there is "
                            "printed.")] = None,
    revision: Annotated[str | None, typer.Option("--revision", help="Take this branch, tag or commit.")] = None,
    digest: Annotated[str | None, typer.Option(
        "--digest", help="Refuse anything but the folder with this digest, which the card shows.")] = None,
) -> None:
    """Download a model or an index from the Hugging Face hub, and check every file.

    Example: crossbow pull someone/model-de-en -o model
    """
    from crossbow import hub

    folder = hub.pull(name, revision=revision, digest=digest)
    if out is not None:
        hub.copy(folder, out)
    print(out or folder)
