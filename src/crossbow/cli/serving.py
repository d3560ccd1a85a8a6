"""The command that searches in a browser: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossbow.cli.configuring import ConfigOption, SetOption, configured
from crossbow.cli.shared import DEMO, Quiet, cli, progress
from crossbow.errors import CrossbowError

HostOption = Annotated[str, typer.Option("--host", help="The address to listen at.")]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes any that is free.")]
AllowHostOption = Annotated[list[str] | None, typer.Option(
    "--allow-host", metavar="NAME", help="Answer requests for this name too, as a proxy passes them on, such as "
                                         "search.example.org. May be given several times.")]
TokenOption = Annotated[str | None, typer.Option(
    "--token", envvar="CROSSBOW_TOKEN", help="Answer only requests that send this token, as Authorization: Bearer "
                                             "TOKEN; the page, /health and /ready are open.")]
WritableOption = Annotated[bool, typer.Option(
    "--writable", help="Let documents be added and deleted over HTTP, with PUT and DELETE /documents.")]
WriteTokenOption = Annotated[str | None, typer.Option(
    "--write-token", envvar="CROSSBOW_WRITE_TOKEN", help="Take only writes that send this token; it reads too.")]
AllowOriginOption = Annotated[list[str] | None, typer.Option(
    "--allow-origin", metavar="ORIGIN", help="Let pages of this origin ask from a browser, such as "
                                             "https://example.org; * lets all. May be given several times.")]
LongestOption = Annotated[int, typer.Option(
    "--longest-query", min=1, max=100_000, help="Take queries of at most this many characters.")]
SecondsOption = Annotated[float, typer.Option(
    "--seconds", min=0.1, help="Give a request up that takes longer than this.")]
LogOption = Annotated[bool, typer.Option("--log", help="Write a line of JSON to standard error for each request.")]


@cli.command()
def serve(
    paths: Annotated[list[Path] | None, typer.Argument(
        metavar="[MODEL INDEX]", help="Give the folders of a model and an index; without them the embedded demo is "
                                      "served, from crossbow-demo.")] = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    allow_host: AllowHostOption = None,
    token: TokenOption = None,
    writable: WritableOption = False,
    write_token: WriteTokenOption = None,
    allow_origin: AllowOriginOption = None,
    log: LogOption = False,
    longest_query: LongestOption = 1000,
    seconds: SecondsOption = 10.0,
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
    from crossbow.web.access import Tokens
    from crossbow.web.server import Doors, allowed_hosts

    if writable and write_token is None and not allowed_hosts(host):
        raise CrossbowError("--writable lets whoever reaches this address change the index; give a --write-token")
    doors = Doors(allow_host or [], Tokens(token, write_token), allow_origin or [], log, writable,
                  longest_query, seconds)
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
    run(paths[0], paths[1], host, port, examples, configure, doors)
