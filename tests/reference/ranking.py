"""Search by its definition: documents are read and counted, derivations listed, every document scored.

    texts = Texts(docs, analyzer)
    forced(forest, texts, TermWeights(v=0.8), k)            # [(id, score)], as search_forced must rank them
    direct(bag, texts, k), product(lists, k)                # the other rankings

Also random collections, weights and programs for tests, and indexes that live in memory, as quick to make as small.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import inside
from crossbow.index import Index, Segment
from crossbow.index.fields import gather
from crossbow.index.manifest import Manifest
from crossbow.index.postings import invert, merge
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.forced.program import Program, offsets
from crossbow.records import Doc, Hit
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.weights import Learned, TermWeights
from reference.decode import derivations
from reference.forests import edges_of, forest_of, random_forest

Ranking = list[tuple[str, float]]

# The words of random forests are a, b, c, "ä b" and 日本: one is a function word here, one gives two terms.
TOKENS = Analyzer(Settings("und", kind="tokens", stopwords=["c"]))
VOCABULARY = ("a", "b", "ä", "日本", "c", "x", "y")


# --- scores and rankings ---


class Texts:
    """Documents, and what BM25 asks of them, counted from their tokens."""

    def __init__(self, docs: Sequence[Doc], analyzer: Analyzer = TOKENS, bm25: Bm25 = Bm25()):
        self.docs, self.analyzer, self.bm25 = list(docs), analyzer, bm25
        self.bags: dict[str, Counter[str]] = {}
        self.lengths: dict[str, int] = {}
        for doc in docs:
            tokens = analyzer.tokens(doc.title) + analyzer.tokens(doc.text)
            self.bags[doc.id] = Counter(self.terms(tokens))
            self.lengths[doc.id] = len(tokens)
        self.df = Counter(term for bag in self.bags.values() for term in bag)
        self.mean = sum(self.lengths.values()) / max(1, len(docs))

    def terms(self, words: Sequence[str]) -> list[str]:
        return [term for word in words for term in self.analyzer.terms(word)]

    def rsj(self, term: str) -> float:
        odds = (len(self.docs) - self.df[term] + 0.5) / (self.df[term] + 0.5)
        return math.log(odds) if odds > 1 else 0.0

    def saturation(self, term: str, name: str) -> float:
        tf = self.bags[name][term]
        if not tf:
            return 0.0
        return tf / (self.bm25.k1 * ((1 - self.bm25.b) + self.bm25.b * self.lengths[name] / self.mean) + tf)

    def weight(self, term: str, name: str) -> float:
        """BM25 of a term in a document."""
        return self.rsj(term) * self.saturation(term, name)


def weight_of(weights: TermWeights, term: str) -> float:
    """A term's own weight, else v."""
    return weights.learned.terms.get(term, weights.v)


def ranked(scores: Mapping[str, float], k: int) -> Ranking:
    """By score, of which six decimals count, and then by descending id."""
    rows = [(round(score, 6), name) for name, score in scores.items()]
    return [(name, score) for score, name in sorted(rows, reverse=True)[:k]]


def translations(forest: Forest, texts: Texts) -> list[tuple[float, Counter[str]]]:
    """The bags of terms that the forest can give, each with the score of its best derivation."""
    best: dict[frozenset[tuple[str, int]], float] = {}
    for derivation in derivations(forest):
        bag = frozenset(Counter(texts.terms(derivation.words)).items())
        best[bag] = max(best.get(bag, -math.inf), derivation.score)
    return [(score, Counter(dict(bag))) for bag, score in best.items()]


def forced_scores(forest: Forest, texts: Texts, weights: TermWeights) -> dict[str, float]:
    """Every document's best derivation: its score and, for every time a term stands in it, weight times BM25."""
    listed = translations(forest, texts)
    found = {}
    for name, bag in texts.bags.items():
        gain = {term: weight_of(weights, term) * texts.weight(term, name) for term in bag}
        found[name] = max(
            score + sum(times * gain.get(term, 0.0) for term, times in terms.items()) for score, terms in listed
        )
    return found


def forest_terms(forest: Forest, texts: Texts) -> set[str]:
    """The terms of all edges."""
    return {t for edge in edges_of(forest) for s in edge.target if isinstance(s, str) for t in texts.terms([s])}


def sharing(terms: set[str], texts: Texts) -> list[str]:
    """The documents that have at least one of the terms."""
    return [name for name, bag in texts.bags.items() if not terms.isdisjoint(bag)]


def forced(forest: Forest, texts: Texts, weights: TermWeights, k: int) -> Ranking:
    scores = forced_scores(forest, texts, weights)
    return ranked({name: scores[name] for name in sharing(forest_terms(forest, texts), texts)}, k)


def inside_scores(forest: Forest, texts: Texts, weights: TermWeights, docs: Iterable[str]) -> dict[str, float]:
    """The same scores for forests with too many derivations to list: Inside over edges that know the document."""
    terms = sorted(forest_terms(forest, texts))
    number = {term: t for t, term in enumerate(terms)}
    counts = np.zeros((forest.edges, len(terms)))
    for e, edge in enumerate(edges_of(forest)):
        for term in texts.terms([s for s in edge.target if isinstance(s, str)]):
            counts[e, number[term]] += 1
    factor = np.array([weight_of(weights, term) * texts.rsj(term) for term in terms])
    found = {}
    for name in docs:
        gain = factor * [texts.saturation(term, name) for term in terms]
        found[name] = float(inside(replace(forest, score=forest.score + counts @ gain))[-1])
    return found


def direct(bag: Mapping[str, float], texts: Texts, k: int) -> Ranking:
    """BM25 for a bag of terms, each counted as often as it is there."""
    return ranked({name: sum(times * texts.weight(term, name) for term, times in bag.items())
                   for name in sharing(set(bag), texts)}, k)  # fmt: skip


def product(lists: Sequence[Ranking], k: int) -> Ranking:
    """Scores add up; a document that a list lacks has the list's lowest score there; empty lists do not count."""
    filled = [dict(ranking) for ranking in lists if ranking]
    names = {name for scores in filled for name in scores}
    return ranked({name: sum(scores.get(name, min(scores.values())) for scores in filled) for name in names}, k)


def check_hits(found: Sequence[Hit], expected: Ranking) -> None:
    """The same documents in the same order, and the same scores as far as they are rounded."""
    assert [hit.doc for hit in found] == [name for name, _ in expected]
    assert [hit.score for hit in found] == pytest.approx([score for _, score in expected], rel=1e-9, abs=1.1e-6)
    assert [hit.rank for hit in found] == list(range(1, len(expected) + 1))


# --- collections and weights ---


class Collection(NamedTuple):
    """An index and what is in it."""

    index: Index
    texts: Texts


def random_docs(seed: int, size: int, most: int = 8, vocabulary: Sequence[str] = VOCABULARY) -> list[Doc]:
    """Short texts of few words, frequent and rare ones; some are empty, have a title, or repeat another."""
    rng = random.Random(f"{seed} {size} {most}")
    words = rng.sample(vocabulary, len(vocabulary))
    docs: list[Doc] = []
    for name in rng.sample(range(10 * size), size):
        chosen = rng.choices(words, [2.0**-n for n in range(len(words))], k=rng.randint(0, most))
        text = rng.choice(docs).text if docs and rng.random() < 0.2 else " ".join(chosen)
        docs.append(Doc(f"{rng.choice('dé')}{name}", text, rng.choice(["", "", "", words[-1]])))
    return docs


def index_of(
    docs: Sequence[Doc], analyzer: Analyzer = TOKENS, segments: int = 1, dead: frozenset[str] = frozenset()
) -> Index:
    """An index in memory, of so many segments at most; documents whose ids are dead were deleted."""
    made, base, tokens = [], 0, 0
    for s in range(segments):
        chunk = docs[len(docs) * s // segments : len(docs) * (s + 1) // segments]
        if chunk:
            postings = merge([invert(chunk, analyzer)], [np.ones(len(chunk), np.bool_)])
            alive = np.array([doc.id not in dead for doc in chunk])
            made.append(Segment(base, postings, alive, bool(alive.all()), fields=gather(chunk)))
            base += len(chunk)
            tokens += int(postings.lengths[alive].sum())
    left = sum(int(segment.alive.sum()) for segment in made)
    return Index(Manifest(analyzer.to_json(), 1, (), left, tokens, 0), made)


def random_collection(seed: int, size: int, segments: int = 1, deleted: float = 0.0, bm25: Bm25 = Bm25()) -> Collection:
    docs, rng = random_docs(seed, size), random.Random(seed)
    dead = frozenset(doc.id for doc in docs if rng.random() < deleted)
    return Collection(index_of(docs, segments=segments, dead=dead),
                      Texts([doc for doc in docs if doc.id not in dead], bm25=bm25))  # fmt: skip


def collections() -> st.SearchStrategy[Collection]:
    """Of no document, one, or some, in one or several segments, of which some may have been deleted."""
    return st.builds(
        random_collection,
        seed=st.integers(0, 10**6), size=st.sampled_from([0, 1, 2, 6, 15, 40]), segments=st.integers(1, 3),
        deleted=st.sampled_from([0.0, 0.0, 0.3, 1.0]),
        bm25=st.sampled_from([Bm25(), Bm25(), Bm25(0.5, 0.0), Bm25(3.0, 1.0)]),
    )  # fmt: skip


def random_weights(seed: int, vocabulary: Sequence[str] = VOCABULARY) -> TermWeights:
    """A default weight and, sometimes, weights of single terms, of any sign."""
    rng = random.Random(seed)
    values = [-2.0, -0.3, 0.0, 0.5, 4.0]
    some = [term for term in vocabulary if rng.random() < 0.4]
    terms = {term: rng.choice(values) for term in some} if rng.random() < 0.5 else {}
    return TermWeights(rng.choice([0.0, 1e-7, 0.05, 0.8, 0.8, 3.0, 40.0, -0.5]), learned=Learned(terms))


def weights() -> st.SearchStrategy[TermWeights]:
    return st.builds(random_weights, seed=st.integers(0, 10**6))


def reworded(forest: Forest, seed: int, words: Sequence[str]) -> Forest:
    """The forest with other words, drawn anew for every place."""
    chosen = np.random.default_rng(seed).integers(len(words), size=len(forest.target)).astype(np.int32)
    return replace(forest, words=list(words), target=np.where(forest.target < 0, forest.target, chosen))


def without(forest: Forest, *columns: str) -> Forest:
    """The forest without lex or align."""
    starts = np.zeros(forest.edges + 1, np.int32)
    return replace(forest, **{f"{name}_starts": starts for name in columns},
                   **{name: getattr(forest, name)[:0] for name in columns})  # fmt: skip


def placed(forest: Forest) -> Forest:
    """The forest without words in edges that translate no position, so that the bound by positions can be used."""
    edges = [edge if edge.lex else edge._replace(target=[s for s in edge.target if not isinstance(s, str)], align=())
             for edge in edges_of(forest)]  # fmt: skip
    return forest_of(edges, forest.source, forest.id)


def large_forest(seed: int, words: Sequence[str], bound: str = "positions") -> Forest:
    """Some hundred derivations and scores that leave documents a choice, for a bound by positions, spans or neither."""
    forest = random_forest(seed, 14, edges_per_node=5, length=7, max_derivations=3000, covering=bound != "neither")
    forest = placed(forest) if bound == "positions" else forest
    forest = without(forest, "lex") if bound == "spans" else forest
    return replace(reworded(forest, seed, words), score=forest.score / 2)


# --- programs ---


def operands_of(program: Program, e: int) -> list[int]:
    return program.operands[program.starts[e] : program.starts[e + 1]].tolist()


def edges_below(program: Program) -> Iterator[tuple[int, range]]:
    """The row of each node and its edges."""
    for v in range(program.nodes):
        yield program.leaves + v, range(program.first[v], program.first[v + 1])


def program_value(program: Program, leaf: npt.ArrayLike) -> float:
    """The value of the last node, given those of the leaves."""
    value = dict(enumerate(np.asarray(leaf, np.float64).tolist()))
    for row, edges in edges_below(program):
        value[row] = max(sum(value[o] for o in operands_of(program, e)) - float(program.cost[e]) for e in edges)
    return value[program.leaves + program.nodes - 1]


def program_derivations(program: Program) -> list[tuple[float, Counter[int]]]:
    """The cost and the leaves of every derivation, always in the same order."""
    below: dict[int, list[tuple[float, Counter[int]]]] = {t: [(0.0, Counter([t]))] for t in range(program.leaves)}
    for row, edges in edges_below(program):
        below[row] = [
            (float(program.cost[e]) + sum(cost for cost, _ in parts), sum((leaves for _, leaves in parts), Counter()))
            for e in edges for parts in itertools.product(*(below[o] for o in operands_of(program, e)))
        ]  # fmt: skip
    return below[program.leaves + program.nodes - 1]


def random_program(seed: int, leaves: int, nodes: int) -> Program:
    """A program whose operands are any rows below, some of them twice; every node has an edge that costs nothing."""
    rng = random.Random(f"{seed} {leaves} {nodes}")
    sizes: list[int] = []
    operands: list[list[int]] = []
    costs: list[float] = []
    for v in range(nodes):
        own = [rng.choice([float(rng.randint(0, 2)), rng.uniform(0, 4)]) for _ in range(rng.randint(1, 5))]
        operands += [[rng.randrange(leaves + v) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4])) if leaves + v]
                     for _ in own]  # fmt: skip
        costs += [cost - min(own) for cost in own]
        sizes.append(len(own))
    flat = np.array([row for each in operands for row in each], np.int32)
    return Program(leaves, offsets(sizes), offsets([len(each) for each in operands]), flat, np.array(costs))


def programs() -> st.SearchStrategy[Program]:
    return st.builds(random_program, seed=st.integers(0, 10**6), leaves=st.integers(0, 5), nodes=st.integers(1, 5))
