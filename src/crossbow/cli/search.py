"""The commands that search: search and explain."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossbow.cli.clustering import CpusOption, PartialOption, RayOption, RayOptions, ReplicasOption
from crossbow.cli.configuring import (
    ConfigOption,
    ConfiguredCommand,
    MethodOption,
    SetOption,
    UnmatchedOption,
    VOption,
    configured,
    is_set,
)
from crossbow.cli.external import External, ForestsOption, IdsOption, LatticesOption, NbestOption, ScaleOption
from crossbow.cli.opening import LanguageOption, ModelsOption, opened
from crossbow.cli.shared import Quiet, Threads, cli, progress, write_or_print
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.index import Index
    from crossbow.model import Model
    from crossbow.pipeline import Report
    from crossbow.ranking.config import SearchConfig
    from crossbow.ranking.hits import Hits
    from crossbow.ranking.polyglot import Polyglot
    from crossbow.ranking.searcher import Searcher, Wrap
    from crossbow.records import Hit

Folders = Annotated[list[Path], typer.Argument(
    metavar="[MODEL] INDEX", help="Give the folders of the model and the index. Only INDEX is given for queries in the "
                                  "documents' language, and with --model, --forests, --nbest or --lattices.")]
QueriesOption = Annotated[str | None, typer.Option(
    "--queries", help="Read queries from this file, TSV or JSONL, or from irds:ID of ir_datasets.")]
TextOption = Annotated[str | None, typer.Option("-q", "--query", help="Search for this query.")]
RerankOption = Annotated[str | None, typer.Option(
    "--rerank", metavar="parse", help="Rank the best documents again, by the distance of parse trees.")]
ParserOption = Annotated[Path | None, typer.Option("--parser", help="Use this parser folder for --rerank parse.")]

FilterOption = Annotated[list[str] | None, typer.Option(
    "--filter", metavar="CONDITION", help="Find only documents whose fields meet this condition, such as lang:en, "
                                          "lang:en,de, year>=2008 or year:1990..1999. May be given several times.")]
OffsetOption = Annotated[int, typer.Option("--offset", min=0, help="With -q, leave out this many hits at the start.")]
SortOption = Annotated[str | None, typer.Option(
    "--sort", metavar="FIELD", help="With -q, show the lowest values of this field first, or with -FIELD the highest, "
                                    "instead of the best documents.")]
FacetsOption = Annotated[str | None, typer.Option(
    "--facets", metavar="FIELD,…", help="With -q, count the values of these fields among all documents that match.")]
OutOption = Annotated[Path | None, typer.Option(
    "-o", "--out", help="Write a TREC run to this file, instead of standard output.")]
KOption = Annotated[int | None, typer.Option(
    "-k", min=1, help="Find this many documents per query. The default is 10 with -q, and otherwise what the "
                      "configuration says: 1,000, unless it was changed.")]
SyntaxOption = Annotated[bool, typer.Option(
    "--syntax", help='In -q, "a b" stands for words that documents must have, in any order, and -a for a word that '
                     'they must not have.')]

FEW = 10  # how many documents a person wants


@cli.command(cls=ConfiguredCommand)
def search(
    paths: Folders,
    models: ModelsOption = None,
    language: LanguageOption = None,
    text: TextOption = None,
    queries: QueriesOption = None,
    forests: ForestsOption = None, nbest: NbestOption = None, lattices: LatticesOption = None,
    ids: IdsOption = None, scale: ScaleOption = None,
    method: MethodOption = None,
    v: VOption = None,
    k: KOption = None,
    out: OutOption = None,
    config_file: ConfigOption = None,
    settings: SetOption = None,
    unmatched: UnmatchedOption = False,
    rerank: RerankOption = None,
    parser: ParserOption = None,
    where: FilterOption = None, offset: OffsetOption = 0, sort: SortOption = None, facets: FacetsOption = None,
    syntax: SyntaxOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="With -q, print the hits as JSON lines.")] = False,
    ray: RayOption = None, replicas: ReplicasOption = None, shard_cpus: CpusOption = None,
    partial: PartialOption = False,
    tag: Annotated[str | None, typer.Option("--tag", help="Give the run this name.")] = None,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Find documents for a query in another language or in their own, or for a file of queries.

    Settings are those of --config, or else the model's own; --set changes single ones.

    Example: crossbow search model index -q "Haus am See"
    """
    from crossbow.ranking.filters import Filter

    external = External.of(forests, nbest, lattices, ids, scale)
    if [text, queries, external].count(None) != 2:
        raise CrossbowError("give one of -q, --queries, --forests, --nbest and --lattices")
    _check_shown(text is not None and out is None, as_json, bool(offset or sort or facets or syntax))

    def configure(model: Model | None) -> SearchConfig:
        config = configured(model, config_file, settings, method=method, v=v, k=k, unmatched=unmatched)
        return config.set("k", min(FEW, config.k)) if text and k is None and not is_set("k", settings) else config

    wanted = Filter(where=tuple(where)) if where else None
    with closing(opened(paths, models, language, external, configure, _reranking(rerank, parser),
                        RayOptions.of(ray, replicas, shard_cpus, partial))) as searcher:
        if text is not None and out is None:
            hits = searcher.search(text, filter=wanted, offset=offset, sort=sort, syntax=syntax)
            _show(hits, searcher, text, as_json, facets.split(",") if facets else [], sort,
                  bool(where or offset or sort or facets or syntax))
            return
        tag = tag or f"crossbow-{_method(searcher)}{'-' + rerank if rerank else ''}"
        asked, total = _asked(text, queries, external)
        with progress(quiet) as report:
            write_or_print(_reported(searcher.search_all(asked, threads, filter=wanted), total, report), out, tag)


@cli.command(cls=ConfiguredCommand)
def explain(
    arguments: Annotated[list[str], typer.Argument(
        metavar="[MODEL] INDEX DOCID", help="Give the folders, as for `crossbow search`, and the id of a document.")],
    models: ModelsOption = None,
    language: LanguageOption = None,
    text: TextOption = None,
    forests: ForestsOption = None,
    nbest: NbestOption = None,
    lattices: LatticesOption = None,
    ids: IdsOption = None,
    scale: ScaleOption = None,
    name: Annotated[str | None, typer.Option("--id", help="Explain the score for the query with this id, if the file "
                                                          "has several.")] = None,
    method: MethodOption = None,
    v: VOption = None,
    config_file: ConfigOption = None,
    settings: SetOption = None,
    rerank: RerankOption = None,
    parser: ParserOption = None,
    syntax: SyntaxOption = False,
    ray: RayOption = None, shard_cpus: CpusOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show how a document's score adds up, and the translation of the query that it supports.

    Example: crossbow explain model index -q "Haus am See" d17
    """
    external = External.of(forests, nbest, lattices, ids, scale)
    if (text is None) == (external is None):
        raise CrossbowError("give one of -q, --forests, --nbest and --lattices")
    *folders, doc = arguments

    def configure(model: Model | None) -> SearchConfig:
        return configured(model, config_file, settings, method=method, v=v)

    asked: Any = external.query(name) if external else text
    with closing(opened(list(map(Path, folders)), models, language, external, configure, _reranking(rerank, parser),
                        RayOptions.of(ray, cpus=shard_cpus))) as searcher:
        explanation = searcher.explain(asked, doc, syntax)
    if as_json:
        print(json.dumps(explanation.to_json(), ensure_ascii=False, indent=1))
    else:
        from crossbow.display import print_explanation

        print_explanation(explanation)


def _check_shown(shown: bool, as_json: bool, arranged: bool) -> None:
    """Raise an error if options for a person's query were given for a run."""
    if as_json and not shown:
        raise CrossbowError("--json prints the hits of -q; a run is always in TREC's format")
    if arranged and not shown:
        raise CrossbowError("--offset, --sort, --facets and --syntax are for -q without -o; a run cannot have them")


def _asked(text: str | None, queries: str | None, external: External | None) -> tuple[Iterable[Any], int]:
    """The queries, and how many there are if that is known before they are read."""
    from crossbow.records import Query, read_queries

    if external:
        return external.queries(), 0
    found = [Query("1", text)] if text is not None else list(read_queries(queries or ""))
    return found, len(found)


def _method(searcher: Searcher | Polyglot) -> str:
    """What a run is called after."""
    from crossbow.ranking.searcher import Searcher

    return searcher.config.method if isinstance(searcher, Searcher) else "polyglot"


def _reranking(rerank: str | None, parser: Path | None) -> Callable[[Index], Wrap | None] | None:
    """What ranks the hits of an index again, if that is asked for."""
    if rerank not in (None, "parse"):
        raise CrossbowError(f"--rerank {rerank}: the only value is 'parse'")
    if (rerank is None) != (parser is None):
        raise CrossbowError("--rerank parse and --parser go together; train a parser with `crossbow parse train`")
    if parser is None:
        return None
    from crossbow.parse.parser import Parser
    from crossbow.parse.ranker import Ranker
    from crossbow.parse.rerank import by_trees

    return lambda index: by_trees(Ranker(Parser.load(parser), index))


def _reported(
    run: Iterable[tuple[str, list[Hit]]], total: int, report: Report | None
) -> Iterator[tuple[str, list[Hit]]]:
    for done, item in enumerate(run, 1):
        _say_what_is_missing(item[1], f"query {item[0]}: ")
        yield item
        if report:
            report("searching", done, total)


def _show(
    hits: Hits, searcher: Searcher | Polyglot, text: str, as_json: bool, facets: list[str], sort: str | None,
    counted: bool,
) -> None:
    """Print the hits of one query; and how many documents match, and what their fields are."""
    from crossbow.ranking.searcher import Searcher

    counts = {field.strip(): hits.counts(field.strip()) for field in facets}
    if as_json:
        for hit, doc in zip(hits, hits.originals()):
            print(json.dumps({**hit._asdict(), "title": doc.title, "text": doc.text,
                              **({"fields": doc.fields} if doc.fields else {})}, ensure_ascii=False))
        if facets:
            found = {field: {count.value: count.documents for count in row} for field, row in counts.items()}
            print(json.dumps({"total": hits.total, "facets": found}, ensure_ascii=False))
    else:
        from crossbow.display import print_counts, print_hits
        from crossbow.model.untranslated import UNTRANSLATED

        if not isinstance(searcher, Searcher):
            heard = searcher.heard(text)
            print(f"language: {heard.language} ({heard.probability:.0%} sure)")
            searcher = searcher.searcher(heard)
        print_hits(hits, translated=searcher.translator.kind != UNTRANSLATED,
                   field=sort.removeprefix("-").strip() if sort else None)
        if counted:
            print_counts(hits, counts)
    _say_what_is_missing(hits)


def _say_what_is_missing(hits: list[Hit], where: str = "") -> None:
    """Name the shards of a cluster that are not in an answer."""
    for shard, reason in getattr(hits, "missing", {}).items():
        print(f"{where}shard {shard} is missing: {reason}", file=sys.stderr)
