"""The lexicon in the training text: how often the aligner linked a word with each of its translations.

    lexicon = Lexicon(bitext, source_vocab, target_vocab)
    lexicon.translations("haus")        == [("house", 0.8), ("home", 0.1)]
    ids, probabilities = lexicon.of_id(source_vocab.index["haus"])

p(t|s) is the share of the links of s that lead to t. An occurrence of s without a link counts as a link to NULL, so
the probabilities of a word may add up to less than 1. Nothing is stored: a word's links are counted when it is first
asked for, and remembered.
"""

from __future__ import annotations

import numpy as np

from crossbow.arrays import F64, I32
from crossbow.grammar.bitext import BREAK, Bitext
from crossbow.jit import kernel
from crossbow.vocab import Vocab


@kernel
def _linked_words(positions, sentence, target, target_starts, link_starts, link_targets, out):
    """The target word of every link of these source positions."""
    at = 0
    for p in positions:
        base = target_starts[sentence[p]]
        for k in range(link_starts[p], link_starts[p + 1]):
            out[at] = target[base + link_targets[k]]
            at += 1


class Lexicon:
    """Word translation probabilities of a bitext. Safe to share between threads."""

    def __init__(self, bitext: Bitext, source: Vocab, target: Vocab):
        self.bitext, self.source, self.target = bitext, source, target
        self._known: dict[int, tuple[I32, F64]] = {}  # two threads may fill an entry at once, with the same value

    def of_id(self, word: int) -> tuple[I32, F64]:
        """The translations of a source word by id and their probabilities: most probable first, equal ones by id.

        There are none for a word that was never linked, nor for an id that is not a word's.
        """
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._count(word)
        return found

    def translations(self, word: str) -> list[tuple[str, float]]:
        """The translations of a word, most probable first; none for a word that is unknown or was never linked."""
        ids, probabilities = self.of_id(self.source.index.get(word, BREAK))
        return list(zip(map(self.target.words.__getitem__, ids.tolist()), probabilities.tolist()))

    def _count(self, word: int) -> tuple[I32, F64]:
        b = self.bitext
        if not BREAK < word < len(b.source_counts):
            return np.empty(0, np.int32), np.empty(0)
        total = int(b.source_counts[word])
        linked = np.empty(total - int(b.source_null[word]), np.int32)
        positions = b.positions[b.word_starts[word] : b.word_starts[word + 1]]
        _linked_words(positions, b.sentence, b.target, b.target_starts, b.link_starts, b.link_targets, linked)
        ids, links = np.unique(linked, return_counts=True)
        order = np.argsort(-links, kind="stable")
        return ids[order], links[order] / max(1, total)
