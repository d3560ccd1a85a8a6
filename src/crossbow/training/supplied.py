"""What models of dictionaries (dictionary.py) and of grammars (grammar.py) share: pairs of words become a model.

    supplied = Supplied(config, source_vocab, target_vocab, pairs, lm_texts, arpa)
    summary = supplied.write("model", {"entries": 3}, START_WEIGHTS)

The language model is that of the texts, or of an ARPA file; without either, of the target sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.align.symmetrize import Links
from crossbow.decode.decoder import DecodeConfig
from crossbow.grammar.bitext import build_bitext
from crossbow.grammar.rules import Rules
from crossbow.lm.arpa import arpa_words
from crossbow.lm.estimate import Smoothing
from crossbow.lm.words import SPECIAL_WORDS
from crossbow.model import ModelParts, Vocabularies, write_model
from crossbow.records.lines import PathLike
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.compounds import Splitter
from crossbow.training.texts import language_model, lm_documents, plain
from crossbow.vocab import Corpus, Vocab


@dataclass(frozen=True)
class SuppliedConfig:
    """Settings of a model that is made from what others supply."""

    source: Settings
    target: Settings
    compounds: bool = True
    lm: Smoothing = field(default_factory=Smoothing)
    decode: DecodeConfig = field(default_factory=DecodeConfig)


class Pair(NamedTuple):
    """Words that translate each other, how they are linked, and how often the pair counts."""

    source: list[str]
    target: list[str]
    links: list[tuple[int, int]]
    times: int


@dataclass(frozen=True)
class Supplied:
    """What a model is made of. The vocabularies may have words already, and get those of the pairs."""

    config: SuppliedConfig
    source: Vocab
    target: Vocab
    pairs: list[Pair]
    lm_texts: list[PathLike]
    arpa: PathLike | None

    def write(
        self, out: PathLike, sizes: Mapping[str, int], weights: Mapping[str, float], *,
        splitter: Splitter | None = None, rules: Rules | None = None, more: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Write the model, with `more` in its metadata, and return a summary, which begins with the sizes."""
        left, right, links = self._aligned()
        text = self._lm_corpus(right)
        if self.arpa is not None:
            self.target.add_all(arpa_words(self.arpa))
        lm = language_model(text, self.target, self.config.lm, self.arpa)
        bitext = build_bitext(left, right, links, len(self.source), len(self.target))
        words = Vocabularies.pack(self.source.words, self.target.words, [])
        summary = {**sizes, "source_words": len(self.source) - 1, "target_words": len(self.target) - len(SPECIAL_WORDS),
                   "lm_tokens": len(text.words), "ngrams": lm.tables.counts.tolist()}
        source, target = Analyzer(self.config.source, splitter), Analyzer(self.config.target)
        meta: dict[str, Any] = {"source": source.to_json(), "target": target.to_json(), "weights": dict(weights),
                                "summary": summary, "decode": asdict(self.config.decode), **(more or {})}
        meta["signature"] = store.digest(*words, *bitext, *(rules or ()), lm.signature, meta)
        write_model(out, ModelParts(words, meta, bitext, lm, splitter, rules))
        return {**summary, "signature": meta["signature"]}

    def _aligned(self) -> tuple[Corpus, Corpus, Links]:
        """The pairs as aligned text, each as often as it counts."""
        repeated = [pair for pair in self.pairs for _ in range(pair.times)]
        links = np.array([link for pair in repeated for link in pair.links], np.int16).reshape(-1, 2)
        starts = np.concatenate(([0], np.cumsum([len(pair.links) for pair in repeated]))).astype(np.int64)
        return (Corpus.encode((pair.source for pair in repeated), self.source),
                Corpus.encode((pair.target for pair in repeated), self.target),
                Links(np.ascontiguousarray(links[:, 0]), np.ascontiguousarray(links[:, 1]), starts))

    def _lm_corpus(self, right: Corpus) -> Corpus:
        """What the language model is made of: the texts, or the target sides where there are none."""
        if not self.lm_texts:
            return right
        analyzer = Analyzer(self.config.target)
        return Corpus.encode(
            (plain(analyzer.tokens(line)) for lines in lm_documents(self.lm_texts) for line in lines), self.target)
