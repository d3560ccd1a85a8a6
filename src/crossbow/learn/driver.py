"""Learning to rank: from a model, an index and judged queries to a model with weights learned for retrieval.

    summary = learn(model, index, training, development, LearnConfig(lex=True), folder=Path("m"), out=Path("m2"))

Everything is done in stages beside the output, so that an interrupted run goes on where it stopped: the forests of all
queries, then epoch by epoch. The weights of the best epoch are kept; epoch 0 are those that learning starts from. At
the end, the settings to search with are chosen (choose.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import store
from crossbow.index import Index
from crossbow.learn.choose import best_settings, checked, choice, save, sizes, standard
from crossbow.learn.config import DENSE, IR, LEX, LearnConfig
from crossbow.learn.develop import Development
from crossbow.learn.hands import HERE, Hands
from crossbow.learn.shards import Counts, Shard, State
from crossbow.learn.training import TrainingSet
from crossbow.model import MODEL, Model
from crossbow.pipeline import Report, Stages, stages_beside
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.feedback import Feedback
from crossbow.ranking.searcher import check_languages
from crossbow.records.judged import JudgedQuery
from crossbow.weights import Learned, TermWeights


class Epoch(NamedTuple):
    """How an epoch went. `measure` is that of the development queries, searched with the weights after it."""

    number: int
    measure: float
    loss: float  # of a pair, on average, when its turn came
    pairs: int
    violations: int
    features: int  # that have been touched so far
    seconds: float  # of learning, without measuring


@dataclass(frozen=True)
class Start:
    """The weights from which features start, by their names."""

    weights: TermWeights
    smt: dict[str, float]
    dense: bool

    def __call__(self, name: str) -> float:
        if name.startswith(LEX):
            return self.weights.learned.lex.get(name, 0.0)
        if name.startswith(IR):
            return self.weights.v if self.dense else float(self.weights.of([name[len(IR) :]])[0])
        return self.smt.get(name, 0.0)


class Learning:
    """One run: its inputs, and the epochs done so far."""

    def __init__(self, training: TrainingSet, development: Development, config: LearnConfig, stages: Stages, key: str,
                 hands: Hands):
        self.training, self.development, self.config = training, development, config
        self.stages, self.key, self.hands = stages, key, hands
        self.model, self.search = training.model, training.search
        self.start = Start(self.search.weights, self.model.decoder.weights, config.dense)
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
                counts = state.run(self.training, self.start, self.config, self.hands, self.stages.report, name)
            seconds = time.perf_counter() - start
            weights, smt = self.learned(state)
            measure = self.development.measure(replace(self.search, weights=weights), self.hands,
                                               smt if self.config.joint else None)
            state.save(folder, Epoch(number, measure, counts.loss / max(1, counts.pairs), counts.pairs,
                                     counts.violations, len(state.weights), seconds)._asdict())

        self.places.append(self.stages.run(name, [self.key, number], make))
        return Epoch(**store.header(self.places[number])["meta"])

    def state(self, number: int) -> State:
        """What an epoch has left, or what learning starts from."""
        if number < 0:
            return State([Shard() for _ in range(self.config.shards)])
        return State.load(self.places[number], self.config.shards)

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
    config: LearnConfig, *, folder: Path, out: Path, search: SearchConfig | None = None, hands: Hands = HERE,
    report: Report | None = None, each: Callable[[Epoch], None] | None = None, forests: Path | None = None,
    development_index: Index | None = None,
) -> dict[str, Any]:
    """Learn weights and write `out`, a copy of the model in `folder` that has them; returns a summary.

    Without a configuration, learning starts from the paper's settings, and when it is done, all settings are chosen on
    the development queries. A configuration in `search` is what learning starts from, and the copy keeps it. Neither
    expected terms nor feedback are looked at while learning. `each` is called with every epoch. The development queries
    may have documents of their own. Forests are kept in the folder `forests`, if one is given.
    """
    asked = checked(search, model, config)
    plain = replace(asked, weights=replace(asked.weights, expected=0.0), feedback=Feedback())
    for documents in (index, development_index or index):
        check_languages(model, documents)
    store.check_replaceable(out, MODEL)
    translator = model.with_translation(plain.translation)
    with stages_beside(out, report) as stages:
        shelf = Stages(forests, report) if forests else stages
        development_set = Development(development, translator, development_index or index, config)
        development_set.prepare(shelf, hands)
        key = store.digest(model.signature, index.signature, development_set.index.signature, training, development,
                           asdict(translator.decoder.config), translator.decoder.weights,
                           asdict(replace(config, epochs=1, patience=1)), plain.signature)
        training_set = TrainingSet(training, translator, index, config, plain)
        training_set.prepare(stages, shelf, key, hands)
        learning = Learning(training_set, development_set, config, stages, key, hands)
        history, best = learning.run(each)
        weights, smt = learning.learned(learning.state(best))
        facts = {"queries": len(training), "left out": training_set.left_out, "development queries": len(development),
                 config.measure: [round(epoch.measure, 4) for epoch in history], "best epoch": best}
        if config.joint:  # the factors are in the learned weights
            asked = replace(asked, translation=replace(asked.translation, lm_scale=1.0, tuned=1.0))
            development_set = Development(development, model.with_weights(smt), development_set.index,
                                          replace(config, joint=False))
        found = replace(asked, weights=replace(weights, expected=asked.weights.expected))
        if search is None:
            development_set.prepare(shelf, hands)
            found, tried = best_settings(development_set, standard(weights), hands, report)
            facts |= choice(found, tried, config.measure)
        signature = save(model, folder, out, found, smt if config.joint else model.decoder.weights,
                         {**facts, "index": index.signature, "config": asdict(config), "v": weights.v})
    return {**facts, **sizes(found.weights), "signature": signature}
