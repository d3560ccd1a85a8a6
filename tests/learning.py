"""What the tests of learning share: the demo collection, a small model, and queries to learn from and measure with."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from crossbow.datasets.demo.load import documents, qrels, queries
from crossbow.index import Index, build
from crossbow.model import Model
from crossbow.records.judged import JudgedQuery
from crossbow.text.analyzer import Analyzer, Settings
from training import corpus


class Place(NamedTuple):
    """A model with its folder, an index with its own, and judged queries. Nobody changes these."""

    folder: Path
    model: Model
    index_folder: Path
    index: Index
    training: list[JudgedQuery]
    development: list[JudgedQuery]


def judged_queries(split: str, count: int) -> list[JudgedQuery]:
    levels = qrels(split)
    return [JudgedQuery(query.id, query.text, levels[query.id], query.id) for query in queries(split)[:count]]


def demo_place(factory: pytest.TempPathFactory) -> Place:
    """Made once per test session."""
    folder, place = corpus(factory) / "model", factory.getbasetemp() / "learning-index"
    if not place.exists():
        build(place, documents(), Analyzer(Settings("en")), workers=1)
    return Place(folder, Model.load(folder), place, Index.load(place), judged_queries("test", 14),
                 judged_queries("dev", 8))
