"""The nearest point of a simplex, row by row: what keeps parameters distributions when a gradient has moved them.

    project(starts, moved, changed)         # in place, the rows of which `changed` says so

The projection subtracts one number from all entries of a row and cuts at 0; sorting the row finds the number.
"""

from __future__ import annotations

import numpy as np

from crossbow.jit import kernel


@kernel
def project(starts, value, changed):
    """Make each changed row the nearest distribution."""
    for r in range(starts.shape[0] - 1):
        if not changed[r]:
            continue
        row = value[starts[r] : starts[r + 1]]
        ordered = np.sort(row)[::-1]
        total, shift = 0.0, 0.0
        for k in range(ordered.shape[0]):
            total += ordered[k]
            lowered = (total - 1.0) / (k + 1.0)
            if ordered[k] - lowered <= 0.0:
                break
            shift = lowered
        for k in range(row.shape[0]):
            row[k] = max(0.0, row[k] - shift)
