"""A trained translation model: everything from query text to its translation forest.

    model = Model.load("model.de-en")
    model.translate("Das Haus am See. Es ist alt.", n=3)     # the three best translations, with their scores
    forest = model.forest("Das Haus am See.")                # all translations of a sentence
    " ".join(model.best(forest))
    model.with_settings(pop_limit=30)                        # the same model, searched less thoroughly

A model that was loaded from a folder can be pickled: the pickle names the folder and says what was changed since.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import hub
from crossbow.decode.contract import Sentence, Translator
from crossbow.decode.decoder import DecodeConfig, Decoder
from crossbow.decode.kbest import kbest
from crossbow.decode.phrases import PhraseConfig, decoder_for
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError, InputError
from crossbow.forest.compose import joined, united
from crossbow.forest.hypergraph import Forest
from crossbow.forest.respelled import respelled
from crossbow.grammar.extract import RuleConfig
from crossbow.grammar.lexicon import Lexicon
from crossbow.model.combined import CombinedConfig, CombinedTranslator
from crossbow.model.folder import HEADWORDS, KIND, SEARCH, ModelParts, info_rows
from crossbow.model.laid import laid_over
from crossbow.model.letters import Names
from crossbow.model.spelling import LITERAL, Reading, Spelling
from crossbow.model.untranslated import SEARCHED, UNTRANSLATED, Untranslated
from crossbow.neural.folder import open_system
from crossbow.neural.translator import NeuralConfig, NeuralTranslator
from crossbow.store import digest, unpack_strings
from crossbow.text.analyzer import Analyzer
from crossbow.text.located import located
from crossbow.text.sentences import split_sentences
from crossbow.vocab import Vocab
from crossbow.weights import DEFAULT, Learned


class Translated(NamedTuple):
    """A translation of a text, and the natural logarithm of what the model thinks of it."""

    text: str
    score: float


class Origin(NamedTuple):
    """Where a model was loaded from, and what it had there to search with."""

    folder: Path
    search: dict[str, Any]
    learned: Learned


class Model:
    """A trained model. Safe to share between threads."""

    def __init__(self, decoder: Translator, source: Analyzer, target: Analyzer, groups: list[str], meta: dict[str, Any],
                 learned: Learned = Learned(), origin: Origin | None = None, spelling: Spelling | None = None,
                 spellings: int = 0, names: Names | None = None, letters: int = 0):
        self.decoder, self.source, self.target, self.groups, self.meta = decoder, source, target, groups, meta
        self.learned = learned  # weights of terms and word translations, for the search
        self.origin = origin
        self.spelling, self.spellings = spelling, spellings  # of unknown words, and how many are tried
        self.names, self.letters = names, letters  # the same, for words in another script

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Model:
        """Open a model that `crossbow train` wrote. Arrays are mapped, so this takes little time and memory."""
        model = cls.of(ModelParts.of_folder(folder))
        model.origin = Origin(Path(folder).absolute(), model.search, model.learned)
        return model

    @classmethod
    def of(cls, parts: ModelParts) -> Model:
        """Make a model of its parts, which may be in memory."""
        meta, target = parts.meta, Analyzer.from_json(parts.meta["target"])
        source, decoder = Analyzer.from_json(meta["source"], parts.open_compounds()), _decoder(parts, target)
        model = cls(decoder, source, target, unpack_strings(parts.words.groups), meta, parts.open_learned())
        if isinstance(decoder, Decoder):
            model.spelling = Spelling(decoder.source.words, decoder.bitext.source_counts, source)
            model.names = Names(decoder.bitext, decoder.source.words, decoder.target.words)
        return model

    @classmethod
    def untranslated(cls, analyzer: Analyzer, among_others: bool = False) -> Model:
        """A model for queries in the documents' own language: every word stands for itself.

        Settings of translation are an error, unless there are other models which they may be meant for.
        """
        recorded = analyzer.to_json()
        meta = {"source": recorded, "target": recorded, "weights": {}, "decode": {}, "summary": {}, SEARCH: SEARCHED,
                "signature": digest([UNTRANSLATED, recorded])}
        return cls(Untranslated(among_others), analyzer, analyzer, [], meta)

    def push(self, name: str, license: str, **about: Any) -> str:
        """Upload the folder to the hub under a name such as someone/model-de-en; returns a digest for `pull` to check.

        `data` and `results` are texts for the card, and `private` says who may see it.
        """
        if self.folder is None:
            raise CrossbowError("only a model that was loaded from a folder can be pushed; write it to one first")
        return hub.push(self.folder, name, info_rows(self.folder), license=license, **about)

    @classmethod
    def pull(cls, name: str, *, revision: str | None = None, digest: str | None = None) -> Model:
        """Download a model from the hub, unless it is there, check it and open it."""
        return cls.load(hub.pull(name, KIND, revision=revision, digest=digest))

    @property
    def folder(self) -> Path | None:
        """The folder from which the model was loaded, if it was."""
        return self.origin.folder if self.origin else None

    @cached_property
    def lexicon(self) -> Lexicon | None:
        """The word translations of the training text, if there is one."""
        return self.decoder.lexicon

    @property
    def systems(self) -> list[Model]:
        """The models that were combined in this one, or itself."""
        return self.decoder.models if isinstance(self.decoder, CombinedTranslator) else [self]

    @property
    def search(self) -> dict[str, Any]:
        """The configuration with which to search, as SearchConfig.of reads it; empty if none was decided."""
        return dict(self.meta.get(SEARCH, {}))

    @property
    def learned_v(self) -> float:
        """How much terms without a learned weight count: the value of weights.v when the others were learned."""
        return float(self.meta.get("learned", {}).get("v", DEFAULT))

    @property
    def signature(self) -> str:
        """A digest of what this model was made from and of its settings."""
        return str(self.meta["signature"])

    @property
    def kind(self) -> str:
        """What translations are made of: 'hierarchical', 'phrase', 'dictionary', 'grammar' (of another system),
        'neural', 'combined', or 'untranslated'."""
        return "dictionary" if self.meta.get(HEADWORDS) else self.decoder.kind

    def __repr__(self) -> str:
        summary = self.meta["summary"]
        sizes = [f"{summary[name]:,} {name.replace('_', ' ')}"
                 for name in ("pairs", "entries", "rules", "source_words", "target_words") if name in summary]
        languages = f"{self.source.settings.lang} → {self.target.settings.lang}"
        return f"<Model {', '.join((languages, self.kind, *sizes))}, signature {self.signature}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.origin is None:
            raise CrossbowError("this model was made in memory, so it cannot be pickled; write it to a folder with "
                                "crossbow.model.write_model and load it from there")
        decoder, meta = self.decoder, self.meta
        return _reopened, (str(self.origin.folder), self.signature,
                           None if decoder.config == decode_config(meta["decode"]) else decoder.config,
                           None if decoder.weights == meta["weights"] else decoder.weights,
                           None if self.search == self.origin.search else self.search,
                           None if self.learned == self.origin.learned else self.learned, self.spellings,
                           self.letters)

    def with_settings(self, **changes: Any) -> Model:
        """The same model with other settings of decoding, such as pop_limit=30 or language_model=False."""
        return self._with(self.decoder.weights, replace(self.decoder.config, **changes))

    def with_weights(self, weights: dict[str, float]) -> Model:
        """The same model with other weights of the translation features."""
        return self._with(weights, self.decoder.config)

    def with_translation(self, translation: Translation) -> Model:
        """The same model with the translation settings of a search configuration."""
        decoder = self.decoder.with_translation(translation)
        return self._with(decoder.weights, decoder.config, translation.spellings, translation.letters)

    def with_search(self, search: dict[str, Any], learned: Learned) -> Model:
        """The same model with another configuration to search with, and learned weights."""
        meta = {**self.meta, SEARCH: search}
        return Model(self.decoder, self.source, self.target, self.groups, meta, learned, self.origin, self.spelling,
                     self.spellings, self.names, self.letters)

    def _with(self, weights: dict[str, float], config: Any, spellings: int | None = None, letters: int | None = None
              ) -> Model:
        decoder = self.decoder.changed(weights, config)
        return Model(decoder, self.source, self.target, self.groups, self.meta, self.learned, self.origin,
                     self.spelling, self.spellings if spellings is None else spellings,
                     self.names, self.letters if letters is None else letters)

    def sentences(self, text: str) -> list[str]:
        """The sentences of a query."""
        return split_sentences(text, self.source.settings.lang)

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text. With a dictionary, a token that it lacks becomes a word of it with the same stem."""
        tokens = self.source.tokens(text)
        if not self.meta.get(HEADWORDS):
            return tokens
        return [token if token in self._known else self._headwords.get(self.source.stem(token), token)
                for token in tokens]

    def words(self, text: str) -> list[str]:
        """The tokens of a text that mean something by themselves: no function words, no punctuation."""
        return [token for token in self.tokens(text) if self.source.terms(token)]

    def knows(self, token: str) -> bool:
        """Whether a token was in the training text. Neural systems translate parts of words, so they know all."""
        return any(token in model.decoder.source if isinstance(model.decoder, Decoder) else True
                   for model in self.systems)

    @cached_property
    def _known(self) -> Vocab:
        """The words of a dictionary."""
        return self.decoder.source if isinstance(self.decoder, Decoder) else Vocab()

    @cached_property
    def _headwords(self) -> dict[str, str]:
        """For each stem of the source vocabulary its shortest word, which is most likely a basic form."""
        words = sorted(self._known.words, key=lambda word: (-len(word), word))
        return {self.source.stem(word): word for word in words}

    def pieces(self, text: str) -> list[Sentence]:
        """A text, taken as one sentence, or cut into pieces if it is too long to be translated at once."""
        tokens, longest = self.tokens(text), self.decoder.max_words
        if len(tokens) <= longest:
            return [Sentence(text, tokens)] if tokens else []
        starts = range(0, len(tokens), longest)
        places = [begin for begin, _ in located(tokens, text)]
        cuts = [0, *(places[at] for at in starts[1:]), len(text)]
        return [Sentence(text[begin:end], tokens[at : at + longest]) for at, begin, end in zip(starts, cuts, cuts[1:])]

    def forests(self, text: str, name: str = "", exclude: int = -1) -> list[Forest]:
        """The translation forests of a query's sentences, made without the training text of the group `exclude`."""
        pieces = [piece for sentence in self.sentences(text) for piece in self.pieces(sentence)]
        return [self.translated(piece, name, exclude) for piece in pieces]

    def forest(self, text: str, name: str = "", exclude: int = -1) -> Forest:
        """The translation forest of a text, taken as one sentence."""
        return self.translated(Sentence(text, self.tokens(text)), name, exclude)

    def translated(self, sentence: Sentence, name: str = "", exclude: int = -1) -> Forest:
        """The forest of a sentence, with other spellings and readings of its unknown words if they are asked for.

        If a group is left out, there are no other readings: words may be unknown only because their text is left out.
        """
        typed = self.decoder.translate(sentence, name, exclude)
        if self.names is not None and self.letters and exclude < 0:
            typed = respelled(typed, self.names.spellings(sentence.tokens, self.letters), LITERAL)
        if self.spelling is None or not self.spellings or exclude >= 0:
            return typed
        readings = self.readings(sentence.tokens, self.spellings)
        if not readings:
            return typed
        others = [self._laid(sentence, reading, name) for reading in readings]
        return united([typed.without_features(), *others], [LITERAL, *(reading.prior for reading in readings)])

    def readings(self, tokens: Sequence[str], most: int) -> list[Reading]:
        """The sentences that a sentence with unknown words is read as beside itself, in the order of their forests."""
        found = self.spelling.readings(tokens, most) if self.spelling is not None else []
        return [one for one in found if len(one.tokens) <= self.decoder.max_words]  # a compound has parts

    def _laid(self, sentence: Sentence, reading: Reading, name: str) -> Forest:
        """The forest of a reading, as one of the tokens that were typed."""
        forest = self.decoder.translate(Sentence(sentence.text, reading.tokens), name).without_features()
        if len(reading.tokens) == len(sentence.tokens):
            return replace(forest, source=list(sentence.tokens))
        return laid_over(forest, sentence.tokens, [[place] for place in reading.places])

    def translate(self, text: str, n: int = 1) -> list[Translated]:
        """The n best distinct translations of a text with all its sentences, best first; fewer if there are fewer."""
        if n < 1:
            raise CrossbowError(f"{n} translations were asked for; ask for at least one")
        forests = self.forests(text)
        if not forests:
            return []
        whole = joined(forests)
        best = kbest(whole, n, unique=True)
        return [Translated(" ".join(whole.words[word] for word in best.words[start:end]), float(score))
                for start, end, score in zip(best.word_starts, best.word_starts[1:], best.score)]

    @staticmethod
    def best(forest: Forest) -> list[str]:
        """The words of the best translation in a forest."""
        first = kbest(forest, 1)
        return [forest.words[w] for w in first.words]


def _decoder(parts: ModelParts, target: Analyzer) -> Translator:
    """What makes the forests of a model."""
    meta, config = parts.meta, decode_config(parts.meta["decode"])
    if isinstance(config, CombinedConfig):
        return CombinedTranslator([Model.load(system) for system in parts.systems], config)
    if isinstance(config, NeuralConfig):
        if parts.neural is None:
            raise CrossbowError("the model is a neural one, but has no system; build it again")
        return NeuralTranslator(open_system(parts.neural), target, config)
    words = Vocab(unpack_strings(parts.words.source)), Vocab(unpack_strings(parts.words.target))
    bitext = parts.open_bitext()
    if tuple(map(len, words)) != (len(bitext.source_counts), len(bitext.target_counts)):
        raise CrossbowError("the vocabularies do not fit the training text; build the model again")
    return decoder_for(config)(bitext, *words, parts.open_lm(), meta["weights"], config, parts.open_grammar())


def decode_config(settings: dict[str, Any]) -> DecodeConfig | NeuralConfig | CombinedConfig:
    """The settings of translation as a model's header records them. The kind of model decides which there are: scales,
    a length of lists, or a distortion limit."""
    if "scales" in settings:
        return CombinedConfig(tuple(settings["scales"]), tuple(settings["priors"]))
    if "nbest" in settings:
        return NeuralConfig(**settings)
    kind = PhraseConfig if "distortion_limit" in settings else DecodeConfig
    return kind(**{**settings, "rules": RuleConfig(**settings["rules"])})


def _reopened(
    folder: str, signature: str, config: Any, weights: dict[str, float] | None,
    search: dict[str, Any] | None, learned: Learned | None, spellings: int = 0, letters: int = 0,
) -> Model:
    """The model that was pickled, from its folder, changed as it was."""
    model = Model.load(folder)
    if model.signature != signature:
        raise InputError(folder, None, f"holds the model {model.signature} now, but {signature} was pickled",
                         "load the new model instead, or put the old one back")
    if config is not None or weights is not None or spellings or letters:
        model = model._with(model.decoder.weights if weights is None else weights, config or model.decoder.config,
                            spellings, letters)
    if search is None and learned is None:
        return model
    return model.with_search(model.search if search is None else search, model.learned if learned is None else learned)
