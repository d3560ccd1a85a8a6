"""Results and judgments in the forms of other tools: dicts for ir_measures and ranx, frames for pandas and PyTerrier.

    run = searcher.search_all(queries)                                  # or a TREC file, or hits by query
    ir_measures.calc_aggregate([AP, nDCG @ 10], qrels, run_scores(run))
    ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run_scores(run)), "map")
    run_frame(run)                                                      # qid, docno, score, rank

The way back, and data of ir_datasets, goes through sources.py and irds.py. Nothing here needs pandas but the frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from crossbow.errors import CrossbowError
from crossbow.records.sources import as_run
from crossbow.records.types import Query

if TYPE_CHECKING:
    import pandas as pd


def run_scores(run: Any) -> dict[str, dict[str, float]]:
    """The score of each document by query: what ir_measures, ranx and pytrec_eval take."""
    return {query: {hit.doc: float(hit.score) for hit in hits} for query, hits in as_run(run).items()}


def run_frame(run: Any) -> pd.DataFrame:
    """A run as PyTerrier has it. Ranks begin with 0 there."""
    rows = [(query, hit.doc, hit.score, hit.rank - 1) for query, hits in as_run(run).items() for hit in hits]
    return _frame(rows, {"qid": "str", "docno": "str", "score": "float64", "rank": "int64"})


def qrels_frame(qrels: Mapping[str, Mapping[str, int]]) -> pd.DataFrame:
    """Judgments as PyTerrier has them."""
    rows = [(query, doc, level) for query, levels in qrels.items() for doc, level in levels.items()]
    return _frame(rows, {"qid": "str", "docno": "str", "label": "int64"})


def queries_frame(queries: Iterable[Query]) -> pd.DataFrame:
    """Queries as PyTerrier has them, where they are called topics."""
    return _frame(list(queries), {"qid": "str", "query": "str"})


def _frame(rows: list[Any], types: Mapping[str, str]) -> pd.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise CrossbowError("frames need the package pandas; install it, or use run_scores") from None
    return pd.DataFrame([tuple(row) for row in rows], columns=list(types)).astype(dict(types))
