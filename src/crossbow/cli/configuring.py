"""Options that make up the configuration of a search: a file, single settings by path, and a few flags.

    config = configured(model, file, settings, method=method, v=v)      # what is not given stays as it is
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.model import Model
    from crossbow.ranking.config import SearchConfig

ConfigOption = Annotated[Path | None, typer.Option(
    "--config", metavar="FILE", help="Search with the configuration in this file, instead of the model's own; 'paper' "
                                     "means the settings of the paper.")]
SetOption = Annotated[list[str] | None, typer.Option(
    "--set", metavar="PATH=VALUE", help="Change one setting, such as bm25.k1=0.4. `crossbow methods` lists them.")]
MethodOption = Annotated[str | None, typer.Option(
    "--method", help="Rank by this method (they are listed at the end), with the paper's settings for it unless "
                     "--config is given.")]
VOption = Annotated[float | None, typer.Option(
    "--v", help="How much a matching term counts in forced decoding; short for --set weights.v=V.")]
UnmatchedOption = Annotated[bool, typer.Option(
    "--unmatched", help="Keep documents that gain nothing; short for --set bowfd.unmatched=true.")]


class ConfiguredCommand(TyperCommand):
    """A command whose help lists the methods that there are."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        from crossbow.ranking.methods import METHODS

        with formatter.section("Methods"):
            formatter.write_dl([(name, method.help) for name, method in METHODS.items()])


def configured(
    model: Model | None, file: Path | None, settings: Sequence[str] | None, any_method: bool = False, **flags: Any
) -> SearchConfig:
    """The file's configuration, or the model's own, or the paper's if a method is named; with single settings changed.

    Flags are named as in `--method`, `--v`, `-k` and `--unmatched`; None and False mean that they were not given.
    Learned tables that the file refers to are taken from the model later, by the searcher. A setting that the method
    does not look at is an error, unless other methods may be used too.
    """
    from crossbow.ranking.config import PAPER, SearchConfig

    changes = [_parts(one) for one in settings or ()]
    if file and str(file) != PAPER:
        config = SearchConfig.load(file)
    else:
        method = flags.get("method") or dict(changes).get("method")
        config = SearchConfig.of(model, method or (SearchConfig.method if file else None))
    given = []
    for path, value in changes:
        config = config.set_text(path, value)
        given.append(path)
    paths = {"method": "method", "v": "weights.v", "k": "k", "unmatched": "bowfd.unmatched"}
    for name, value in flags.items():
        if value is not None and value is not False:
            config = config.set(paths[name], value)
            given.append(paths[name])
    if not any_method:
        config.check_read(given)
    return config


def is_set(path: str, settings: Sequence[str] | None) -> bool:
    """Whether --set names a setting."""
    return any(_parts(one)[0] == path for one in settings or ())


def _parts(one: str) -> tuple[str, str]:
    """The path and the value that --set gives."""
    path, equal, value = one.partition("=")
    if not equal:
        raise CrossbowError(f"--set {one}: write PATH=VALUE, such as bm25.k1=0.4")
    return path.strip(), value
