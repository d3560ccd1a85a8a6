"""Crossbow: cross-lingual search by bag-of-words forced decoding.

Importing this package is cheap: everything that needs NumPy or Numba loads on first use.
"""

from __future__ import annotations

__version__ = "0.1.0"
