"""Text for tuning, held out of parallel text that brings none; and the article of each pair, if there are articles.

    collection = hold_out(Collection.open("kyoto"), Path("prepared"))
    collection.pairs(), collection.train_groups(), collection.tuning(), collection.queries("train")

A training query is the first sentence of its article, so an article begins at the line that equals a query, and a pair
belongs to the last article that began: that query's id is the group of the pair, and of the query. Whole articles at
equal distances are held out for tuning. Training queries of these articles are left out: they would be translated with
weights that were tuned on them. Text in which most queries are not found, such as debates, is held out in blocks of
neighboring lines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from crossbow.datasets.collection import Collection
from crossbow.records import ParallelText, Query, write_lines, write_queries

TUNING = 900  # pairs, or a twentieth of all if these are few
EVERY = 4  # tune on one in this many pairs of a held-out article: more articles for the same effort
AHEAD = 200  # queries that may lack their article; a match further ahead is a sentence that only happens to be equal
BLOCK = 40  # lines of text that has no articles
NO_GROUP = "-"  # of pairs before the first article; no query has such an id, for queries with it would lose them all


def hold_out(collection: Collection, folder: Path) -> Collection:
    """The collection with training pairs, their groups and tuning pairs, which are written into a folder."""
    pairs = list(collection.pairs())
    queries = list(collection.queries("train")) if "train" in collection.splits else []
    groups = article_groups((left for left, _ in pairs), queries)
    if 2 * len(set(groups)) < len(queries) or not queries:
        groups = [f"{NO_GROUP}{line // BLOCK}" for line in range(len(pairs))]
    held = _held(groups)
    tune = [pair for pair, group in zip(pairs, groups) if group in held][::EVERY]
    train = [(*pair, group) for pair, group in zip(pairs, groups) if group not in held]
    folder.mkdir(parents=True, exist_ok=True)
    source, target = collection.source, collection.target
    for name, rows in (("train", train), ("tune", tune)):
        for side, language in enumerate((source, target)):
            write_lines(folder / f"{name}.{language}", (row[side] for row in rows))
    write_lines(folder / "train.groups", (row[2] for row in train))
    splits = dict(collection.splits)
    if queries:
        kept = folder / "queries.train.tsv"
        write_queries(kept, (query for query in queries if query.id not in held))
        splits["train"] = replace(splits["train"], queries=kept)
    both = [ParallelText(folder / f"{name}.{source}", folder / f"{name}.{target}") for name in ("train", "tune")]
    return replace(collection, splits=splits, train=both[0], tune=both[1], groups=folder / "train.groups")


def article_groups(lines: Iterable[str], queries: Sequence[Query]) -> list[str]:
    """The article of each line: the id of the last query, in the order of both, that equals it or a line before."""
    places: dict[str, list[int]] = {}
    for place, query in enumerate(queries):
        places.setdefault(query.text, []).append(place)
    groups, last = [], -1
    for line in lines:
        known = places.get(line, [])
        after = known[bisect_right(known, last) :]
        if after and after[0] - last <= AHEAD:
            last = after[0]
        groups.append(queries[last].id if last >= 0 else NO_GROUP)
    return groups


def _held(groups: Sequence[str]) -> set[str]:
    """Articles at equal distances, so many that one in EVERY of their pairs is as much as tuning wants."""
    names = list(dict.fromkeys(groups))
    goal = EVERY * min(TUNING, len(groups) // 20)
    stride = max(2, len(groups) // max(1, goal))
    return set(names[stride // 2 :: stride]) - {NO_GROUP}
