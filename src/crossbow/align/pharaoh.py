"""Links as text, the way most alignment tools exchange them: a line per sentence pair, "0-0 1-2 2-1", from 0.

    write("links.txt", links)
    links = read("links.gz", source, target)        # checked against the sentences they belong to
"""

from __future__ import annotations

import os
import re
from array import array

import numpy as np

from crossbow.align.symmetrize import Links
from crossbow.arrays import I32
from crossbow.errors import InputError
from crossbow.records.lines import open_lines, writing
from crossbow.vocab import Corpus

_LINE = re.compile(r"\s*(\d{1,9}-\d{1,9}(\s+\d{1,9}-\d{1,9})*)?\s*", re.ASCII)
_FORM = 'write each link as "source-target", positions counted from 0, with spaces between links'


def write(path: str | os.PathLike[str], links: Links) -> None:
    """Write the links; the file appears when it is complete."""
    with writing(path) as file:
        for start, end in zip(links.starts[:-1].tolist(), links.starts[1:].tolist()):
            pairs = zip(links.source[start:end].tolist(), links.target[start:end].tolist())
            file.write(" ".join(f"{i}-{j}" for i, j in pairs) + "\n")


def read(path: str | os.PathLike[str], source: Corpus, target: Corpus) -> Links:
    """Read the links of these sentence pairs; any order within a line will do, a link given twice counts once."""
    numbers, counts = _parse(path)
    sentences = len(source.starts) - 1
    if len(counts) != sentences:
        raise InputError(path, None, f"{len(counts)} lines for {sentences} sentence pairs",
                         "write a line for each pair, an empty one where there are no links")
    sentence = np.repeat(np.arange(sentences), counts)
    source_at, target_at = numbers[0::2], numbers[1::2]
    for positions, corpus, side in ((source_at, source, "source"), (target_at, target, "target")):
        lengths = np.diff(corpus.starts)[sentence]
        wrong = np.flatnonzero((positions >= lengths) | (positions > np.iinfo(np.int16).max))
        if wrong.size:
            k = wrong[0]
            raise InputError(path, int(sentence[k]) + 1,
                             f"link {source_at[k]}-{target_at[k]}, but the {side} sentence has {lengths[k]} words",
                             "positions count from 0; do text and links belong together?")
    order = np.lexsort((target_at, source_at, sentence))
    sentence, source_at, target_at = sentence[order], source_at[order], target_at[order]
    again = np.zeros(len(order), bool)
    again[1:] = (np.diff(sentence) == 0) & (np.diff(source_at) == 0) & (np.diff(target_at) == 0)
    starts = np.zeros(sentences + 1, np.int64)
    np.cumsum(np.bincount(sentence[~again], minlength=sentences), out=starts[1:])
    return Links(source_at[~again].astype(np.int16), target_at[~again].astype(np.int16), starts)


def _parse(path: str | os.PathLike[str]) -> tuple[I32, list[int]]:
    """All numbers of the file, and how many links each line has."""
    numbers, counts = array("i"), []
    for number, line in open_lines(path, _FORM):
        if not _LINE.fullmatch(line):
            raise InputError(path, number, f"not a line of links: {line.strip()[:60]!r}", _FORM)
        before = len(numbers)
        numbers.extend(map(int, line.replace("-", " ").split()))
        counts.append((len(numbers) - before) // 2)
    return np.frombuffer(numbers, np.int32) if numbers else np.zeros(0, np.int32), counts
