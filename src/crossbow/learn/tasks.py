"""The queries to learn from, and those to measure with: read, checked against the index, thinned out.

    tasks = read_tasks("queries.train.tsv", "qrels.train.txt", model, index, limit=300, groups="queries.train.groups")
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index
from crossbow.model import Model
from crossbow.records import load_qrels, open_lines, read_queries


class Task(NamedTuple):
    """A query with its judgements."""

    id: str
    text: str
    judged: dict[str, int]  # the levels of documents by id
    group: str  # of training text that is to be left out when the query is translated

    def levels(self, index: Index) -> dict[int, int]:
        """The levels of those documents that the index has, by number."""
        found = {index.number(doc): level for doc, level in self.judged.items()}
        return {number: level for number, level in found.items() if number >= 0}


def read_tasks(
    queries: str | Path, qrels: str | Path, model: Model, index: Index, limit: int | None = None,
    groups: str | Path | None = None,
) -> list[Task]:
    """The queries that have words and a relevant document in the index; `limit` of them at even distances.

    The group of a query is its line in the file of groups, else its id.
    """
    asked = list(read_queries(queries))
    names = [query.id for query in asked]
    if groups is not None:
        names = [line.strip() for _, line in open_lines(groups)]
        if len(names) != len(asked):
            raise InputError(groups, None, f"{len(names)} lines for the {len(asked)} queries of {queries}",
                             "give the group of every query, a line each")
    judged = load_qrels(qrels)
    tasks = [Task(query.id, query.text, judged.get(query.id, {}), group) for query, group in zip(asked, names)]
    tasks = [task for task in tasks
             if any(level > 0 for level in task.levels(index).values())
             and any(map(model.pieces, model.sentences(task.text)))]
    if not tasks:
        raise CrossbowError(f"no query of {queries} has a relevant document in the index by {qrels}; "
                            "do the files and the index belong together?")
    if limit is None or limit >= len(tasks):
        return tasks
    return [tasks[at * len(tasks) // limit] for at in range(limit)]
