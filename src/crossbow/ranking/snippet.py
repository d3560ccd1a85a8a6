"""The part of a document that shows why it was found, with the matching words marked.

    pieces = snippet(index.doc(number), index.analyzer, {"hous": 4.1, "lake": 5.0})
    "".join(f"[{text}]" if marked else text for text, marked in pieces)
"""

from __future__ import annotations

from collections.abc import Mapping

from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer

WORDS = 30  # of a snippet
CONTEXT = 5  # words before the first match
LONGEST = 5000  # words of a document that are looked at


def snippet(doc: Doc, analyzer: Analyzer, terms: Mapping[str, float], words: int = WORDS) -> list[tuple[str, bool]]:
    """Pieces of text, and whether they match: the stretch of so many words in which the matches weigh most."""
    text = f"{doc.title}. {doc.text}" if doc.title else doc.text
    spaced = " " in text.strip()
    tokens = text.split()[:LONGEST] if spaced else analyzer.tokens(text)[:LONGEST]
    weight = [sum(terms.get(term, 0.0) for term in {t for part in analyzer.tokens(token) for t in analyzer.terms(part)})
              for token in tokens]
    start = _best_start(weight, words)
    pieces: list[tuple[str, bool]] = [("… ", False)] if start else []
    for at in range(start, min(start + words, len(tokens))):
        if spaced and at > start:
            pieces.append((" ", False))
        pieces.append((tokens[at], weight[at] > 0))
    return [*pieces, (" …", False)] if start + words < len(tokens) else pieces


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
