"""What `crossbow demo` makes, made once for all tests of a run, however many processes run them.

    place = demo_place(tmp_path, tmp_path_factory)      # a folder in which crossbow-demo is as after `crossbow demo`
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from crossbow import demo


def demo_place(place: Path, factory: pytest.TempPathFactory) -> Path:
    """PLACE/crossbow-demo with the collection, the model and the index; links, so that it takes no time."""
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # every process has a folder of its own in the one of the run
        shared = shared.parent
    with (shared / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        demo.ensure(shared / "crossbow-demo")
    (place / "crossbow-demo").mkdir()
    for name in ("collection", "model", "index"):
        (place / "crossbow-demo" / name).symlink_to(shared / "crossbow-demo" / name)
    return place
