"""The Forest: a hypergraph of translations in compressed arrays, and its exchange format, one JSON object per line.

    for forest in Forest.read_jsonl(path): ...
    for forest in Forest.read_nbest(path): ...      # n-best lists; or word lattices: Forest.read_lattices(path)
    write_jsonl(path, forests)

Nodes are numbered in topological order, the last is the goal. Edges are grouped by head, so the edges of node v are
first[v] to first[v + 1]. A target symbol of 0 or more is an index into `words`; a symbol below zero stands for a tail:
-1 for tail 0, -2 for tail 1 and so on. `align` pairs a position in the source sentence with an index into the edge's
target side. Scores are natural logarithms.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from crossbow import store
from crossbow.arrays import F32, F64, I32
from crossbow.errors import CrossbowError, InputError
from crossbow.records.lines import open_lines, write_lines
from crossbow.vocab import Vocab

LONGEST_SHOWN = 60  # characters of the source in the representation of a forest


@dataclass(frozen=True, eq=False, repr=False)
class Forest:
    """All kept derivations of one sentence; see the module's docstring for the conventions. Equal by value."""

    id: str
    source: list[str]
    words: list[str]
    first: I32
    tail_starts: I32
    tails: I32
    score: F64
    span: I32  # (edges, 2): the source words an edge and what is below it cover
    target_starts: I32
    target: I32
    lex_starts: I32
    lex: I32  # source positions that the edge's own terminals translate
    align_starts: I32
    align: I32  # (links, 2)
    names: tuple[str, ...] = ()  # of the features, if the forest carries them
    features: F32 = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Forest):
            return NotImplemented
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(self))
        return all(np.array_equal(one, two) if isinstance(one, np.ndarray) else one == two for one, two in pairs)

    def __repr__(self) -> str:
        text = " ".join(self.source)
        shown = text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"
        sizes = f"{self.nodes:,} nodes, {self.edges:,} edges, {len(self.words):,} words"
        return f"<Forest {self.id!r} of {shown!r}: {sizes}>"

    @property
    def nodes(self) -> int:
        """How many nodes there are; the last one is the goal."""
        return len(self.first) - 1

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return len(self.score)

    def reweighted(self, weights: dict[str, float]) -> Forest:
        """The same derivations scored with other weights; needs the features."""
        if not self.names:
            raise ValueError("this forest carries no features, so it cannot be reweighted")
        vector = np.array([weights.get(name, 0.0) for name in self.names])
        return replace(self, score=self.features.astype(np.float64) @ vector)

    def without_features(self) -> Forest:
        """The same forest without its features, to be kept: they are half of it, and search does not need them."""
        return replace(self, names=(), features=np.zeros((0, 0), np.float32))

    def digest(self) -> str:
        """A digest of everything in the forest."""
        return store.digest(*(list(value) if isinstance(value, tuple) else value
                              for value in (getattr(self, each.name) for each in fields(self))))

    def scaled(self, factor: float) -> Forest:
        """The same derivations with scores multiplied by a factor, such as log(10) if they were made with base 10."""
        if not 0 < factor <= 1e9:
            raise CrossbowError(f"the scale of scores is {factor}; it must be above 0 and at most 1e9")
        return replace(self, score=self.score * factor, features=self.features * np.float32(factor))

    @staticmethod
    def union(forests: Sequence[Forest], priors: Sequence[float] | None = None) -> Forest:
        """One forest of what several systems make of a sentence; each best translation scores 0, or its prior."""
        from crossbow.forest.compose import united

        return united(forests, priors)

    @staticmethod
    def read_jsonl(path: str | os.PathLike[str]) -> Iterator[Forest]:
        """The forests of a file (plain, .gz or .xz), checked one by one."""
        for number, line in open_lines(path):
            if line.strip():
                yield parse_forest(line, path, number)

    @staticmethod
    def read_nbest(path: str | os.PathLike[str]) -> Iterator[Forest]:
        """The n-best lists of a file as forests; docs/formats.md shows their forms."""
        from crossbow.forest.nbest import read_nbest

        return read_nbest(path)

    @staticmethod
    def read_lattices(path: str | os.PathLike[str]) -> Iterator[Forest]:
        """The word lattices of a file as forests; docs/formats.md shows their form."""
        from crossbow.forest.lattice import read_lattices

        return read_lattices(path)


def write_jsonl(path: str | os.PathLike[str], forests: Iterable[Forest]) -> None:
    """Write forests, one JSON object per line, plain or compressed; the file appears when it is complete."""
    write_lines(path, map(forest_line, forests))


def forest_line(forest: Forest) -> str:
    """A forest as a line of JSON, without the line's end."""
    return json.dumps(forest_to_json(forest), ensure_ascii=False, separators=(",", ":"))


def forest_to_json(forest: Forest) -> dict[str, Any]:
    """The exchange form of a forest; scores keep every digit."""
    edges = []
    heads = np.repeat(np.arange(forest.nodes), np.diff(forest.first))
    target = forest.target.tolist()
    for e in range(forest.edges):
        symbols = target[forest.target_starts[e] : forest.target_starts[e + 1]]
        edge: dict[str, Any] = {
            "head": int(heads[e]),
            "tails": forest.tails[forest.tail_starts[e] : forest.tail_starts[e + 1]].tolist(),
            "score": float(forest.score[e]),
            "span": forest.span[e].tolist(),
            "target": [forest.words[s] if s >= 0 else -1 - s for s in symbols],
            "lex": forest.lex[forest.lex_starts[e] : forest.lex_starts[e + 1]].tolist(),
        }
        links = forest.align[forest.align_starts[e] : forest.align_starts[e + 1]].tolist()
        if links:
            edge["align"] = links
        edges.append(edge)
    return {"id": forest.id, "source": forest.source, "nodes": forest.nodes, "edges": edges}


def parse_forest(line: str, path: str | os.PathLike[str] = "<forest>", number: int = 1) -> Forest:
    """A forest from one line of JSON; every rule of the format is checked."""

    def bad(problem: str) -> InputError:
        return InputError(path, number, problem, "see docs/design.md, 'Forests', for the format")

    try:
        record = json.loads(line)
        source, nodes, edges = record["source"], record["nodes"], record["edges"]
        name = str(record["id"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise bad(f"not a forest: {type(error).__name__} {error}") from None
    if not isinstance(edges, list) or not isinstance(source, list) or not all(isinstance(w, str) for w in source):
        raise bad("'source' must be a list of words and 'edges' a list")
    if type(nodes) is not int or nodes < 1:
        raise bad(f"'nodes' is {nodes!r}, it must be a positive number")
    vocab = Vocab()
    columns: dict[str, list[Any]] = {key: [] for key in ("tails", "score", "span", "target", "lex", "align")}
    heads: list[int] = []
    for index, edge in enumerate(edges):
        try:
            heads.append(_read_edge(edge, heads[-1] if heads else 0, nodes, len(source), vocab, columns))
        except (KeyError, TypeError, ValueError) as error:
            raise bad(f"edge {index}: {error if isinstance(error, ValueError) else f'missing or odd field {error}'}") \
                from None
    distinct = sorted(set(heads))
    missing = next((node for node, head in enumerate(distinct) if node != head), len(distinct))
    if missing < nodes:
        raise bad(f"node {missing} has no incoming edge")
    return Forest(
        name, source, vocab.words, np.searchsorted(heads, range(nodes + 1)).astype(np.int32),
        *ragged(columns["tails"]), np.array(columns["score"], np.float64),
        np.array(columns["span"], np.int32).reshape(-1, 2),
        *ragged(columns["target"]), *ragged(columns["lex"]), *ragged(columns["align"], 2),
    )


def _read_edge(
    edge: dict[str, Any], head_before: int, nodes: int, length: int, vocab: Vocab, columns: dict[str, list[Any]]
) -> int:
    """Check one edge, append it to the columns and return its head."""
    head, tails, score = _whole(edge["head"]), _numbers(edge["tails"]), edge["score"]
    if not head_before <= head < nodes:
        raise ValueError(f"head {head} after head {head_before}: edges must be grouped by head in topological order")
    if any(not 0 <= t < head for t in tails):
        raise ValueError(f"a tail in {tails} is not a node before its head {head}")
    if type(score) not in (int, float) or not abs(score) <= sys.float_info.max:
        raise ValueError(f"score {score!r} is not a finite number")
    target = _list(edge["target"])
    used = [_whole(s) for s in target if not isinstance(s, str)]
    if sorted(used) != list(range(len(tails))):
        raise ValueError(f"target refers to the tails {used}, but there are {len(tails)}: each must stand there once")
    symbols = [vocab.add(s) if isinstance(s, str) else -1 - s for s in target]
    span = _numbers(edge.get("span", [0, length]))
    if len(span) != 2 or not 0 <= span[0] <= span[1] <= length:
        raise ValueError(f"span {span} lies outside the source of {length} words")
    lex = _numbers(edge.get("lex", []))
    links = [_numbers(link) for link in _list(edge.get("align", []))]
    if any(len(link) != 2 for link in links):
        raise ValueError("'align' must be a list of pairs")
    if any(not 0 <= p < length for p in lex) or any(not 0 <= i < length for i, _ in links):
        raise ValueError("a source position in 'lex' or 'align' lies outside the source")
    if any(not 0 <= j < len(symbols) or symbols[j] < 0 for _, j in links):
        raise ValueError("a target position in 'align' is not that of a word")
    for key, value in zip(columns, (tails, float(score), span, symbols, lex, links)):
        columns[key].append(value)
    return head


def _whole(value: Any) -> int:
    if type(value) is not int:  # int() would also take strings, fractions and truth values
        raise ValueError(f"{value!r} is not a whole number")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is not a list")
    return value


def _numbers(value: Any) -> list[int]:
    return [_whole(item) for item in _list(value)]


def ragged(rows: list[list[Any]], width: int = 0) -> tuple[I32, I32]:
    """Lists of different lengths as starts and one flat array (of pairs, if a width is given)."""
    starts = np.zeros(len(rows) + 1, np.int32)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    flat = np.array([item for row in rows for item in row], np.int32)
    return starts, flat.reshape(-1, width) if width else flat
