"""A trained parser as ranking uses it: the dependency model, how text is read, what an edit costs, and α; in a folder.

    parser = Parser.load("parser")
    trees = parser.queries(["otters open clams with rocks"])
    parser.save(Path("parser"), {"history": …})
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import store
from crossbow.arrays import F64, I32, I64, U8
from crossbow.errors import CrossbowError
from crossbow.parse.em import EmConfig
from crossbow.parse.model import ParseConfig, ParseModel, Table, Trees, parse
from crossbow.parse.scripts import CostConfig
from crossbow.parse.similarity import Pivot, Similarity, SimilarityConfig
from crossbow.parse.texts import Reader, TextConfig, Texts
from crossbow.ranking.bm25 import Bm25
from crossbow.text.analyzer import Analyzer
from crossbow.vocab import Vocab

KIND, PIVOT = "parser", "pivot"


@dataclass(frozen=True)
class ParserConfig:
    """All choices; those that the poster leaves open are fields, so that the alternatives can be measured."""

    text: TextConfig = field(default_factory=TextConfig)
    em: EmConfig = field(default_factory=EmConfig)
    parsing: ParseConfig = field(default_factory=ParseConfig)
    costs: CostConfig = field(default_factory=CostConfig)
    similarity: SimilarityConfig = field(default_factory=SimilarityConfig)
    bm25: Bm25 = field(default_factory=Bm25)
    depth: int = 100  # candidates that are ranked again
    alpha: float = 1.0  # what the distance counts against the base score

    def __post_init__(self) -> None:
        if self.depth < 1 or not 0 <= self.alpha < float("inf"):
            raise CrossbowError(f"depth {self.depth} and α {self.alpha}: the depth must be at least 1, and α a number "
                                "of at least 0")

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ParserConfig:
        parts = {"text": TextConfig, "em": EmConfig, "parsing": ParseConfig, "costs": CostConfig,
                 "similarity": SimilarityConfig, "bm25": Bm25}
        return cls(**{name: parts[name](**value) if name in parts else value for name, value in data.items()})


class _Arrays(NamedTuple):
    words: U8
    starts: I64
    children: I32
    value: F64


class Parser:
    """Safe to share between threads."""

    def __init__(self, model: ParseModel, analyzer: Analyzer, config: ParserConfig, pivot: Pivot | None = None,
                 meta: dict[str, Any] | None = None):
        self.model = model._replace(config=config.parsing)
        self.analyzer, self.config, self.pivot, self.meta = analyzer, config, pivot, meta or {}
        self.similarity = Similarity(config.similarity, pivot)
        self.reader = Reader(analyzer, model.vocab, config.text)

    def queries(self, texts: Iterable[str]) -> tuple[Texts, Trees]:
        """Texts as one sentence each, and their trees."""
        return self._parsed(self.reader.queries(texts))

    def sentences(self, texts: Sequence[Sequence[Sequence[str]]]) -> tuple[Texts, Trees]:
        """Words of sentences of texts, made elsewhere, and their trees."""
        return self._parsed(self.reader.pack([[self.reader.cut(words) for words in text] for text in texts]))

    def documents(self, texts: Iterable[str]) -> tuple[Texts, Trees]:
        """The openings of documents, and their trees."""
        return self._parsed(self.reader.documents(texts))

    def _parsed(self, texts: Texts) -> tuple[Texts, Trees]:
        return texts, parse(self.model, texts)

    def replace(self, value: F64 | None = None, **changes: Any) -> Parser:
        """The same parser with other parameters or settings."""
        model = self.model if value is None else self.model.with_value(value)
        return Parser(model, self.analyzer, replace(self.config, **changes), self.pivot, self.meta)

    @cached_property
    def signature(self) -> str:
        """What this parser is, in one word."""
        pivot = [] if self.pivot is None else list(self.pivot)
        return store.digest(self.model.vocab.words, *self.model.table, asdict(self.config), self.analyzer.to_json(),
                            *pivot)

    def save(self, folder: Path, facts: dict[str, Any]) -> None:
        """Write the parser in place of what was there; `facts` say how it was made."""
        with store.replacing(folder, KIND) as fresh:
            self.write(fresh, facts)

    def write(self, folder: Path, facts: dict[str, Any]) -> None:
        """Write the parser into a new folder."""
        meta = {**facts, "config": asdict(self.config), "analyzer": self.analyzer.to_json(),
                "signature": self.signature}
        if self.pivot is not None:
            self.pivot.save(folder / PIVOT)
        store.save(folder, KIND, _Arrays(store.pack_strings(self.model.vocab.words), *self.model.table), meta)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Parser:
        """Open a parser that `crossbow parse train` wrote."""
        arrays, meta = store.load(folder, KIND, _Arrays)
        vocab, place = Vocab(store.unpack_strings(arrays.words)), Path(folder) / PIVOT
        parameters = len(arrays.children)
        store.check_fit(Path(folder), arrays, {"starts": (len(vocab) + 1, parameters)}, {"value": parameters})
        model = ParseModel(vocab, Table(arrays.starts, arrays.children, arrays.value))
        return cls(model, Analyzer.from_json(meta["analyzer"]), ParserConfig.from_json(meta["config"]),
                   Pivot.load(place) if place.exists() else None, meta)
