"""Kernels are tested with bounds checks on; they compile into a cache folder of their own."""

import os

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")
