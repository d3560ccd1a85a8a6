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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I32
from crossbow.decode.kbest import kbest
from crossbow.forest.hypergraph import Forest
from crossbow.forest.infer import edge_uses
from crossbow.grammar.bitext import BREAK
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index
from crossbow.jit import kernel
from crossbow.ranking.forced.program import offsets
from crossbow.ranking.structured.numbering import Numbering
from crossbow.settings import Settings, setting
from crossbow.vocab import Vocab

SLACK = 1e-9  # rounding must not decide what a cut keeps
LIKELY = 0.05  # less probable translations are not shown or marked: a word has hundreds
ADDED = "+ "  # before a term that was added as if it were a word; no word has a space in it
_NO_WORDS, _NOTHING = np.empty(0, np.int32), np.empty(0)


@dataclass(frozen=True)
class PsqConfig(Settings):
    """How the tables are made. With mix = 0 the forests are asked for nothing but the words of the query."""

    nbest: int = setting(1000, "Read the links between words from this many of the best derivations of a sentence.",
                         least=1)
    mix: float = setting(0.4, "How much the query's own translations count (λ); the rest is the lexicon's.",
                         least=0, most=1)
    lowest: float = setting(0.0, "Drop translations that are less probable than this (L).", least=0, most=1)
    cumulative: float = setting(1.0, "Keep the most probable translations until they add up to this (C).",
                                least=0, most=1)
    forest: bool = setting(False, "Look at all derivations of the forest instead of the best ones.")


class Tables(NamedTuple):
    """The terms of source word w are names[terms[k]] with probability[k], for k from starts[w] to starts[w + 1].

    A word's probabilities may add up to less than 1, for some translations are not in the collection, or to more, for
    some translations are more than one term.
    """

    words: list[str]  # the distinct words of the query, as they come
    counts: I32  # how often each stands there
    starts: I32
    terms: I32
    probability: F64
    names: list[str]
    blank: F64  # of each word the probability of translations that are function words or signs: no terms anywhere

    def owners(self) -> I32:
        """The word of each pair of word and term."""
        return np.repeat(np.arange(len(self.words), dtype=np.int32), np.diff(self.starts))

    def translations(self, word: str) -> list[tuple[str, float]]:
        """The terms that stand for a word of the query, most probable first."""
        at = self.words.index(word)
        row = slice(self.starts[at], self.starts[at + 1])
        pairs = zip((self.names[t] for t in self.terms[row].tolist()), self.probability[row].tolist())
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))

    def likely(self, source: Iterable[str]) -> dict[str, list[str]]:
        """For each of these words the terms that stand for it and are worth showing, most probable first."""
        return {word: [term for term, p in self.translations(word) if p >= LIKELY] for word in dict.fromkeys(source)}


class Row(NamedTuple):
    """Translations of a source word by their number, each once, and how probable they are."""

    words: I32
    values: F64


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


def _edge_uses(forest: Forest, config: PsqConfig) -> F64:
    """The expected uses of each edge under the n best derivations, or under all of the forest."""
    if config.forest:
        return edge_uses(forest)
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


def _mixed(lexical: Row, links: Row, mix: float, scratch: F64) -> Row:
    """λ p_nbest + (1 − λ) p_lex, not normalized; what one of them does not know is left to the other.

    `scratch` has a 0 for each word, before and after.
    """
    near = mix if len(lexical.words) else 1.0
    if not len(links.words) or near == 0:
        return lexical
    scratch[lexical.words] = (1 - near) * lexical.values
    new = links.words[scratch[links.words] == 0]
    scratch[links.words] += near * (links.values / links.values.sum())
    words = np.concatenate([lexical.words, new]) if near < 1 else new
    values = scratch[words]
    scratch[words] = 0
    return Row(words, values)


def _cut(row: Row, config: PsqConfig, names: list[str]) -> Row:
    """Normalize, drop what is too improbable, keep the most probable up to C, and normalize again."""
    values = row.values / row.values.sum()
    kept = np.flatnonzero((values > 0) & (values >= config.lowest - SLACK))
    if config.cumulative < 1 and len(kept):
        rounded = values[kept].round(12)  # equal ones by word, in spite of rounding
        order = np.argsort(-rounded, kind="stable")
        count = min(int(np.searchsorted(np.cumsum(values[kept[order]]), config.cumulative - SLACK)) + 1, len(kept))
        least = rounded[order[count - 1]]
        equal = sorted(kept[rounded == least].tolist(), key=lambda k: names[row.words[k]])
        above = kept[rounded > least]
        kept = np.concatenate([above, np.array(equal[: count - len(above)], np.int64)])
    return Row(row.words[kept], values[kept] / values[kept].sum())


def query_tables(forests: Sequence[Forest], index: Index, config: PsqConfig, lexicon: Lexicon | None = None) -> Tables:
    """The tables of a query, given the forests of its sentences. Without a lexicon only the forests are asked."""
    counts = Counter(word for forest in forests for word in forest.source)
    found: dict[str, dict[str, float]] = {}
    if config.mix > 0 or lexicon is None:
        for forest in forests:
            _add_links(forest, config, found)
    numbering = Numbering.of(index)
    known = [_known(word, found.get(word, {}), lexicon, numbering) for word in counts]
    scratch = np.zeros(len(numbering.words))
    rows = [_cut(_mixed(lexical, links, config.mix, scratch), config, numbering.words) for lexical, links in known]
    return _as_terms(counts, rows, numbering)


def _known(word: str, links: dict[str, float], lexicon: Lexicon | None, numbering: Numbering) -> tuple[Row, Row]:
    """The translations of a word in general and in the query. A word without any is its own translation."""
    ids, values = lexicon.of_id(lexicon.source.index.get(word, BREAK)) if lexicon else (_NO_WORDS, _NOTHING)
    words = numbering.of_ids(lexicon.target, ids) if lexicon else ids
    if not links and not len(words):
        words, values = np.array([numbering.of_word(word)], np.int32), np.ones(1)
    numbers = np.array([numbering.of_word(other) for other in links], np.int32)
    return Row(words, values), Row(numbers, np.array(list(links.values()), np.float64))


def _as_terms(counts: Counter[str], rows: list[Row], numbering: Numbering) -> Tables:
    """The rows of words as rows of terms: what is the same term is added up, what is none is left out."""
    words, values = (np.concatenate(parts) for parts in zip((_NO_WORDS, _NOTHING), *rows))
    owner = np.repeat(np.arange(len(rows)), [len(row.words) for row in rows])
    blank = np.bincount(owner, values * numbering.blank(words), len(rows)).astype(np.float64)
    at, terms = numbering.terms(words)
    owner, values = owner[at], values[at]
    used, local = np.unique(terms, return_inverse=True)
    pairs, which = np.unique(owner * len(used) + local, return_inverse=True)
    owners, found = np.divmod(pairs, max(1, len(used)))
    return Tables(
        list(counts), np.array(list(counts.values()), np.int32), offsets(np.bincount(owners, minlength=len(rows))),
        found.astype(np.int32), np.bincount(which, values, len(pairs)).astype(np.float64),
        [numbering.names[t] for t in used.tolist()], blank,
    )


def with_added(tables: Tables, counts: F64, added: Mapping[str, float], index: Index) -> tuple[Tables, F64]:
    """The tables, and how much each word counts, with weighted terms added: words whose one translation is certain."""
    terms = [term for term in added if index.df(term)]
    vocab = Vocab(tables.names)
    numbers = vocab.add_all(terms)
    return Tables(
        [*tables.words, *(f"{ADDED}{term}" for term in terms)], np.append(tables.counts, np.ones(len(terms), np.int32)),
        np.append(tables.starts, tables.starts[-1] + np.arange(1, len(terms) + 1, dtype=np.int32)),
        np.append(tables.terms, numbers), np.append(tables.probability, np.ones(len(terms))), list(vocab.words),
        np.append(tables.blank, np.zeros(len(terms))),
    ), np.append(counts, [added[term] for term in terms])
