"""Queries of several sentences: every sentence ranks the documents, and the rankings are multiplied.

    hits = combine([hits_of_sentence_1, hits_of_sentence_2], k)

A product of experts: a document's log score is the sum of its scores in the sentences' lists. In a list that it is not
in it gets the lowest score of that list. For this to mean the same for every k, sentence lists always have the same
length.
"""

from __future__ import annotations

from collections.abc import Sequence

from crossbow.ranking.topk import DIGITS
from crossbow.records import Hit, rank

LIST_LENGTH = 1000


def combine(lists: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """The k best documents of all lists together. A sentence that no document has a term of does not count."""
    lists = [hits for hits in lists if hits]
    floor = sum(hits[-1].score for hits in lists)
    scores: dict[str, float] = {}
    for hits in lists:
        lowest = hits[-1].score
        for hit in hits:
            scores[hit.doc] = scores.get(hit.doc, floor) + (hit.score - lowest)
    return rank({doc: round(score, DIGITS) for doc, score in scores.items()}, k)
