"""The systems whose weights are learned from the training queries; early stopping is on the development queries.

    systems, facts = learn_all(School(bench, folder, index, training, dev.index, development, decisions))

How pairs of documents are drawn is chosen on the development queries for BOW-FD+LTR; all others draw them likewise.
Learning stores its epochs beside the model it writes, so it goes on where it was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from crossbow import store
from crossbow.index import Index
from crossbow.learn.config import LearnConfig
from crossbow.learn.driver import learn
from crossbow.learn.tasks import Task
from crossbow.model import Model
from crossbow.reproduce.bench import Bench, slug
from crossbow.reproduce.decide import Decisions
from crossbow.reproduce.systems import BOWFD, EXPERIMENT, LEARNED, SHARE, WITH_EXPECTED, System, Translation
from crossbow.weights import TermWeights

LTR = "BOW-FD+LTR"
DRAWS: tuple[Mapping[str, Any], ...] = (
    {}, {"min_level": 2, "shards": 16}, {"min_level": 2, "negatives": 20, "hard": 5, "shards": 16})


@dataclass(frozen=True)
class Lesson:
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


LESSONS = (
    Lesson(LTR, LEARNED),
    Lesson("BOW-FD+LEX+LTR", LEARNED, {"lex": True}),
    Lesson("BOW-FD+LEX+LTR + expected terms", LEARNED, {"lex": True}, WITH_EXPECTED),
    Lesson("BOW-FD+LTR, SMT weights learned too", EXPERIMENT, {"joint": True, "epochs": 3}),
    Lesson("BOW-FD+LTR, SMT weights not pre-trained", EXPERIMENT, pretrained=False),
    Lesson("BOW-FD+LTR, from v = 0", EXPERIMENT, default_weight=False),
)


@dataclass(frozen=True)
class School:
    """What all lessons share."""

    bench: Bench
    folder: Path  # of the trained model
    index: Index  # of the training queries' documents
    training: Sequence[Task]
    development_index: Index
    development: Sequence[Task]
    decisions: Decisions  # on the systems from which lessons start

    def attend(self, lesson: Lesson, draw: Mapping[str, Any]) -> Model:
        """The model that the lesson gives, from an earlier run if there was one."""
        search = self.decisions.search[lesson.base]
        config = LearnConfig(**{**draw, **lesson.changes}, bm25=search.bm25)
        weights = replace(search.weights, expected=0.0)  # learning looks at forced decoding alone
        start = self.bench.models[""].with_retrieval(weights if lesson.default_weight else TermWeights(v=0.0))
        if not lesson.pretrained:
            start = start.with_weights(dict(start.decoder.start_weights))
        key = store.digest(start.signature, start.decoder.weights, start.retrieval.to_json(), self.index.signature,
                           self.development_index.signature, self.training, self.development, asdict(config))
        out = self.bench.work / "learned" / f"{slug(lesson.name)}-{key}"
        if not (out / store.HEADER).exists():
            def report(what: str, done: int, total: int) -> None:
                self.bench.report(f"{lesson.name}: {what}", done, total)

            learn(start, self.index, self.training, self.development, config, folder=self.folder, out=out,
                  jobs=self.bench.threads, report=report, development_index=self.development_index,
                  forests=self.bench.work / "forests")
        return Model.load(out)

    def draws(self) -> list[Mapping[str, Any]]:
        """The ways of drawing pairs that these judgements allow."""
        highest = max(level for task in self.training for level in task.judged.values())
        return [draw for draw in DRAWS if draw.get("min_level", 1) <= highest]


def learn_all(school: School, lessons: Iterable[Lesson] = LESSONS) -> tuple[list[System], dict[str, Any]]:
    """The learned systems, their models put on the bench, and what learning says about each."""
    school.bench.release()
    tried = [(draw, best_measure(school.attend(Lesson(LTR, LEARNED), draw))) for draw in school.draws()]
    draw = max(tried, key=lambda one: one[1])[0]
    systems, facts = [], {"draws": [{"settings": dict(one), "AP": value} for one, value in tried], "draw": dict(draw)}
    for lesson in lessons:
        model = school.attend(lesson, draw)
        if lesson.translates:
            school.bench.models[lesson.name] = model
        weights, share = model.retrieval, school.decisions.search[lesson.base].weights.expected
        systems.append(System(
            lesson.name, lesson.kind, lesson.base, {"weights": replace(weights, expected=share)},
            (SHARE,) if share else (),
            Translation(lesson.name) if lesson.translates else school.decisions.translation[lesson.base],
            rival=None if lesson.kind == LEARNED else LTR))
        learned = model.meta["learned"]
        facts[lesson.name] = {"signature": model.signature, "terms": len(weights.terms), "lex": len(weights.lex),
                              **{name: learned[name] for name in ("queries", "left out", "AP", "best epoch")}}
    return systems, facts


def best_measure(model: Model) -> float:
    """That of the development queries in the epoch that was kept."""
    return max(model.meta["learned"]["AP"])
