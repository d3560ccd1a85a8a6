"""The command that searches in a browser: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossbow.cli.configuring import ConfigOption, SetOption, configured
from crossbow.cli.shared import DEMO, Quiet, cli, progress
from crossbow.errors import CrossbowError


@cli.command()
def serve(
    paths: Annotated[list[Path] | None, typer.Argument(
        metavar="[MODEL INDEX]", help="Give the folders of a model and an index; without them the embedded demo is "
                                      "served, from crossbow-demo.")] = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes any that is free.")] = 8000,
    config_file: ConfigOption = None,
    settings: SetOption = None,
    quiet: Quiet = False,
) -> None:
    """Search in a browser, and from other programs by HTTP (described at /openapi.json).

    An index that changes meanwhile is taken up within seconds. Requests may change the method and the settings, within
    limits; what they leave out is as --config and --set say. A method that is named has the paper's settings unless
    there is a --config.

    Example: crossbow serve
    """
    if paths and len(paths) != 2:
        raise CrossbowError(f"expected MODEL INDEX, or neither for the demo, found {' '.join(map(str, paths))}; "
                            "see --help")
    if any(one.partition("=")[0].strip() == "k" for one in settings or ()):
        raise CrossbowError("--set k: every request says how many documents it wants; leave it out")
    examples: list[str] = []
    if not paths:
        from crossbow import demo

        with progress(quiet) as report:
            demo.ensure(DEMO, report)
        paths, examples = [DEMO / "model", DEMO / "index"], demo.examples()
    from crossbow.index import Index
    from crossbow.model import Model
    from crossbow.ranking.config import SearchConfig
    from crossbow.ranking.searcher import Searcher
    from crossbow.web.server import serve as run

    def configure(model: Model, method: str | None = None) -> SearchConfig:
        return configured(model, config_file, settings, any_method=True, method=method)  # whoever asks may choose it

    model = Model.load(paths[0])
    Searcher(model, Index.load(paths[1]), configure(model))  # says what is wrong with the three before anything starts
    run(paths[0], paths[1], host, port, examples, configure)
