"""A method as a user would add it: one file, which the variable CROSSBOW_PLUGINS names.

    with plugged(tmp_path, monkeypatch): ...            # METHODS["toy"] is there, and gone afterwards
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossbow.ranking.methods import METHODS
from crossbow.registry import VARIABLE

TOY = '''
from dataclasses import dataclass

from crossbow.ranking.methods import METHODS, Method, WeightedTerms
from crossbow.settings import Settings, setting


@dataclass(frozen=True)
class ToySettings(Settings):
    weight: float = setting(1.0, "How much every word counts.", above=0, most=10)


class Toy(Method):
    name = "toy"
    label = "Every word"
    help = "BM25 with every word that a translation of the query could have."
    reads = ("bm25", "translation")
    settings = ToySettings

    def prepare(self, forests, index, model, config):
        weight = config.settings_of("toy").weight
        bag = {term: weight for forest in forests for word in forest.words for term in index.analyzer.terms(word)}
        return WeightedTerms(self.name, bag, forests, index, config.bm25)


METHODS.add(Toy.name, Toy())
'''


def write_toy(folder: Path) -> Path:
    """The file of the toy method."""
    path = folder / "toy.py"
    path.write_text(TOY, "utf8")
    return path


@contextlib.contextmanager
def plugged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy method is there, in this process and in those that it starts."""
    monkeypatch.setenv(VARIABLE, str(write_toy(folder)))
    try:
        yield
    finally:
        METHODS.remove("toy")
