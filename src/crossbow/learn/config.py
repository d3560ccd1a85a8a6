"""The settings of learning, and the names of features: which kind they are of, where they start, which are frozen.

    config = LearnConfig(lex=True, negatives=20, hard=10)
    config.frozen("IR:hous")

IR:term has a term's BM25 value and starts at v, IR:BM25 stands for all of them at once (`dense`), LEX:… are indicators
(ranking/forced/lexical.py) and start at 0, all others are features of the translation model.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from crossbow.errors import CrossbowError
from crossbow.evaluation.measures import DEPTH

IR, LEX = "IR:", "LEX:"
DENSE = "IR:BM25"


@dataclass(frozen=True)
class LearnConfig:
    """What is learned, from which pairs, and for how long."""

    dense: bool = False  # one weight for all terms, v itself
    lex: bool = False  # lexical features too
    joint: bool = False  # the translation model's weights too; queries are then decoded again in every epoch
    freeze: tuple[str, ...] = ()  # patterns of names of features that keep their weights
    negatives: int = 10  # documents drawn for each relevant one
    hard: int = 0  # how many of them come from the query's own ranking
    hard_depth: int = 100  # how many documents at its top these are drawn from
    min_margin: int = 1  # levels that a document must be below a relevant one, or all that this one has
    min_level: int = 1  # of the relevant document; one that shares no words with the query only pulls weights down
    epochs: int = 10
    patience: int = 3  # epochs without improvement after which to stop
    shards: int = 2  # parts of the queries whose weights are averaged after every epoch
    measure: str = "AP"
    depth: int = DEPTH  # how many documents of a ranking are measured
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("negatives", "hard_depth", "min_margin", "min_level", "epochs", "patience", "shards", "depth"):
            if getattr(self, name) < 1:
                raise CrossbowError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if not 0 <= self.hard <= self.negatives:
            raise CrossbowError(f"{self.hard} of {self.negatives} negatives cannot be hard ones; "
                                "choose from 0 to all of them")
        if self.seed < 0:
            raise CrossbowError(f"the seed is {self.seed}; it must be 0 or more")

    def frozen(self, name: str) -> bool:
        """Whether the feature of this name keeps its weight."""
        if not (self.joint or name.startswith((IR, LEX))):
            return True
        return any(fnmatchcase(name, pattern) for pattern in self.freeze)
