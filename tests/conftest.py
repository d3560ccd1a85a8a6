"""Kernels are tested with bounds checks on; they compile into a cache folder of their own. Time decides no test."""

import os
import signal

from hypothesis import settings

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell starts what it runs in the background deaf to Ctrl-C; tests of interrupts, and what they start, must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)
