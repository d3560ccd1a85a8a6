"""The commands around retrieval: index."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossbow.cli.clustering import RayOption
from crossbow.cli.shared import Quiet, cli, disk_size, given, index_rows, progress, say_what_is_missing, table
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.index import Index
    from crossbow.index.searched import Searched

FieldsOption = Annotated[str | None, typer.Option(
    "--fields", metavar="NAME^WEIGHT,…", help="Search these fields of the documents; a word in title^2 counts twice. "
                                             "By default these are title and text. All other fields are stored, and "
                                             "searches can filter by them.")]
StopwordsOption = Annotated[str | None, typer.Option(
    "--stopwords", metavar="FILE", help="Leave out the words in this file, one per line; or give 'none', or 'default' "
                                        "for the language's own.")]


AddOption = Annotated[bool, typer.Option("--add", help="Add documents to the existing index instead of replacing it.")]
DeleteOption = Annotated[list[str] | None, typer.Option(
    "--delete", metavar="ID_OR_FILE", help="Delete the document with this id, or those whose ids a file lists, one per "
                                           "line.")]
ShardsOption = Annotated[int | None, typer.Option(
    "--shards", min=1, help="Cut the index into this many shards, which several machines can hold. The default is 1.")]


@cli.command()
def index(
    out: Annotated[Path, typer.Option("-o", "--out", help="Write the index to this folder.")],
    docs: Annotated[str | None, typer.Argument(
        metavar="DOCS", help="Read these documents: TSV, JSON, CSV, TREC's <DOC>, or irds:ID of ir_datasets.")] = None,
    lang: Annotated[str | None, typer.Option(
        "--lang", metavar="CODE", help="Analyze documents in this language. By default it is taken from a name such as "
                                       "docs.de.tsv, or from ir_datasets; otherwise it is en.")] = None,
    analyzer: Annotated[str | None, typer.Option(
        "--analyzer", help="Split text into words; with 'tokens', split it only at white space, because it is "
                           "tokenized already. The default is 'words'.")] = None,
    stopwords: StopwordsOption = None,
    stem: Annotated[bool | None, typer.Option("--stem/--no-stem", help="Reduce words to stems.")] = None,
    split: Annotated[bool | None, typer.Option(
        "--split/--no-split", help="Split words at hyphens, underscores, slashes, dots and colons.")] = None,
    fields: FieldsOption = None,
    segmenter: Annotated[str | None, typer.Option(
        "--segmenter", metavar="NAME", help="Use this segmenter, such as jieba, to find words in scripts without "
                                            "spaces; `crossbow languages CODE` lists them.")] = None,
    add: AddOption = False,
    delete: DeleteOption = None,
    shards: ShardsOption = None,
    ray: RayOption = None,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Use this many processes.")] = 2,
    quiet: Quiet = False,
) -> None:
    """Index documents for search, or change an index. Searches that run meanwhile are not disturbed.

    A document that is added takes the place of one with the same id. Fields whose values are all numbers or all dates
    can be filtered by ranges, others by their values. With --shards, an interrupted command continues where it stopped.

    Example: crossbow index docs.jsonl -o index --lang en --fields title^2,text
    """
    from crossbow.index import Index, build, update
    from crossbow.index.make import language_of
    from crossbow.index.searched import STANDARD, Searched
    from crossbow.index.summary import field_rows
    from crossbow.records import read_docs
    from crossbow.store import HEADER
    from crossbow.text.analyzer import Analyzer, Settings
    from crossbow.text.language import language_code

    start = time.perf_counter()
    there = bool(delete) or (add and (out / HEADER).exists())
    _check_what_to_do(docs, delete, add, there and (shards is not None or ray is not None))
    options = given(lang=None if lang is None else language_code(lang), kind=analyzer, stem=stem, split=split,
                    stopwords=_stopwords(stopwords), segmenter=segmenter)
    searched = None if fields is None else Searched.parse(fields)
    source = () if docs is None else read_docs(docs, _textless(out) if there else searched is not None)
    with progress(quiet) as report:
        if there:
            ids = _check_and_name(out, options, searched, delete or [])
            meta = update(out, source, ids, workers=threads, report=report)
        else:
            settings = Settings(**given(lang=None if lang else language_of(docs)) | options)
            if not quiet:
                say_what_is_missing(settings)
            meta = build(out, source, Analyzer(settings), report=report, searched=searched or STANDARD,
                         shards=shards or 1, **_hands(ray, shards, threads))
    table({**index_rows(meta), **field_rows(Index.load(out)), "size": disk_size(out),
           "seconds": round(time.perf_counter() - start, 1)})


def _hands(ray: str | None, shards: int | None, threads: int) -> dict[str, Any]:
    """Who does the work: processes of this machine, or a cluster."""
    if ray is None:
        return {"workers": threads}
    if shards in (None, 1):
        raise CrossbowError("a cluster builds an index of several shards; give --shards as well")
    from crossbow.cluster import connect, cpus, in_tasks

    connect(ray)
    return {"workers": cpus(), "spread": in_tasks}


def _check_what_to_do(docs: str | None, delete: list[str] | None, add: bool, cut_anew: bool) -> None:
    if cut_anew:
        raise CrossbowError("an index keeps its shards and can only be changed on this machine; leave --shards and "
                            "--ray out")
    if docs is None and not delete:
        raise CrossbowError("there is nothing to do: give DOCS, or --delete; see --help")
    if docs is not None and delete and not add:
        raise CrossbowError("DOCS would replace the whole index: give --add as well, or --delete without DOCS")


def _stopwords(chosen: str | None) -> Any:
    """The setting that an option means."""
    if chosen is None or chosen in ("none", "default"):
        return chosen
    from crossbow.text.analyzer import stopwords_from_file

    return stopwords_from_file(chosen)


def _textless(folder: Path) -> bool:
    """Whether documents of this index may do without a text, because it was said which fields are searched."""
    from crossbow.index import manifest
    from crossbow.index.searched import STANDARD

    return manifest.read(folder).searched != STANDARD


def _check_and_name(
    folder: Path, options: dict[str, Any], searched: Searched | None, chosen: list[str]
) -> list[str]:
    """The ids that are to be deleted. An index keeps its analyzer, so options that contradict it are an error."""
    from crossbow.index import Index

    there = Index.load(folder)
    if searched not in (None, there.searched):
        raise CrossbowError(f"{folder}: was built with other --fields; leave that option out, or build the index again "
                            "without --add")
    for name, value in options.items():
        have = getattr(there.analyzer.settings, name)
        if (have if isinstance(have, str | bool) else frozenset(have)) != value:
            shown = {"kind": "analyzer"}.get(name, name)
            raise CrossbowError(f"{folder}: was built with another --{shown}; leave that option out, or build the "
                                "index again without --add")
    return [name for one in chosen for name in _ids(there, one)]


def _ids(there: Index, chosen: str) -> list[str]:
    """An id of the index stands for itself, anything else for the ids in a file, if there is such a file."""
    from crossbow.records import open_lines

    if there.number(chosen) >= 0 or not Path(chosen).is_file():
        return [chosen]
    return [line.split("\t")[0].strip() for _, line in open_lines(chosen) if line.strip()]
