"""Crossbow: cross-lingual search by bag-of-words forced decoding.

    model = crossbow.train("train.de", "train.en", "model")
    index = crossbow.build_index("docs.tsv", "index", lang="en")
    searcher = crossbow.Searcher(model, index)
    hits = searcher.search("Das Haus am See", k=10)
    searcher.explain("Das Haus am See", hits[0].doc)
    crossbow.evaluate("qrels.txt", {"dt": "dt.txt", "bowfd": "bowfd.txt"})

Importing this package is cheap: everything that needs NumPy or Numba loads on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from crossbow.errors import CrossbowError, CrossbowWarning
    from crossbow.evaluation.report import evaluate
    from crossbow.forest.hypergraph import Forest
    from crossbow.index.make import build_index
    from crossbow.index.segments import Index
    from crossbow.model import Model
    from crossbow.ranking.config import SearchConfig
    from crossbow.ranking.explain.records import Explanation
    from crossbow.ranking.filters import Filter
    from crossbow.ranking.fusion import fuse
    from crossbow.ranking.hits import Hits
    from crossbow.ranking.methods import METHODS
    from crossbow.ranking.polyglot import Polyglot
    from crossbow.ranking.searcher import Searcher, explain, search
    from crossbow.records import Doc, Hit, Query
    from crossbow.training.front import train

# Everything public, and where it lives.
_HOME = {
    "CrossbowError": "errors", "CrossbowWarning": "errors", "Doc": "records", "Explanation": "ranking.explain.records",
    "Filter": "ranking.filters", "Forest": "forest.hypergraph", "Hit": "records", "Hits": "ranking.hits",
    "Index": "index.segments", "METHODS": "ranking.methods", "Model": "model", "Polyglot": "ranking.polyglot",
    "Query": "records",
    "SearchConfig": "ranking.config", "Searcher": "ranking.searcher", "build_index": "index.make",
    "evaluate": "evaluation.report", "explain": "ranking.searcher", "fuse": "ranking.fusion",
    "search": "ranking.searcher", "train": "training.front",
}
__all__ = [
    "METHODS", "CrossbowError", "CrossbowWarning", "Doc", "Explanation", "Filter", "Forest", "Hit", "Hits", "Index",
    "Model", "Polyglot", "Query", "SearchConfig", "Searcher", "__version__", "build_index", "evaluate", "explain",
    "fuse", "search", "train",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'crossbow' has no attribute {name!r}")
    return getattr(import_module(f"crossbow.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
