"""Parallel text: two files of equally many lines, or one TSV with `source TAB target` per line.

    text = ParallelText("train.de", "train.en")
    for source, target in text: ...
    text.skipped                       # pairs of the last complete pass with an empty side, which are passed over
    write_pairs("train.de", "train.en", pairs)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from crossbow.errors import InputError
from crossbow.records.lines import PathLike, open_lines, writing


class ParallelText:
    """Sentence pairs that can be iterated any number of times."""

    def __init__(self, source: PathLike, target: PathLike | None = None):
        self.source, self.target = source, target
        self.skipped = 0

    def __iter__(self) -> Iterator[tuple[str, str]]:
        found = skipped = 0
        for left, right in self._rows():
            if left and right:
                found += 1
                yield left, right
            else:
                skipped += 1
        if not found:
            raise InputError(self.source, None, "no sentence pairs in it",
                             "expected one sentence per line on both sides")
        self.skipped = skipped

    def with_column(self, column: Iterable[str], path: PathLike) -> Iterator[tuple[str, str, str]]:
        """Pairs with the line of another file that belongs to each; pairs with an empty side are passed over."""
        skipped = 0
        for number, (pair, value) in enumerate(zip_longest(self._rows(), column), 1):
            if pair is None or value is None:
                raise InputError(path, number, f"expected as many lines as {self.source}", "give a line for each pair")
            if all(pair):
                yield *pair, value
            else:
                skipped += 1
        self.skipped = skipped

    def _rows(self) -> Iterator[tuple[str, str]]:
        if self.target is None:
            for number, line in open_lines(self.source):
                columns = line.split("\t")
                if len(columns) != 2 and line.strip():
                    raise InputError(self.source, number, f"{len(columns)} columns", "expected `source TAB target`")
                yield columns[0].strip(), columns[-1].strip()
            return
        for left, right in zip_longest(open_lines(self.source), open_lines(self.target)):
            if left is None or right is None:
                raise self._unequal(*((self.source, self.target) if left is None else (self.target, self.source)))
            yield left[1].strip(), right[1].strip()

    @staticmethod
    def _unequal(short: PathLike, long: PathLike) -> InputError:
        count, expected = (sum(1 for _ in open_lines(path)) for path in (short, long))
        return InputError(short, count, f"ends here, but {long} has {expected} lines",
                          "line n of one file must be the translation of line n of the other")


def write_pairs(source: PathLike, target: PathLike, pairs: Iterable[tuple[str, str]]) -> None:
    """Write pairs into two files, as they come; both appear when all is written. White space becomes single spaces."""
    with writing(source) as left, writing(target) as right:
        for one, other in pairs:
            left.write(" ".join(one.split()) + "\n")
            right.write(" ".join(other.split()) + "\n")
