"""Our data sets in PyTerrier: pt.get_dataset("crossbow:demo"), or the folder of any collection that we can read.

    dataset = pt.get_dataset("crossbow:demo")
    dataset.get_corpus_iter(); dataset.get_topics("test"); dataset.get_qrels("test")
    dataset.collection.pairs()                                  # the parallel text to train a model on

A data set that has to be built first is built in PyTerrier's own folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from crossbow.datasets.collection import Collection
from crossbow.datasets.registry import open_dataset
from crossbow.records.exchange import qrels_frame, queries_frame


class CrossbowProvider(pt.datasets.DatasetProvider):
    """PyTerrier asks it for what stands behind `crossbow:`."""

    def get_dataset(self, name: str) -> CrossbowDataset:
        built = Path(pt.io.pyterrier_home()) / "crossbow" / name.replace(":", "-")
        if not Path(name).is_dir():
            built.parent.mkdir(parents=True, exist_ok=True)
        return CrossbowDataset(open_dataset(name, built))

    def list_dataset_names(self) -> list[str]:
        """Only the demo: PyTerrier opens whatever is listed, and the others take long to build."""
        return ["demo"]


class CrossbowDataset(pt.datasets.Dataset):
    """A collection; the variants of its topics and judgments are its splits."""

    def __init__(self, collection: Collection):
        self.collection = collection

    def __repr__(self) -> str:
        return f"CrossbowDataset({self.collection.name!r})"

    def get_corpus_iter(self, *, verbose: bool = True) -> Iterator[dict[str, Any]]:
        """The documents; there is no bar of progress, whatever is asked."""
        for doc in self.collection.docs():
            yield {"docno": doc.id, "title": doc.title, "text": doc.text}

    def get_corpus_lang(self) -> str:
        return self.collection.target

    def get_topics(self, variant: str | None = None) -> pd.DataFrame:
        """The queries of a split; those of test unless another is named."""
        return queries_frame(self.collection.queries(variant or "test"))

    def get_topics_lang(self) -> str:
        return self.collection.source

    def get_qrels(self, variant: str | None = None) -> pd.DataFrame:
        """The judgments of a split; those of test unless another is named."""
        return qrels_frame(self.collection.qrels(variant or "test"))
