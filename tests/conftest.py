"""Kernels are tested with bounds checks on; they compile into a cache folder of their own. Time decides no test."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# A shell starts what it runs in the background deaf to Ctrl-C; tests of interrupts, and what they start, must hear it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """The head of a Ray cluster, whose processes find what is defined in tests."""
    import ray
    from ray.cluster_utils import Cluster

    from crossbow.cluster import connect

    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), before]))
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 3, "include_dashboard": False})
    connect(made.address)
    try:
        yield made
    finally:
        ray.shutdown()
        made.shutdown()
        os.environ["PYTHONPATH"] = before
