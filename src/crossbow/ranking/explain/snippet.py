"""The part of a document that shows why it was found, with the matching words marked.

    pieces = snippet(index.doc(number), index.analyzer, {"hous": 4.1, "lake": 5.0})
    "".join(f"[{text}]" if marked else text for text, marked in pieces)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Mapping
from itertools import pairwise
from typing import NamedTuple

from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer

WORDS = 30  # of a snippet
CONTEXT = 5  # words before the first match
LONGEST = 5000  # words of a document that are looked at
JOINED = 5  # tokens that are shown as one word if no space parts them

MATCH = 1e-6  # what a match weighs besides its gain: a word that counts nothing is worth showing too

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")  # what could change the state of a terminal


def snippet(doc: Doc, analyzer: Analyzer, terms: Mapping[str, float], words: int = WORDS) -> list[tuple[str, bool]]:
    """Pieces of text, and whether they match: the stretch of so many words in which the matches weigh most.

    Whatever is among the terms is marked, also if it weighs nothing. Punctuation around a word is not.
    """
    found = _words(doc, analyzer)
    matched = [[terms[term] for term in {t for token in word.tokens for t in analyzer.terms(token)} if term in terms]
               for word in found]
    weight = [sum(gains) + MATCH if gains else 0.0 for gains in matched]
    start = _best_start(weight, words)
    pieces: list[tuple[str, bool]] = [("… ", False)] if start else []
    for at in range(start, min(start + words, len(found))):
        word = found[at]
        if word.spaced and at > start:
            pieces.append((" ", False))
        pieces += _marked(word.text) if matched[at] else [(word.text, False)]
    return [*pieces, (" …", False)] if start + words < len(found) else pieces


def _marked(word: str) -> list[tuple[str, bool]]:
    """A word that matches, without the punctuation around it."""
    places = [at for at, letter in enumerate(word) if letter.isalnum()]
    begin, end = (places[0], places[-1] + 1) if places else (0, len(word))
    while end < len(word) and unicodedata.combining(word[end]):
        end += 1
    return [piece for piece in ((word[:begin], False), (word[begin:end], True), (word[end:], False)) if piece[0]]


def spellings(doc: Doc, analyzer: Analyzer, terms: Container[str]) -> dict[str, str]:
    """Those of the terms that the document has, each with the first word that gives it, lower-cased."""
    found: dict[str, str] = {}
    for word in _words(doc, analyzer):
        for token in word.tokens:
            for term in analyzer.terms(token):
                if term in terms:
                    found.setdefault(term, token)
    return found


class _Word(NamedTuple):
    text: str
    spaced: bool  # whether a space goes before
    tokens: list[str]  # those that begin in it or reach into it


def _words(doc: Doc, analyzer: Analyzer) -> list[_Word]:
    """The text cut at white space; what has none for long, as Japanese, where its tokens begin."""
    text = f"{doc.title}. {doc.text}" if doc.title else doc.text
    found: list[_Word] = []
    for chunk in _CONTROL.sub(" ", text).split()[:LONGEST]:
        tokens = analyzer.tokens(chunk)
        if len(tokens) <= JOINED:
            found.append(_Word(chunk, True, tokens))
        else:
            found += _cut(chunk, tokens, analyzer.settings.segmenter == "bigrams")
    return found[:LONGEST]


def _cut(chunk: str, tokens: list[str], overlapping: bool) -> list[_Word]:
    """A piece of text where its tokens begin. Pairs of characters overlap: each begins inside the one before."""
    lower, begin, end = chunk.lower(), 0, 0
    inside: dict[int, list[str]] = {0: []}  # what begins or goes on at each place where something begins
    for token in tokens:
        place = lower.find(token, begin + 1 if overlapping and end else end)
        if place >= 0:  # else it is spelt otherwise, and stays with the word before
            reaching = inside[begin][-1:] if place < end else []  # the token before, if it is not over yet
            begin, end = place, place + len(token)
            inside.setdefault(begin, []).extend(reaching)
        inside[begin].append(token)
    cuts = sorted(inside)
    return [_Word(chunk[first:last], first == 0, inside[first]) for first, last in pairwise([*cuts, len(chunk)])]


def _best_start(weight: list[float], words: int) -> int:
    """Where the heaviest stretch starts; of equally heavy ones the first, moved on towards its first match."""
    total = best = sum(weight[:words])
    start = 0
    for at in range(1, len(weight) - words + 1):
        total += weight[at + words - 1] - weight[at - 1]
        if total > best + 1e-9:  # not for a rounding error
            start, best = at, total
    first = next((at for at in range(start, len(weight)) if weight[at] > 0), start)
    return max(start, min(first - CONTEXT, len(weight) - words))
