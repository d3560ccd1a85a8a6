"""The systems whose weights are learned from the training queries; early stopping is on the development queries.

    systems, facts = learn_all(Learner(cache, training, development, decisions))        # both are splits

How pairs of documents are drawn is chosen on the development queries for BOW-FD+LTR; all others draw them in the same
way. Learning stores its epochs beside the model it writes, so it goes on where it was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from crossbow import store
from crossbow.experiments.bowfd.systems import BOWFD, EXPERIMENT, FULL, LEARNED, WITH_EXPECTED
from crossbow.experiments.core.cache import Cache, slug
from crossbow.experiments.core.decisions import Decisions
from crossbow.experiments.core.split import Split
from crossbow.experiments.core.systems import Source, System
from crossbow.learn.axes import Axis
from crossbow.learn.choose import FEEDBACK, SHARE
from crossbow.learn.config import LearnConfig
from crossbow.learn.driver import learn
from crossbow.learn.hands import Hands
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.weights import TermWeights

LTR = "BOW-FD+LTR"
DRAWS: tuple[Mapping[str, Any], ...] = (
    {}, {"min_level": 2, "shards": 16}, {"min_level": 2, "negatives": 20, "hard": 5, "shards": 16})


@dataclass(frozen=True)
class Variant:
    """A system that is learned: what it learns, and from which weights it starts."""

    name: str
    kind: str
    changes: Mapping[str, Any] = field(default_factory=dict)  # of LearnConfig
    base: str = BOWFD  # the system from whose settings it starts, and with which it searches
    pretrained: bool = True  # start from the translation weights that were tuned on parallel text
    default_weight: bool = True  # start from the base's v rather than 0

    @property
    def translates(self) -> bool:
        """Whether its forests are not those of the trained model."""
        return bool(self.changes.get("joint")) or not self.pretrained


AXES: Mapping[str, tuple[Axis, ...]] = {WITH_EXPECTED: (SHARE,), FULL: (SHARE, *FEEDBACK)}  # tuned again, by base
VARIANTS = (
    Variant(LTR, LEARNED),
    Variant("BOW-FD+LEX+LTR", LEARNED, {"lex": True}),
    Variant("BOW-FD+LEX+LTR + expected terms", LEARNED, {"lex": True}, WITH_EXPECTED),
    Variant("BOW-FD+LEX+LTR + expected terms + feedback", LEARNED, {"lex": True}, FULL),
    Variant("BOW-FD+LTR, SMT weights learned too", EXPERIMENT, {"joint": True}),
    Variant("BOW-FD+LTR, nothing pre-trained", EXPERIMENT, {"joint": True}, pretrained=False, default_weight=False),
)


@dataclass(frozen=True)
class Learner:
    """What all variants share."""

    cache: Cache
    training: Split
    development: Split
    decisions: Decisions  # on the systems from which variants start

    def folder_of(self, variant: Variant, draw: Mapping[str, Any]) -> Path:
        """The model that the variant gives, from an earlier run if there was one."""
        base = self.decisions.search[variant.base]
        weights = replace(base.weights, expected=0.0)  # learning looks at forced decoding alone
        search = SearchConfig(weights=weights if variant.default_weight else TermWeights(v=0.0), bm25=base.bm25)
        config, start = LearnConfig(**{**draw, **variant.changes}), self.cache.models[""]
        if not variant.pretrained:
            start = start.with_weights(dict(start.decoder.start_weights))
        training, development = self.training, self.development
        key = store.digest(start.signature, start.decoder.weights, search.signature, training.index.signature,
                           development.index.signature, training.queries, development.queries, asdict(config))
        out = self.cache.work / f"learned-{slug(variant.name)}-{key}"
        if not (out / store.HEADER).exists():
            def report(what: str, done: int, total: int) -> None:
                self.cache.report(f"{variant.name}: {what}", done, total)

            learn(start, training.index, training.queries, development.queries, config, folder=self.cache.folders[""],
                  out=out, search=search, hands=Hands(self.cache.threads), report=report,
                  development_index=development.index,
                  forests=self.cache.work / "forests")
        return out

    def draws(self) -> list[Mapping[str, Any]]:
        """The ways of drawing pairs that these judgments allow."""
        highest = max(level for query in self.training.queries for level in query.levels.values())
        return [draw for draw in DRAWS if draw.get("min_level", 1) <= highest]


def learn_all(learner: Learner, variants: Iterable[Variant] = VARIANTS) -> tuple[list[System], dict[str, Any]]:
    """The learned systems, their models put on the cache, and what learning says about each."""
    learner.cache.release()
    tried = [(draw, best_measure(learner.folder_of(Variant(LTR, LEARNED), draw))) for draw in learner.draws()]
    draw = max(tried, key=lambda one: one[1])[0]
    systems, facts = [], {"draws": [{"settings": dict(one), "AP": value} for one, value in tried], "draw": dict(draw)}
    for variant in variants:
        if variant.translates and not learner.cache.models[""].decoder.names:
            continue  # there are no features whose weights could be learned
        model = learner.cache.open(variant.name, learner.folder_of(variant, draw))
        weights, share = SearchConfig.of(model).weights, learner.decisions.search[variant.base].weights.expected
        systems.append(System(
            variant.name, variant.kind, variant.base, {"weights": replace(weights, expected=share)},
            AXES.get(variant.base, ()),
            Source(variant.name) if variant.translates else learner.decisions.source[variant.base],
            rival=None if variant.kind == LEARNED else LTR, learned=variant.name))
        learned = model.meta["learned"]
        tables = weights.learned
        facts[variant.name] = {"signature": model.signature, "terms": len(tables.terms), "lex": len(tables.lex),
                              **{name: learned[name] for name in ("queries", "left out", "AP", "best epoch")}}
    return systems, facts


def best_measure(folder: Path) -> float:
    """The measure of the development queries in the epoch that was kept."""
    return float(max(Model.load(folder).meta["learned"]["AP"]))
