"""The commands that search: search and explain."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossbow.cli.external import External, ForestsOption, IdsOption, LatticesOption, NbestOption, ScaleOption
from crossbow.cli.shared import PopLimit, Quiet, Threads, cli, given, progress
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.forest.hypergraph import Forest
    from crossbow.index import Index
    from crossbow.model import Model
    from crossbow.pipeline import Report
    from crossbow.ranking.search import Again, Asked, SearchConfig
    from crossbow.records import Hit
    from crossbow.weights import TermWeights

Folders = Annotated[list[Path], typer.Argument(
    metavar="[MODEL] INDEX", help="Folders; with --forests, --nbest or --lattices only INDEX.")]
QueriesOption = Annotated[str | None, typer.Option(
    "--queries", help="A file of queries, TSV or JSONL, or irds:ID of ir_datasets.")]
TextOption = Annotated[str | None, typer.Option("-q", "--query", help="The query.")]
VOption = Annotated[float | None, typer.Option(
    "--v", help="What a matching term counts in forced decoding, instead of the model's own.")]
WeightsOption = Annotated[Path | None, typer.Option(
    "--weights", help="JSON file of weights for single terms and word classes, instead of the model's own.")]
ExpectedOption = Annotated[float | None, typer.Option(
    "--expected", metavar="SHARE", help="Count expected terms too, with this share; 0: the paper's model.")]
JoinOption = Annotated[bool, typer.Option(
    "--join", help="Take the sentences of a query as one, instead of multiplying their rankings.")]
K1Option = Annotated[float | None, typer.Option("--k1", help="BM25's k1.")]
BOption = Annotated[float | None, typer.Option("--b", help="BM25's b.")]
BeamOption = Annotated[int | None, typer.Option("--beam", min=1, help="Look at so many edges a node; else at all.")]
SortOption = Annotated[bool, typer.Option(help="With --beam: the best edges rather than the first.")]
TranslationsOption = Annotated[int | None, typer.Option(
    "--translations", min=1, help="psq: translations a sentence.")]
WholeForestOption = Annotated[bool | None, typer.Option(
    "--whole-forest", help="psq: all translations of the forest instead of the n best.")]
RerankOption = Annotated[str | None, typer.Option(
    "--rerank", metavar="parse", help="Rank the best documents anew by the distance of parse trees.")]
AlphaOption = Annotated[float | None, typer.Option(
    "--alpha", min=0, help="With --rerank parse: what the distance counts, instead of the parser's own.")]
NoLmOption = Annotated[bool, typer.Option("--no-lm", help="Decode without the language model.")]

FEW, MANY = 10, 1000  # how many documents a person and a run want


@cli.command()
def search(
    paths: Folders,
    text: TextOption = None,
    queries: QueriesOption = None,
    forests: ForestsOption = None,
    nbest: NbestOption = None,
    lattices: LatticesOption = None,
    ids: IdsOption = None,
    scale: ScaleOption = None,
    method: Annotated[str, typer.Option("--method", help="bowfd, dt, psq or expected.")] = "bowfd",
    v: VOption = None,
    k: Annotated[int | None, typer.Option("-k", min=1, help="Documents a query: 10 for -q, else 1,000.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="TREC run to write; else standard output.")] = None,
    weights: WeightsOption = None,
    expected: ExpectedOption = None,
    join: JoinOption = False,
    k1: K1Option = None,
    b: BOption = None,
    beam: BeamOption = None,
    sort_edges: SortOption = True,
    translations: TranslationsOption = None,
    mix: Annotated[float | None, typer.Option("--mix", help="psq: share of the n-best table (λ).")] = None,
    lowest: Annotated[float | None, typer.Option("--lowest", help="psq: least probability (L).")] = None,
    cumulative: Annotated[float | None, typer.Option("--cumulative", help="psq: probability to keep (C).")] = None,
    whole_forest: WholeForestOption = None,
    pop_limit: PopLimit = None,
    no_lm: NoLmOption = False,
    rerank: RerankOption = None,
    parser: Annotated[Path | None, typer.Option("--parser", help="With --rerank parse: a parser folder.")] = None,
    alpha: AlphaOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="With -q: hits as JSON lines.")] = False,
    tag: Annotated[str | None, typer.Option("--tag", help="Name of the run.")] = None,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Find documents for a query in another language, or for a file of queries.

    Example: crossbow search model index -q "Haus am See"
    """
    from crossbow.ranking.bm25 import Bm25
    from crossbow.ranking.search import SearchConfig, search_all
    from crossbow.ranking.structured.search import PsqConfig
    from crossbow.records import Query, read_queries

    made = External.of(forests, nbest, lattices, ids, scale)
    if [text, queries, made].count(None) != 2:
        raise CrossbowError("give one of -q, --queries, --forests, --nbest and --lattices")
    if as_json and (text is None or out):
        raise CrossbowError("--json prints the hits of -q; a run has the form that TREC gave it")
    model, index = _open(paths, made is None, pop_limit, no_lm)
    config = SearchConfig(
        method, k or (FEW if text is not None else MANY), _weights(weights, model, v=v, expected=expected),
        Bm25(**given(k1=k1, b=b)),
        PsqConfig(**given(nbest=translations, mix=mix, lowest=lowest, cumulative=cumulative, forest=whole_forest)),
        beam, sort_edges, join=join,
    )
    if made:
        made.check(config)
    config, again = _reranking(rerank, parser, alpha, index, config)
    tag = tag or f"crossbow-{method}{'-' + rerank if rerank else ''}"
    if text is not None and out is None:
        _show(text, index, model, config, as_json, again)
        return
    texts = [Query("1", text)] if text is not None else list(read_queries(queries)) if queries is not None else []
    asked: Iterable[tuple[str, Asked]] = made.queries() if made else texts
    with progress(quiet) as report:
        run = search_all(asked, index, model, config, threads, again)
        _write(_reported(run, len(texts), report), out, tag)


@cli.command()
def explain(
    arguments: Annotated[list[str], typer.Argument(
        metavar="[MODEL] INDEX DOCID", help="Folders and a document; with --forests and its like no model.")],
    text: TextOption = None,
    forests: ForestsOption = None,
    nbest: NbestOption = None,
    lattices: LatticesOption = None,
    ids: IdsOption = None,
    scale: ScaleOption = None,
    name: Annotated[str | None, typer.Option("--id", help="Of the query, if the file has several.")] = None,
    v: VOption = None,
    weights: WeightsOption = None,
    expected: ExpectedOption = None,
    join: JoinOption = False,
    k1: K1Option = None,
    b: BOption = None,
    beam: BeamOption = None,
    sort_edges: SortOption = True,
    pop_limit: PopLimit = None,
    no_lm: NoLmOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as JSON.")] = False,
) -> None:
    """Show the translation that a document made the decoder choose, and how its score adds up.

    Example: crossbow explain model index -q "Haus am See" d17
    """
    from crossbow.ranking.bm25 import Bm25
    from crossbow.ranking.explain.derivation import explain as run
    from crossbow.ranking.search import SearchConfig, query_forests

    made = External.of(forests, nbest, lattices, ids, scale)
    if (text is None) == (made is None):
        raise CrossbowError("give one of -q, --forests, --nbest and --lattices")
    *folders, doc = arguments
    model, index = _open(list(map(Path, folders)), made is None, pop_limit, no_lm)
    config = SearchConfig(weights=_weights(weights, model, v=v, expected=expected), bm25=Bm25(**given(k1=k1, b=b)),
                          beam=beam, sort_edges=sort_edges, join=join)
    asked: Asked = made.query(name) if made else text or ""
    explanation = run(query_forests(asked, index, model), index, doc, config, model.lexicon if model else None)
    if as_json:
        print(json.dumps(explanation.to_json(), ensure_ascii=False, indent=1))
    else:
        from crossbow.display import print_explanation

        print_explanation(explanation)


def _open(
    paths: list[Path], with_model: bool, pop_limit: int | None, no_lm: bool
) -> tuple[Model | None, Index]:
    """The model and the index that the arguments name."""
    from crossbow.index import Index
    from crossbow.model import Model

    if len(paths) != 1 + with_model:
        found = " ".join(map(str, paths)) or "nothing"
        raise CrossbowError(f"expected {'MODEL INDEX' if with_model else 'INDEX alone, as forests need no model'}, "
                            f"found {found}; see --help")
    index = Index.load(paths[-1])
    if not with_model:
        return None, index
    settings = given(pop_limit=pop_limit, language_model=False if no_lm else None)
    return Model.load(paths[0]).with_settings(**settings), index


def _weights(path: Path | None, model: Model | None, **changes: float | None) -> TermWeights:
    """Those of the file, else those of the model; with the changes that are not None."""
    from crossbow.weights import TermWeights

    weights = TermWeights.load(path) if path else model.retrieval if model else TermWeights()
    return replace(weights, **given(**changes))


def _reranking(
    rerank: str | None, parser: Path | None, alpha: float | None, index: Index, config: SearchConfig
) -> tuple[SearchConfig, Again | None]:
    """What ranks hits anew, if that is asked for, and the search for as many as it looks at."""
    if rerank not in (None, "parse"):
        raise CrossbowError(f"--rerank {rerank}: only parse is known")
    if (rerank is None) != (parser is None) or (alpha is not None and rerank is None):
        raise CrossbowError("--rerank parse needs --parser, and --parser and --alpha need it; train one with `crossbow "
                            "parse train`")
    if parser is None:
        return config, None
    from crossbow.parse.parser import Parser
    from crossbow.parse.ranker import Ranker
    from crossbow.ranking.explain.derivation import translations

    ranker = Ranker(Parser.load(parser).replace(**given(alpha=alpha)), index)
    depth = ranker.parser.config.depth

    def again(forests: Sequence[Forest], hits: list[Hit]) -> list[Hit]:
        words = translations(forests, index, [hit.doc for hit in hits[:depth]], config)
        return ranker.rerank(hits, words)[: config.k]

    return replace(config, k=max(config.k, depth)), again


def _reported(
    run: Iterable[tuple[str, list[Hit]]], total: int, report: Report | None
) -> Iterator[tuple[str, list[Hit]]]:
    for done, item in enumerate(run, 1):
        yield item
        if report:
            report("searching", done, total)


def _write(run: Iterable[tuple[str, list[Hit]]], out: Path | None, tag: str) -> None:
    """Write a run into a file or to standard output; there too all of it, or nothing."""
    from crossbow.records.trec import run_lines, write_run

    if out:
        write_run(out, run, tag)
    else:
        sys.stdout.writelines([f"{line}\n" for line in run_lines("standard output", run, tag)])


def _show(
    text: str, index: Index, model: Model | None, config: SearchConfig, as_json: bool, again: Again | None
) -> None:
    """Print the hits of one query."""
    from crossbow.ranking.search import query_forests, search_forests

    forests = query_forests(text, index, model)
    hits = search_forests(forests, index, model, config)
    if again:
        hits = again(forests, hits)
    if as_json:
        for hit in hits:
            doc = index.doc(index.number(hit.doc))
            print(json.dumps({**hit._asdict(), "title": doc.title, "text": doc.text}, ensure_ascii=False))
    else:
        from crossbow.display import print_hits

        print_hits(hits, forests, index, model, config)
