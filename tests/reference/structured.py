"""Probabilistic structured queries by their definition: derivations are listed, links counted, documents read.

    lexical(pairs, 3)                                   # p(t|s) of a source word, from sentence pairs with links
    linked(forests, nbest)                              # p(t|s) of all source words, from the derivations
    table(...)                                          # {source word: {term: p}}
    ranking(table, counts, docs, analyzer, k, bm25)     # [(id, score)]
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.structured.tables import PsqConfig
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer
from reference.decode import derivations
from reference.forests import edges_of
from reference.grammar import Pair

Distribution = dict[str, float]


def lexical(pairs: Sequence[Pair], word: int) -> dict[int, Fraction]:
    """The shares of the links of a source word, an occurrence without any being linked to nothing."""
    found: Counter[int | None] = Counter()
    for pair in pairs:
        for i, other in enumerate(pair.source):
            if other == word:
                found.update([pair.target[j] for k, j in pair.links if k == i] or [None])
    return {t: Fraction(count, found.total()) for t, count in found.items() if t is not None}


def linked(forests: Sequence[Forest], nbest: int | None = None) -> dict[str, Distribution]:
    """Expected links of each source word under the best derivations of its sentences, normalized."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for forest in forests:
        edges, best = edges_of(forest), derivations(forest)[:nbest]
        weights = [math.exp(derivation.score - best[0].score) for derivation in best]
        for weight, derivation in zip(weights, best):
            for edge in (edges[e] for e in derivation.edges):
                for i, j in edge.align:
                    found[forest.source[i]][str(edge.target[j])] += weight / math.fsum(weights)  # type: ignore
    return {word: normalized(links) for word, links in found.items()}


def normalized(p: Distribution) -> Distribution:
    total = math.fsum(p.values())
    return {word: value / total for word, value in p.items()}


def mixed(word: str, near: Distribution, far: Distribution, share: float) -> Distribution:
    if not near and not far:
        return {word: 1.0}
    if not near or not far:
        return normalized(near or far)
    both = {t: share * near.get(t, 0.0) + (1 - share) * far.get(t, 0.0) for t in {*near, *far}}
    return normalized({t: value for t, value in both.items() if value > 0})


def cut(p: Distribution, lowest: float, cumulative: float) -> Distribution:
    """What is probable enough, most probable first, until it adds up; one at least. A hair's breadth is forgiven."""
    kept, total = {}, 0.0
    for value, word in sorted((-round(value, 12), word) for word, value in p.items()):
        if -value >= lowest - 1e-9 and (not kept or total < cumulative - 1e-9 or cumulative == 1):
            kept[word] = p[word]
            total -= value
    return normalized(kept)


def table(
    forests: Sequence[Forest], config: PsqConfig, lexicon: dict[str, Distribution] | None, analyzer: Analyzer,
    present: set[str],
) -> dict[str, Distribution]:
    """The terms of every source word, those that are present in the collection."""
    rows = {}
    for word, p in translations(forests, config, lexicon).items():
        row: Counter[str] = Counter()
        for other, value in p.items():
            for term in set(analyzer.terms(other)) & present:
                row[term] += value  # type: ignore[assignment]
        rows[word] = dict(row)
    return rows


def translations(
    forests: Sequence[Forest], config: PsqConfig, lexicon: dict[str, Distribution] | None
) -> dict[str, Distribution]:
    """The words that every source word becomes."""
    near = linked(forests, None if config.forest else config.nbest) if config.mix > 0 or lexicon is None else {}
    share = config.mix if lexicon is not None else 1.0
    return {word: cut(mixed(word, near.get(word, {}), (lexicon or {}).get(word, {}), share), config.lowest,
                      config.cumulative) for forest in forests for word in forest.source}


def ranking(
    rows: dict[str, Distribution], counts: dict[str, int], docs: Sequence[Doc], analyzer: Analyzer, k: int, bm25: Bm25
) -> list[tuple[str, float]]:
    """The k best documents that have a term of the table, by score and then by descending id."""
    bags, lengths = {}, {}
    for doc in docs:
        terms, lengths[doc.id] = analyzer.analyze(doc.text)
        bags[doc.id] = Counter(terms)
    df = Counter(term for bag in bags.values() for term in bag)
    mean = sum(lengths.values()) / max(1, len(docs))
    found = []
    for name, bag in bags.items():
        if not any(term in bag for row in rows.values() for term in row):
            continue
        score = 0.0
        for word, row in rows.items():
            tf, expected = sum(p * bag[t] for t, p in row.items()), sum(p * df[t] for t, p in row.items())
            norm = bm25.k1 * ((1 - bm25.b) + bm25.b * lengths[name] / mean)
            if expected < len(docs) / 2:
                score += counts[word] * math.log((len(docs) - expected + 0.5) / (expected + 0.5)) * tf / (norm + tf)
        found.append((name, round(score, 6)))
    return sorted(found, key=lambda hit: (hit[1], hit[0]), reverse=True)[:k]
