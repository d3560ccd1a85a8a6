"""How much a matching term counts in forced decoding: a default weight, and what was learned.

    weights = TermWeights(v=0.8)                               # the same for all: the paper's default weight
    weights = TermWeights.load("weights.json")                 # {"v": 0.8, "terms": {"hous": 1.3}, …}
    weights.of(["hous", "lake"])                               # array([1.3, 0.8])
    weights.save(folder); weights = TermWeights.stored(folder) # as arrays, in the folder of a model

A term's own weight goes first, then that of its word class, then v. Any of them may be 0 or negative. The weights of
lexical features (ranking/lexical.py) belong to edges of the forest and not to terms. `expected` is the share that
expected terms (ranking/expected.py) have in the score; without it this is the paper's model.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F64, U8
from crossbow.errors import CrossbowError, InputError

KIND = "retrieval"  # of folder
DEFAULT = 0.8
LARGEST = 1e9  # beyond it a score's six decimals are lost


class Tables(NamedTuple):
    """Learned weights: names packed, and a number for each."""

    terms: U8
    term_weights: F64
    lex: U8
    lex_weights: F64


@dataclass(frozen=True)
class TermWeights:
    """Weights of the IR features. With v alone there is one dense feature, with `terms` one for each term."""

    v: float = DEFAULT
    terms: Mapping[str, float] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)  # the word class of a term
    class_weights: Mapping[str, float] = field(default_factory=dict)
    lex: Mapping[str, float] = field(default_factory=dict)
    expected: float = 0.0

    def __post_init__(self) -> None:
        named = (*self.terms.items(), *self.class_weights.items(), *self.lex.items())
        for name, value in (("v", self.v), ("expected", self.expected), *named):
            if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= LARGEST:
                raise CrossbowError(f"the weight {name} is {value!r}; it must be a number from -1e9 to 1e9")
        for term, name in self.classes.items():
            if not isinstance(name, str):
                raise CrossbowError(f"the class of {term!r} is {name!r}; it must be a name")

    def of(self, terms: Sequence[str]) -> F64:
        """The weight of each term."""
        return np.array([self._of(term) for term in terms], np.float64)

    def _of(self, term: str) -> float:
        by_class = self.class_weights.get(self.classes[term], self.v) if term in self.classes else self.v
        return self.terms.get(term, by_class)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TermWeights:
        """Read weights from a JSON file with any of the keys v, terms, classes, class_weights, lex and expected."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf8"))
            unknown = set(data) - set(cls.__dataclass_fields__)
            if unknown:
                raise ValueError(f"unknown key {min(unknown)!r}")
            return cls(**data)
        except FileNotFoundError:
            raise InputError(path, None, "no such file", "is this the right path?") from None
        except (ValueError, TypeError, AttributeError, RecursionError, CrossbowError) as error:
            remedy = 'expected {"v": 0.8, "terms": {"term": 1.2, …}, "classes": …, "class_weights": …, "lex": …}'
            raise InputError(path, None, f"no weights in it ({error})", remedy) from None

    def save(self, folder: Path) -> None:
        """Write the weights into a folder of their own; there may be very many."""
        tables = Tables(store.pack_strings(list(self.terms)), np.array(list(self.terms.values()), np.float64),
                        store.pack_strings(list(self.lex)), np.array(list(self.lex.values()), np.float64))
        meta = {"v": self.v, "expected": self.expected, "classes": dict(self.classes),
                "class_weights": dict(self.class_weights)}
        store.save(folder, KIND, tables, {**meta, "terms": len(self.terms), "lex": len(self.lex)})

    @classmethod
    def stored(cls, folder: Path) -> TermWeights:
        """Read what `save` wrote."""
        tables, meta = store.load(folder, KIND, Tables)
        terms, lex = (dict(zip(store.unpack_strings(names), values.tolist()))
                      for names, values in (tables[:2], tables[2:]))
        return cls(meta["v"], terms, meta["classes"], meta["class_weights"], lex, meta["expected"])
