"""What became of the fields of documents, in words: what `crossbow index` and `crossbow info` say.

    field_rows(index)       # {"field title": "searched, weight 2", "field year": "number, 21 values, 1990 to 2010, …"}
"""

from __future__ import annotations

import numpy as np

from crossbow.index.searched import STANDARD
from crossbow.index.segments import Index
from crossbow.index.values import KEYWORD, LONGEST, STORED


def field_rows(index: Index) -> dict[str, str]:
    """A line for each field; none if documents have only a title and a text."""
    weights = index.searched.weights()
    if not index.kinds and index.searched == STANDARD:
        return {}
    rows = {}
    for name in dict.fromkeys((*weights, *STANDARD.names, *index.kinds)):
        said = [f"searched, weight {weights[name]:g}"] if name in weights else []
        if name in index.kinds:
            said += _column(index, name)
        elif not said:
            said = ["stored"]
        rows[f"field {name}"] = ", ".join(said)
    return rows


def _column(index: Index, name: str) -> list[str]:
    """The kind of a column, how many values it has, from where to where, and in how many documents."""
    kind = index.kinds[name]
    if kind == STORED:
        return [f"stored (texts of more than {LONGEST} characters and objects cannot be filtered by)"]
    documents, keys = 0, dict[bytes, float]()
    for segment in index.segments:
        column = segment.column(name)
        if column:
            alive = segment.alive[column.docs]
            documents += len(np.unique(column.docs[alive]))
            values = column.values()
            keys.update((values[at], column.keys[at]) for at in np.unique(column.ordinals[alive]).tolist())
    said = [kind, f"{len(keys):,} value{'s' * (len(keys) != 1)}"]
    if kind != KEYWORD and len(keys) > 1:
        ordered = sorted(keys, key=keys.__getitem__)
        said.append(" to ".join(value.decode("utf8", "replace") for value in (ordered[0], ordered[-1])))
    return [*said, f"in {documents:,} document{'s' * (documents != 1)}"]
