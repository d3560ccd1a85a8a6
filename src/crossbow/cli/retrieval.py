"""The commands around retrieval: index."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossbow.cli.shared import Quiet, cli, disk_size, given, index_rows, progress, say_what_is_missing, table
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.index import Index


@cli.command()
def index(
    out: Annotated[Path, typer.Option("-o", "--out", help="Index folder to write.")],
    docs: Annotated[str | None, typer.Argument(
        metavar="DOCS", help="Documents: TSV, JSONL, TREC's <DOC>, or irds:ID of ir_datasets.")] = None,
    lang: Annotated[str | None, typer.Option(
        "--lang", metavar="CODE", help="Language of the documents.  [default: what a name such as docs.de.tsv tells, "
                                       "or en]")] = None,
    analyzer: Annotated[str | None, typer.Option(
        "--analyzer", help="'words', or 'tokens' if the text is tokenised already.  [default: words]")] = None,
    stopwords: Annotated[str | None, typer.Option(
        "--stopwords", metavar="FILE", help="A word a line; or 'none', or 'default', the language's own.")] = None,
    stem: Annotated[bool | None, typer.Option("--stem/--no-stem", help="Reduce words to stems.")] = None,
    split: Annotated[bool | None, typer.Option("--split/--no-split", help="Split words at - _ / . :")] = None,
    add: Annotated[bool, typer.Option("--add", help="Add to the index that is there; do not replace it.")] = False,
    delete: Annotated[list[str] | None, typer.Option(
        "--delete", metavar="ID_OR_FILE", help="Delete a document, or those that a file lists, an id a line.")] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Processes to use.")] = 2,
    quiet: Quiet = False,
) -> None:
    """Index documents for search, or change an index. Whoever searches meanwhile is not disturbed.

    A document that is added takes the place of one with the same id.

    Example: crossbow index docs.tsv -o index --lang en
    """
    from crossbow.index import build, update
    from crossbow.records import read_docs
    from crossbow.store import HEADER
    from crossbow.text.analyzer import Analyzer, Settings
    from crossbow.text.filenames import language_in
    from crossbow.text.language import language_code

    start = time.perf_counter()
    if docs is None and not delete:
        raise CrossbowError("there is nothing to do: give DOCS, or --delete; see --help")
    if docs is not None and delete and not add:
        raise CrossbowError("DOCS would replace the whole index: give --add as well, or --delete without DOCS")
    options = given(lang=None if lang is None else language_code(lang), kind=analyzer, stem=stem, split=split,
                    stopwords=_stopwords(stopwords))
    source = read_docs(docs) if docs is not None else ()
    with progress(quiet) as report:
        if delete or (add and (out / HEADER).exists()):
            ids = _check_and_name(out, options, delete or [])
            meta = update(out, source, ids, workers=threads, report=report)
        else:
            settings = Settings(**given(lang=language_in(docs or "")) | options)
            if not quiet:
                say_what_is_missing(settings)
            meta = build(out, source, Analyzer(settings), workers=threads, report=report)
    table({**index_rows(meta), "size": disk_size(out), "seconds": round(time.perf_counter() - start, 1)})


def _stopwords(chosen: str | None) -> Any:
    """The setting that an option means."""
    if chosen is None or chosen in ("none", "default"):
        return chosen
    from crossbow.text.analyzer import stopwords_from_file

    return stopwords_from_file(chosen)


def _check_and_name(folder: Path, options: dict[str, Any], chosen: list[str]) -> list[str]:
    """The ids that are to be deleted. An index keeps its analyser, so options that contradict it are an error."""
    from crossbow.index import Index

    there = Index.load(folder)
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
