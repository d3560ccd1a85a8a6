"""Learning to rank: from a model, an index and judged queries to a model with weights learned for retrieval.

    summary = learn(model, index, training, development, LearnConfig(lex=True), folder=Path("m"), out=Path("m2"))
    summary = choose_v(model, index, development, GRID, LearnConfig(), folder=Path("m"), out=Path("m2"))

Everything is done in stages beside the output, so that an interrupted run goes on where it stopped: the forests of all
queries, then epoch by epoch. The weights of the best epoch are kept; epoch 0 are those that learning starts from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import store
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.learn.config import DENSE, IR, LEX, LearnConfig
from crossbow.learn.develop import Development
from crossbow.learn.shards import Counts, Shard, State
from crossbow.learn.training import TrainingSet
from crossbow.model import MODEL, SEARCH, Model, ModelParts, write_model
from crossbow.pipeline import Report, Stages, stages_beside
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.searcher import check_languages
from crossbow.records.judged import JudgedQuery
from crossbow.weights import Learned, TermWeights

GRID = (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0)


class Epoch(NamedTuple):
    """How an epoch went. `measure` is that of the development queries, searched with the weights after it."""

    number: int
    measure: float
    loss: float  # of a pair, on average, when its turn came
    pairs: int
    violations: int
    features: int  # that have been touched so far
    seconds: float  # of learning, without measuring


class Learning:
    """One run: its inputs, and the epochs done so far."""

    def __init__(self, training: TrainingSet, development: Development, config: LearnConfig, stages: Stages, key: str,
                 threads: int):
        self.training, self.development, self.config = training, development, config
        self.stages, self.key, self.threads = stages, key, threads
        self.model, self.search = training.model, training.search
        self.places: list[Path] = []

    def run(self, each: Callable[[Epoch], None] | None) -> tuple[list[Epoch], int]:
        """All epochs until there are enough or none has been better for long, and the number of the best."""
        history: list[Epoch] = []
        best = 0
        while len(history) <= self.config.epochs and len(history) - 1 - best < self.config.patience:
            history.append(self.epoch())
            if history[-1].measure > history[best].measure:
                best = len(history) - 1
            if each:
                each(history[-1])
        return history, best

    def epoch(self) -> Epoch:
        """The next epoch, or what an earlier run stored of it."""
        number = len(self.places)
        name = f"epoch-{number}"

        def make(folder: Path) -> None:
            state = self.state(number - 1)
            start, counts = time.perf_counter(), Counts(0, 0, 0.0)
            if number:
                counts = state.run(self.training, self.start, self.config, self.threads, self.stages.report, name)
            seconds = time.perf_counter() - start
            weights, smt = self.learned(state)
            measure = self.development.measure(weights, self.threads, smt if self.config.joint else None)
            state.save(folder, Epoch(number, measure, counts.loss / max(1, counts.pairs), counts.pairs,
                                     counts.violations, len(state.weights), seconds)._asdict())

        self.places.append(self.stages.run(name, [self.key, number], make))
        return Epoch(**store.header(self.places[number])["meta"])

    def state(self, number: int) -> State:
        """What an epoch has left, or what learning starts from."""
        if number < 0:
            return State([Shard() for _ in range(self.config.shards)])
        return State.load(self.places[number], self.config.shards)

    def start(self, name: str) -> float:
        """The weight from which a feature starts."""
        weights = self.search.weights
        if name.startswith(LEX):
            return weights.learned.lex.get(name, 0.0)
        if name.startswith(IR):
            return weights.v if self.config.dense else float(weights.of([name[len(IR) :]])[0])
        return self.model.decoder.weights.get(name, 0.0)

    def learned(self, state: State) -> tuple[TermWeights, dict[str, float]]:
        """The weights of retrieval and of the translation model; features that were never touched stay as they were."""
        found: dict[str, dict[str, float]] = {IR: {}, LEX: {}, "": {}}
        for name, weight in state.weights.items():
            kind = next(kind for kind in found if name.startswith(kind))
            found[kind][name] = weight
        old, smt = self.search.weights, {**self.model.decoder.weights, **found[""]}
        terms, lex = old.learned.terms, {**old.learned.lex, **found[LEX]}
        if self.config.dense:
            return replace(old, v=found[IR].get(DENSE, old.v), learned=Learned(terms, lex)), smt
        learned = {name[len(IR) :]: weight for name, weight in found[IR].items()}
        return replace(old, learned=Learned({**terms, **learned}, lex)), smt


def learn(
    model: Model, index: Index, training: Sequence[JudgedQuery], development: Sequence[JudgedQuery],
    config: LearnConfig, *, folder: Path, out: Path, search: SearchConfig | None = None, threads: int = 2,
    report: Report | None = None, each: Callable[[Epoch], None] | None = None, forests: Path | None = None,
    development_index: Index | None = None,
) -> dict[str, Any]:
    """Learn weights and write `out`, a copy of the model in `folder` that has them; returns a summary.

    `search` is the configuration that learning starts from and that the copy gets with the learned weights, by default
    the model's own. Expected terms are not looked at while learning; their share stays what it is. `each` is called
    with every epoch. The development queries may have documents of their own. Forests are kept in the folder `forests`,
    if one is given.
    """
    asked = _checked(search, model, config)
    search = replace(asked, weights=replace(asked.weights, expected=0.0))
    for documents in (index, development_index or index):
        check_languages(model, documents)
    store.check_replaceable(out, MODEL)
    translator = model.with_translation(search.translation)
    with stages_beside(out, report) as stages:
        shelf = Stages(forests, report) if forests else stages
        development_set = Development(development, translator, development_index or index, config, search)
        development_set.prepare(shelf, threads)
        key = store.digest(model.signature, index.signature, development_set.index.signature, training, development,
                           asdict(translator.decoder.config), translator.decoder.weights,
                           asdict(replace(config, epochs=1, patience=1)), search.signature)
        training_set = TrainingSet(training, translator, index, config, search)
        training_set.prepare(stages, shelf, key, threads)
        learning = Learning(training_set, development_set, config, stages, key, threads)
        history, best = learning.run(each)
        weights, smt = learning.learned(learning.state(best))
        weights = replace(weights, expected=asked.weights.expected)
        facts = {"queries": len(training), "left out": training_set.left_out, "development queries": len(development),
                 config.measure: [round(epoch.measure, 4) for epoch in history], "best epoch": best}
        if config.joint:  # the factor is in the learned weights
            search = replace(search, translation=replace(search.translation, lm_scale=1.0, tuned=1.0))
        signature = _save(model, folder, out, replace(search, weights=weights),
                          smt if config.joint else model.decoder.weights,
                          {**facts, "index": index.signature, "config": asdict(config)})
    return {**facts, **_sizes(weights), "signature": signature}


def _checked(search: SearchConfig | None, model: Model, config: LearnConfig) -> SearchConfig:
    """The configuration that learning starts from."""
    found = (search or SearchConfig.of(model)).resolved(model)
    if found.method != "bowfd":
        raise CrossbowError(f"the method is {found.method!r}; weights are learned for forced decoding, so it must be "
                            "'bowfd'")
    if config.dense and found.weights.learned.terms:
        raise CrossbowError("the model has weights of single terms, so one weight for all of them has no place in it; "
                            "learn from the model that they were learned from")
    return found


def choose_v(
    model: Model, index: Index, development: Sequence[JudgedQuery], grid: Sequence[float], config: LearnConfig, *,
    folder: Path, out: Path, search: SearchConfig | None = None, threads: int = 2, report: Report | None = None,
    each: Callable[[float, float], None] | None = None,
) -> dict[str, Any]:
    """Measure each v of the grid and write `out`, a copy of the model in `folder` with the best; returns a summary.

    Of equally good ones the first is taken. `each` is called with every v and its measure.
    """
    search = _checked(search, model, config)
    check_languages(model, index)
    store.check_replaceable(out, MODEL)
    with stages_beside(out, report) as stages:
        development_set = Development(development, model.with_translation(search.translation), index, config, search)
        development_set.prepare(stages, threads)
        found: dict[float, float] = {}
        for v in grid:
            found[v] = development_set.measure(replace(search.weights, v=v), threads)
            if each:
                each(v, found[v])
        weights = replace(search.weights, v=max(found, key=lambda v: found[v]))
        facts = {"development queries": len(development), config.measure: round(found[weights.v], 4)}
        signature = _save(model, folder, out, replace(search, weights=weights), model.decoder.weights,
                          {**facts, "index": index.signature, "grid": list(found.items())})
    return {**facts, **_sizes(weights), "signature": signature}


def _sizes(weights: TermWeights) -> dict[str, Any]:
    return {"v": round(weights.v, 6), "term weights": len(weights.learned.terms),
            "LEX weights": len(weights.learned.lex)}


def _save(
    model: Model, folder: Path, out: Path, search: SearchConfig, smt: dict[str, float], facts: dict[str, Any]
) -> str:
    """Write the model in `folder` with other weights; returns its signature. The large parts are shared, not copied."""
    parts, learned = ModelParts.of_folder(folder), search.weights.learned
    plain = replace(search, weights=replace(search.weights, learned=Learned())).to_json()  # the tables go beside it
    signature = store.digest(model.signature, plain, learned.signature, smt)
    meta = {**parts.meta, "weights": smt, "learned": facts, SEARCH: plain, "signature": signature}
    write_model(out, replace(parts, meta=meta, learned=learned))
    return signature
