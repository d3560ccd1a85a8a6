"""What is known of one language, as data: how it is written, segmented, stemmed, and which of its words say little.

    LANGUAGES.add("xx", Language("xx", snowball="english", stopwords="the of and"))     # a file per language does this
    language("de-AT").compounds                                                         # see __init__.py

Every field has a default that works for any language that puts spaces between words. What a record leaves out is what
the language lacks, and `lacks` says so in words. Nothing else in this package asks for the code of a language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import regex  # type: ignore[import-untyped]
import Stemmer

from crossbow.text.normalize import normalize

LONGEST_WORD = 64  # longer ones are data, not words: they are their own stems


@dataclass(frozen=True)
class Compounds:
    """How words are joined to longer ones, for languages that write these without spaces."""

    links: tuple[str, ...]  # what may stand between two parts
    lost: tuple[tuple[str, str], ...]  # how a part ends inside a compound, and how the same word ends alone
    affixes: str = ""  # bound pieces that turn up as words in some texts (through hyphens) and would be nonsense parts


@dataclass(frozen=True)
class Language:
    """One language."""

    code: str
    also: tuple[str, ...] = ()  # other codes that this record serves
    script: str = "Latin"  # empty if nothing is known of the language
    # Segmentation: the names in segmenters.py, or of a plugin, that suit the language, the default first.
    segmenters: tuple[str, ...] = ("spaces",)
    unspaced: str = ""  # the characters that are written without spaces, as inside the brackets of a regular expression
    # Normalization: of the text, before it is cut into tokens.
    folds: Mapping[str, str] = field(default_factory=dict)  # letters (and marks) that become others, or nothing
    # Regular expressions and what takes their place, a text or a function of the match, after the folds.
    rewrites: tuple[tuple[str, str | Callable[[regex.Match[str]], str]], ...] = ()
    nonjoiner: str = ""  # what U+200C, ZERO WIDTH NON-JOINER, becomes
    lower: Mapping[str, str] = field(default_factory=dict)  # capitals whose small letter is not the usual one
    # Tokens: what an apostrophe parts. These endings are words of their own ("user's" → user 's) …
    endings: str = ""
    beginnings: str = ""  # … and so are these beginnings ("l'eau" → l' eau); in all other words it is a letter
    negation: str = ""  # … and this word, which grows on another one ("don't" → do n't)
    # Terms: spellings that become others in a word before its stem is taken; tokens keep theirs.
    respelled: Mapping[str, str] = field(default_factory=dict)
    # Stems by Snowball's algorithm of this name, by a function of this package, or by one after the other.
    snowball: str = ""
    light: Callable[[str], str] | None = None
    stems: str = ""  # what `light` does, in a few words
    stopwords: str = ""  # function words: lower case, as tokens are spelled
    # Sentences.
    ends: str = ""  # marks that end a sentence before white space, beside those that sentences.py has for all languages
    abbreviations: str = ""  # words whose period does not end a sentence
    ordinals: bool = False  # whether "3." means third
    close: bool = False  # whether a sentence may begin right after the mark that ended the last one
    compounds: Compounds | None = None
    revision: int = 1  # raise it when the same settings give other terms; headers record it
    example: tuple[str, str] = ("", "")  # a sentence, and its terms

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The words that an index leaves out."""
        return frozenset(self.clean(self.stopwords).split())

    @cached_property
    def not_last(self) -> frozenset[str]:
        """The abbreviations that do not end a sentence."""
        return frozenset(self.abbreviations.split())

    @property
    def is_known(self) -> bool:
        """Whether there is a record of this language, and not only defaults."""
        return bool(self.script)

    @property
    def algorithm(self) -> str | None:
        """Snowball's algorithm; none if the one that is installed is too old to have it."""
        return self.snowball if self.snowball in Stemmer.algorithms() else None

    @property
    def has_stems(self) -> bool:
        """Whether words are reduced to stems."""
        return self.algorithm is not None or self.light is not None

    def clean(self, text: str) -> str:
        """The text with one spelling for each character, and for each letter of this language."""
        if self.nonjoiner:
            text = text.replace("\u200c", self.nonjoiner)
        text = normalize(text)
        if self.folds and not text.isascii():
            text = unicodedata.normalize("NFC", text.translate(self._table))
        for pattern, by in self.rewrites:
            text = str(regex.sub(pattern, by, text))
        return text

    def has_unspaced(self, text: str) -> bool:
        """Whether some of the text is in a script that this language writes without spaces."""
        return self._unspaced is not None and self._unspaced.search(text) is not None

    @cached_property
    def _unspaced(self) -> regex.Pattern | None:
        return regex.compile(f"[{self.unspaced}]") if self.unspaced else None

    @cached_property
    def _table(self) -> dict[int, str]:
        return str.maketrans(dict(self.folds))

    def stemmer(self) -> Callable[[str], str]:
        """The function from lower-case word to stem. It keeps no memory of words: see memo.py."""
        if not self.has_stems:
            return _unchanged
        snowball = Stemmer.Stemmer(self.algorithm, 0).stemWord if self.algorithm else _unchanged
        light = self.light or _unchanged
        return lambda word: light(snowball(self._respelled(word))) if len(word) <= LONGEST_WORD else word

    def _respelled(self, word: str) -> str:
        for spelling, usual in self.respelled.items():
            word = word.replace(spelling, usual)
        return word

    def lacks(self, stem: bool = True, stopwords: bool = True) -> list[str]:
        """What is not there for this language, among what is asked for: each a sentence without its end."""
        missing = []
        endless = self.is_known and self.unspaced  # scripts without spaces belong to words without endings
        if stem and not self.has_stems and not endless:
            missing.append(f"no stemmer for {self.code!r}: words are matched as they stand")
        if stopwords and not self.function_words:
            missing.append(f"no list of function words for {self.code!r}: all words count")
        return missing


def digits(zero: str) -> dict[str, str]:
    """The ten digits of a script, by its zero, each with the one that all scripts share."""
    return {chr(ord(zero) + value): str(value) for value in range(10) if unicodedata.digit(chr(ord(zero) + value), -1)
            == value}


def _unchanged(word: str) -> str:
    return word
