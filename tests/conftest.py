"""Kernels are tested with bounds checks on; they compile into a cache folder of their own. Time decides no test."""

import os

from hypothesis import settings

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
