"""The inverted index of a collection of documents: built, searched, and changed while others search.

    from crossbow.index import Index, add, build, delete

    build("index", read_docs("docs.tsv"), Analyzer(Settings("en")))
    index = Index.load("index")
    index["d7"].text
"""

from __future__ import annotations

from crossbow.index.postings import Postings
from crossbow.index.segments import Index, Segment
from crossbow.index.writer import add, build, delete, update

__all__ = ["Index", "Postings", "Segment", "add", "build", "delete", "update"]
