"""Probabilistic structured queries (PSQ): a word of the query matches as if all its translations were one term.

    query = StructuredQuery(query_tables(forests, index, PsqConfig(), lexicon), index, Bm25())
    hits = query.search(k=1000)

The frequencies of a word s are expectations: tf(s, d) = Σ p(t|s) tf(t, d) and df(s) = Σ p(t|s) df(t). A document's
score is the sum of idf(df(s)) · tf / (norm + tf) over the words of the query. Documents without any of the terms are
not found.

A frequent word has hundreds of translations, most of them improbable, and together their lists are the whole index. So
only the heaviest pairs of word and term are added up for all documents. As tf / (norm + tf) never rises faster than
tf / norm, what the other pairs can add is bounded by a sum of one weight for each term; and the lightest terms are not
even read, but bounded by the heaviest of them times the number of terms in the document. Documents whose bound reaches
the k-th best sum are scored exactly, each from the list of its own terms. These lists are the postings sorted by
document; they are made when an index is first searched this way and stay in memory, 8 bytes per posting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from crossbow.arrays import F64, I32, I64, Bools
from crossbow.index import Index, Segment
from crossbow.jit import kernel
from crossbow.ranking.bm25 import Bm25, Part, in_document, saturation, saturation_bound, term_lists
from crossbow.ranking.explain.records import Match
from crossbow.ranking.forced.program import offsets
from crossbow.ranking.structured.tables import LIKELY, Tables
from crossbow.ranking.topk import NEARBY, highest, top
from crossbow.records import Hit

HEAVY = 0.1  # which share of the postings is read for the sums
LIGHT = 0.4  # and which for the bounds
SHOWN = 3  # terms of a word that an explanation names


class _Forward(NamedTuple):
    """The terms of each document of a segment: terms[starts[d]:starts[d + 1]] by number, and how many in all."""

    starts: I64
    terms: I32
    tfs: I32
    total: I64


class _Lists(NamedTuple):
    """A segment's posting lists of the tables' terms, and the way from its own numbers of terms to the tables'."""

    part: Part
    forward: _Forward
    column: I32  # -1 for terms that the tables do not have


class _Pairs(NamedTuple):
    """Pairs of word and term, grouped by either."""

    starts: I32
    members: I32
    probability: F64


class _Rest(NamedTuple):
    """The other pairs add at most (Σ weight[t] tf(t, d) over these terms + level · Σ tf over any others) / norm."""

    terms: I64
    weight: F64
    level: float


_FORWARD: WeakKeyDictionary[Segment, _Forward] = WeakKeyDictionary()


@kernel
def _sort_by_document(starts, docs, tfs, ends, terms, counts, total):
    """Fill terms and counts; at first ends[d + 1] is where document d begins, in the end where it ends.

    Returns whether the postings can be true: numbers of documents are places, and lists follow one another.
    """
    for t in range(starts.shape[0] - 1):
        if not 0 <= starts[t] <= starts[t + 1] <= docs.shape[0]:
            return False
    for k in range(docs.shape[0]):
        if not 0 <= docs[k] < total.shape[0] or tfs[k] < 1:
            return False
        ends[docs[k] + 2] += 1
        total[docs[k]] += tfs[k]
    for d in range(2, ends.shape[0]):
        ends[d] += ends[d - 1]
    for t in range(starts.shape[0] - 1):
        for k in range(starts[t], starts[t + 1]):
            at = ends[docs[k] + 1]
            terms[at], counts[at] = t, tfs[k]
            ends[docs[k] + 1] += 1
    return True


@kernel
def _add_words(begin, end, docs, tfs, norm, starts, terms, probability, weight, score):
    """Add the weights of all words up. A word's tf is collected in a row over all documents and taken out again."""
    row = np.zeros(norm.shape[0])
    for s in range(starts.shape[0] - 1):
        first, last = starts[s], starts[s + 1] - 1
        for i in range(first, last):
            p = probability[i]
            for k in range(begin[terms[i]], end[terms[i]]):
                row[docs[k]] += p * tfs[k]
        for i in range(last, first - 1, -1):
            p = probability[i] if i == last else 0.0  # the last is added on the way: most words have but one
            for k in range(begin[terms[i]], end[terms[i]]):
                d = docs[k]
                tf = row[d] + p * tfs[k]
                if tf > 0.0:
                    score[d] += weight[s] * saturation(tf, norm[d])
                    row[d] = 0.0


@kernel
def _add_rest(begin, end, docs, tfs, norm, total, terms, weight, level, bound):
    """Add to the sums of the heavy pairs what the rest can add at most."""
    most = level * total
    for i in range(terms.shape[0]):
        more = weight[i] - level
        for k in range(begin[terms[i]], end[terms[i]]):
            most[docs[k]] += more * tfs[k]
    for d in range(norm.shape[0]):
        if most[d] > 0.0:
            bound[d] += saturation_bound(most[d], norm[d])


@kernel
def _score(wanted, norm, starts, terms, tfs, column, users, words, probability, weight, score, found):
    """The scores of the wanted documents, and whether they have any term of the tables."""
    sums = np.zeros(weight.shape[0])
    for i in range(wanted.shape[0]):
        d = wanted[i]
        for k in range(starts[d], starts[d + 1]):
            t = column[terms[k]]
            if t >= 0:
                found[i] = True
                for u in range(users[t], users[t + 1]):
                    sums[words[u]] += probability[u] * tfs[k]
        if found[i]:
            for s in range(weight.shape[0]):
                score[i] += weight[s] * saturation(sums[s], norm[d])
                sums[s] = 0.0


def _forward(segment: Segment) -> _Forward:
    """A segment's postings sorted by document."""
    found = _FORWARD.get(segment)
    if found is None:
        postings, documents = segment.postings, len(segment.alive)
        ends, total = np.zeros(documents + 2, np.int64), np.zeros(documents, np.int64)
        terms, counts = np.empty_like(postings.docs), np.empty_like(postings.tfs)
        if not _sort_by_document(postings.starts, postings.docs, postings.tfs, ends, terms, counts, total):
            raise segment.damaged("a posting list is impossible")
        found = _FORWARD[segment] = _Forward(ends[:-1], terms, counts, total)
    return found


def _open(index: Index, names: Sequence[str], bm25: Bm25) -> tuple[list[_Lists], F64]:
    """The lists of the terms in every segment, and how many of these documents have each term."""
    lists, df = [], np.zeros(len(names))
    for segment, part in zip(index.segments, term_lists(index, (), bm25).parts):
        numbers = np.array(list(map(segment.term, names)), np.int64)
        begin, end = (np.where(numbers < 0, 0, segment.postings.starts[numbers + step]) for step in (0, 1))
        df += end - begin if segment.complete else np.array(list(map(segment.df, names)))
        column = np.full(len(segment.postings.starts), -1, np.int32)
        column[numbers] = np.arange(len(names))
        column[-1] = -1  # where the terms that the segment lacks were written
        lists.append(_Lists(part._replace(begin=begin, end=end), _forward(segment), column))
    return lists, df


def _split(tables: Tables, weight: F64, df: F64, postings: int) -> tuple[_Pairs, _Rest]:
    """The heaviest pairs, as many as are quickly read, and the bound for all others."""
    word = tables.owners()
    gain = weight[word] * tables.probability
    order = np.argsort(-gain, kind="stable")
    heavy = np.zeros(len(order), np.bool_)
    heavy[order[np.cumsum(df[tables.terms[order]]) <= HEAVY * postings]] = True
    pairs = _Pairs(offsets(np.bincount(word[heavy], minlength=len(tables.words))), tables.terms[heavy],
                   tables.probability[heavy])
    rest: F64 = np.bincount(tables.terms[~heavy], gain[~heavy], len(tables.names)).astype(np.float64)
    order = np.argsort(-rest, kind="stable")
    count = int(np.searchsorted(np.cumsum(df[order]), LIGHT * postings, "right"))
    level = float(rest[order[count]]) if count < len(order) else 0.0
    return pairs, _Rest(order[:count], rest[order[:count]], level)


def _within_reach(
    lists: Sequence[_Lists], heavy: _Pairs, rest: _Rest, weight: F64, k: int, wanted: Bools | None
) -> I64:
    """The documents that may be among the k best, by number."""
    alive = np.concatenate([part.alive for part, *_ in lists])
    if wanted is not None:
        alive = alive & wanted
    low, high = np.zeros(len(alive)), np.empty(len(alive))
    for part, forward, _ in lists:
        here = slice(part.base, part.base + len(part.norm))
        _add_words(part.begin, part.end, part.docs, part.tfs, part.norm, *heavy, weight, low[here])
        high[here] = low[here]
        _add_rest(part.begin, part.end, part.docs, part.tfs, part.norm, forward.total, *rest, high[here])
    least = low[highest(low, alive, k)].min(initial=np.inf)
    return np.flatnonzero(alive & (high >= least - NEARBY))


def _exact(lists: Sequence[_Lists], tables: Tables, weight: F64, docs: I64) -> tuple[F64, Bools]:
    """The scores of these documents, whose numbers ascend, and whether they have any of the terms."""
    order = np.argsort(tables.terms, kind="stable")
    users = _Pairs(offsets(np.bincount(tables.terms, minlength=len(tables.names))), tables.owners()[order],
                   tables.probability[order])
    score, found = np.zeros(len(docs)), np.zeros(len(docs), np.bool_)
    for part, forward, column in lists:
        low, high = np.searchsorted(docs, (part.base, part.base + len(part.norm)))
        _score(docs[low:high] - part.base, part.norm, *forward[:3], column, *users, weight, score[low:high],
               found[low:high])
    return score, found


class StructuredQuery:
    """A query given as tables, compiled for an index."""

    def __init__(self, tables: Tables, index: Index, bm25: Bm25, counts: F64 | None = None):
        self.tables, self.index, self.bm25 = tables, index, bm25
        self.counts = tables.counts.astype(np.float64) if counts is None else counts  # how much each word counts
        self.lists, self.here = _open(index, tables.names, bm25)
        self.df = self.here if index.shard is None else np.array([index.df(name) for name in tables.names], np.float64)
        expected = np.bincount(tables.owners(), tables.probability * self.df[tables.terms], len(tables.words))
        # A translation of several terms counts several times, so the sum may exceed the number of documents.
        self.word_df = np.minimum(expected, len(index))
        self.idf = bm25.idfs(len(index), self.word_df)
        self.weight = self.counts * self.idf

    def search(self, k: int, wanted: Bools | None = None) -> list[Hit]:
        """The k best documents."""
        if not self.index.segments or not self.tables.names or k < 1:
            return []
        postings = sum(len(segment.postings.docs) for segment in self.index.segments)
        heavy, rest = _split(self.tables, self.weight, self.here, postings)
        docs = _within_reach(self.lists, heavy, rest, self.weight, k, wanted)
        scores, found = _exact(self.lists, self.tables, self.weight, docs)
        return top(self.index, docs[found], scores[found], k)

    def score(self, docs: I64) -> F64:
        """The scores of given documents."""
        numbers, places = np.unique(np.asarray(docs, np.int64), return_inverse=True)
        return _exact(self.lists, self.tables, self.weight, numbers)[0][places]

    def matches(self, doc: int) -> list[Match]:
        """For each word of the query that the document matches, what it gains there."""
        tables, share = self.tables, self._shares(doc)
        found = []
        for s, (tf, near) in self._words(doc, share).items():
            row = slice(tables.starts[s], tables.starts[s + 1])
            heaviest = np.argsort(-share[row], kind="stable")[: int((share[row] > 0).sum())]
            names = [tables.names[t] for t in tables.terms[row][heaviest].tolist()]
            found.append(Match(tables.words[s], " ".join(names[:SHOWN]), tf / self.index.scale, float(self.word_df[s]),
                               float(self.counts[s]), float(self.idf[s]), near, float(self.weight[s] * near)))
        return sorted(found, key=lambda match: -match.gain)

    def weights(self) -> dict[str, float]:
        """What each term weighs in a query that is no longer structured."""
        tables = self.tables
        sums = np.bincount(tables.terms, self.counts[tables.owners()] * tables.probability, len(tables.names))
        return dict(zip(tables.names, sums.tolist()))

    def terms(self, doc: int) -> dict[str, float]:
        """The likely terms that a document has, or all if none is likely, each with its part of what its words gain."""
        tables, share = self.tables, self._shares(doc)
        words, owners = self._words(doc, share), tables.owners()
        found: dict[str, float] = {}
        likely = (share > 0) & (tables.probability >= LIKELY)
        for pair in np.flatnonzero(likely if likely.any() else share > 0).tolist():
            s, name = int(owners[pair]), tables.names[tables.terms[pair]]
            tf, near = words[s]
            found[name] = found.get(name, 0.0) + float(self.weight[s] * near * share[pair] / tf)
        return found

    def _shares(self, doc: int) -> F64:
        """What each pair of word and term adds to the word's tf in a document."""
        _, tfs = in_document([one.part for one in self.lists], doc)
        shares: F64 = self.tables.probability * tfs[self.tables.terms]
        return shares

    def _words(self, doc: int, share: F64) -> dict[int, tuple[float, float]]:
        """The tf and the saturation of those words of the query that the document matches, by number."""
        part = next(one.part for one in self.lists if 0 <= doc - one.part.base < len(one.part.norm))
        norm, tfs = part.norm[doc - part.base], np.bincount(self.tables.owners(), share, len(self.tables.words))
        return {s: (float(tfs[s]), float(tfs[s] / (norm + tfs[s]))) for s in np.flatnonzero(tfs).tolist()}
