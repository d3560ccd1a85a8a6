"""The commands around parsing for retrieval: parse train, rank, show and reproduce."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossbow.cli.reproducing import ReportFolder, WorkFolder, beside
from crossbow.cli.shared import Quiet, Threads, cli, given, progress, table
from crossbow.cli.usage import Commands
from crossbow.errors import CrossbowError, explaining_full_disk

if TYPE_CHECKING:
    from crossbow.index import Index
    from crossbow.parse.endtoend import Round
    from crossbow.parse.similarity import Pivot
    from crossbow.records.judged import JudgedQuery

parse = typer.Typer(cls=Commands, no_args_is_help=True, rich_markup_mode=None,
                    help="Rank by parse trees that are learned for ranking.")
cli.add_typer(parse, name="parse")

QueriesOption = Annotated[str, typer.Option(
    "--queries", help="Learn from these training queries: TSV, JSONL, TREC's topics or irds:ID.")]
QrelsOption = Annotated[str, typer.Option(
    "--qrels", help="Read the judgments of the training queries from this TREC file.")]
DevQueries = Annotated[str, typer.Option(
    "--dev-queries", help="Choose α, and when to stop, on these development queries.")]
DevQrels = Annotated[str, typer.Option(
    "--dev-qrels", help="Read the judgments of the development queries from this TREC file.")]
PivotOption = Annotated[Path | None, typer.Option(
    "--pivot", metavar="MODEL", help="Compute similarity by pivot with the translation tables of this model.")]
Similar = Annotated[str | None, typer.Option(
    "--similarity", help="Words are alike if they are the same (exact), have the same stem (stem) or share "
                         "translations (pivot); join several by +.")]
Replace = Annotated[str | None, typer.Option(
    "--replace", help="The cost of replacing a word is the sum of both words' parameters, divided by their similarity "
                      "(fraction) or times 1 minus their similarity (difference).")]
Method = Annotated[str | None, typer.Option(
    "--parse", help="Take each word's most probable head (posterior), or the most probable tree (viterbi).")]
OnlyLikelihood = Annotated[bool, typer.Option(
    "--only-likelihood", help="Do not learn end to end; the result is the baseline.")]
Sentences = Annotated[int | None, typer.Option(
    "--sentences", min=1, help="Parse this many sentences per document.")]
Words = Annotated[int | None, typer.Option(
    "--words", min=1, help="Keep this many words in the vocabulary; all others count as one unknown word.")]
Start = Annotated[str | None, typer.Option(
    "--start", help="Start EM from counts of pairs of words, in which a pair counts less the farther apart its words "
                    "are (distance), or all pairs count the same (uniform).")]
Candidates = Annotated[int | None, typer.Option(
    "--candidates", min=2, help="Learn from this many candidates per training query.")]
ParserFolder = Annotated[Path, typer.Argument(metavar="PARSER", help="Use the parser in this folder.")]
Rounds = Annotated[int | None, typer.Option("--rounds", min=1, help="Learn end to end for at most this many rounds.")]


@parse.command("train")
def parse_train(
    index_folder: Annotated[Path, typer.Argument(metavar="INDEX", help="Find the documents in this index.")],
    queries: QueriesOption,
    qrels: QrelsOption,
    dev_queries: DevQueries,
    dev_qrels: DevQrels,
    out: Annotated[Path, typer.Option("-o", "--out", help="Write the parser to this folder.")],
    only_likelihood: OnlyLikelihood = False,
    sentences: Sentences = None,
    words: Words = None,
    start: Start = None,
    method: Method = None,
    replace: Replace = None,
    similarity: Similar = None,
    pivot: PivotOption = None,
    k1: Annotated[float | None, typer.Option("--k1", help="Set BM25's k1.")] = None,
    b: Annotated[float | None, typer.Option("--b", help="Set BM25's b.")] = None,
    depth: Annotated[int | None, typer.Option("--depth", min=1, help="Rerank this many candidates per query.")] = None,
    candidates: Candidates = None,
    rounds: Rounds = None,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Train a parser for ranking: by maximum likelihood, then end to end.

    Example: crossbow parse train index --queries q.tsv --qrels q.txt --dev-queries d.tsv --dev-qrels d.txt -o parser
    """
    from crossbow.index import Index
    from crossbow.parse.em import EmConfig
    from crossbow.parse.endtoend import LearningConfig
    from crossbow.parse.model import ParseConfig
    from crossbow.parse.parser import KIND, ParserConfig
    from crossbow.parse.scripts import CostConfig
    from crossbow.parse.similarity import SimilarityConfig
    from crossbow.parse.texts import TextConfig
    from crossbow.parse.train import train
    from crossbow.ranking.bm25 import Bm25
    from crossbow.store import check_replaceable

    check_replaceable(out, KIND)
    config = ParserConfig(
        TextConfig(**given(sentences=sentences)), EmConfig(**given(words=words, start=start)),
        ParseConfig(**given(method=method)), CostConfig(**given(replace=replace)),
        SimilarityConfig(**given(kinds=similarity)), Bm25(**given(k1=k1, b=b)), **given(depth=depth))
    if pivot is not None and not config.similarity.pivot:
        raise CrossbowError("--pivot has no effect on this similarity; add --similarity pivot or stem+pivot")
    learning = LearningConfig(**given(candidates=candidates, rounds=0 if only_likelihood else rounds))
    index = Index.load(index_folder)
    training, development = _judged(queries, qrels, index), _judged(dev_queries, dev_qrels, index)
    with progress(quiet) as report:
        if not only_likelihood:
            print("round    before     after       step  NDCG@10      α  seconds")
        trained = train(index, training, development, config, learning, _tables(pivot), threads, report, _show_round)
    trained.parser.save(out, trained.facts())
    table({"words": len(trained.parser.model.vocab), "parameters": len(trained.parser.model.table.value),
           "α": trained.parser.config.alpha, "signature": trained.parser.signature})


@parse.command("rank")
def parse_rank(
    parser: ParserFolder,
    index_folder: Annotated[Path, typer.Argument(metavar="INDEX", help="Search in this index.")],
    text: Annotated[str | None, typer.Option("-q", "--query", help="Rank documents for this query.")] = None,
    queries: Annotated[str | None, typer.Option(
        "--queries", help="Rank documents for the queries of this file, or of irds:ID.")] = None,
    out: Annotated[Path | None, typer.Option(
        "-o", "--out", help="Write the TREC run to this file instead of standard output.")] = None,
    k: Annotated[int | None, typer.Option(
        "-k", min=1, help="Return this many documents per query. The default is all that were reranked.")] = None,
    alpha: Annotated[float | None, typer.Option(
        "--alpha", min=0, help="Weigh the distance of trees by this α instead of the parser's own.")] = None,
    depth: Annotated[int | None, typer.Option(
        "--depth", min=1, help="Rerank this many candidates per query instead of the parser's own number.")] = None,
    tag: Annotated[str, typer.Option("--tag", help="Give the run this name.")] = "crossbow-parse",
    threads: Threads = 2,
) -> None:
    """Rank documents for queries in their own language: BM25 and the distance of trees.

    Example: crossbow parse rank parser index -q "otters open clams with rocks" -k 10
    """
    from crossbow.index import Index
    from crossbow.parse.parser import Parser
    from crossbow.parse.ranker import Ranker
    from crossbow.records import Query, read_queries
    from crossbow.records.trec import run_lines, write_run
    from crossbow.threads import in_order

    if (text is None) == (queries is None):
        raise CrossbowError("give one of -q and --queries")
    ranker = Ranker(Parser.load(parser).replace(**given(alpha=alpha, depth=depth)), Index.load(index_folder))
    asked = [Query("1", text)] if text is not None else list(read_queries(str(queries)))
    run = ((query.id, hits[:k]) for query, hits in in_order(lambda query: ranker.rank(query.text), asked, threads))
    if out:
        write_run(out, run, tag)
    else:
        sys.stdout.writelines([f"{line}\n" for line in run_lines("standard output", run, tag)])


@parse.command("show")
def parse_show(
    parser: ParserFolder,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Parse this sentence or query.")],
    against: Annotated[str | None, typer.Option(
        "--against", metavar="TEXT", help="Show how the tree is edited into that of this text.")] = None,
    doc: Annotated[tuple[Path, str] | None, typer.Option(
        "--doc", metavar="INDEX DOCID", help="Show how the tree is edited into that of this document.")] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a drawing to this file.")] = None,
) -> None:
    """Draw the parse of a text, or the steps that edit it into the parse of another.

    Example: crossbow parse show parser "otters open clams" --against "an otter opens a mollusk"
    """
    from crossbow.index import Index
    from crossbow.parse.display import drawing
    from crossbow.parse.parser import Parser
    from crossbow.parse.pool import opening
    from crossbow.records.lines import writing

    if against is not None and doc is not None:
        raise CrossbowError("give one of --against and --doc")
    if doc is not None:
        against = opening(Index.load(doc[0])[doc[1]])
    shown, picture = drawing(Parser.load(parser), text, against)
    print(shown)
    if svg:
        with writing(svg) as file:
            file.write(picture)


@parse.command("reproduce")
def parse_reproduce(
    collection: Annotated[str, typer.Argument(
        metavar="COLLECTION", help="Use debian:en, or the folder of a collection in one language. With --docs, "
                                   "--queries and --qrels, this is only a name.")],
    out: ReportFolder,
    docs: Annotated[str | None, typer.Option(
        "--docs", help="Read documents from this file: TSV, JSONL, TREC's <DOC> or irds:ID.")] = None,
    queries: Annotated[str | None, typer.Option(
        "--queries", help="Read queries from this file; they are split into train, dev and test.")] = None,
    qrels: Annotated[str | None, typer.Option(
        "--qrels", help="Read the judgments of these queries from this TREC file.")] = None,
    lang: Annotated[str, typer.Option("--lang", help="Analyze --docs and --queries in this language.")] = "en",
    work: WorkFolder = None,
    pivot: PivotOption = None,
    train_queries: Annotated[int | None, typer.Option(
        "--train-queries", min=1, help="Learn from at most this many training queries. The default is all.")]
    = None,
    skip_alternatives: Annotated[bool, typer.Option(
        "--skip-alternatives", help="Do not measure the choices that the poster leaves open.")] = False,
    folds: Annotated[int | None, typer.Option(
        "--folds", min=2, help="Also test every query once: split all of them into this many folds, and test each fold "
                               "with parsers trained on the others.")] = None,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Repeat the experiments of the poster: maximum likelihood against end-to-end learning, by length of query.

    Settings are chosen on the development queries; the test queries are ranked once. With --folds, the report also
    says how large a difference could have been detected.

    Example: crossbow parse reproduce debian:en -o report --folds 5
    """
    from crossbow.experiments.poster.decisions import ExperimentConfig
    from crossbow.experiments.poster.driver import reproduce
    from crossbow.experiments.poster.report import text
    from crossbow.pipeline import working_in

    given_files = [docs, queries, qrels]
    if any(given_files) and not all(given_files):
        raise CrossbowError("--docs, --queries and --qrels belong together: give all of them or none")
    config = ExperimentConfig(train_queries=train_queries, alternatives=not skip_alternatives, folds=folds)
    place = work or beside(out)
    with progress(quiet) as report, explaining_full_disk(place), working_in(place):
        data = reproduce(collection, out, config, work=place,
                         files=(docs, queries, qrels) if docs and queries and qrels else None, lang=lang,
                         pivot=_tables(pivot), threads=threads, report=report,
                         command=shlex.join(["crossbow", *sys.argv[1:]]))
    print(text(data))
    print(f"\n{data['signature']}\nreport in {out}, everything else in {place}")


def _judged(queries: str, qrels: str, index: Index) -> list[JudgedQuery]:
    """Read queries with their judgments; raise an error if the index has no relevant document for any of them."""
    from crossbow.records.judged import check_found, read_judged, relevant_in

    found = read_judged(queries, qrels)
    check_found(relevant_in(found, index), queries, qrels)
    return found


def _tables(folder: Path | None) -> Pivot | None:
    """The round trips through a model's translation tables."""
    from crossbow.model import Model
    from crossbow.parse.similarity import Pivot

    if not folder:
        return None
    model = Model.load(folder)
    if model.lexicon is None:
        raise CrossbowError(f"a {model.kind} model has no translation tables; give one that was trained on text")
    return Pivot.of(model.lexicon)


def _show_round(one: Round) -> None:
    change = "" if one.before is None else f"{one.before:9.3f} {one.after:9.3f} {one.step:10.4g}"
    print(f"{one.number:5} {change:30} {one.ndcg:8.4f} {one.alpha:6g} {one.seconds:8.1f}", flush=True)
