"""The commands that search: search and explain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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
from crossbow.cli.shared import Quiet, Threads, cli, progress, write_or_print
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.index import Index
    from crossbow.model import Model
    from crossbow.pipeline import Report
    from crossbow.ranking.hits import Hits
    from crossbow.ranking.searcher import Wrap
    from crossbow.records import Hit

Folders = Annotated[list[Path], typer.Argument(
    metavar="[MODEL] INDEX", help="Give the folders of the model and the index; with --forests, --nbest or --lattices "
                                  "only INDEX.")]
QueriesOption = Annotated[str | None, typer.Option(
    "--queries", help="Read queries from this file, TSV or JSONL, or from irds:ID of ir_datasets.")]
TextOption = Annotated[str | None, typer.Option("-q", "--query", help="The query.")]
RerankOption = Annotated[str | None, typer.Option(
    "--rerank", metavar="parse", help="Rank the best documents anew by the distance of parse trees.")]
ParserOption = Annotated[Path | None, typer.Option("--parser", help="The parser folder for --rerank parse.")]

FilterOption = Annotated[list[str] | None, typer.Option(
    "--filter", metavar="CONDITION", help="Find only documents whose fields are so: lang:en, lang:en,de, year>=2008, "
                                          "year:1990..1999. May be given several times.")]
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
                      "configuration says: 1000, unless it was changed.")]
SyntaxOption = Annotated[bool, typer.Option(
    "--syntax", help='In -q, understand "a b" as words that must be there, in any order, and -a as one that must not.')]

FEW = 10  # how many documents a person wants


@cli.command(cls=ConfiguredCommand)
def search(
    paths: Folders,
    text: TextOption = None,
    queries: QueriesOption = None,
    forests: ForestsOption = None,
    nbest: NbestOption = None,
    lattices: LatticesOption = None,
    ids: IdsOption = None,
    scale: ScaleOption = None,
    method: MethodOption = None,
    v: VOption = None,
    k: KOption = None,
    out: OutOption = None,
    config_file: ConfigOption = None,
    settings: SetOption = None,
    unmatched: UnmatchedOption = False,
    rerank: RerankOption = None,
    parser: ParserOption = None,
    where: FilterOption = None,
    offset: OffsetOption = 0,
    sort: SortOption = None,
    facets: FacetsOption = None,
    syntax: SyntaxOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="With -q, print the hits as JSON lines.")] = False,
    tag: Annotated[str | None, typer.Option("--tag", help="The name of the run.")] = None,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Find documents for a query in another language, or for a file of queries.

    Settings are those of --config, or else the model's own; --set changes single ones.

    Example: crossbow search model index -q "Haus am See"
    """
    from crossbow.ranking.filters import Filter
    from crossbow.ranking.searcher import Searcher

    external = External.of(forests, nbest, lattices, ids, scale)
    if [text, queries, external].count(None) != 2:
        raise CrossbowError("give one of -q, --queries, --forests, --nbest and --lattices")
    if as_json and (text is None or out):
        raise CrossbowError("--json prints the hits of -q; a run has the form that TREC gave it")
    if (offset or sort or facets or syntax) and (text is None or out):
        raise CrossbowError("--offset, --sort, --facets and --syntax are for -q; a run has all hits of plain queries")
    model, index = open_both(paths, external is None)
    config = configured(model, config_file, settings, method=method, v=v, k=k, unmatched=unmatched)
    if text is not None and k is None and not is_set("k", settings):
        config = config.set("k", min(FEW, config.k))
    if external:
        external.check(config)
    searcher = Searcher(model, index, config, wrap=_reranking(rerank, parser, index))
    wanted = Filter(where=tuple(where)) if where else None
    if text is not None and out is None:
        hits = searcher.search(text, filter=wanted, offset=offset, sort=sort, syntax=syntax)
        _show(hits, as_json, facets.split(",") if facets else [], bool(where or offset or sort or facets or syntax))
        return
    tag = tag or f"crossbow-{config.method}{'-' + rerank if rerank else ''}"
    asked, total = _asked(text, queries, external)
    with progress(quiet) as report:
        write_or_print(_reported(searcher.search_all(asked, threads, filter=wanted), total, report), out, tag)


@cli.command(cls=ConfiguredCommand)
def explain(
    arguments: Annotated[list[str], typer.Argument(
        metavar="[MODEL] INDEX DOCID", help="Give the folders and the id of a document; with --forests and its like "
                                            "there is no model.")],
    text: TextOption = None,
    forests: ForestsOption = None,
    nbest: NbestOption = None,
    lattices: LatticesOption = None,
    ids: IdsOption = None,
    scale: ScaleOption = None,
    name: Annotated[str | None, typer.Option("--id", help="The id of the query, if the file has several.")] = None,
    method: MethodOption = None,
    v: VOption = None,
    config_file: ConfigOption = None,
    settings: SetOption = None,
    rerank: RerankOption = None,
    parser: ParserOption = None,
    syntax: SyntaxOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Show how a document's score adds up, and the translation of the query that it supports.

    Example: crossbow explain model index -q "Haus am See" d17
    """
    from crossbow.ranking.searcher import Searcher

    external = External.of(forests, nbest, lattices, ids, scale)
    if (text is None) == (external is None):
        raise CrossbowError("give one of -q, --forests, --nbest and --lattices")
    *folders, doc = arguments
    model, index = open_both(list(map(Path, folders)), external is None)
    config = configured(model, config_file, settings, method=method, v=v)
    if external:
        external.check(config)
    searcher = Searcher(model, index, config, wrap=_reranking(rerank, parser, index))
    explanation = searcher.explain(external.query(name) if external else text or "", doc, syntax)
    if as_json:
        print(json.dumps(explanation.to_json(), ensure_ascii=False, indent=1))
    else:
        from crossbow.display import print_explanation

        print_explanation(explanation)


def open_both(paths: list[Path], with_model: bool = True) -> tuple[Model | None, Index]:
    """The model and the index that the arguments name."""
    from crossbow.index import Index
    from crossbow.model import Model

    if len(paths) != 1 + with_model:
        found = " ".join(map(str, paths)) or "nothing"
        raise CrossbowError(f"expected {'MODEL INDEX' if with_model else 'INDEX alone, as forests need no model'}, "
                            f"found {found}; see --help")
    index = Index.load(paths[-1])
    return Model.load(paths[0]) if with_model else None, index


def _asked(text: str | None, queries: str | None, external: External | None) -> tuple[Iterable[Any], int]:
    """The queries, and how many there are if that is known before they are read."""
    from crossbow.records import Query, read_queries

    if external:
        return external.queries(), 0
    found = [Query("1", text)] if text is not None else list(read_queries(queries or ""))
    return found, len(found)


def _reranking(rerank: str | None, parser: Path | None, index: Index) -> Wrap | None:
    """What ranks hits anew, if that is asked for."""
    if rerank not in (None, "parse"):
        raise CrossbowError(f"--rerank {rerank}: only parse is known")
    if (rerank is None) != (parser is None):
        raise CrossbowError("--rerank parse and --parser go together; train a parser with `crossbow parse train`")
    if parser is None:
        return None
    from crossbow.parse.parser import Parser
    from crossbow.parse.ranker import Ranker
    from crossbow.parse.rerank import by_trees

    return by_trees(Ranker(Parser.load(parser), index))


def _reported(
    run: Iterable[tuple[str, list[Hit]]], total: int, report: Report | None
) -> Iterator[tuple[str, list[Hit]]]:
    for done, item in enumerate(run, 1):
        yield item
        if report:
            report("searching", done, total)


def _show(hits: Hits, as_json: bool, facets: list[str], counted: bool) -> None:
    """Print the hits of one query; and how many documents match, and what their fields are."""
    counts = {field.strip(): hits.counts(field.strip()) for field in facets}
    if as_json:
        for hit in hits:
            doc = hits.documents[hit.doc]
            print(json.dumps({**hit._asdict(), "title": doc.title, "text": doc.text,
                              **({"fields": doc.fields} if doc.fields else {})}, ensure_ascii=False))
        if facets:
            found = {field: {count.value: count.documents for count in row} for field, row in counts.items()}
            print(json.dumps({"total": hits.total, "facets": found}, ensure_ascii=False))
    else:
        from crossbow.display import print_counts, print_hits

        print_hits(hits)
        if counted:
            print_counts(hits, counts)
