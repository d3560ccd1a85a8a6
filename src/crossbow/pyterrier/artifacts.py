"""Indexes and models as PyTerrier's artifacts: found by pt.Artifact.load, packed and shared by its commands.

    index = CrossbowIndex("index", lang="en")
    index.index([{"docno": "d1", "text": "A house by the lake."}, …])
    index.retriever("model", "bowfd"); index.reranker("model"); index.explainer("model"); index.text_loader()
    pt.Artifact.load("index"), pt.Artifact.load("model")        # any folder of ours, also one without pt_meta.json

The folders are those that `crossbow index` and `crossbow train` write, so all commands work with them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyterrier as pt

from crossbow import store
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.index.make import build_index
from crossbow.index.manifest import KIND as INDEX
from crossbow.model import MODEL, Model
from crossbow.pyterrier.base import Drawn
from crossbow.pyterrier.queries import CrossbowForests, CrossbowTranslate
from crossbow.pyterrier.results import Config, CrossbowExplainer, CrossbowReranker, CrossbowRetriever, CrossbowTexts
from crossbow.records import Doc
from crossbow.records.lines import write_lines

FORMAT = "crossbow"
TYPES = {INDEX: "sparse_index", MODEL: "translation_model"}  # what PyTerrier calls our kinds of folders
HINT = "crossbow-clir[pyterrier]"
META = "pt_meta.json"
PathLike = str | os.PathLike[str]


def artifact_metadata(path: str, listing: Sequence[str]) -> dict[str, str] | None:
    """What PyTerrier would find in pt_meta.json, for a folder of ours that has none."""
    if store.HEADER not in listing:
        return None
    try:
        kind = store.header(path)["kind"]
    except CrossbowError:
        return None  # it is damaged, or not ours
    return {"type": TYPES[kind], "format": FORMAT, "package_hint": HINT} if kind in TYPES else None


class CrossbowModel(pt.Artifact):
    """A model's folder, which makes transformers that translate."""

    ARTIFACT_TYPE, ARTIFACT_FORMAT, ARTIFACT_PACKAGE_HINT = TYPES[MODEL], FORMAT, HINT

    def __init__(self, path: PathLike):
        super().__init__(os.fspath(path))
        self.folder = Path(path)

    def __repr__(self) -> str:
        return f"CrossbowModel({str(self.folder)!r})"

    @cached_property
    def model(self) -> Model:
        return Model.load(self.folder)

    def translate(self, translation: Translation | None = None) -> CrossbowTranslate:
        """Q → Q: queries become their best translations."""
        return CrossbowTranslate(self.model, translation)

    def forests(self, translation: Translation | None = None) -> CrossbowForests:
        """Q → Q: with forests that several retrievers can share."""
        return CrossbowForests(self.model, translation)


class CrossbowIndex(Drawn, pt.Artifact, pt.Indexer):
    """An index's folder, which makes transformers that search it. To be built, or there already.

    `lang` and further settings are those of the analyzer, for `index`; `text_attrs` are the fields that make a
    document's text. Processes are as many as `threads`.
    """

    ARTIFACT_TYPE, ARTIFACT_FORMAT, ARTIFACT_PACKAGE_HINT = TYPES[INDEX], FORMAT, HINT

    def __init__(self, path: PathLike, *, lang: str = "en", text_attrs: Sequence[str] = ("text",), threads: int = 1,
                 **settings: Any):
        super().__init__(os.fspath(path))
        self.folder = Path(path)
        self.lang, self.text_attrs, self.threads, self.settings = lang, tuple(text_attrs), threads, settings

    def __repr__(self) -> str:
        return f"CrossbowIndex({str(self.folder)!r})"

    def __len__(self) -> int:
        return len(self.opened)

    def built(self) -> bool:
        """Whether there is an index in the folder."""
        return (self.folder / store.HEADER).exists()

    @cached_property
    def opened(self) -> Index:
        """The index as it was when first asked for."""
        return Index.load(self.folder)

    def index_inputs(self) -> list[list[str]]:
        """The fields that a document must have."""
        return [["docno", *self.text_attrs]]

    def index(self, iter: Iterable[Mapping[str, Any]] | pd.DataFrame, **_: Any) -> CrossbowIndex:
        """Index documents, records or a frame; an index that is there stays until the new one is complete."""
        records = iter.to_dict("records") if isinstance(iter, pd.DataFrame) else iter
        index = build_index(self._docs(records), self.folder, self.lang, threads=self.threads, **self.settings)
        write_lines(self.folder / META, [json.dumps(self._build_metadata())])
        self.opened = index
        return self

    def _docs(self, records: Iterable[Mapping[str, Any]]) -> Iterator[Doc]:
        for number, record in enumerate(records, 1):
            missing = [name for name in ("docno", *self.text_attrs) if record.get(name) is None]
            if missing:
                raise CrossbowError(f"document {number} has no {missing[0]!r} but {', '.join(map(str, record))}; name "
                                    "the fields with text by text_attrs")
            title = "" if "title" in self.text_attrs else str(record.get("title") or "")
            yield Doc(str(record["docno"]), " ".join(str(record[name]) for name in self.text_attrs), title)

    def retriever(
        self, model: Model | CrossbowModel | PathLike | None, method: str | None = None, *, config: Config = None,
        num_results: int | None = None, threads: int = 1,
    ) -> CrossbowRetriever:
        """Q → R: by a method with the paper's settings, or by a configuration, which may be changes by path.

        Without a model, queries are searched in the language of the documents.
        """
        return CrossbowRetriever(_model(model), self.opened, _config(method, config), num_results=num_results,
                                 threads=threads)

    def reranker(
        self, model: Model | CrossbowModel | PathLike | None, method: str | None = None, *, config: Config = None,
        threads: int = 1,
    ) -> CrossbowReranker:
        """R → R: documents that others have found, ranked by our scores."""
        return CrossbowReranker(_model(model), self.opened, _config(method, config), threads=threads)

    def explainer(
        self, model: Model | CrossbowModel | PathLike | None, method: str | None = None, *, config: Config = None,
        threads: int = 1,
    ) -> CrossbowExplainer:
        """R → R: with the translation that each document chose, and what it matched."""
        return CrossbowExplainer(_model(model), self.opened, _config(method, config), threads=threads)

    def text_loader(self, fields: Sequence[str] | str = "*", *, verbose: bool = False) -> CrossbowTexts:
        """R → R: with the texts of documents, as pt.text.get_text wants it."""
        names = ("title", "text") if fields == "*" else (fields,) if isinstance(fields, str) else tuple(fields)
        return CrossbowTexts(self.opened, names)


def _model(model: Model | CrossbowModel | PathLike | None) -> Model | None:
    if isinstance(model, CrossbowModel):
        return model.model
    return Model.load(model) if isinstance(model, str | os.PathLike) else model


def _config(method: str | None, config: Config) -> Config:
    if method is None:
        return config
    if config is None or isinstance(config, Mapping):
        return {"method": method, **(config or {})}
    raise CrossbowError("a configuration has its method already; give one of the two, or settings by path")
