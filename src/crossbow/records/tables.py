"""Records as rows of a CSV file, whose first row names the columns.

    for number, record in csv_rows("docs.csv", open_lines("docs.csv")): ...      # the line of each, and a dict

Columns are separated by commas, or by semicolons if the first row has no commas. A cell may be quoted and then may hold
line breaks. Empty cells are missing.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from itertools import chain

from crossbow.errors import InputError
from crossbow.records.lines import PathLike

LARGEST = 1 << 28  # characters of a cell; Python's own limit is below the length of many articles


def csv_rows(source: PathLike, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, dict[str, str]]]:
    """The cells of each row by the names of their columns."""
    rest = iter(lines)
    first = next(rest, None)
    if first is None:
        return
    counted = _Counted(chain([first], rest))
    delimiter = ";" if ";" in first[1] and "," not in first[1] else ","
    limit = csv.field_size_limit(LARGEST)
    try:
        rows = csv.reader(counted, delimiter=delimiter, strict=True)
        names = [name.strip() for name in next(rows)]
        _check_names(source, first[0], names)
        for begin, row in _begun(rows, counted):
            if len(row) > len(names):
                raise InputError(source, begin, f"{len(row)} columns, but the first row names {len(names)}",
                                 "put cells that hold a comma in double quotes")
            if row:
                yield begin, {name: cell for name, cell in zip(names, row) if cell.strip()}
    except csv.Error as error:
        raise InputError(source, counted.number, f"not valid CSV ({error})", "is a double quote missing?") from None
    finally:
        csv.field_size_limit(limit)


class _Counted:
    """Lines with their ends, and the number of the last one."""

    def __init__(self, lines: Iterator[tuple[int, str]]):
        self.lines, self.number = lines, 0

    def __iter__(self) -> Iterator[str]:
        for number, line in self.lines:
            self.number = number
            yield f"{line}\n"


def _begun(rows: Iterator[list[str]], counted: _Counted) -> Iterator[tuple[int, list[str]]]:
    """Rows, and the line after the one on which the row before ended."""
    begin = counted.number + 1
    for row in rows:
        yield begin, row
        begin = counted.number + 1


def _check_names(source: PathLike, number: int, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1 or not name})
    if twice:
        problem = f"the column {twice[0]!r} is there twice" if twice[0] else "a column has no name"
        raise InputError(source, number, problem, "the first row must name every column, each once")
