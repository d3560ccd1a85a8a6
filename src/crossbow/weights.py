"""How much a matching term counts in forced decoding: a default weight, and what was learned.

    weights = TermWeights(v=0.8)                               # the same for all: the paper's default weight
    weights = TermWeights(v=0.8, learned=Learned({"hous": 1.3}))
    weights.of(["hous", "lake"])                               # array([1.3, 0.8])
    learned.save(folder); learned = Learned.load(folder)       # as arrays, in the folder of a model

Weights may be 0 or negative. Those of lexical features (ranking/forced/lexical.py) belong to edges of the forest and
not to terms. `expected` is the share that expected terms (ranking/expected.py) have in the score; with 0 this is the
paper's model. Learned tables may be large, so a configuration refers to them by their signature and takes them
from the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F64, U8
from crossbow.errors import CrossbowError
from crossbow.settings import Settings, section, setting

KIND = "learned weights"  # of folder
DEFAULT = 0.8
LARGEST = 1e9  # beyond it a score's six decimals are lost


class Tables(NamedTuple):
    """Learned weights as arrays: names packed, and a number for each."""

    terms: U8
    term_weights: F64
    lex: U8
    lex_weights: F64


@dataclass(frozen=True)
class Learned:
    """Weights of single terms and of lexical features. One with a `reference` stands for tables that a model has."""

    terms: Mapping[str, float] = field(default_factory=dict)
    lex: Mapping[str, float] = field(default_factory=dict)
    reference: str = ""

    def __post_init__(self) -> None:
        for name, value in (*self.terms.items(), *self.lex.items()):
            if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= LARGEST:
                raise CrossbowError(f"the weight {name} is {value!r}; it must be a number from -1e9 to 1e9")

    def __bool__(self) -> bool:
        return bool(self.terms or self.lex or self.reference)

    @cached_property
    def signature(self) -> str:
        """All weights in one word; empty if there are none."""
        if self.reference or not self:
            return self.reference
        terms, lex = ({name: float(value) for name, value in table.items()} for table in (self.terms, self.lex))
        return store.digest(terms, lex)

    def resolved(self, available: Learned) -> Learned:
        """These weights, or the available ones if these only refer to them."""
        if not self.reference or self.signature == available.signature:
            return available if self.reference else self
        has = f"has {available.signature}" if available else "has none"
        raise CrossbowError(f"the configuration uses the learned weights {self.reference}, but the model {has}; give "
                            "the model that they were learned for")

    def to_json(self) -> Any:
        """The weights themselves if they were given by hand, their signature if they are a model's."""
        if self.reference or not self:
            return self.reference
        return {"terms": dict(self.terms), "lex": dict(self.lex)}

    @classmethod
    def from_json(cls, data: Any) -> Learned:
        """Read a signature, or weights by name."""
        if isinstance(data, str):
            return cls(reference=data)
        if not isinstance(data, Mapping) or not set(data) <= {"terms", "lex"} \
                or not all(isinstance(table, Mapping) for table in data.values()):
            raise CrossbowError('learned weights are a signature, or {"terms": {"hous": 1.3, …}, "lex": {…}}')
        return cls(dict(data.get("terms", {})), dict(data.get("lex", {})))

    def referred(self) -> Learned:
        """A reference to these weights."""
        return Learned(reference=self.signature)

    def save(self, folder: Path) -> None:
        """Write the weights into a folder of their own; there may be very many."""
        tables = Tables(store.pack_strings(list(self.terms)), np.array(list(self.terms.values()), np.float64),
                        store.pack_strings(list(self.lex)), np.array(list(self.lex.values()), np.float64))
        store.save(folder, KIND, tables,
                   {"terms": len(self.terms), "lex": len(self.lex), "signature": self.signature})

    @classmethod
    def load(cls, folder: Path) -> Learned:
        """Read what `save` wrote."""
        tables, _ = store.load(folder, KIND, Tables)
        terms, lex = (dict(zip(store.unpack_strings(names), values.tolist()))
                      for names, values in (tables[:2], tables[2:]))
        return cls(terms, lex)


@dataclass(frozen=True)
class TermWeights(Settings):
    """Weights of the IR features: one for all terms, others for those that were learned."""

    v: float = setting(DEFAULT, "How much a matching term counts against the translation's score.",
                       least=-LARGEST, most=LARGEST)
    expected: float = setting(0.0, "The share that expected terms have in the score; 0 is the paper's model.",
                              least=-LARGEST, most=LARGEST)
    learned: Learned = section(Learned, "Weights of single terms and of word translations.")

    def of(self, terms: Sequence[str]) -> F64:
        """The weight of each term."""
        learned = self.learned.terms
        if self.learned.reference:
            raise CrossbowError(f"the learned weights {self.learned.reference} have to be taken from their model")
        return np.array([learned.get(term, self.v) for term in terms], np.float64)
