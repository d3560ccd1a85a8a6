"""The language model that decoders use, built from n-grams, saved and memory-mapped.

    model = LanguageModel.from_ngrams(estimate(corpus, len(vocab)))
    model.save(folder)
    model = LanguageModel.load(folder)
    model.score(vocab.ids("das haus".split()))          # log10 probability with <s> and </s>
    model.tables                                        # what the helpers of lm/state.py take
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from crossbow import store
from crossbow.arrays import I32, Bools
from crossbow.errors import CrossbowError, InputError
from crossbow.lm.ngrams import MAX_ORDER, NGrams
from crossbow.lm.state import score_corpus, score_sequence
from crossbow.lm.tables import ENTRY, KNOWN, Tables, build
from crossbow.lm.words import BEGIN, UNK
from crossbow.vocab import Corpus

KIND = "lm"


class LanguageModel:
    """An n-gram model over the ids of a target vocabulary; ids it does not know count as <unk>."""

    def __init__(self, tables: Tables, signature: str):
        self.tables = tables
        self.signature = signature

    @classmethod
    def from_ngrams(cls, ngrams: NGrams) -> LanguageModel:
        """Hash the n-grams that were estimated or read from an ARPA file."""
        values = [array for arrays in ngrams[:3] for array in arrays]
        return cls(build(ngrams), store.digest(ngrams.vocab_size, *values))

    @property
    def order(self) -> int:
        return len(self.tables.counts)

    @property
    def vocab_size(self) -> int:
        return len(self.tables.word_probs)

    def knows(self, ids: I32) -> Bools:
        """Which of the words the model has seen; the others are scored as <unk>."""
        inside = (ids > BEGIN) & (ids < self.vocab_size)
        known: Bools = inside & (self.tables.word_flags[np.where(inside, ids, UNK)] & KNOWN != 0)
        return known

    def score(self, ids: I32) -> float:
        """The log10 probability of a sentence, given without <s> and </s>."""
        return score_sequence(self.tables, np.ascontiguousarray(ids, np.int32), True, True)

    def perplexity(self, corpus: Corpus) -> float:
        """Per word, where </s> and unknown words count as words."""
        sentences = len(corpus.starts) - 1
        if sentences < 1:
            raise CrossbowError("no sentences to compute a perplexity of; is the text empty?")
        words = int(corpus.starts[-1] - corpus.starts[0]) + sentences
        return float(10.0 ** (-score_corpus(self.tables, corpus.words, corpus.starts) / words))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model into a folder, which is replaced if it holds a language model already."""
        meta = {"order": self.order, "counts": self.tables.counts.tolist(), "signature": self.signature}
        with store.replacing(folder, KIND) as fresh:
            store.save(fresh, KIND, self.tables, meta)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> LanguageModel:
        """Map a saved model."""
        tables, meta = store.load(folder, KIND, Tables)
        slots = len(tables.entries)
        if not (
            1 <= len(tables.counts) <= MAX_ORDER
            and len(tables.word_probs) == len(tables.word_backoffs) == len(tables.word_flags) >= 3
            and tables.entries.dtype == ENTRY
            and slots == len(tables.flags)
            and slots > tables.counts[1:].sum()
            and slots & (slots - 1) == 0
        ):
            raise InputError(Path(folder), None, "the arrays do not fit together", "build the model again")
        return cls(tables, str(meta["signature"]))
