"""What people may write into a query: words, "a b" for words that must be there, and -a for one that must not.

    asked = parse('Kapelle "spielt Musik" -Kirche')     # Asked("Kapelle spielt Musik", [...], [...])
    wanted = restriction(asked, forests, translate, model.words, index).passing(index)

Words are those of the query's language, so a document has one if it has a term that may stand for it: one that is
linked to it with a posterior of at least KEEPING in the forest of the query. It is taken out if it has one that is
linked to an unwanted word, translated by itself, with at least REMOVING. The order of words is not looked at: documents
are bags of words, and translations come in another order anyway. Words that mean nothing by themselves ask for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import Bools
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.ranking.expected import MOST_BLANK
from crossbow.ranking.filters import having_any
from crossbow.ranking.structured.tables import PsqConfig, Tables, query_tables

KEEPING = 0.05
REMOVING = 0.2
LINKS = PsqConfig(mix=1.0, forest=True)  # what the forest links, over all its derivations
_MARKED = re.compile(r'(?<!\S)(-?)"([^"]*)"(?!\w)|(?<!\S)-([^\s"-]\S*)')

Translate = Callable[[str], Sequence[Forest]]
Words = Callable[[str], list[str]]  # of a text, those that mean something by themselves


class Asked(NamedTuple):
    """A query: the text to translate and rank by, what of it must be in a document, and what must not."""

    text: str
    required: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def parse(query: str) -> Asked:
    """The parts of a query. A quote that is not closed, and a hyphen inside of a word, mean nothing special."""
    required, removed = [], []

    def take(found: re.Match[str]) -> str:
        unwanted = found[3] or (found[2] if found[1] else "")
        if unwanted.strip():
            removed.append(unwanted.strip())
            return ""
        if found[1]:
            return ""
        if found[2].strip():
            required.append(found[2].strip())
        return found[2]

    text = " ".join(_MARKED.sub(take, query).split())
    if removed and not text:
        raise CrossbowError(f"{query!r:.80} only says what must not be found; write what you look for as well")
    return Asked(text, tuple(required), tuple(removed))


class Restriction(NamedTuple):
    """What a query's syntax asks of documents, in terms of the index."""

    required: tuple[tuple[str, ...], ...] = ()  # a document must have a term of each of these groups
    removed: tuple[tuple[tuple[str, ...], ...], ...] = ()  # and of each of these, it must lack a whole group

    def passing(self, index: Index) -> Bools | None:
        """Which documents are allowed, by number; None if all are."""
        if not self.required and not self.removed:
            return None
        wanted = np.ones(index.slots, np.bool_)
        for terms in self.required:
            wanted &= having_any(index, terms)
        for groups in self.removed:
            unwanted = np.ones(index.slots, np.bool_)
            for terms in groups:
                unwanted &= having_any(index, terms)
            wanted &= ~unwanted
        return wanted


def restriction(
    asked: Asked, forests: Sequence[Forest], translate: Translate, words: Words, index: Index
) -> Restriction:
    """What the query asks of documents. `forests` are those of its text."""
    required, removed = list[tuple[str, ...]](), list[tuple[tuple[str, ...], ...]]()
    if asked.required:
        whole = _linked(forests, index)
        for phrase in asked.required:
            asked_for = words(phrase)
            tables = whole if {*asked_for} <= {*whole.words} else _linked(translate(phrase), index)
            required += _terms(tables, asked_for, KEEPING)
    for phrase in asked.removed:
        meant = tuple(_terms(_linked(translate(phrase), index), words(phrase), REMOVING))
        if meant:
            removed.append(meant)
    return Restriction(tuple(required), tuple(removed))


def _linked(forests: Sequence[Forest], index: Index) -> Tables:
    """The terms that are linked to each word, and with which posterior."""
    if forests and not any(len(forest.align) for forest in forests):
        raise CrossbowError("these translations do not say which word stands for which, so quotes and minus signs "
                            "cannot be understood; leave the query's syntax out")
    return query_tables(forests, index, LINKS)


def _terms(tables: Tables, words: Iterable[str], least: float) -> Iterator[tuple[str, ...]]:
    """For each of these words that means something by itself, the terms that are linked with it at least so much."""
    for word in dict.fromkeys(words):
        if word in tables.words and tables.blank[tables.words.index(word)] <= MOST_BLANK:
            yield tuple(term for term, posterior in tables.translations(word) if posterior >= least)
