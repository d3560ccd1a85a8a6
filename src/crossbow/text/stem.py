"""Stems: one form for house, houses and housing, by the Snowball stemmer of the language.

    stem = stemmer("en")
    stem("libraries") == stem("library")

Languages that Snowball does not know keep their words as they are.
"""

from __future__ import annotations

from collections.abc import Callable

import Stemmer

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_LONGEST_WORD = 64  # longer ones are data, not words


def stemmer(lang: str) -> Callable[[str], str]:
    """The function from lower-case word to stem. It keeps no memory of words: see memo.py."""
    name = _algorithm(lang)
    if name is None:
        return _unchanged
    snowball = Stemmer.Stemmer(name, 0)
    return lambda word: snowball.stemWord(word) if len(word) <= _LONGEST_WORD else word


def has_stemmer(lang: str) -> bool:
    """Whether words of the language are reduced to stems."""
    return _algorithm(lang) is not None


def _algorithm(lang: str) -> str | None:
    name = _SNOWBALL.get(lang.partition("-")[0].lower())
    return name if name in Stemmer.algorithms() else None  # an older PyStemmer knows fewer languages


def _unchanged(word: str) -> str:
    return word
