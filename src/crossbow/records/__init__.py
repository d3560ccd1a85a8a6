"""The records that travel between modules, and the files they are read from and written to.

    from crossbow.records import Doc, Query, Qrel, Hit, read_docs, read_queries, load_qrels, write_run

Every reader streams, takes plain, .gz and .xz files alike, and names file, line and remedy when the input is bad.
"""

from __future__ import annotations

from crossbow.records.lines import open_lines, write_lines
from crossbow.records.parallel import ParallelText
from crossbow.records.texts import read_docs, read_queries, write_docs, write_queries
from crossbow.records.trec import load_qrels, rank, read_qrels, read_run, write_qrels, write_run
from crossbow.records.types import Doc, Hit, Qrel, Query

__all__ = [
    "Doc", "Hit", "ParallelText", "Qrel", "Query", "load_qrels", "open_lines", "rank", "read_docs", "read_qrels",
    "read_queries", "read_run", "write_docs", "write_lines", "write_qrels", "write_queries", "write_run",
]
