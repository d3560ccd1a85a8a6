"""The commands for test collections: data list, data build and data debian."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossbow.cli.shared import Quiet, cli
from crossbow.cli.usage import Commands
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.datasets.collection import Collection

data = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode=None, help="Build test collections.")
cli.add_typer(data, name="data")


@data.command("debian")
def data_debian(
    out: Annotated[Path, typer.Option("-o", "--out", help="Write the collection to this folder.")],
    source: Annotated[str, typer.Option("--source", help="Make queries in this language.")] = "de",
    target: Annotated[str, typer.Option(
        "--target", help="Take documents in this language. Either this or --source must be en, because descriptions "
                         "are translated from English.")] = "en",
    mirror: Annotated[str | None, typer.Option(
        "--mirror", help="Download from the archive at this address instead of asking apt.")] = None,
    lists: Annotated[Path | None, typer.Option(
        "--lists", help="Read package lists from this folder instead of asking apt.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Divide queries into train, dev and test at random, with this "
                                                     "seed.")] = 1,
    quiet: Quiet = False,
) -> None:
    """Build a real test collection from Debian's package descriptions and their translations.

    Example: crossbow data debian --source en --target ru -o debian-en-ru
    """
    from crossbow.datasets.debian import build

    def say(message: str) -> None:
        if not quiet:
            print(message, file=sys.stderr)

    _print_counts(build(source, out, target=target, mirror=mirror, lists=lists, seed=seed, progress=say))


@data.command("list")
def data_list() -> None:
    """List the data sets that can be built, and the layouts of folders that are recognized.

    Example: crossbow data list
    """
    from crossbow.datasets.registry import DATASETS

    for name, dataset in DATASETS.items():
        print(f"{name:12} {'built' if dataset.build else 'folder':8} {dataset.help}")


@data.command("build")
def data_build(
    name: Annotated[str, typer.Argument(
        metavar="ID", help="Build the data set with this id, such as demo, debian:de or debian:en-ru.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Write the collection to this folder.")],
    quiet: Quiet = False,
) -> None:
    """Build a data set that `crossbow data list` lists.

    Example: crossbow data build demo -o demo
    """
    from crossbow.datasets.registry import DATASETS

    kind, _, argument = name.partition(":")
    build = DATASETS[kind].build
    if build is None:
        raise CrossbowError(f"{kind!r} is a layout of folders, which cannot be built; give the folder itself")
    _print_counts(build(argument, out, lambda message: None if quiet else print(message, file=sys.stderr)))


def _print_counts(collection: Collection) -> None:
    for name, count in collection.manifest["counts"].items():
        print(f"{name:22} {count:>10,}")
    print(f"{'digest':22} {collection.manifest['digest']:>10}")
