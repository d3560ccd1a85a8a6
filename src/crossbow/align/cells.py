"""Numbers every pair of words that ever meet in a sentence pair, and notes which pair stands at each pair of positions.

    cells = index_cells(source, target, longest=200)
    k = cells.grid[cells.starts[s] + i * target_length + j]      # the cell of source word i and target word j

A cell is one entry of the translation table. Looking its number up by hash in every pass would cost a cache miss per
position pair; here each lookup is paid once and the passes read `grid` in order. Both directions share the index.
It takes 4 bytes per position pair (20M words per side, 24 per sentence: 2.8 GB).

The trick that builds it without any hash table: going through the source words in turn, one array over the target
vocabulary is enough to tell whether a target word has met this source word before. Within a source word, cells are
numbered by first meeting, so pairs that meet only once, which are most, lie in the order in which passes visit them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from crossbow.arrays import I32, I64
from crossbow.errors import CrossbowError
from crossbow.jit import kernel
from crossbow.vocab import Corpus


class Cells(NamedTuple):
    """The index: see above. A sentence pair that is skipped has no part in the grid."""

    grid: I32  # cell numbers, sentence by sentence, source position by target position
    starts: I64  # where each sentence's part of the grid begins
    source_degree: I32  # for each source word, how many target words it meets
    target_degree: I32  # and for each target word

    @property
    def total(self) -> int:
        """How many distinct pairs of words there are."""
        return int(self.source_degree.sum(dtype=np.int64))


@kernel
def _number(order: I64, sentence: Any, source: Corpus, target: Corpus, cells: Cells, number: Any, met: Any) -> int:
    """Fill the grid and the degrees; `order` lists the source positions word by word. Stops (-1) at 2^31 cells."""
    count = 0
    for position in order:
        word, s = source.words[position], sentence[position]
        out, end = cells.starts[s], cells.starts[s + 1]
        if out == end:
            continue
        first, last = target.starts[s], target.starts[s + 1]
        if count + (last - first) > 2**31:
            return -1
        out += (position - source.starts[s]) * (last - first)
        for j in range(first, last):
            other = target.words[j]
            if met[other] != word:
                met[other] = word
                number[other] = count
                cells.source_degree[word] += 1
                cells.target_degree[other] += 1
                count += 1
            cells.grid[out + j - first] = number[other]
    return count


def index_cells(source: Corpus, target: Corpus, longest: int) -> Cells:
    """Number the word pairs of all sentence pairs that have words on both sides, and at most `longest` on each."""
    source_lengths, target_lengths = np.diff(source.starts), np.diff(target.starts)
    used = (source_lengths <= longest) & (target_lengths <= longest)
    starts = np.zeros(len(used) + 1, np.int64)
    np.cumsum(np.where(used, source_lengths * target_lengths, 0), out=starts[1:])
    source_words, target_words = (int(side.words.max(initial=-1)) + 1 for side in (source, target))
    try:
        grid = np.empty(starts[-1], np.int32)
    except MemoryError:
        raise CrossbowError(f"aligning this corpus takes {6 * int(starts[-1]) / 1e9:.0f} GB of memory or more; "
                            "align fewer sentences or skip long ones (a lower `longest`)") from None
    cells = Cells(grid, starts, np.zeros(source_words, np.int32), np.zeros(target_words, np.int32))
    sentence = np.repeat(np.arange(len(used), dtype=np.int32), source_lengths)
    order = np.argsort(source.words, kind="stable")
    number, met = np.zeros(target_words, np.int32), np.full(target_words, -1, np.int32)
    if _number(order, sentence, source, target, cells, number, met) < 0:
        raise CrossbowError("more than 2^31 distinct word pairs meet in this corpus; align it in parts")
    return cells
