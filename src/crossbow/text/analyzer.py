"""The analyzer of one language: how text becomes tokens for translation and terms for the index.

    english = Analyzer(Settings("en"))
    english.tokens("The text-mode libraries.")   == ["the", "text", "mode", "libraries", "."]
    english.terms("libraries")                   == ("librari",)
    english.analyze("The text-mode libraries.")  == (["text", "mode", "librari"], 5)

Tokens keep punctuation and function words: translation needs them, and a document's length counts them. Terms are what
the index holds: stems without function words and without anything that has no letter or digit. The terms of a text are
the terms of its tokens one after another, wherever the tokens come from, so what translation produces finds what the
index holds. Models and indexes record their analyzer with `to_json` and compare with `check_matches` before they meet.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from crossbow.errors import CrossbowError, InputError
from crossbow.store import digest
from crossbow.text.compounds import Splitter
from crossbow.text.language import language_code
from crossbow.text.languages import language
from crossbow.text.memo import Memo
from crossbow.text.segmenters import MODES, segmenter
from crossbow.text.tokenize import address_parts, tokenize, tokenizer

RULES = 1  # raise it whenever any file of this package gives other output for the same settings; see also
# Language.revision, for what concerns one language alone
_OPTIONAL = ("revision", "segmenter")  # keys that a header may lack
_UNRECORDED = ("spaces", "sudachi")  # the only segmenters when headers did not name them yet


@dataclass(frozen=True)
class Settings:
    """Everything a user may choose that changes what an analyzer gives."""

    lang: str = "en"  # a code in any spelling (language.py); one without stems and function words is fine
    kind: str = "words"  # "tokens": the text is tokenized already; split it at white space and change nothing
    split: bool = True  # also split words at - _ / . :
    lowercase: bool = True
    stem: bool = True
    stopwords: str | Collection[str] = "default"  # the language's list, "none", or words (see stopwords_from_file)
    japanese: str = "A"  # Sudachi's unit: "A" short, "B" middle, "C" named entities (see segmenters.py)
    segmenter: str = ""  # how words are found where no spaces part them; "" is the language's default (segmenters.py)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lang", language_code(self.lang))
        if self.kind not in ("words", "tokens"):
            raise CrossbowError(f"the kind of text is {self.kind!r}; it must be 'words' or 'tokens'")
        if not isinstance(self.stopwords, str):
            object.__setattr__(self, "stopwords", tuple(sorted(set(self.stopwords))))
        elif self.stopwords not in ("default", "none"):
            raise CrossbowError(f"the stopwords are {self.stopwords!r}; they must be 'default', 'none' or words")
        if self.japanese not in MODES:
            raise CrossbowError(f"the Japanese mode is {self.japanese!r}; it must be 'A', 'B' or 'C'")
        fitting = language(self.lang).segmenters
        if not self.segmenter:
            object.__setattr__(self, "segmenter", fitting[0])
        elif self.segmenter not in fitting:
            raise CrossbowError(f"the segmenter is {self.segmenter!r}; for {self.lang!r} it must be "
                                f"{' or '.join(map(repr, fitting))}")

    def lacks(self) -> list[str]:
        """What these settings ask for and the language does not have: each a sentence without its end."""
        if self.kind == "tokens":
            return []
        return language(self.lang).lacks(self.stem, self.stopwords == "default")

    @classmethod
    def recorded(cls, data: dict[str, Any]) -> Settings:
        """The settings in a header. A code that would be refused or spelled otherwise today stays as it was written."""
        if not isinstance(data["lang"], str):
            raise TypeError("a language is a string")
        given = {field.name: data[field.name] for field in fields(cls) if field.name not in ("lang", "segmenter")}
        settings = cls(**given)
        object.__setattr__(settings, "lang", data["lang"])
        fitting = language(data["lang"]).segmenters
        unrecorded = next((name for name in fitting if name in _UNRECORDED), fitting[0])
        object.__setattr__(settings, "segmenter", data.get("segmenter") or unrecorded)
        return settings


class Analyzer:
    """Tokens and terms of texts under given settings. Remembers what it has seen, so keep one for many texts."""

    def __init__(self, settings: Settings, splitter: Splitter | None = None):
        self.settings, self.splitter = settings, splitter
        self.stopwords = _stopwords(settings)
        self.language = language(settings.lang)
        words = settings.kind == "words"
        if splitter and (not words or splitter.lang != settings.lang):
            raise CrossbowError(f"compounds of {splitter.lang!r} do not go with {settings.kind} of {settings.lang!r}; "
                                "use the splitter that was learned from the same text")
        self._segment = segmenter(settings.segmenter, self.language, settings.japanese) if words else None
        self._tokenize = tokenizer(settings.lang, settings.split)
        self.stem = self.language.stemmer() if words and settings.stem else str
        self._chunks = Memo(self._tokens_of_chunk)
        self._terms = Memo(self._terms_of_token)

    def __reduce__(self) -> tuple[Any, ...]:
        return Analyzer, (self.settings, self.splitter)  # other processes build their own stemmers and memories

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text as translation sees them: lower-cased, compounds split, punctuation kept."""
        text = self._clean(text)
        if self.settings.kind == "tokens":
            return text.split()
        if self._segment:
            text = self._segment(text)
        chunks = self._chunks
        return [token for chunk in text.split() for token in chunks[chunk]]

    def terms(self, token: str) -> tuple[str, ...]:
        """The index terms of one token, none for punctuation and function words.

        The token may come from another system: "Text-Mode" gives the terms of text and mode. Only runs of scripts
        without spaces are taken as they are, for a word alone may be segmented otherwise than in its sentence.
        """
        return self._terms[token]

    def analyze(self, text: str) -> tuple[list[str], int]:
        """The index terms of a text, in order, and its length in tokens."""
        tokens, terms = self.tokens(text), self._terms
        return [term for token in tokens for term in terms[token]], len(tokens)

    def to_json(self) -> dict[str, Any]:
        """All that decides what this analyzer gives, for headers of models and indexes."""
        chosen, own = self.settings.stopwords, asdict(self.settings)
        if own["segmenter"] in _UNRECORDED or self.settings.kind == "tokens":
            del own["segmenter"]
        revised = self.language.revision > 1 and self.settings.kind == "words"
        return {
            "rules": RULES,
            **({"revision": self.language.revision} if revised else {}),
            **own,
            "stopwords": chosen if isinstance(chosen, str) else list(chosen),
            "stopwords_digest": digest(sorted(self.stopwords)),
            "compounds": self.splitter.digest() if self.splitter else None,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], splitter: Splitter | None = None) -> Analyzer:
        """The analyzer that `to_json` described; a splitter that belonged to it must be given again."""
        try:
            settings = Settings.recorded(data)
        except (KeyError, TypeError):
            raise CrossbowError("damaged analyzer settings in a header; build the model or index again") from None
        analyzer = cls(settings, splitter)
        analyzer.check_matches(data, "the recorded analyzer")
        return analyzer

    def check_matches(self, other_json: dict[str, Any], where: str) -> None:
        """Raise an error that names each setting in which the analyzer recorded at `where` differs from this one."""
        mine = self.to_json()
        keys = [*mine, *(key for key in _OPTIONAL if key in other_json and key not in mine)]
        differing = [key for key in keys if key != "stopwords" and mine.get(key) != other_json.get(key)]
        if differing:
            found = ", ".join(f"{key} = {other_json.get(key)!r} (here {mine.get(key)!r})" for key in differing)
            raise CrossbowError(f"{where}: made with other settings of text analysis: {found}; use the same settings "
                                "on both sides, or build it again with this version")

    def _clean(self, text: str) -> str:
        if self.settings.kind == "words":
            return self.language.clean(text)
        return text if text.isascii() else text.encode("utf8", "replace").decode("utf8")  # lone surrogates become "?"

    def _lower(self, token: str) -> str:
        for capital, small in self.language.lower.items():
            token = token.replace(capital, small)
        lowered = token.lower()
        return lowered if lowered.isascii() else unicodedata.normalize("NFC", lowered)  # H̱ has two codes, ẖ has one

    def _tokens_of_chunk(self, chunk: str) -> tuple[str, ...]:
        """The tokens of a piece of clean text without white space."""
        tokens = self._tokenize(chunk)
        if self.settings.lowercase:
            tokens = [self._lower(token) for token in tokens]
        if self.splitter:
            tokens = [part for token in tokens for part in self.splitter.split(token)]
        return tuple(tokens)

    def _terms_of_token(self, token: str) -> tuple[str, ...]:
        chunks = self._clean(token).split()
        if self.settings.kind == "words":
            tokens = [part for chunk in chunks for part in self._chunks[chunk]]
            if self.settings.split:
                tokens = [word for token in tokens for word in address_parts(token) or [token]]
            chunks = [token for token in tokens if self._lower(token) not in self.stopwords]
        terms = (self.stem(token) for token in chunks if token not in self.stopwords)
        return tuple(term for term in terms if any(map(str.isalnum, term)))


def stopwords_from_file(path: str | os.PathLike[str]) -> frozenset[str]:
    """The words of a UTF-8 text file, one per line; empty lines and lines that start with # do not count."""
    try:
        lines = Path(path).read_bytes().splitlines()
    except OSError as error:
        raise InputError(path, None, f"cannot be read ({error.strerror})",
                         "give a text file with one word per line") from None
    words = set()
    for number, raw in enumerate(lines, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf8").strip()
        except UnicodeDecodeError:
            raise InputError(path, number, "not UTF-8", "save the file as UTF-8") from None
        if line.startswith("#"):
            continue
        if len(line.split()) > 1:
            raise InputError(path, number, f"more than one word: {line[:60]!r}", "write one stopword per line")
        words.add(line)
    words.discard("")
    if not words:
        raise InputError(path, None, "has no words in it",
                         "write one stopword per line, or set the stopwords to 'none'")
    return frozenset(words)


def _stopwords(settings: Settings) -> frozenset[str]:
    """The stopwords in force. A user's words are spelled as tokens are: "don't" stops what it is tokenized into."""
    if isinstance(settings.stopwords, str):
        both = settings.stopwords == "default" and settings.kind == "words"
        return language(settings.lang).function_words if both else frozenset()
    if settings.kind == "tokens":
        return frozenset(settings.stopwords)
    clean = language(settings.lang).clean
    spelled = (clean(word).lower() for word in settings.stopwords)
    return frozenset(part for word in spelled for part in (tokenize(word, settings.lang) if "'" in word else [word]))
