"""Options of commands that can run on a Ray cluster.

    shards = RayOptions.of(ray, replicas, cpus).shards(index_folder)        # None without --ray
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.cluster import RayShards

RayOption = Annotated[str | None, typer.Option(
    "--ray", metavar="ADDRESS", help="Work on this Ray cluster: the address of its head, 'auto' for the one that "
                                     "`ray start` has started here, or 'local' to start one on this machine.")]
ReplicasOption = Annotated[int | None, typer.Option(
    "--replicas", min=1, help="With --ray, have every shard held by this many processes. The default is 1.")]
CpusOption = Annotated[float | None, typer.Option(
    "--shard-cpus", min=0.0, help="With --ray, reserve this many processors for each of these processes. The default "
                                  "is 1.")]
PartialOption = Annotated[bool, typer.Option(
    "--partial", help="With --ray, answer without shards that are missing, and say so, instead of failing.")]


class RayOptions(NamedTuple):
    """The cluster to work on, and how shards are held there."""

    address: str
    replicas: int = 1
    cpus: float = 1.0
    partial: bool = False

    @classmethod
    def of(
        cls, address: str | None, replicas: int | None = None, cpus: float | None = None, partial: bool = False
    ) -> RayOptions | None:
        """What the options mean; None without --ray."""
        if address is None:
            if replicas is not None or cpus is not None or partial:
                raise CrossbowError("--replicas, --shard-cpus and --partial are for clusters; give --ray as well")
            return None
        return cls(address, replicas or 1, 1.0 if cpus is None else cpus, partial)

    def shards(self, index: Path, timeout: float = 60.0) -> RayShards:
        """The shards of an index, held by the cluster; each may take so many seconds to reply.

        A cluster that is started here, to try it out, gets room for all of them. Another one may still grow, so a lack
        of processors is only reported.
        """
        from crossbow.cluster import RayShards, connect, cpus
        from crossbow.cluster.connect import LOCAL
        from crossbow.index import Index

        needed = math.ceil(Index.outline(index).shards * self.replicas * self.cpus)
        connect(self.address, **({"num_cpus": max(needed, os.cpu_count() or 1)} if self.address == LOCAL else {}))
        if needed > cpus():
            print(f"the shards ask for {needed} processors, and the cluster has {cpus()}; waiting for more of them "
                  "(--shard-cpus 0 lets shards share)", file=sys.stderr)
        return RayShards(index, self.replicas, self.cpus, timeout)
