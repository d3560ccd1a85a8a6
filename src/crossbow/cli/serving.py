"""The command that searches in a browser: serve."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossbow.cli.clustering import CpusOption, RayOption, RayOptions, ReplicasOption
from crossbow.cli.configuring import ConfigOption, SetOption, configured
from crossbow.cli.opening import ModelsOption, named_model
from crossbow.cli.shared import DEMO, Quiet, cli, progress
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.model import Model
    from crossbow.ranking.config import SearchConfig
    from crossbow.web.pagefile import PageSettings

HostOption = Annotated[str, typer.Option("--host", help="Listen at this address.")]
PortOption = Annotated[int, typer.Option(
    "--port", min=0, max=65535, help="Listen at this port; 0 takes any that is free.")]
AllowHostOption = Annotated[list[str] | None, typer.Option(
    "--allow-host", metavar="NAME", help="Also answer requests for this host name, which a proxy may pass on, such as "
                                         "search.example.org. May be given several times.")]
TokenOption = Annotated[list[str] | None, typer.Option(
    "--token", envvar="CROSSBOW_TOKEN", help="Answer only requests that send this token, as Authorization: Bearer "
                                             "TOKEN; the page, /health and /ready are open. May be given several "
                                             "times, one for each client.")]
WritableOption = Annotated[bool, typer.Option(
    "--writable", help="Let documents be added and deleted over HTTP, with PUT and DELETE /documents.")]
WriteTokenOption = Annotated[str | None, typer.Option(
    "--write-token", envvar="CROSSBOW_WRITE_TOKEN", help="Accept only writes that send this token; it also allows "
                                                         "reading.")]
AllowOriginOption = Annotated[list[str] | None, typer.Option(
    "--allow-origin", metavar="ORIGIN", help="Let pages of this origin ask from a browser, such as "
                                             "https://example.org; * lets pages of any origin. May be given "
                                             "several times.")]
LongestOption = Annotated[int, typer.Option(
    "--longest-query", min=1, max=100_000, help="Accept queries of at most this many characters.")]
MostHitsOption = Annotated[int, typer.Option(
    "--most-hits", min=10, max=10_000, help="Give at most this many hits in an answer.")]
SecondsOption = Annotated[float, typer.Option(
    "--seconds", min=0.1, help="Give up a request that takes longer than this many seconds.")]
PatienceOption = Annotated[float, typer.Option(
    "--patience", min=0.1, help="Refuse a request that has waited this many seconds for its turn.")]
WaitingOption = Annotated[int, typer.Option(
    "--most-waiting", min=0, max=10_000, help="Let this many requests wait for each thread; if more come, one of the "
                                              "client that has most is refused.")]
DocumentsOption = Annotated[int, typer.Option(
    "--most-documents", min=1, max=1_000_000, help="Accept at most this many documents in a write.")]
BatchOption = Annotated[int, typer.Option(
    "--largest-batch", metavar="MB", min=1, max=1024, help="Accept writes of at most this many megabytes.")]
ProxyOption = Annotated[list[str] | None, typer.Option(
    "--trust-proxy", metavar="ADDRESS", help="Trust the proxy at this address, or in this network, when it says which "
                                             "client asks (X-Forwarded-For). May be given several times.")]
WorkersOption = Annotated[int, typer.Option(
    "--workers", min=1, max=64, help="Serve with this many processes; more than one on Linux only.")]
PageOption = Annotated[Path | None, typer.Option(
    "--page", metavar="FILE", help="Take the page's title, examples and facets from this JSON file.")]
LogOption = Annotated[bool, typer.Option(
    "--log", help="Write a line of JSON to standard error for each request, and for whatever else happens.")]


@cli.command()
def serve(
    paths: Annotated[list[Path] | None, typer.Argument(
        metavar="[MODEL INDEX]", help="Give the folders of a model and an index, or with --model only INDEX; without "
                                      "them the embedded demo is served, from crossbow-demo.")] = None,
    models: ModelsOption = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    allow_host: AllowHostOption = None,
    token: TokenOption = None,
    writable: WritableOption = False,
    write_token: WriteTokenOption = None,
    allow_origin: AllowOriginOption = None,
    page_file: PageOption = None,
    log: LogOption = False,
    longest_query: LongestOption = 1000,
    most_hits: MostHitsOption = 100,
    seconds: SecondsOption = 10.0,
    patience: PatienceOption = 5.0,
    most_waiting: WaitingOption = 32,
    most_documents: DocumentsOption = 1000,
    largest_batch: BatchOption = 16,
    trust_proxy: ProxyOption = None,
    workers: WorkersOption = 1,
    ray: RayOption = None,
    replicas: ReplicasOption = None,
    shard_cpus: CpusOption = None,
    config_file: ConfigOption = None,
    settings: SetOption = None,
    quiet: Quiet = False,
) -> None:
    """Search in a browser, and from other programs over HTTP (described at /openapi.json).

    If the index or the model changes, the new state is served within seconds. Requests may change the method and the
    settings, within limits; what they leave out is as --config and --set say. If a request names a method, it has the
    paper's settings unless --config is given.

    Example: crossbow serve
    """
    _check_usage(paths, models, settings)
    from crossbow.web.access import Tokens
    from crossbow.web.requests import Limits
    from crossbow.web.server import Doors, allowed_hosts

    if writable and write_token is None:
        _check_writable(bool(allow_host or allow_origin or trust_proxy or not allowed_hosts(host)), bool(token))
    cluster = RayOptions.of(ray, replicas, shard_cpus)
    if cluster and (models or workers > 1 or not paths):
        raise CrossbowError("with --ray, give MODEL INDEX, and leave --model and --workers out")
    doors = Doors(allow_host or [], Tokens(token or (), write_token), allow_origin or [], log, writable,
                  Limits(longest_query, most_hits, most_documents, largest_batch << 20), seconds, patience,
                  most_waiting, [_network(one) for one in trust_proxy or ()])
    page = _page(page_file)
    if not paths:
        paths, page = [DEMO / "model", DEMO / "index"], _demo(page, quiet)
    from crossbow.web.server import serve as run

    configure = partial(_configured, config_file, settings)
    run(_checked(paths, models, configure, page), paths[-1], host, port, page, configure, doors, workers,
        partial(cluster.shards, timeout=seconds) if cluster else None)


def _check_usage(paths: Sequence[Path] | None, models: Sequence[str] | None, settings: Sequence[str] | None) -> None:
    if (models and len(paths or ()) != 1) or (paths and not models and len(paths) != 2):
        expected = "INDEX alone, as --model names the models" if models else "MODEL INDEX, or neither for the demo"
        raise CrossbowError(f"expected {expected}, found {' '.join(map(str, paths or ())) or 'nothing'}; see --help")
    if any(one.partition("=")[0].strip() == "k" for one in settings or ()):
        raise CrossbowError("--set k: every request says how many documents it wants; leave it out")


def _check_writable(strangers: bool, token: bool) -> None:
    """A server without a token for writing must not be reached by strangers, nor need a token for reading."""
    if strangers:
        raise CrossbowError("--writable lets everyone who reaches this address change the index; give a --write-token")
    if token:
        raise CrossbowError("--writable would let everyone who can read change the index; give a --write-token")


def _demo(page: PageSettings, quiet: bool) -> PageSettings:
    """Make the demo if it is not there yet; the page with its examples, if the operator has none."""
    from crossbow import demo

    with progress(quiet) as report:
        demo.ensure(DEMO, report)
    return page if page.examples else page._replace(examples=tuple(demo.examples()))


def _page(file: Path | None) -> PageSettings:
    """What the operator says of the page, if anything."""
    from crossbow.web.pagefile import PLAIN, PageSettings

    return PageSettings.load(file) if file else PLAIN


def _checked(
    paths: Sequence[Path], models: Sequence[str] | None, configure: Callable[[Model], SearchConfig], page: PageSettings
) -> Path | list[Path]:
    """The folders of the models; says what is wrong with these, index and settings before anything starts."""
    from crossbow.index import Index
    from crossbow.model import Model
    from crossbow.ranking.polyglot import Polyglot
    from crossbow.ranking.searcher import Searcher

    index = Index.outline(paths[-1])
    page.check(index)
    if models:
        Polyglot(map(named_model, models), index, configure)
        return [Path(one.partition("=")[2]) for one in models]
    model = Model.load(paths[0])
    Searcher(model, index, configure(model))
    return paths[0]


def _configured(
    file: Path | None, settings: Sequence[str] | None, model: Model, method: str | None = None
) -> SearchConfig:
    """How to search with a model; a request may choose the method. Other processes get it by its name."""
    return configured(model, file, settings, any_method=True, method=method)


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text) if "/" in text else ipaddress.ip_address(text))
    except ValueError as error:
        raise CrossbowError(f"--trust-proxy: {error}; give the address of the proxy, such as 127.0.0.1, or a network, "
                            "such as 10.0.0.0/8") from None
