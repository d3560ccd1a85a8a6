"""Crossbow on a Ray cluster: shards held by actors, and work spread over machines. Needs the extra [ray].

    connect("auto")                                     # or "local", or the address of a cluster's head
    shards = RayShards("index", replicas=2)             # a process for each shard and replica, wherever there is room
    searcher = ShardedSearcher(model, shards)
    build("index", docs, analyzer, shards=8, workers=cpus(), spread=in_tasks)

All machines must see the same folders, and have the same version of Crossbow. A Ray cluster trusts its network: anyone
who reaches its ports can run code on it (docs/scale.md).
"""

from __future__ import annotations

from crossbow.cluster.actors import RayShards
from crossbow.cluster.connect import connect, cpus
from crossbow.cluster.tasks import in_tasks

__all__ = ["RayShards", "connect", "cpus", "in_tasks"]
