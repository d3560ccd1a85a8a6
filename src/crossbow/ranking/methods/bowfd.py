"""Bag-of-words forced decoding (BOW-FD): documents ranked by the best translation of the query that each supports.

The sentences of a query may be joined into one forest (`bowfd.join`). Otherwise every sentence ranks the documents by
itself and the rankings are multiplied (forced/combine.py), as in the paper. How the search is exact and fast: forced/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from crossbow.arrays import F64, I64, Bools
from crossbow.errors import CrossbowError
from crossbow.forest.compose import joined
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.explain.records import Explanation, Part
from crossbow.ranking.forced.combine import LIST_LENGTH, Ranked, combine
from crossbow.ranking.forced.sentence import ForcedSentence
from crossbow.ranking.methods.contract import METHODS, Method, Prepared
from crossbow.ranking.methods.weighted import summed
from crossbow.ranking.topk import DIGITS, NEARBY, head, top, top_numbers
from crossbow.records import Hit

if TYPE_CHECKING:
    from crossbow.ranking.config import SearchConfig


class ForcedDecoding(Method):
    """The paper's own method."""

    name = "bowfd"
    label = "Per document"
    help = "Forced decoding (BOW-FD): the translation that each document supports best."
    reads = ("bm25", "repeats", "weights", "expected", "bowfd", "translation")

    def prepare(
        self, forests: Sequence[Forest], index: Index, model: Model | None, config: SearchConfig
    ) -> _Forced:
        experts = self.sentences(forests, config)
        return _Forced([ForcedSentence(forest, index, model, config) for forest in experts], experts, index,
                       config.bowfd.unmatched)


    def sentences(self, forests: Sequence[Forest], config: SearchConfig) -> Sequence[Forest]:
        return [joined(forests)] if config.bowfd.join and forests else forests


class _Forced(Prepared):
    """The sentences of a query. If there are several, a document is scored by what it has in each sentence's list."""

    _shared = False  # whether the lists are those of all shards

    def __init__(
        self, sentences: Sequence[ForcedSentence], forests: Sequence[Forest], index: Index, unmatched: bool
    ):
        self.sentences, self.forests, self.index, self.unmatched = sentences, forests, index, unmatched
        self.ground = sum(sentence.query.best for sentence in sentences)

    @cached_property
    def lists(self) -> list[Ranked]:
        """What each of several sentences finds in the whole index: always LIST_LENGTH documents, whatever k is."""
        return [Ranked.of(*top_numbers(self.index, docs, sentence.query.best + gains, LIST_LENGTH))
                for sentence in self.sentences for docs, gains in [sentence.query.best_documents(LIST_LENGTH)]]

    def to_share(self) -> Any:
        """The lists of several sentences, for these are lists of the whole index: ids and scores, best first."""
        if len(self.sentences) < 2 or self._shared:
            return None
        return [(self.index.ids(ranked.docs), ranked.scores) for ranked in self.lists]

    def with_shared(self, parts: Sequence[Any], own: int) -> _Forced:
        """The shard's lists cut to what is in those of the whole index: as lists are in order, that is their head."""
        other = _Forced(self.sentences, self.forests, self.index, self.unmatched)
        other._shared, other.lists = True, []
        for mine, lists in zip(self.lists, zip(*parts)):
            here, lowest = head(lists, own, LIST_LENGTH)
            other.lists.append(Ranked(mine.docs[:here], mine.scores[:here], lowest))
        return other

    def search(self, k: int, wanted: Bools | None = None) -> list[Hit]:
        if not self.sentences:
            return []
        return self._search_one(k, wanted) if len(self.sentences) == 1 else self._combined(k, wanted)

    def _search_one(self, k: int, wanted: Bools | None) -> list[Hit]:
        """The documents of the only sentence. With negative weights, some that match may rank below some that do not.

        So more documents are asked for until k of them match. The query may return more than it was asked for, but
        these extra documents are not counted, because better ones may be missing.
        """
        query, asked = self.sentences[0].query, k
        while True:
            docs, gains = query.best_documents(asked, wanted)
            least = np.partition(gains, -asked)[-asked] - NEARBY if len(gains) >= asked else -np.inf
            docs, gains, found = docs[gains >= least], gains[gains >= least], len(docs)
            kept = self._kept(docs, gains)
            if int(kept.sum()) >= k or found < asked:
                return top(self.index, docs[kept], query.best + gains[kept], k)
            asked = max(2 * asked, found + 1)

    def _kept(self, docs: I64, gains: F64) -> Bools:
        """Which documents match: those that gain anything, or have a term of the best translation."""
        kept = np.full(len(docs), self.unmatched)
        if not self.unmatched:
            kept = gains != 0.0
            for sentence in self.sentences:
                kept[~kept] = sentence.has_best_term(docs[~kept])
        return kept

    def _combined(self, k: int, wanted: Bools | None) -> list[Hit]:
        """The product of the sentences' rankings, without the documents that do not match."""
        docs, scores = combine(self.lists)
        if wanted is not None:
            docs, scores = docs[wanted[docs]], scores[wanted[docs]]
        if not self.unmatched:
            kept = self._kept(docs, np.where(self._idle(docs), 0.0, 1.0))
            docs, scores = docs[kept], scores[kept]
        return top(self.index, docs, scores, k)

    def _idle(self, docs: I64) -> Bools:
        """Which documents gain nothing by any sentence. Only those are valued for which no list shows a gain."""
        idle = np.ones(len(docs), np.bool_)
        for sentence, ranked in zip(self.sentences, self.lists):
            idle &= ~np.isin(docs, ranked.docs[ranked.scores != round(sentence.query.best, DIGITS)])
        for sentence in self.sentences:
            idle[idle] = sentence.query.gains(docs[idle]) == 0.0
        return idle

    def matching(self) -> Bools:
        found = np.zeros(self.index.slots, np.bool_)
        for sentence in self.sentences:
            found |= sentence.query.matching()
        return found

    def score(self, docs: I64) -> F64:
        if len(self.sentences) == 1:
            query = self.sentences[0].query
            return query.best + query.gains(docs)
        return np.array([sum(self._counted(ranked, int(doc)) for ranked in self.lists) for doc in docs])

    def _counted(self, ranked: Ranked, doc: int) -> float:
        """What a sentence adds for a document: its score in the sentence's list, or the lowest of that."""
        place = np.flatnonzero(ranked.docs == doc)
        return float(ranked.scores[place[0]]) if len(place) else ranked.lowest

    def terms(self, doc: int) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for sentence in self.sentences:
            for term, gain in sentence.terms(doc).items():
                found[term] = found.get(term, 0.0) + gain
        return found

    def weights(self) -> Mapping[str, float]:
        return summed(*(sentence.weights() for sentence in self.sentences))

    def with_added(self, added: Mapping[str, float]) -> _Forced:
        if len(self.sentences) > 1:
            raise CrossbowError("terms can be added to forced decoding only if sentences are joined; set bowfd.join")
        return _Forced([sentence.with_added(added) for sentence in self.sentences], self.forests, self.index,
                       self.unmatched)

    def explain(self, doc: int) -> Explanation:
        if not self.sentences:
            raise CrossbowError("the query is empty; there is nothing to explain")
        name, parts, sentences = self.index.id(doc), [], []
        for at, sentence in enumerate(self.sentences):
            own, translated = sentence.explain(doc)
            parts += own
            sentences.append(translated)
            if len(self.sentences) > 1:
                counted = self._counted(self.lists[at], doc) - round(sum(part.value for part in own), DIGITS)
                if abs(counted) >= 10.0**-DIGITS:
                    parts.append(Part("not listed", counted, "counted as the last document of the sentence's list"))
        score = round(float(self.score(np.array([doc]))[0]), DIGITS) + 0.0
        return Explanation(name, ForcedDecoding.name, score, parts, sentences)


METHODS.add(ForcedDecoding.name, ForcedDecoding())
