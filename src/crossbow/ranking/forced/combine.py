"""Queries of several sentences: every sentence ranks the documents, and the rankings are multiplied.

    docs, scores = combine([Ranked.of(docs_of_sentence_1, scores_of_sentence_1), …])        # documents by number

A product of experts: a document's log score is the sum of its scores in the sentences' lists. In a list that it is not
in it gets the lowest score of that list. For this to mean the same for every k, sentence lists always have the same
length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I64

LIST_LENGTH = 1000


class Ranked(NamedTuple):
    """A sentence's list: documents by number, best first, their scores, and what all others get."""

    docs: I64
    scores: F64
    lowest: float

    @classmethod
    def of(cls, docs: I64, scores: F64) -> Ranked:
        """A whole list. A sentence that no document has a term of does not count."""
        return cls(docs, scores, float(scores[-1]) if len(scores) else 0.0)


def combine(lists: Sequence[Ranked]) -> tuple[I64, F64]:
    """The documents of all lists, ascending, and the scores of each in all lists together."""
    docs = np.unique(np.concatenate([np.empty(0, np.int64), *(ranked.docs for ranked in lists)]))
    total = np.full(len(docs), sum(ranked.lowest for ranked in lists))
    for ranked in lists:
        total[np.searchsorted(docs, ranked.docs)] += ranked.scores - ranked.lowest
    return docs, total
