"""Translation tables for probabilistic structured queries: for each word of a query, which terms stand for it.

    tables = query_tables(forests, index, PsqConfig(), lexicon)       # one forest for each sentence of the query
    tables.translations("haus")         == [("hous", 0.9), ("home", 0.1)]

What a word means in its sentence is read off the links of the best translations, p(t|s) ∝ Σ exp(score) · links(s, t),
either over the k best derivations or over all of the forest. What it means in general is read off the lexicon. The two
are mixed, improbable translations are cut off, and the rest become terms of the index. Translations that give no term
of the collection, function words among them, take their share of the probability with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crossbow.decode.kbest import kbest
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import edge_marginals, inside, outside
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index
from crossbow.jit import kernel
from crossbow.ranking.program import Floats, Ints, offsets
from crossbow.vocab import Vocab

SLACK = 1e-9  # rounding must not decide what a cut keeps


@dataclass(frozen=True)
class PsqConfig:
    """How the tables are made. With mix = 0 the forests are asked for nothing but the words of the query."""

    nbest: int = 1000  # derivations whose links are counted
    mix: float = 0.4  # λ: how much the query's own translations count; the rest is the lexicon's
    lowest: float = 0.0  # L: less probable translations are dropped
    cumulative: float = 1.0  # C: the most probable are kept until they add up to this
    forest: bool = False  # count the links of all derivations, not of the n best

    def __post_init__(self) -> None:
        if self.nbest < 1:
            raise CrossbowError(f"nbest is {self.nbest}; at least 1 derivation is needed")
        for name, value in (("mix", self.mix), ("lowest", self.lowest), ("cumulative", self.cumulative)):
            if not 0 <= value <= 1:
                raise CrossbowError(f"{name} is {value}; it must lie between 0 and 1")


class Tables(NamedTuple):
    """The terms of source word w are names[terms[k]] with probability[k], for k from starts[w] to starts[w + 1].

    A word's probabilities may add up to less than 1, for some translations are not in the collection, or to more, for
    some translations are more than one term.
    """

    words: list[str]  # the distinct words of the query, as they come
    counts: Ints  # how often each stands there
    starts: Ints
    terms: Ints
    probability: Floats
    names: list[str]

    def owners(self) -> Ints:
        """The word of each pair of word and term."""
        return np.repeat(np.arange(len(self.words), dtype=np.int32), np.diff(self.starts))

    def translations(self, word: str) -> list[tuple[str, float]]:
        """The terms that stand for a word of the query, most probable first."""
        at = self.words.index(word)
        row = slice(self.starts[at], self.starts[at + 1])
        pairs = zip((self.names[t] for t in self.terms[row].tolist()), self.probability[row].tolist())
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


@kernel
def _count_uses(weight, edge_starts, edges, uses):
    """The expected number of times that a derivation uses each edge."""
    for h in range(weight.shape[0]):
        for k in range(edge_starts[h], edge_starts[h + 1]):
            uses[edges[k]] += weight[h]


@kernel
def _count_links(uses, align_starts, align, target_starts, target, kind, starts, words, amounts, row):
    """The expected links between each kind of source word and each target word.

    Kind s is linked with words[starts[s]:starts[s + 1]], each of which stands there once, and as much as `amounts`
    says. At first these arrays hold all links one by one. `row` has a 0 for each target word, before and after.
    """
    for e in range(uses.shape[0]):
        if uses[e] > 0.0:
            for k in range(align_starts[e], align_starts[e + 1]):
                starts[kind[align[k, 0]] + 1] += 1
    for s in range(1, starts.shape[0]):
        starts[s] += starts[s - 1]
    at = starts[:-1].copy()
    for e in range(uses.shape[0]):
        if uses[e] > 0.0:
            for k in range(align_starts[e], align_starts[e + 1]):
                s = kind[align[k, 0]]
                words[at[s]], amounts[at[s]] = target[target_starts[e] + align[k, 1]], uses[e]
                at[s] += 1
    size = 0
    for s in range(starts.shape[0] - 1):
        begin, end = starts[s], starts[s + 1]
        starts[s] = size
        for k in range(begin, end):
            row[words[k]] += amounts[k]
        for k in range(begin, end):
            word = words[k]
            if row[word] > 0.0:
                words[size], amounts[size] = word, row[word]
                row[word] = 0.0
                size += 1
    starts[-1] = size


def _edge_uses(forest: Forest, config: PsqConfig) -> Floats:
    """The expected uses of each edge under the n best derivations, or under all of the forest."""
    if config.forest:
        alpha = inside(forest, log=True)
        through = edge_marginals(forest, alpha, outside(forest, alpha, log=True))
        return np.exp(through - alpha[-1])
    best = kbest(forest, config.nbest)
    weight = np.exp(best.score - best.score[0])
    uses = np.zeros(forest.edges)
    _count_uses(weight / weight.sum(), best.edge_starts, best.edges, uses)
    return uses


def _add_links(forest: Forest, config: PsqConfig, found: dict[str, dict[str, float]]) -> None:
    """Add the expected links of a sentence to those of the sentences before it."""
    if not len(forest.align):
        return
    vocab = Vocab()
    kind = vocab.add_all(forest.source)
    starts, words = np.zeros(len(vocab) + 1, np.int32), np.empty(len(forest.align), np.int32)
    amounts, row = np.empty(len(forest.align)), np.zeros(len(forest.words))
    _count_links(_edge_uses(forest, config), forest.align_starts, forest.align, forest.target_starts, forest.target,
                 kind, starts, words, amounts, row)
    names = [forest.words[w] for w in words[: starts[-1]].tolist()]
    values = amounts[: starts[-1]].tolist()
    for s, word in enumerate(vocab.words):
        links = found.setdefault(word, {})
        for k in range(starts[s], starts[s + 1]):
            links[names[k]] = links.get(names[k], 0.0) + values[k]


def _mixed(word: str, links: dict[str, float], lexical: list[tuple[str, float]], mix: float) -> dict[str, float]:
    """λ p_nbest + (1 − λ) p_lex, not normalised; what one of them does not know is left to the other."""
    if not links and not lexical:
        return {word: 1.0}  # as if passed through
    if not links:
        return dict(lexical)
    near = mix if lexical else 1.0
    p = {other: (1 - near) * value for other, value in lexical} if near < 1 else {}
    total = sum(links.values())
    for other, value in links.items():
        p[other] = p.get(other, 0.0) + near * (value / total)
    return p


def _cut(p: dict[str, float], config: PsqConfig) -> tuple[list[str], Floats]:
    """Normalise, drop what is too improbable, keep the most probable up to C, and normalise again."""
    words, values = list(p), np.array(list(p.values()))
    values /= values.sum()
    kept = np.flatnonzero((values > 0) & (values >= config.lowest - SLACK))
    if config.cumulative < 1:
        kept = np.array(sorted(kept.tolist(), key=words.__getitem__), np.int64)
        kept = kept[np.argsort(-values[kept].round(12), kind="stable")]  # equal ones by word, in spite of rounding
        kept = kept[: np.searchsorted(np.cumsum(values[kept]), config.cumulative - SLACK) + 1]
    values = values[kept]
    return [words[k] for k in kept.tolist()], values / values.sum()


class _Numbering:
    """The terms that some document has, numbered as they come. Others have the number -1."""

    def __init__(self, index: Index):
        self.index, self.names = index, list[str]()
        self.number: dict[str, int] = {}

    def row(self, words: list[str], values: Floats) -> dict[int, float]:
        """The probabilities of the words as those of their terms."""
        terms_of, number = self.index.analyzer.terms, self.number
        row: dict[int, float] = {}
        for word, value in zip(words, values.tolist()):
            terms = terms_of(word)
            for term in terms if len(terms) < 2 else dict.fromkeys(terms):
                t = number.get(term)
                if t is None:
                    t = number[term] = len(self.names) if self.index.df(term) else -1
                    if t >= 0:
                        self.names.append(term)
                row[t] = row.get(t, 0.0) + value
        row.pop(-1, None)
        return row


def query_tables(forests: Sequence[Forest], index: Index, config: PsqConfig, lexicon: Lexicon | None = None) -> Tables:
    """The tables of a query, given the forests of its sentences. Without a lexicon only the forests are asked."""
    counts = Counter(word for forest in forests for word in forest.source)
    found: dict[str, dict[str, float]] = {}
    if config.mix > 0 or lexicon is None:
        for forest in forests:
            _add_links(forest, config, found)
    numbering = _Numbering(index)
    rows = []
    for word in counts:
        lexical = lexicon.translations(word) if lexicon is not None else []
        mixed = _mixed(word, found.get(word, {}), lexical, config.mix)
        rows.append(numbering.row(*_cut(mixed, config)))
    return Tables(
        list(counts), np.array(list(counts.values()), np.int32), offsets([len(row) for row in rows]),
        np.array([t for row in rows for t in row], np.int32),
        np.array([value for row in rows for value in row.values()], np.float64), numbering.names,
    )
