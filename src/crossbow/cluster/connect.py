"""The connection to a Ray cluster.

    connect("local")            # starts one on this machine, which ends with this process
    connect("auto")             # the one that `ray start` has started here, or that RAY_ADDRESS names
    connect("10.0.0.1:6379")    # the head of a cluster that this machine is a part of
"""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

from crossbow.errors import CrossbowError

LOCAL, AUTO = "local", "auto"


def imported() -> ModuleType:
    """Ray, or an error that says how to get it."""
    try:
        import ray
    except ImportError:
        raise CrossbowError("a cluster needs the package ray; install crossbow-clir[ray]") from None
    module: ModuleType = ray
    return module


def connect(address: str = LOCAL, **options: Any) -> None:
    """Connect this process to a cluster, unless it is connected already. Options are those of ray.init."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster that is started here reports nothing to anybody
    ray = imported()
    if ray.is_initialized():
        return
    try:
        ray.init(address, log_to_driver=False, logging_level="error",
                 **({"include_dashboard": False} if address == LOCAL else {}), **options)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = (str(error).splitlines() or [""])[0]
        raise CrossbowError(f"no Ray cluster can be reached at {address!r} ({reason}); start one with `ray start "
                            "--head`, or use 'local'; if it wants a token, set RAY_AUTH_MODE=token") from None


def cpus() -> int:
    """How many processors the cluster has."""
    return max(1, int(imported().cluster_resources().get("CPU", 1)))
