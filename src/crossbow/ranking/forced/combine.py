"""Queries of several sentences: every sentence ranks the documents, and the rankings are multiplied.

    scores = combine([hits_of_sentence_1, hits_of_sentence_2])          # by document

A product of experts: a document's log score is the sum of its scores in the sentences' lists. In a list that it is not
in it gets the lowest score of that list. For this to mean the same for every k, sentence lists always have the same
length.
"""

from __future__ import annotations

from collections.abc import Sequence

from crossbow.records import Hit

LIST_LENGTH = 1000


def lowest(hits: Sequence[Hit]) -> float:
    """What a document gets that is not in a list. A sentence that no document has a term of does not count."""
    return hits[-1].score if hits else 0.0


def combine(lists: Sequence[Sequence[Hit]]) -> dict[str, float]:
    """The scores of the documents of all lists together."""
    floor = sum(map(lowest, lists))
    scores: dict[str, float] = {}
    for hits in lists:
        least = lowest(hits)
        for hit in hits:
            scores[hit.doc] = scores.get(hit.doc, floor) + (hit.score - least)
    return scores
