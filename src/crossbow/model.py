"""A trained translation model: everything from query text to its translation forest, opened from a folder.

    model = Model.load("model.de-en")
    forest = model.forest("Das Haus am See.")
    " ".join(model.best(forest))

The folder holds the vocabularies and settings, and below it `bitext` (the training text, from which rules are drawn on
demand), `lm` (the language model), `compounds` (how the source language's compounds are split, if they are),
`grammar` (rules from elsewhere, if they are used instead of the text) and `retrieval` (what `crossbow learn` found out
about the weights of forced decoding, if it was asked).
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import store
from crossbow.arrays import U8
from crossbow.decode.decoder import DecodeConfig, Decoder
from crossbow.decode.kbest import kbest
from crossbow.decode.phrases import PhraseConfig, decoder_for
from crossbow.errors import InputError
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.bitext import load as load_bitext
from crossbow.grammar.extract import RuleConfig, load_rules
from crossbow.grammar.lexicon import Lexicon
from crossbow.lm.model import LanguageModel
from crossbow.text.analyzer import Analyzer
from crossbow.text.compounds import Splitter
from crossbow.text.sentences import split_sentences
from crossbow.vocab import Vocab
from crossbow.weights import RETRIEVAL, TermWeights

KIND = "model"
GRAMMAR = "grammar"
HEADWORDS = "headwords"  # set in the metadata of a model that knows words in their basic forms


class Vocabularies(NamedTuple):
    """The words of both languages in order of their ids, packed; and the names of the groups of training sentences."""

    source: U8
    target: U8
    groups: U8


class Model:
    """A trained model. Safe to share between threads."""

    def __init__(self, decoder: Decoder, source: Analyzer, target: Analyzer, groups: list[str], meta: dict[str, Any],
                 retrieval: TermWeights = TermWeights()):
        self.decoder, self.source, self.target, self.groups, self.meta = decoder, source, target, groups, meta
        self.retrieval = retrieval  # the weights with which to search

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Model:
        """Open a model that `crossbow train` wrote. Arrays are mapped, so this takes little time and memory."""
        path = Path(folder)
        words, meta = store.load(path, KIND, Vocabularies)
        splitter = Splitter.load(path / "compounds") if (path / "compounds").exists() else None
        bitext = load_bitext(path / "bitext")
        source, target = Vocab(store.unpack_strings(words.source)), Vocab(store.unpack_strings(words.target))
        if (len(source), len(target)) != (len(bitext.source_counts), len(bitext.target_counts)):
            raise InputError(path, None, "the vocabularies do not fit the training text", "build the model again")
        config = decode_config(meta["decode"])
        decoder = decoder_for(config)(
            bitext, source, target, LanguageModel.load(path / "lm"), meta["weights"], config,
            load_rules(path / GRAMMAR, GRAMMAR) if (path / GRAMMAR).exists() else None,
        )
        learned = TermWeights.stored(path / RETRIEVAL) if (path / RETRIEVAL).exists() else TermWeights()
        return cls(decoder, Analyzer.from_json(meta["source"], splitter), Analyzer.from_json(meta["target"]),
                   store.unpack_strings(words.groups), meta, learned)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The word translations of the training text."""
        return Lexicon(self.decoder.bitext, self.decoder.source, self.decoder.target)

    @property
    def signature(self) -> str:
        """What this model was made from and with, in one word."""
        return str(self.meta["signature"])

    def with_settings(self, **changes: Any) -> Model:
        """The same model with other settings of decoding, such as pop_limit=30 or language_model=False."""
        return self._with(self.decoder.weights, replace(self.decoder.config, **changes))

    def with_weights(self, weights: dict[str, float]) -> Model:
        """The same model with other weights of the translation features."""
        return self._with(weights, self.decoder.config)

    def with_retrieval(self, retrieval: TermWeights) -> Model:
        """The same model with other weights to search with."""
        return Model(self.decoder, self.source, self.target, self.groups, self.meta, retrieval)

    def _with(self, weights: dict[str, float], config: DecodeConfig) -> Model:
        decoder = self.decoder.changed(weights, config)
        return Model(decoder, self.source, self.target, self.groups, self.meta, self.retrieval)

    def sentences(self, text: str) -> list[str]:
        """The sentences of a query."""
        return split_sentences(text, self.source.settings.lang)

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text. One that a dictionary lacks is replaced by a word that it has with the same stem."""
        tokens, known = self.source.tokens(text), self.decoder.source
        if not self.meta.get(HEADWORDS):
            return tokens
        return [token if token in known else self._headwords.get(self.source.stem(token), token) for token in tokens]

    @cached_property
    def _headwords(self) -> dict[str, str]:
        """For each stem of the source vocabulary its shortest word, which is most likely a basic form."""
        words = sorted(self.decoder.source.words, key=lambda word: (-len(word), word))
        return {self.source.stem(word): word for word in words}

    def pieces(self, text: str) -> list[list[str]]:
        """The tokens of a text, taken as one sentence; in pieces if there are more than the decoder takes."""
        tokens, longest = self.tokens(text), self.decoder.config.max_words
        return [tokens[at : at + longest] for at in range(0, len(tokens), longest)]

    def forests(self, text: str, name: str = "", exclude: int = -1) -> list[Forest]:
        """The translation forests of a query's sentences, made without the training text of the group `exclude`."""
        pieces = [piece for sentence in self.sentences(text) for piece in self.pieces(sentence)]
        return [self.decoder.decode(piece, name, exclude) for piece in pieces]

    def forest(self, text: str, name: str = "", exclude: int = -1) -> Forest:
        """The translation forest of a text, taken as one sentence."""
        return self.decoder.decode(self.tokens(text), name, exclude)

    @staticmethod
    def best(forest: Forest) -> list[str]:
        """The words of the best translation in a forest."""
        first = kbest(forest, 1)
        return [forest.words[w] for w in first.words]


def decode_config(settings: dict[str, Any]) -> DecodeConfig:
    """The settings of decoding as a model's header records them; only phrase-based ones have a limit of distortion."""
    kind = PhraseConfig if "distortion_limit" in settings else DecodeConfig
    return kind(**{**settings, "rules": RuleConfig(**settings["rules"])})
