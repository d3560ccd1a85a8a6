"""Translations that another system made, as options of the commands that search.

    made = External.of(forests, nbest, lattices, ids, scale)        # None if no option names a file
    for name, forests in made.queries(): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from crossbow.errors import CrossbowError, InputError

if TYPE_CHECKING:
    from crossbow.forest.hypergraph import Forest
    from crossbow.ranking.config import SearchConfig
    from crossbow.ranking.searcher import Asked

ForestsOption = Annotated[Path | None, typer.Option(
    "--forests", help="Read forests of any translation system from this file, one JSON line each. Those with the same "
                      "id are sentences of one query.")]
NbestOption = Annotated[Path | None, typer.Option(
    "--nbest", help="Read n-best lists of any translation system from this file: Moses' form, TSV, JSON lines or "
                    "plain.")]
LatticesOption = Annotated[Path | None, typer.Option(
    "--lattices", help="Read word lattices of any translation system from this file, in the Python Lattice Format.")]
IdsOption = Annotated[Path | None, typer.Option(
    "--ids", help="Each line of this file names the query that a sentence of --nbest, --lattices or --forests belongs "
                  "to.")]
ScaleOption = Annotated[float | None, typer.Option(
    "--scale", help="Multiply the scores of --nbest, --lattices or --forests, which should be natural logarithms.")]


class External(NamedTuple):
    """A file of translations that another system made; sentences of a query stand one after another."""

    path: Path
    read: Callable[[Path], Iterator[Forest]]
    aligned: bool
    ids: Path | None
    scale: float

    @staticmethod
    def of(forests: Path | None, nbest: Path | None, lattices: Path | None, ids: Path | None, scale: float | None
           ) -> External | None:
        """What the options name; None if they name nothing."""
        from crossbow.forest.hypergraph import Forest

        files = [(forests, Forest.read_jsonl), (nbest, Forest.read_nbest), (lattices, Forest.read_lattices)]
        named = [(path, read) for path, read in files if path is not None]
        if len(named) > 1:
            raise CrossbowError("give one of -q, --queries, --forests, --nbest and --lattices")
        if not named:
            if ids or scale is not None:
                raise CrossbowError("--ids and --scale go with --forests, --nbest and --lattices")
            return None
        if nbest and nbest.name.isdecimal() and not nbest.exists():
            raise CrossbowError(f"--nbest names a file, and there is none called {nbest}; how many translations psq "
                                "looks at is --set psq.nbest=N")
        return External(*named[0], forests is not None, ids, 1.0 if scale is None else scale)

    def check(self, config: SearchConfig) -> None:
        """Raise an error if the search would look for alignments that are not there."""
        from crossbow.ranking.methods import METHODS

        if not self.aligned and METHODS[config.method].needs_links(config):
            raise CrossbowError(f"the method {config.method!r} as it is configured needs to know which word "
                                "translates which, and n-best lists and lattices do not say; use another method, or "
                                "write forests with 'align'")

    def queries(self) -> Iterator[tuple[str, Asked]]:
        """Names and forests; read as they are needed, for forests are large."""
        seen: set[str] = set()
        for name, group in self._grouped():
            if name in seen:
                raise CrossbowError(f"{self.path}: forests of query {name!r} are in two places; keep them together")
            seen.add(name)
            yield name, group

    def query(self, name: str | None) -> list[Forest]:
        """The forests of the query with this id, or of the first."""
        for found, group in self._grouped():
            if name is None or found == name:
                return group
        raise CrossbowError(f"{self.path}: no forest with the id {name!r}")

    def _grouped(self) -> Iterator[tuple[str, list[Forest]]]:
        name = None
        for name, group in groupby(self._forests(), lambda forest: forest.id):
            yield name, list(group)
        if name is None:
            raise InputError(self.path, None, "the file is empty", "expected at least one forest")

    def _forests(self) -> Iterator[Forest]:
        forests = (forest.scaled(self.scale) for forest in self.read(self.path))
        if self.ids is None:
            yield from forests
            return
        from crossbow.records import open_lines

        for number, (forest, row) in enumerate(zip_longest(forests, open_lines(self.ids)), 1):
            if forest is None or row is None:
                raise InputError(self.ids, number, f"expected as many lines as {self.path} has sentences",
                                 "give the id of its query for each")
            yield replace(forest, id=row[1].strip())
