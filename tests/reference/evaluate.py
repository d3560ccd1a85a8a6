"""Slow, obvious evaluation: PRES by its formula, rankings in trec_eval's order, the exact randomization test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pytrec_eval

from crossbow.records import Hit

Qrels = Mapping[str, Mapping[str, int]]


def trec_order(hits: Sequence[Hit]) -> list[str]:
    """By score in single precision, then by id, both falling."""
    docs: list[str] = []
    for score in sorted({np.float32(hit.score) for hit in hits}, reverse=True):
        docs += sorted((hit.doc for hit in hits if np.float32(hit.score) == score), reverse=True)
    return docs


def pres(docs: Sequence[str], levels: Mapping[str, int], n_max: int) -> float:
    """1 − (Σ r_i / n − (n + 1) / 2) / N_max, rank by rank."""
    relevant = {doc for doc, level in levels.items() if level > 0}
    n = len(relevant)
    ranks = [rank for rank, doc in enumerate(docs, 1) if doc in relevant and rank <= n_max]
    while len(ranks) < n:
        ranks.append(n_max + len(ranks) + 1)
    return 1 - (sum(ranks) / n - (n + 1) / 2) / n_max


def trec_eval(qrels: Qrels, run: Mapping[str, Sequence[Hit]], name: str, level: int = 1) -> dict[str, float]:
    """What trec_eval says of each query in both, from the scores as they are."""
    scores = {query: {hit.doc: hit.score for hit in hits} for query, hits in run.items()}
    evaluator = pytrec_eval.RelevanceEvaluator({q: dict(levels) for q, levels in qrels.items()}, {name}, level)
    return {query: values[name] for query, values in evaluator.evaluate(scores).items()}


def exact_p(differences: Sequence[int]) -> float:
    """The share of all swaps whose sum is as far from 0 as the observed one. Whole numbers, so ties are exact."""
    observed = abs(sum(differences))
    sums = [sum(sign * d for sign, d in zip(signs, differences)) for signs in product((1, -1), repeat=len(differences))]
    return sum(abs(total) >= observed for total in sums) / len(sums)
