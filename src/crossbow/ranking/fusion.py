"""Several rankings of the same documents as one, for systems that share no forest: a dense encoder and ours.

    fuse(["bowfd.txt", "dense.txt"], method="rrf")           # {query: [Hit, …]}
    fuse([ours, theirs], method="combsum", weights=[1, 0.5])

`combsum` adds scores after each ranking's were mapped to 0…1 (Fox and Shaw 1994): how far ahead a document is counts.
`rrf` adds 1 / (60 + rank) (Cormack et al. 2009): only places count, so scores of any kind go together. A document that
a ranking does not list gets nothing from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from crossbow.errors import CrossbowError
from crossbow.records import Hit, rank
from crossbow.records.sources import as_run

RRF_CONSTANT = 60  # what its authors found and everybody uses


def _by_score(hits: Sequence[Hit]) -> Iterable[float]:
    """0 for the last, 1 for the best. If all scores are equal, each becomes 1."""
    scores = [hit.score for hit in hits]
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def _by_place(hits: Sequence[Hit]) -> Iterable[float]:
    return [1 / (RRF_CONSTANT + place) for place in range(1, len(hits) + 1)]


FUSIONS: dict[str, Callable[[Sequence[Hit]], Iterable[float]]] = {"combsum": _by_score, "rrf": _by_place}


def fuse(
    runs: Iterable[Any], method: str = "combsum", weights: Sequence[float] | None = None, k: int = 1000
) -> dict[str, list[Hit]]:
    """Fuse runs: the k best documents of each query by all of them together.

    A run is a TREC file, hits or scores by query, or a frame of results. Without weights all runs count the same. A
    query that only some of the runs have is ranked by those.
    """
    if method not in FUSIONS:
        raise CrossbowError(f"{method!r} is not a way to fuse runs; there are {', '.join(FUSIONS)}")
    read: list[Mapping[str, Sequence[Hit]]] = [as_run(run) for run in runs]
    if weights is None:
        weights = [1.0] * len(read)
    if len(weights) != len(read):
        raise CrossbowError(f"{len(weights)} weights for {len(read)} runs; give one for each, or none")
    if not all(math.isfinite(weight) and weight > 0 for weight in weights):
        raise CrossbowError("weights are numbers above 0; leave out a run that should not count")
    fused: dict[str, dict[str, float]] = {}
    for run, weight in zip(read, weights):
        for query, hits in run.items():
            scores = fused.setdefault(query, {})
            for hit, points in zip(hits, FUSIONS[method](hits) if hits else ()):
                scores[hit.doc] = scores.get(hit.doc, 0.0) + weight * points
    return {query: rank(scores, k) for query, scores in fused.items()}
