"""What an explanation consists of, the same for every method.

    explanation.score == round(sum(part.value for part in explanation.parts), 6)
    explanation.parts[0].matches                    # the terms behind a part, each with its gain
    explanation.sentences[0].units                  # the query word by word, and what stands for each word here
    explanation.to_json()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from crossbow.ranking.topk import DIGITS


@dataclass(frozen=True)
class Match:
    """A term that the document has: gain = weight · idf · saturation. For PSQ frequencies are expectations."""

    word: str
    term: str
    tf: float
    df: float
    weight: float
    idf: float
    saturation: float
    gain: float


@dataclass(frozen=True)
class Part:
    """A summand of the score. If it is the sum of what matching terms gain, these are its matches."""

    label: str
    value: float
    note: str = ""
    matches: list[Match] = field(default_factory=list)


class Lent(NamedTuple):
    """A term that the query got by feedback: its weight, and the documents that it comes from."""

    term: str
    weight: float
    docs: list[str]


class Word(NamedTuple):
    """A word of the translation, and whether the document has it."""

    text: str
    match: bool


class Unit(NamedTuple):
    """Source positions, the words that stand for them, and the best translation's words for the same positions."""

    source: list[int]
    words: list[Word]
    best: list[str]


@dataclass(frozen=True)
class Step:
    """One rule of a derivation: the source words it translates, by position, and the words it puts for them."""

    source: list[int]
    target: list[str]
    links: list[list[int]]  # which of them belong together: [source position, index into target]
    best: list[str]  # what the best translation puts for the same source words
    matches: list[Match]


@dataclass(frozen=True)
class Sentence:
    """A sentence of the query as this document has it translated. Only forced decoding has steps of its own."""

    source: list[str]
    target: list[str]
    best_target: list[str]
    units: list[Unit]
    steps: list[Step] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)  # of several models, which made it, by sentence
    read: Mapping[str, str] = field(default_factory=dict)  # unknown words, and the known ones that they are read as


@dataclass(frozen=True)
class Explanation:
    """How a document gets its score for a query by a method."""

    doc: str
    method: str
    score: float
    parts: list[Part]
    sentences: list[Sentence]
    feedback: list[Lent] = field(default_factory=list)

    @classmethod
    def of(cls, doc: str, method: str, parts: Iterable[Part], sentences: Iterable[Sentence]) -> Explanation:
        """The explanation whose score is the sum of its parts."""
        found = list(parts)
        return cls(doc, method, round(sum(part.value for part in found), DIGITS) + 0.0, found, list(sentences))

    def matches(self) -> Iterator[Match]:
        """All matches of all parts."""
        return (match for part in self.parts for match in part.matches)

    def to_json(self) -> dict[str, Any]:
        """The explanation as plain values for JSON."""
        plain = asdict(self)
        for sentence, record in zip(self.sentences, plain["sentences"]):
            record["units"] = [{"source": unit.source, "words": [word._asdict() for word in unit.words],
                                "best": unit.best} for unit in sentence.units]
        plain["feedback"] = [lent._asdict() for lent in self.feedback]
        return plain

    def _repr_html_(self) -> str:
        from crossbow.ranking.explain.html import explanation_html

        return explanation_html(self)
