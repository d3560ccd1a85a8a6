"""Which known words a derivation has read the unknown words of a query as (model/spelling.py).

    read_as(forest, edges, model, 2)        # {"biblothek": "bibliothek"}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from crossbow.forest.compose import part, parts_of
from crossbow.forest.hypergraph import Forest
from crossbow.model import Model

if TYPE_CHECKING:
    from crossbow.ranking.config import SearchConfig

Reader = Callable[[Forest, Sequence[int]], dict[str, str]]


def reader(model: Model | None, config: SearchConfig) -> Reader:
    """What says how a derivation of a forest reads unknown words, by its edges."""
    return partial(read_as, model=model, most=config.translation.spellings)


def read_as(forest: Forest, edges: Sequence[int], model: Model | None, most: int) -> dict[str, str]:
    """Unknown words with the known words that stand for them in a derivation, if up to `most` readings were tried."""
    parts = parts_of(forest) if model is not None and model.spelling is not None and most else []
    if model is None or not parts:
        return {}
    first = int(forest.first[-2])
    if int(forest.first[-1]) - first == 1:  # sentences that were joined
        found: dict[str, str] = {}
        for begin, end in parts:
            own = range(int(forest.first[begin]), int(forest.first[end + 1]))
            inner = [edge - own.start for edge in edges if edge in own]
            found |= read_as(part(forest, begin, end), inner, model, most)
        return found
    begin, end = forest.span[first].tolist()
    typed = forest.source[begin:end]
    readings = model.readings(typed, most)
    number = next(edge for edge in edges if edge >= first) - first
    if len(parts) != 1 + len(readings) or not number:  # made otherwise, or as it was typed
        return {}
    words: dict[int, list[str]] = {}
    for place, token in zip(readings[number - 1].places, readings[number - 1].tokens):
        words.setdefault(place, []).append(token)
    return {typed[place]: " ".join(row) for place, row in words.items() if row != [typed[place]]}


def nothing_read(forest: Forest, edges: Sequence[int]) -> dict[str, str]:
    """What stands for `read_as` where no word is read as another one."""
    return {}
