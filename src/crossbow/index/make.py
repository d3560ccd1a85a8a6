"""An index in one call, for Python.

    index = build_index([{"id": "d1", "text": "A house by the lake."}], "index", lang="en")
    index = build_index("docs.jsonl", "index", fields="title^2,text", stopwords="none", stem=False)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from crossbow.index.analysis import Report
from crossbow.index.searched import STANDARD, Searched
from crossbow.index.segments import Index
from crossbow.index.writer import build
from crossbow.records import irds
from crossbow.records.sources import as_docs
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.filenames import language_in
from crossbow.text.language import is_code


def build_index(
    docs: Any, folder: str | os.PathLike[str], lang: str | None = None, *,
    fields: str | Mapping[str, float] | None = None, threads: int = 1, report: Report | None = None, **settings: Any,
) -> Index:
    """Index documents into a folder and open it. Documents are a file, records, dicts, tuples or a DataFrame.

    `lang` is their language. By default it is taken from the name of a file, such as docs.de.tsv, or from
    ir_datasets; otherwise it is English.
    `fields` are those that are searched, with their weights: "title^2,text", or a dict. By default these are title and
    text, with equal weights. All others are stored, and searches can filter by them.

    Further settings are those of the analyzer: kind, split, lowercase, stem, stopwords, segmenter, japanese. With
    more than one thread, other processes are started, so a script must do its work under
    `if __name__ == "__main__":`.
    """
    searched = STANDARD
    if fields is not None:
        searched = Searched.parse(fields) if isinstance(fields, str) else Searched.of(fields)
    analyzer = Analyzer(Settings(lang or language_of(docs) or "en", **settings))
    build(folder, as_docs(docs, fields is not None), analyzer, workers=threads, report=report, searched=searched)
    return Index.load(folder)


def language_of(docs: Any) -> str | None:
    """The language of documents, if the name of their file or ir_datasets tells it."""
    if not irds.is_irds(docs):
        return language_in(docs) if isinstance(docs, str | os.PathLike) else None
    told = irds.language_of_docs(docs)
    return told if told and is_code(told) else None  # "simple" is a Wikipedia, but not a code
