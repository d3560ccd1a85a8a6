"""What a word counts that stands in a query several times, for the methods that add up words (DT and PSQ).

    Repeats().of(counts)                # n: every time as much, as the paper has it
    Repeats(power=0.5).of(counts)       # √n; power=0: 1, however often
    Repeats(k3=2.0).of(counts)          # n(k3 + 1) / (k3 + n), as BM25 has it, and the original code
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossbow.errors import CrossbowError


@dataclass(frozen=True)
class Repeats:
    """A power of the number of times, or BM25's third constant instead."""

    power: float = 1.0
    k3: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.power <= 1 or (self.k3 is not None and not 0 <= self.k3 < float("inf")):
            raise CrossbowError(f"repeated words with power {self.power} and k3 {self.k3}: the power must lie between "
                                "0 and 1, k3 must be 0 or more")

    def of(self, counts: npt.NDArray[np.number]) -> npt.NDArray[np.float64]:
        """The weight of each word that stands there so many times."""
        times = np.asarray(counts, np.float64)
        return times**self.power if self.k3 is None else times * (self.k3 + 1) / (self.k3 + times)
