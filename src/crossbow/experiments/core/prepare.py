"""From the name of a collection to a cache: text, model and indexes, and digests of all that is measured with.

    collection = open_collection("debian:de", work)
    frozen = freeze(collection)                                     # before anything is made
    folder = model_folder(collection, work, config)                 # or grammar=PHRASE
    index = Index.load(index_folder(collection, "dev", work, config))
    dev = open_split(collection, "dev", index, config)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from crossbow import store
from crossbow.datasets.articles import hold_out
from crossbow.datasets.collection import Collection
from crossbow.datasets.registry import open_dataset
from crossbow.errors import CrossbowError
from crossbow.experiments.core.split import Split
from crossbow.index import Index, build
from crossbow.lm.estimate import Smoothing
from crossbow.model import Model
from crossbow.pipeline import Report, file_digest
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.parallel import GRAMMARS, HIERARCHICAL, TrainConfig, train

NEEDED = ("dev", "test")


@dataclass(frozen=True)
class ReproduceConfig:
    """What a reader of the report must know."""

    doc_words: int | None = None  # cut documents to this many words
    queries: int | None = None  # take only this many of dev and test, the first ones
    dev_queries: int | None = None  # choose settings on even fewer of dev
    train_queries: int = 1000  # evenly spaced
    learning: bool = True
    lm_order: int = 4  # of the language model of a model that is trained
    pop_limit: int | None = None  # of its decoder; the grammar's own unless it is said
    trials: int = 1_000_000
    seed: int = 1


def open_collection(name: str, work: Path, report: Report | None = None) -> Collection:
    """The collection of this name, or in the folder of this name, with parallel text if it brings any."""
    say = report or (lambda what, done, total: None)
    collection = open_dataset(name, work / "collection", lambda what: say(what, 0, 0)).spelled_out(work / "queries")
    lacking = [split for split in NEEDED if split not in collection.splits]
    if lacking:
        raise CrossbowError(f"{collection.folder}: there are no queries and judgments of {' and '.join(lacking)}; "
                            "settings are chosen on dev and measured on test, so both are needed")
    if collection.train is not None and collection.tune is None:
        collection = hold_out(collection, work / "text")
    return collection


def freeze(collection: Collection) -> dict[str, dict[str, str]]:
    """Digests of the documents, queries and judgments of every split."""
    return {split: {"docs": file_digest(files.docs), "queries": file_digest(files.queries),
                    "qrels": file_digest(files.qrels)} for split, files in collection.splits.items()}


def model_folder(
    collection: Collection, work: Path, asked: ReproduceConfig, given: Path | None = None, threads: int = 2,
    report: Report | None = None, grammar: str = HIERARCHICAL,
) -> Path:
    """The folder of the model that was given, or of one that is trained on the collection's text and documents."""
    if given is not None:
        check_model(Model.load(given), collection)
        return given
    if collection.train is None or collection.tune is None:
        raise CrossbowError(f"{collection.folder}: this collection brings no parallel text to train on; give a model "
                            f"that translates from {collection.source!r} to {collection.target!r} with --model")
    decode, tuning = GRAMMARS[grammar]
    if asked.pop_limit is not None:
        decode = replace(decode, pop_limit=asked.pop_limit)
    config = TrainConfig(Settings(collection.source), Settings(collection.target), lm=Smoothing(asked.lm_order),
                         decode=decode, tune=tuning)
    docs = sorted({files.docs for files in collection.splits.values()})
    files = [collection.train.source, collection.train.target, collection.tune.source, collection.tune.target,
             collection.groups, *docs]
    out = work / f"model-{store.digest([file_digest(file) if file else None for file in files], _plain(config))}"
    if not (out / store.HEADER).exists():
        train(collection.train, out, config, lm_texts=docs, groups=collection.groups, tuning=collection.tune,
              threads=threads, report=report)
    return out


def check_model(model: Model, collection: Collection) -> None:
    """Raise an error if the model is not for the languages of the collection."""
    ours = model.source.settings.lang, model.target.settings.lang
    if ours != (collection.source, collection.target):
        raise CrossbowError(f"the model translates from {ours[0]!r} to {ours[1]!r}, the collection needs "
                            f"{collection.source!r} to {collection.target!r}; give another --model")


def index_folder(
    collection: Collection, split: str, work: Path, config: ReproduceConfig, threads: int = 2,
    report: Report | None = None,
) -> Path:
    """The folder of an index of a split's documents; splits with the same documents share it."""
    analyzer = Analyzer(Settings(collection.target))
    docs = file_digest(collection.splits[split].docs)
    place = work / f"index-{store.digest(docs, config.doc_words, analyzer.to_json())}"
    if not (place / store.HEADER).exists():
        build(place, _docs(collection, split, config.doc_words), analyzer, workers=threads, report=report)
    return place


def open_split(collection: Collection, name: str, index: Index, config: ReproduceConfig) -> Split:
    """The queries of a split, as many as are asked for."""
    queries = tuple(collection.judged(name))[: config.queries]
    return Split(name, queries[: config.dev_queries] if name == "dev" else queries, index)


def _docs(collection: Collection, split: str, longest: int | None) -> Iterator[Doc]:
    for doc in collection.docs(split):
        yield doc if longest is None else doc._replace(text=" ".join(doc.text.split()[:longest]))


def _plain(config: TrainConfig) -> dict[str, Any]:
    analyzers = [Analyzer(settings).to_json() for settings in (config.source, config.target)]
    return {**asdict(config), "source": analyzers[0], "target": analyzers[1]}
