"""What the steps of the experiment share: a collection with its splits, models and indexes, and what is decided.

    experiment = prepare("debian:de", ReproduceConfig(), work)
    experiment.dev, experiment.cache, experiment.decisions, experiment.notes
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crossbow.datasets.collection import Collection
from crossbow.experiments.bowfd.systems import PHRASES
from crossbow.experiments.core.cache import Cache
from crossbow.experiments.core.decisions import Decisions
from crossbow.experiments.core.prepare import (
    NEEDED,
    ReproduceConfig,
    freeze,
    index_folder,
    model_folder,
    open_collection,
    open_split,
)
from crossbow.experiments.core.split import Split
from crossbow.index import Index
from crossbow.learn.queries import read_usable, usable
from crossbow.pipeline import Report
from crossbow.training.parallel import PHRASE

TRAIN = "train"
NONE: Mapping[str, Path] = {}


@dataclass(frozen=True)
class Experiment:
    """Everything that systems are decided and measured with."""

    name: str  # of the collection, as it was asked for
    collection: Collection
    config: ReproduceConfig
    cache: Cache
    dev: Split
    test: Split
    indexes: dict[str, Path]  # of the splits
    frozen: dict[str, dict[str, str]]  # digests of all files, from before anything was made
    notes: list[str]
    decisions: Decisions = field(default_factory=Decisions)

    def training(self) -> Split:
        """The queries to learn from."""
        files, index = self.collection.splits[TRAIN], Index.load(self.indexes[TRAIN])
        return Split(TRAIN, tuple(read_usable(files.queries, files.qrels, self.cache.models[""], index,
                                              self.config.train_queries, files.groups)), index)

    def development(self) -> Split:
        """The development queries that learning can be measured with."""
        return Split(self.dev.name, tuple(usable(self.dev.queries, self.cache.models[""], self.dev.index)),
                     self.dev.index)


def prepare(
    name: str, config: ReproduceConfig, work: Path, model: Path | None = None, phrase_model: Path | None = None,
    threads: int = 2, report: Report | None = None, also: Mapping[str, Path] = NONE, phrases: bool = True,
) -> Experiment:
    """Build or open the collection, its models and its indexes. Models of `also` are given, by name.

    Without `phrases` no system asks for a phrase-based model, so none is trained.
    """
    collection = open_collection(name, work, report)
    frozen = freeze(collection)
    folder = model_folder(collection, work, config, model, threads, report)
    splits = NEEDED if cannot_learn(collection, config) else (*NEEDED, TRAIN)
    indexes = {split: index_folder(collection, split, work, config, threads, report) for split in splits}
    dev, test = (open_split(collection, split, Index.load(indexes[split]), config) for split in NEEDED)
    cache, notes = Cache(work, {"": folder}, threads, report), _notes(config)
    if phrases and (model is None or phrase_model is not None):
        found = cache.open(PHRASES, model_folder(collection, work, config, phrase_model, threads, report, PHRASE))
        notes.append(f"The phrase-based systems translate with the model {found.signature}.")
    elif phrases:
        notes.append("A model was given, but no phrase-based one beside it, so there are no phrase-based systems.")
    for known, place in also.items():
        other = cache.open(known, model_folder(collection, work, config, place))
        notes.append(f"The systems with {known!r} in their names translate with the model {other.signature} "
                     f"({other.kind}).")
    return Experiment(name, collection, config, cache, dev, test, indexes, frozen, notes)


def cannot_learn(collection: Collection, config: ReproduceConfig) -> str:
    """Why nothing can be learned, or an empty string."""
    if not config.learning:
        return "it was not asked for"
    return "" if TRAIN in collection.splits else "the collection has no training queries"


def _notes(config: ReproduceConfig) -> list[str]:
    """What makes the numbers differ from those of the whole collection."""
    notes = []
    if config.queries is not None:
        notes.append(f"A quick look: only the first {config.queries:,} queries of dev and test.")
    if config.dev_queries is not None:
        notes.append(f"Settings were chosen on the first {config.dev_queries:,} queries of dev.")
    if config.lm_order != ReproduceConfig.lm_order:
        notes.append(f"The language model has n-grams of up to {config.lm_order} words.")
    if config.pop_limit is not None:
        notes.append(f"Decoding keeps {config.pop_limit:,} hypotheses per span.")
    if config.doc_words is not None:
        notes.append(f"Documents are cut to their first {config.doc_words:,} words.")
    return notes
