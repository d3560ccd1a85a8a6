"""An index in one call, for Python.

    index = build_index([{"id": "d1", "text": "A house by the lake."}], "index", lang="en")
    index = build_index("docs.jsonl", "index", stopwords="none", stem=False)
"""

from __future__ import annotations

import os
from typing import Any

from crossbow.index.analysis import Report
from crossbow.index.segments import Index
from crossbow.index.writer import build
from crossbow.records.sources import as_docs
from crossbow.text.analyzer import Analyzer, Settings


def build_index(
    docs: Any, folder: str | os.PathLike[str], lang: str = "en", *, threads: int = 1, report: Report | None = None,
    **settings: Any,
) -> Index:
    """Index documents into a folder and open it. Documents are a file, records, dicts, tuples or a DataFrame.

    Further settings are those of the analyzer: kind, split, lowercase, stem, stopwords, japanese. More than one thread
    means processes of their own, so a script must then start its work under `if __name__ == "__main__":`.
    """
    build(folder, as_docs(docs), Analyzer(Settings(lang, **settings)), workers=threads, report=report)
    return Index.load(folder)
