"""Queries of several sentences: every sentence ranks the documents, and the rankings are multiplied.

    docs, scores = combine([(docs_of_sentence_1, scores_of_sentence_1), …])         # documents by number

A product of experts: a document's log score is the sum of its scores in the sentences' lists. In a list that it is not
in it gets the lowest score of that list. For this to mean the same for every k, sentence lists always have the same
length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crossbow.arrays import F64, I64

LIST_LENGTH = 1000
Ranked = tuple[I64, F64]  # documents by number, best first, and their scores


def lowest(ranked: Ranked) -> float:
    """What a document gets that is not in a list. A sentence that no document has a term of does not count."""
    return float(ranked[1][-1]) if len(ranked[1]) else 0.0


def combine(lists: Sequence[Ranked]) -> tuple[I64, F64]:
    """The documents of all lists, ascending, and the scores of each in all lists together."""
    docs = np.unique(np.concatenate([np.empty(0, np.int64), *(docs for docs, _ in lists)]))
    total = np.full(len(docs), sum(map(lowest, lists)))
    for listed, scores in lists:
        total[np.searchsorted(docs, listed)] += scores - lowest((listed, scores))
    return docs, total
