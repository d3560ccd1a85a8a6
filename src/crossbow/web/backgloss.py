"""Documents for readers who do not know their language: what each word means, by the model's own lexicon.

    glosses = BackGlosses(model.lexicon, model.source, model.target)
    glosses.pieces("The bank lends.")   # [("The ", []), ("bank", ["bank", "ufer"]), (" ", []), ("lends", …), …]

The aligner linked the words of the training text in both directions at once, so p(source word | target word) is a count
of the same links that translate queries. Each word is looked up by itself; function words are left as they are, and so
is what the lexicon does not know. A word that it does not have in this form is looked up by its stem.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property

import numpy as np

from crossbow.arrays import I64
from crossbow.grammar.lexicon import Lexicon
from crossbow.text.analyzer import Analyzer
from crossbow.text.located import located
from crossbow.text.memo import Memo

LEAST = 0.1  # of a word's links: what is rarer is mostly noise
MOST = 3  # meanings of a word

Piece = tuple[str, list[str]]  # a part of the text, and what it means


class BackGlosses:
    """Meanings of the words of documents. Safe to share between threads; what takes time is done when first asked."""

    def __init__(self, lexicon: Lexicon, source: Analyzer, target: Analyzer):
        self.lexicon, self.source, self.target = lexicon, source, target
        self._meanings = Memo(self._look_up)

    def pieces(self, text: str) -> list[Piece]:
        """The text in parts, those that mean something each with its meanings, the most probable first."""
        tokens, end = self.target.tokens(text), 0
        found: list[Piece] = []
        for token, (begin, stop) in zip(tokens, located(tokens, text)):
            if begin < end or stop == begin:  # pairs of characters overlap
                continue
            means = self.meanings(token)
            if means:
                found += [(text[end:begin], []), (text[begin:stop], means)]
                end = stop
        return [piece for piece in [*found, (text[end:], [])] if piece[0]]

    def meanings(self, token: str) -> list[str]:
        """The words that a token most often stands for; none if it means nothing by itself, or only itself."""
        return self._meanings[token]

    def _look_up(self, token: str) -> list[str]:
        terms = self.target.terms(token)
        if not terms:
            return []
        number = self.lexicon.target.index.get(token)
        words = [] if number is None else self._linked([number])
        if not words:
            words = self._linked([word for term in terms for word in self._by_term.get(term, ())])
        return words if words != [token] else []

    def _linked(self, numbers: list[int]) -> list[str]:
        """The source words of the links of these target words, if they are frequent and mean something."""
        starts, sources, times = self._links
        words, counts = self.lexicon.source.words, Counter[int]()
        for number in numbers:
            here = slice(starts[number], starts[number + 1])
            counts.update(dict(zip(sources[here].tolist(), times[here].tolist())))
        heaviest = sorted(counts, key=lambda word: (-counts[word], word))[: 2 * MOST]
        least = LEAST * sum(counts.values())
        return [words[word] for word in heaviest if counts[word] >= least and self.source.terms(words[word])][:MOST]

    @cached_property
    def _links(self) -> tuple[I64, I64, I64]:
        """Linked words: where the source words of each target word begin, these, and how often they are linked.

        Pairs are sorted as numbers, which takes a tenth of the time that sorting places by their words does.
        """
        b, size = self.lexicon.bitext, len(self.lexicon.source.words)
        position = np.repeat(np.arange(len(b.source), dtype=np.int32), np.diff(b.link_starts))
        pairs = b.target[b.target_starts[b.sentence[position]] + b.link_targets].astype(np.int64) * size
        pairs += b.source[position]
        pairs.sort()
        first = np.flatnonzero(np.concatenate([[True], pairs[1:] != pairs[:-1]])[: len(pairs)])
        targets, sources = np.divmod(pairs[first], size)
        starts = np.searchsorted(targets, np.arange(len(self.lexicon.target.words) + 1))
        return starts, sources, np.diff(np.append(first, len(pairs)))

    @cached_property
    def _by_term(self) -> dict[str, list[int]]:
        """The target words that each term of the index stands for."""
        found = defaultdict[str, list[int]](list)
        for number, word in enumerate(self.lexicon.target.words):
            for term in self.target.terms(word):
                found[term].append(number)
        return found
