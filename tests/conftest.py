"""Kernels are tested with bounds checks on; they compile into a cache folder of their own."""

import os
import signal

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")

# A shell starts what it runs in the background deaf to Ctrl-C; tests of interrupts, and what they start, must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)
