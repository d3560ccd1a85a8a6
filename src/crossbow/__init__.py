"""Crossbow: cross-lingual search by bag-of-words forced decoding.

    model = crossbow.train("train.de", "train.en", "model.de-en", lm_text=["docs.tsv"])
    model = crossbow.Model.load("model.de-en")
    model.translate("Das Haus am See.", n=3)
    forest = model.forest("Das Haus am See.")
    for forest in crossbow.Forest.read_jsonl("forests.jsonl"): ...
    index = crossbow.Index.load("index.en")
    for hit in crossbow.search("Das Haus am See", index, model, k=10): ...

Importing this package is cheap: everything that needs NumPy or Numba loads on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["CrossbowError", "Forest", "Hit", "Index", "Model", "__version__", "explain", "search", "train"]

if TYPE_CHECKING:
    from crossbow.errors import CrossbowError
    from crossbow.forest.hypergraph import Forest
    from crossbow.index.segments import Index
    from crossbow.model import Model
    from crossbow.ranking.explain.derivation import explain
    from crossbow.ranking.search import search
    from crossbow.records import Hit
    from crossbow.training.front import train

_HOME = {"CrossbowError": "crossbow.errors", "Forest": "crossbow.forest.hypergraph", "Hit": "crossbow.records",
         "Index": "crossbow.index.segments", "Model": "crossbow.model",
         "explain": "crossbow.ranking.explain.derivation",
         "search": "crossbow.ranking.search", "train": "crossbow.training.front"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'crossbow' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
