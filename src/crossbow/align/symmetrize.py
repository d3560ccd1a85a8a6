"""Joins the alignments of the two directions, each of which links a word at most once, into one set of links.

    links = symmetrize(source, target, forward, backward, "grow-diag-final-and", longest=200)
    links.source[links.starts[s] : links.starts[s + 1]]      # source positions of the links of sentence s

`intersection` keeps what both directions found, `union` what either found. `grow-diag-final-and` (Koehn et al. 2003)
starts from the intersection, adds links of the union next to a link, also diagonally, as long as they link a word
that has none yet, and in the end those links of one direction that link two such words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crossbow.align.config import HEURISTICS
from crossbow.arrays import I16, I64
from crossbow.jit import helper, kernel
from crossbow.vocab import Corpus

GROW_DIAG_FINAL_AND, UNION = HEURISTICS.index("grow-diag-final-and"), HEURISTICS.index("union")
FORWARD, BACKWARD, LINKED = 1, 2, 4  # bits of a position pair: found forward, found backward, in the result
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Links(NamedTuple):
    """Links of sentence s: [starts[s]:starts[s + 1]], in order of source, then target position."""

    source: I16
    target: I16
    starts: I64


@helper
def _link(grid: Any, source_used: Any, target_used: Any, i: int, j: int) -> None:
    grid[i, j] |= LINKED
    source_used[i] = True
    target_used[j] = True


@helper
def _grow(grid: Any, n: int, m: int, source_used: Any, target_used: Any) -> None:
    """Add neighbors of links until nothing changes. A link added ahead of the scan counts in the same scan."""
    grown = True
    while grown:
        grown = False
        for j in range(m):
            for i in range(n):
                if not grid[i, j] & LINKED:
                    continue
                for down, right in _NEIGHBOURS:
                    i2, j2 = i + down, j + right
                    if i2 < 0 or j2 < 0 or i2 >= n or j2 >= m or (source_used[i2] and target_used[j2]):
                        continue
                    if grid[i2, j2] & (FORWARD | BACKWARD) and not grid[i2, j2] & LINKED:
                        _link(grid, source_used, target_used, i2, j2)
                        grown = True


@helper
def _finish(grid: Any, n: int, m: int, source_used: Any, target_used: Any, direction: int) -> None:
    """Add the links of one direction between two words that have no link yet."""
    for j in range(m):
        for i in range(n):
            if grid[i, j] & direction and not source_used[i] and not target_used[j]:
                _link(grid, source_used, target_used, i, j)


@helper
def _emit(grid: Any, n: int, m: int, wanted: int, links: Links, size: int) -> int:
    """Append the position pairs that have all the wanted bits (any bit, if none is wanted); the new number of links."""
    for i in range(n):
        for j in range(m):
            if grid[i, j] and grid[i, j] & wanted == wanted:
                links.source[size] = i
                links.target[size] = j
                size += 1
    return size


@kernel
def _join(
    source_starts: Any, target_starts: Any, forward: Any, backward: Any, heuristic: int, grid: Any, links: Links
) -> None:
    """Fill links.starts and the beginning of the two other arrays; sentences larger than the grid get no links."""
    source_used, target_used = np.zeros(grid.shape[0], np.bool_), np.zeros(grid.shape[1], np.bool_)
    size = 0
    for s in range(source_starts.shape[0] - 1):
        first, other = source_starts[s], target_starts[s]
        n, m = source_starts[s + 1] - first, target_starts[s + 1] - other
        if n <= grid.shape[0] and m <= grid.shape[1]:
            grid[:n, :m] = 0
            source_used[:n] = False
            target_used[:m] = False
            for j in range(m):
                if forward[other + j] >= 0:
                    grid[forward[other + j], j] = FORWARD
            for i in range(n):
                j = backward[first + i]
                if j >= 0:
                    grid[i, j] |= BACKWARD
                    if grid[i, j] & FORWARD:
                        _link(grid, source_used, target_used, i, j)
            if heuristic == GROW_DIAG_FINAL_AND:
                _grow(grid, n, m, source_used, target_used)
                _finish(grid, n, m, source_used, target_used, FORWARD)
                _finish(grid, n, m, source_used, target_used, BACKWARD)
            size = _emit(grid, n, m, 0 if heuristic == UNION else LINKED, links, size)
        links.starts[s + 1] = size


def symmetrize(
    source: Corpus, target: Corpus, forward: I16, backward: I16, heuristic: str, longest: int
) -> Links:
    """Join the two directions. Sentence pairs with more than `longest` words on either side get no links.

    forward[k] is the source position of the k-th target word of the corpus, backward[k] the target position of the
    k-th source word, both within the sentence, -1 for none.
    """
    most = len(forward) + len(backward)
    links = Links(np.empty(most, np.int16), np.empty(most, np.int16), np.zeros(len(source.starts), np.int64))
    grid = np.zeros((longest, longest), np.uint8)
    _join(source.starts, target.starts, forward, backward, HEURISTICS.index(heuristic), grid, links)
    size = links.starts[-1]
    return Links(links.source[:size].copy(), links.target[:size].copy(), links.starts)
