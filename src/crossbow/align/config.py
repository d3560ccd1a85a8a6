"""The settings of word alignment, with the values that fast_align made customary (Dyer et al. 2013)."""

from __future__ import annotations

from dataclasses import dataclass

from crossbow.errors import CrossbowError

HEURISTICS = ("grow-diag-final-and", "intersection", "union")


@dataclass(frozen=True)
class AlignConfig:
    """How to align; the defaults suit nearly every language pair."""

    passes: int = 5  # over the corpus; the last one only aligns, the others learn
    null: float = 0.08  # prior probability that a word translates nothing on the other side
    tension: float = 4.0  # how strongly the prior favors the diagonal, at the start
    tension_steps: int = 8  # gradient steps on the tension after each learning pass but the first; 0 keeps it as it is
    alpha: float = 0.01  # Dirichlet prior of the translation table
    longest: int = 200  # sentence pairs with more words on either side get no links
    heuristic: str = "grow-diag-final-and"

    def __post_init__(self) -> None:
        _demand(self.passes >= 1, "passes must be at least 1", self.passes)
        _demand(0 < self.null < 1, "null must lie between 0 and 1", self.null)
        _demand(0.1 <= self.tension <= 14, "tension must lie between 0.1 and 14", self.tension)
        _demand(self.tension_steps >= 0, "tension_steps must not be negative", self.tension_steps)
        # Below .01, exp(digamma(alpha)) leaves the range of the table's 32-bit floats.
        _demand(0.01 <= self.alpha <= 10, "alpha must lie between 0.01 and 10", self.alpha)
        _demand(1 <= self.longest <= 1000, "longest must lie between 1 and 1000", self.longest)
        _demand(self.heuristic in HEURISTICS, f"heuristic must be one of {', '.join(HEURISTICS)}", self.heuristic)


def _demand(holds: bool, rule: str, found: object) -> None:
    if not holds:
        raise CrossbowError(f"alignment settings: {rule}, not {found}")
