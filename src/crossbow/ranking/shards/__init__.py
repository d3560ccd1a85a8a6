"""An index in shards, searched as if it were one: the protocol, free of transport.

    shards = LocalShards("index")                       # a thread for each shard; cluster/ has an actor for each
    searcher = ShardedSearcher(model, shards)           # searches, explains and reranks as Searcher does

A query is translated once, and every shard prepares it with what is known of the whole index (index/statistics.py), so
that its scores are those of the whole. What a method must know of other shards' documents is exchanged in rounds
(`Prepared.to_share`): the best documents for feedback, and the lists of several sentences. Then each shard answers what
is asked (asks.py), and the answers are merged.
"""

from __future__ import annotations

from crossbow.ranking.shards.contract import Missing, Question, Reply, Shards, ShardsMissing
from crossbow.ranking.shards.holder import Holder
from crossbow.ranking.shards.local import LocalShards
from crossbow.ranking.shards.searcher import ShardedHits, ShardedSearcher

__all__ = ["Holder", "LocalShards", "Missing", "Question", "Reply", "ShardedHits", "ShardedSearcher", "Shards",
           "ShardsMissing"]
