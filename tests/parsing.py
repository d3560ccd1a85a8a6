"""What the tests of parsing share: the demo's documents, and queries cut out of their second sentences."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from crossbow.datasets.demo.load import documents
from crossbow.index import Index, build
from crossbow.parse.em import EmConfig
from crossbow.parse.endtoend import LearningConfig
from crossbow.parse.parser import ParserConfig
from crossbow.parse.texts import TextConfig
from crossbow.parse.train import Trained, train
from crossbow.records import Query, write_qrels, write_queries
from crossbow.records.judged import JudgedQuery
from crossbow.records.types import Qrel
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.sentences import split_sentences

CONFIG = ParserConfig(TextConfig(sentences=2, words=20), EmConfig(words=300, rounds=3), depth=15)
LESSON = LearningConfig(candidates=8, rounds=3)
SPLITS = {"train": range(0, 120), "dev": range(120, 160), "test": range(160, 200)}


class Place(NamedTuple):
    """An index with its folder, judged queries, and parsers trained on them. Nobody changes these."""

    folder: Path
    index: Index
    judged: dict[str, list[JudgedQuery]]
    trained: Trained


def judged_queries() -> dict[str, list[JudgedQuery]]:
    """By split: the words of a document's second sentence find it, and less so the document after it."""
    docs = documents()
    return {split: [JudgedQuery(docs[n].id, sentences[1], {docs[n].id: 3, docs[n + 1].id: 1}, docs[n].id)
                    for n in numbers if len(sentences := split_sentences(docs[n].text, "en")) > 1]
            for split, numbers in SPLITS.items()}


def parse_place(factory: pytest.TempPathFactory) -> Place:
    """Made once per test session."""
    folder = factory.getbasetemp() / "parsing"
    judged = judged_queries()
    if not folder.exists():
        build(folder / "index", documents(), Analyzer(Settings("en")), workers=1)
        for split, queries in judged.items():
            write_queries(folder / f"queries.{split}.tsv", (Query(query.id, query.text) for query in queries))
            write_qrels(folder / f"qrels.{split}.txt", (Qrel(query.id, doc, level) for query in queries
                                                        for doc, level in query.levels.items()))
    index = Index.load(folder / "index")
    return Place(folder, index, judged, _trained(index, judged))


_MADE: dict[str, Trained] = {}


def _trained(index: Index, judged: dict[str, list[JudgedQuery]]) -> Trained:
    if "" not in _MADE:
        _MADE[""] = train(index, judged["train"], judged["dev"], CONFIG, LESSON)
    return _MADE[""]
