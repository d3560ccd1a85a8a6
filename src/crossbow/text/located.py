"""Where tokens stand in a text, so that two ways of cutting the same text into pieces can be held against each other.

    located(["menschen", "rechte"], "Menschenrechte 2007")          == [(0, 8), (8, 14)]
    overlaps([(0, 8), (8, 14)], [(0, 4), (4, 14)])                  # how many characters each pair shares

Tokens are spelled otherwise than the text: in small letters, with other quotes, without a linking letter. A token
begins where its first letters are found next, whatever is skipped; one that is not found lies where the last one ended.
Pairs of characters may overlap (segmenters.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crossbow.arrays import F64
from crossbow.text.normalize import normalize

Span = tuple[int, int]
FAR = 40  # characters that may be skipped: what is further away is another occurrence


def located(tokens: Sequence[str], text: str) -> list[Span]:
    """The place of each token, in order; empty where there is no trace of it."""
    folded, origin = _folded(text)
    places, at = [], 0
    for token in tokens:
        wanted = _folded(token)[0]
        begin = at - 1 if _overlaps(folded, origin, wanted, at) else folded.find(wanted, at, at + len(wanted) + FAR)
        if begin < 0 or not wanted:
            end = begin = at
            while end < len(folded) and end - begin < len(wanted) and folded[end] == wanted[end - begin]:
                end += 1
        else:
            end = begin + len(wanted)
        places.append((origin[begin], origin[end - 1] + 1) if end > begin else (origin[begin], origin[begin]))
        at = end
    return places


def _overlaps(folded: str, origin: list[int], wanted: str, at: int) -> bool:
    """Whether a pair of characters begins inside the one before it, as in text that is cut into bigrams.

    If a character is repeated, the pair may stand here as well; without a space between, it overlaps.
    """
    return at > 0 and len(wanted) == 2 and folded.startswith(wanted, at - 1) and (
        origin[at] == origin[at - 1] + 1 or not folded.startswith(wanted, at))


def _folded(text: str) -> tuple[str, list[int]]:
    """The text in small letters without white space, and where each letter of it comes from; one place more."""
    letters: list[str] = []
    origin: list[int] = []
    for place, char in enumerate(text):
        new = "".join(normalize(char).lower().split())
        letters.append(new)
        origin += [place] * len(new)
    return "".join(letters), [*origin, len(text)]


def overlaps(rows: Sequence[Span], columns: Sequence[Span]) -> F64:
    """How many characters each row shares with each column."""
    left, right = np.array(rows, np.int64).reshape(-1, 1, 2), np.array(columns, np.int64).reshape(1, -1, 2)
    shared: F64 = np.minimum(left[..., 1], right[..., 1]) - np.maximum(left[..., 0], right[..., 0]).astype(np.float64)
    return np.maximum(shared, 0.0)
