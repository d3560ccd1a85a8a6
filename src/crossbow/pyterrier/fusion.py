"""Several retrievers as one: their rankings fused by places or by scores (crossbow.fuse).

    CrossbowFusion(bowfd, dense)                                        # Q → R, by reciprocal ranks
    CrossbowFusion(bowfd, dt, method="combsum", weights=[1, 0.5])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyterrier as pt

from crossbow.pyterrier.base import CrossbowTransformer
from crossbow.ranking.fusion import fuse
from crossbow.records.exchange import run_frame


class CrossbowFusion(CrossbowTransformer):
    """Q → R: the documents of several retrievers, of ours or any others."""

    def __init__(self, *retrievers: pt.Transformer, method: str = "rrf", weights: Sequence[float] | None = None,
                 num_results: int = 1000):
        self.retrievers, self.method, self.weights, self.num_results = retrievers, method, weights, num_results
        fuse([{}] * len(retrievers), method, weights)  # raises if the two last do not fit

    def __repr__(self) -> str:
        weights = "" if self.weights is None else f", weights={list(self.weights)}"
        return f"CrossbowFusion({', '.join(map(repr, self.retrievers))}, method={self.method!r}{weights})"

    def subtransformers(self) -> dict[str, Any]:
        """What PyTerrier draws inside."""
        return {"retrievers": list(self.retrievers)}

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        pt.validate.query_frame(inp, ["query"], context=self)
        fused = fuse([one(inp) for one in self.retrievers], self.method, self.weights, self.num_results)
        results = run_frame(fused).astype({"qid": inp["qid"].dtype})
        return inp.merge(results, on="qid", how="inner")
