"""Numbers every pair of words that ever meet in a sentence pair, and notes which pair stands at each pair of positions.

    cells = index_cells(source, target, longest=200)
    late = unpack(cells, source, target, s, late, places)      # in a kernel, sentence by sentence; late is 0 at first
    places[i * target_length + j]                     # where the numbers of source word i and target word j stand

A cell is one entry of the translation table. Looking its place up by hash in every pass would cost a cache miss per
position pair; here each lookup is paid once and the passes read `grid` in order. Both directions share the index.

The grid takes most of the memory, so it holds 2 bytes per position pair (20M words per side, 28 per sentence: 1.7 GB):
not the place of the cell, but its rank among the cells of its source word. The few ranks that 2 bytes cannot hold stand
in a list of their own. And two pairs of words in three meet only once. Such a cell is visited once in a pass, so its
expected count can be written over its probability. It has one number instead of two, and these cells come last.

No hash table is needed to build this: going through the source words in turn, one array over the target vocabulary is
enough to tell whether a target word has met this source word before. Cells of a source word are ranked by first
meeting, those that meet again before those that do not, so most lie in the order in which passes visit them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crossbow.arrays import I32, I64, U16
from crossbow.errors import CrossbowError
from crossbow.jit import helper, loop
from crossbow.vocab import Corpus

LIMIT = 2**16 - 1  # in the grid this stands for itself and for all higher ranks


class Cells(NamedTuple):
    """The index: see above. A sentence pair that is skipped has no part in the grid."""

    grid: U16  # ranks, sentence by sentence, source position by target position
    starts: I64  # where each sentence's part of the grid begins
    limit: int  # ranks from here on are not in the grid, which has this instead
    late: I32  # but here, in the order of the grid
    again: I32  # for each source word, how many of its cells meet again: they have the lowest ranks
    pairs: I64  # the place of the first of these; the others follow two by two
    singles: I64  # the place of the first of the other cells, less its rank; the others follow one by one
    source_degree: I32  # for each source word, how many target words it meets
    target_degree: I32  # and for each target word

    @property
    def repeated(self) -> int:
        """How many cells meet again; each has two numbers."""
        return int(self.again.sum(dtype=np.int64))

    @property
    def total(self) -> int:
        """How many cells there are."""
        return int(self.source_degree.sum(dtype=np.int64))


class _Met(NamedTuple):
    """Of each target word: the source word that met it last, how often, and the rank of their cell; and words met."""

    by: I32
    times: I32
    rank: I32
    words: I32


@helper
def unpack(index: Cells, source: Corpus, target: Corpus, s: int, late: int, places: Any) -> int:
    """The places of a sentence's cells; `late` counts the late ranks of all sentences before, and is returned so."""
    at, first, m = index.starts[s], source.starts[s], target.starts[s + 1] - target.starts[s]
    for i in range(source.starts[s + 1] - first):
        word = source.words[first + i]
        again, pair, single = index.again[word], index.pairs[word], index.singles[word]
        for k in range(i * m, i * m + m):
            rank = np.int64(index.grid[at + k])
            if rank == index.limit:
                rank = np.int64(index.late[late])
                late += 1
            places[k] = pair + 2 * rank if rank < again else single + rank
    return late


@helper
def _meet(order: I64, begin: int, end: int, sentence: Any, starts: I64, target: Corpus, word: int, mine: _Met) -> int:
    """Count how often the source word at these positions meets each target word; returns how many it meets."""
    count = 0
    for k in range(begin, end):
        s = sentence[order[k]]
        if starts[s] == starts[s + 1]:
            continue
        for j in range(target.starts[s], target.starts[s + 1]):
            other = target.words[j]
            if mine.by[other] != word:
                mine.by[other], mine.times[other], mine.words[count] = word, 0, other
                count += 1
            mine.times[other] += 1
    return count


@helper
def _rank(count: int, mine: _Met) -> int:
    """Rank the target words that were met, and return how many were met again; these come first."""
    again = 0
    for k in range(count):
        again += mine.times[mine.words[k]] > 1
    pair, single = 0, again
    for k in range(count):
        other = mine.words[k]
        if mine.times[other] > 1:
            mine.rank[other] = pair
            pair += 1
        else:
            mine.rank[other] = single
            single += 1
    return again


@loop
def _fill(
    order: I64, ends: I64, sentence: Any, source: Corpus, target: Corpus, cells: Cells, mine: _Met, stand: I64
) -> int:
    """Fill grid and degrees; `order` lists the source positions word by word.

    Late ranks and where they stand in the grid are noted as long as there is room; returns how many there are.
    """
    found, begin, room, limit = 0, 0, stand.shape[0], cells.limit
    for word in range(ends.shape[0]):
        end = ends[word]
        count = _meet(order, begin, end, sentence, cells.starts, target, word, mine)
        cells.source_degree[word] = count
        for k in range(count):
            cells.target_degree[mine.words[k]] += 1
        cells.again[word] = _rank(count, mine)
        for k in range(begin, end):
            s = sentence[order[k]]
            if cells.starts[s] == cells.starts[s + 1]:
                continue
            first, last = target.starts[s], target.starts[s + 1]
            out = cells.starts[s] + (order[k] - source.starts[s]) * (last - first) - first
            for j in range(first, last):
                rank = mine.rank[target.words[j]]
                cells.grid[out + j] = min(rank, limit)
                if rank >= limit:
                    if found < room:
                        cells.late[found], stand[found] = rank, out + j
                    found += 1
        begin = end
    return found


def index_cells(source: Corpus, target: Corpus, longest: int, limit: int = LIMIT) -> Cells:
    """Number the word pairs of all sentence pairs that have words on both sides, and at most `longest` on each."""
    source_lengths, target_lengths = np.diff(source.starts), np.diff(target.starts)
    used = (source_lengths <= longest) & (target_lengths <= longest)
    starts = np.zeros(len(used) + 1, np.int64)
    np.cumsum(np.where(used, source_lengths * target_lengths, 0), out=starts[1:])
    source_words, target_words = (int(side.words.max(initial=-1)) + 1 for side in (source, target))
    try:
        grid = np.empty(starts[-1], np.uint16)
    except MemoryError:
        raise CrossbowError(f"aligning this corpus takes {3 * int(starts[-1]) / 1e9:.0f} GB of memory or more; "
                            "align fewer sentences or skip long ones (a lower `longest`)") from None
    order, ends = np.argsort(source.words, kind="stable"), np.cumsum(np.bincount(source.words, minlength=source_words))
    sentence = np.repeat(np.arange(len(used), dtype=np.int32), source_lengths)
    found, room = len(grid) >> 8, -1
    while found > room:  # hardly ever twice
        room, nowhere = found, np.zeros(0, np.int64)
        late, stand = np.zeros(room, np.int32), np.zeros(room, np.int64)
        again, degree, target_degree = (np.zeros(size, np.int32) for size in (source_words, source_words, target_words))
        cells = Cells(grid, starts, limit, late, again, nowhere, nowhere, degree, target_degree)
        met = _Met(np.full(target_words, -1, np.int32), *np.zeros((3, target_words), np.int32))
        found = _fill(order, ends, sentence, source, target, cells, met, stand)
    twice, once = 2 * again.astype(np.int64), (degree - again).astype(np.int64)
    return cells._replace(late=late[:found][np.argsort(stand[:found])], pairs=np.cumsum(twice) - twice,
                          singles=twice.sum() + np.cumsum(once) - once - again)
