"""Word lattices of any other translation system as forests; files in the Python Lattice Format (PLF) of Moses and cdec.

    for forest in read_lattices("lattices.plf"): ...
    forest = forest_of_arcs("q1", [], 2, [Arc(START, 0, ["the"], 0.0), Arc(0, 1, ["house"], -0.3)])

A line of PLF is a lattice: for each node in topological order its arcs ('word', weight, how many nodes further),

    ((('the',1.0,1),),(('house',0.7,1),('home',0.3,1),),)

and after the last node follows the end. Weights are probabilities, as in Moses, or, if one of the line is below 0,
natural logarithms. *EPS* is an arc without a word. An id and a tab may stand before a lattice; else it is called by
the number of its line. Quotes and escapes are those of Python, so `repr` writes what is read here.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from crossbow.errors import InputError
from crossbow.forest.hypergraph import Forest, ragged
from crossbow.records.lines import PathLike, open_lines
from crossbow.vocab import Vocab

START = -1  # the tail of an arc that begins a translation
EPSILON = "*EPS*"
_TOKEN = re.compile(r"""\s*(?:([(),])|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([^\s(),'"]+))""")
_FORM = "expected ((('word',weight,distance),…),…) on one line"


Link = tuple[int, int]  # a source position, and the number of a word


class Arc(NamedTuple):
    """Words between two nodes of a lattice; the score is a natural logarithm."""

    tail: int
    head: int
    words: Sequence[str]
    score: float
    links: Sequence[Link] = ()  # of source positions with the arc's words


def forest_of_arcs(name: str, source: list[str], nodes: int, arcs: Sequence[Arc]) -> Forest:
    """A forest whose derivations are the paths to the last node; each node needs an arc, from START or one before."""
    arcs = sorted(arcs, key=lambda arc: arc.head)  # stable: arcs of a node keep their order
    vocab = Vocab()
    tails = [[arc.tail] if arc.tail != START else [] for arc in arcs]
    target = [[-1] * len(tail) + [vocab.add(word) for word in arc.words] for tail, arc in zip(tails, arcs)]
    links = [[(position, len(tail) + word) for position, word in arc.links] for tail, arc in zip(tails, arcs)]
    return Forest(
        name, source, vocab.words,
        np.searchsorted([arc.head for arc in arcs], np.arange(nodes + 1)).astype(np.int32),
        *ragged(tails), np.array([arc.score for arc in arcs], np.float64),
        np.tile(np.array([0, len(source)], np.int32), (len(arcs), 1)),
        *ragged(target), *ragged([sorted({position for position, _ in row}) for row in links]), *ragged(links, 2),
    )


def read_lattices(path: PathLike) -> Iterator[Forest]:
    """The lattices of a PLF file (plain, .gz or .xz) as forests, checked one by one."""
    empty = True
    for number, line in open_lines(path):
        if line.strip():
            name, tab, text = line.partition("\t")
            if not tab or name.lstrip().startswith("("):
                name, text = str(number), line
            empty = False
            yield _forest(path, number, name.strip(), text)
    if empty:
        raise InputError(path, None, "the file is empty", "expected one lattice per line")


def _forest(path: PathLike, number: int, name: str, text: str) -> Forest:
    """One lattice, without the nodes that no path from its start to its end goes through."""
    try:
        lattice = _Parser(text).lattice()
    except ValueError as error:
        raise InputError(path, number, str(error), _FORM) from None
    end = len(lattice)
    reached, leads = {0}, {end}
    for node, arcs in enumerate(lattice):
        if node in reached:
            reached.update(node + arc.distance for arc in arcs)
    for node in range(end - 1, -1, -1):
        if any(node + arc.distance in leads for arc in lattice[node]):
            leads.add(node)
    used = sorted(reached & leads)
    if end == 0 or used[:1] != [0]:
        raise InputError(path, number, "no path leads from the start of the lattice to its end", _FORM)
    place = {node: k - 1 for k, node in enumerate(used)}  # the start becomes START
    kept = [(node, arc) for node in used[:-1] for arc in lattice[node] if node + arc.distance in place]
    scores = _scores(path, number, [arc.weight for _, arc in kept])
    return forest_of_arcs(name, [], len(used) - 1, [
        Arc(place[node], place[node + arc.distance], [] if arc.text == EPSILON else arc.text.split(), score)
        for (node, arc), score in zip(kept, scores)])


def _scores(path: PathLike, number: int, weights: list[float]) -> list[float]:
    """Logarithms of weights: as they are if one is below 0 (or all are 0), else they are probabilities."""
    logs = min(weights) < 0 or max(weights) == 0
    for weight in weights:
        if not (-math.inf < weight <= 0 if logs else 0 < weight <= 1):
            kind = "logarithms, as one is below 0" if logs else "probabilities"
            raise InputError(path, number, f"the weight {weight} among {kind}",
                             "give every arc a probability above 0, or every arc a logarithm of one")
    return weights if logs else [math.log(weight) for weight in weights]


class _Listed(NamedTuple):
    """An arc as PLF has it."""

    text: str
    weight: float
    distance: int


class _Parser:
    """Reads one line of PLF; what is wrong becomes a ValueError."""

    def __init__(self, text: str):
        self.text, self.at = text, 0
        self.mark = self.string = self.number = ""
        self.step()

    def step(self) -> None:
        """Go to the next token: one of `mark`, `string` and `number` is not empty, or all are at the end."""
        match = _TOKEN.match(self.text, self.at)
        if match is None and self.text[self.at :].strip():
            raise ValueError(f"column {self.at + 1}: {self.text[self.at :].strip()[:20]!r} cannot be read")
        self.mark, self.string, self.number = (group or "" for group in match.groups()) if match else ("", "", "")
        self.at = match.end() if match else len(self.text)

    def expect(self, mark: str) -> None:
        if self.mark != mark:
            raise ValueError(f"column {self.at}: {self.found()}, expected {mark!r}")
        self.step()

    def found(self) -> str:
        """The token that we are at, for an error message."""
        token = self.mark or self.string or self.number
        return repr(token[:20]) if token else "the end"

    def lattice(self) -> list[list[_Listed]]:
        """The arcs of each node but the end."""
        nodes: list[list[_Listed]] = []
        self.expect("(")
        while self.mark == "(":
            self.step()
            arcs = []
            while self.mark == "(":
                arcs.append(self.arc())
                self.comma()
            self.expect(")")
            self.comma()
            nodes.append(arcs)
        self.expect(")")
        if self.at < len(self.text) or self.mark or self.string or self.number:
            raise ValueError(f"column {self.at}: more text after the lattice")
        for node, arcs in enumerate(nodes):
            for arc in arcs:
                if not 0 < arc.distance <= len(nodes) - node:
                    raise ValueError(f"an arc leads {arc.distance} nodes further from node {node} of {len(nodes)}")
        return nodes

    def comma(self) -> None:
        """A comma, unless what is listed ends here."""
        if self.mark != ")":
            self.expect(",")

    def arc(self) -> _Listed:
        self.expect("(")
        if not self.string:
            raise ValueError(f"column {self.at}: expected a word in quotes")
        try:
            text = str(ast.literal_eval(self.string))
        except (SyntaxError, ValueError):
            raise ValueError(f"the word {self.string[:20]} has a wrong escape in it") from None
        self.step()
        self.expect(",")
        weight = self.value()
        self.expect(",")
        distance = self.value()
        self.comma()
        self.expect(")")
        if distance != int(distance):
            raise ValueError(f"column {self.at}: the distance {distance} is not a whole number")
        return _Listed(text, weight, int(distance))

    def value(self) -> float:
        try:
            value = float(self.number)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"column {self.at}: {self.found()} is not a finite number")
        self.step()
        return value
