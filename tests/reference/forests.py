"""Random forests for tests: small enough to list every derivation, odd enough to find mistakes.

    @given(forests())                       # or forests(covering=False, max_derivations=50)
    def test_something(forest): ...

    random_forest(seed=3, nodes=8)          # the same, without hypothesis
    forest_of([Edge(0, [], 1.0, ["a"])], source=["x"])      # a forest written by hand

Edges have 0 to 3 tails, scores of both signs (often equal ones), few different words or none at all; nodes are
shared, and some lie on no derivation. In a *covering* forest every node has one span, and in each of its edges the own
positions (`lex`) and the tails' spans are disjoint and fill it, as in forests that a decoder makes. Otherwise anything
goes that the format allows, such as the same tail twice.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest

WORDS = ("a", "b", "c", "ä b", "日本")


class Edge(NamedTuple):
    """An edge as in the exchange format: numbers in `target` are indices of tails."""

    head: int
    tails: list[int]
    score: float
    target: list[str | int]
    span: tuple[int, int] = (0, 1)
    lex: tuple[int, ...] = ()
    align: tuple[tuple[int, int], ...] = ()


def starts_of(rows: list) -> np.ndarray:
    return np.cumsum([0, *map(len, rows)]).astype(np.int32)


def flat(rows: list) -> list:
    return [item for row in rows for item in row]


def forest_of(edges: list[Edge], source: list[str], name: str = "q") -> Forest:
    """A forest of edges that are sorted by head. Words are numbered as they come."""
    words = list(dict.fromkeys(s for edge in edges for s in edge.target if isinstance(s, str)))
    number = {word: i for i, word in enumerate(words)}
    nodes = edges[-1].head + 1
    tails, lex = [edge.tails for edge in edges], [edge.lex for edge in edges]
    target = [[number[s] if isinstance(s, str) else -1 - s for s in edge.target] for edge in edges]
    align = [edge.align for edge in edges]
    return Forest(
        name, source, words,
        np.searchsorted([edge.head for edge in edges], np.arange(nodes + 1)).astype(np.int32),
        starts_of(tails), np.array(flat(tails), np.int32),
        np.array([edge.score for edge in edges], np.float64),
        np.array([edge.span for edge in edges], np.int32),
        starts_of(target), np.array(flat(target), np.int32),
        starts_of(lex), np.array(flat(lex), np.int32),
        starts_of(align), np.array(flat(align), np.int32).reshape(-1, 2),
    )  # fmt: skip


def edges_of(forest: Forest) -> list[Edge]:
    """The reverse of `forest_of`."""
    edges = []
    for v in range(forest.nodes):
        for e in range(forest.first[v], forest.first[v + 1]):
            target = forest.target[forest.target_starts[e] : forest.target_starts[e + 1]].tolist()
            links = forest.align[forest.align_starts[e] : forest.align_starts[e + 1]].tolist()
            edges.append(Edge(
                v,
                forest.tails[forest.tail_starts[e] : forest.tail_starts[e + 1]].tolist(),
                float(forest.score[e]),
                [forest.words[s] if s >= 0 else -1 - s for s in target],
                tuple(forest.span[e].tolist()),
                tuple(forest.lex[forest.lex_starts[e] : forest.lex_starts[e + 1]].tolist()),
                tuple((i, j) for i, j in links),
            ))  # fmt: skip
    return edges


def random_score(rng: random.Random) -> float:
    return rng.choice([float(rng.randint(-3, 3)), rng.uniform(-5.0, 5.0), rng.gauss(-2.0, 1.0)])


def choose_tails(
    rng: random.Random, v: int, spans: list[tuple[int, int]], counts: list[int], room: int, covering: bool
) -> list[int]:
    """Up to three nodes before v that leave at most `room` derivations, in a covering forest with disjoint spans."""
    tails: list[int] = []
    taken: set[int] = set()
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3])):
        own = set(range(*spans[v]))
        fitting = [
            u for u in range(v)
            if counts[u] <= room and (not covering or (set(range(*spans[u])) <= own - taken))
        ]  # fmt: skip
        if fitting:
            u = rng.choice(fitting)
            tails.append(u)
            taken |= set(range(*spans[u]))
            room //= counts[u]
    return tails


def random_forest(
    seed: int, nodes: int = 5, edges_per_node: int = 3, length: int = 4, max_derivations: int = 300,
    covering: bool = True,
) -> Forest:
    """A random forest; no node has more than `max_derivations` derivations."""
    rng = random.Random(f"{seed} {nodes} {edges_per_node} {length} {covering}")
    spans = []
    for v in range(nodes):
        begin = rng.randrange(length)
        spans.append((0, length) if v == nodes - 1 else (begin, rng.randint(begin + 1, length)))
    spans.sort(key=lambda span: span[1] - span[0])
    edges: list[Edge] = []
    counts: list[int] = []
    for v in range(nodes):
        counts.append(0)
        for k in range(rng.randint(1, edges_per_node)):
            room = max_derivations - counts[v]
            if k > 0 and room < 1:
                break
            tails = choose_tails(rng, v, spans, counts, room, covering)
            counts[v] += int(np.prod([counts[u] for u in tails], dtype=np.int64))
            target: list[str | int] = list(range(len(tails)))
            rng.shuffle(target)
            for _ in range(rng.choice([0, 1, 1, 2])):
                target.insert(rng.randint(0, len(target)), rng.choice(WORDS))
            covered = {p for u in tails for p in range(*spans[u])}
            if covering:
                lex = [p for p in range(*spans[v]) if p not in covered]
            else:
                lex = sorted(rng.sample(range(length), rng.randint(0, length)))
            at_words = [j for j, symbol in enumerate(target) if isinstance(symbol, str)]
            links = {(rng.choice(lex), rng.choice(at_words)) for _ in range(rng.randint(0, 2)) if lex and at_words}
            edges.append(Edge(v, tails, random_score(rng), target, spans[v], tuple(lex), tuple(sorted(links))))
    return forest_of(edges, [f"s{i % 3}" for i in range(length)], f"q{seed}")


def forests(covering: bool | None = None, max_nodes: int = 7, max_derivations: int = 300) -> st.SearchStrategy[Forest]:
    """Random forests, covering ones, others (`covering=False`) or both (None)."""
    return st.builds(
        random_forest,
        seed=st.integers(0, 10**6),
        nodes=st.integers(1, max_nodes),
        edges_per_node=st.integers(1, 4),
        length=st.integers(1, 5),
        max_derivations=st.just(max_derivations),
        covering=st.booleans() if covering is None else st.just(covering),
    )
