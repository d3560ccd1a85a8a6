"""The methods: a file each, and the registry in which they stand by name.

    from crossbow.ranking.methods import METHODS, Method, Prepared, WeightedTerms
"""

from __future__ import annotations

from crossbow.ranking.methods.contract import METHODS, Method, Prepared
from crossbow.ranking.methods.weighted import WeightedTerms

__all__ = ["METHODS", "Method", "Prepared", "WeightedTerms"]
