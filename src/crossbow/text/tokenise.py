"""Tokens of a text in any language: words, numbers, addresses and punctuation, each a token of its own.

    tokenise("The user's libgtk-3.0 (1,000 files).", "en")
    == ["The", "user", "'s", "libgtk", "3.0", "(", "1,000", "files", ")", "."]

Words joined by - _ / . : are split there and the joiners dropped, for that is where technical text hides its words;
`split=False` keeps `libgtk-3.0` whole. A token never depends on what stands beyond the white space around it, and a
token tokenised again is itself: the index relies on both. Text should be normalised first (see normalise.py).

Addresses (http://…, www.…, name@host.org) are one token each. Repeated marks ("...", "--", "!!") are one token. Han
characters of Chinese text are tokens one by one; other scripts without spaces stay in runs (Japanese: japanese.py).
Every pattern is linear in the length of the text: possessive or anchored so that no run is scanned twice over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import regex  # type: ignore[import-untyped]

_L = r"\p{L}\p{M}\p{N}"  # letters, their marks, and numbers: what words are made of
_LETTER = f"[{_L}]"
_JOINERS = r"[-_/.:]"
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}"  # scripts that run on after an address without a space
_URL = rf"""(?i:(?:https?|s?ftp|ssh|git|svn|file|irc)://|www\.)(?={_LETTER})(?![{_UNSPACED}])
            [^\s<>"'{_UNSPACED}]*(?<=[{_L}/])"""
_EMAIL = rf"(?<![{_L}.+_-]){_LETTER}[{_L}.+_-]*+@[{_L}-]++(?:\.[{_L}-]++)++"
_LANGUAGE_NAME = rf"(?<!{_LETTER})(?i:[cf])\#(?!{_LETTER})|{_LETTER}++\+\+(?![{_L}+])"  # C#, C++
_ACRONYM = rf"(?<![{_L}.])(?:\p{{L}}\p{{M}}*\.){{2,}}+(?![{_L}.])"
_NUMBER = r"\p{Nd}++(?:[.,]\p{Nd}++)++"
_PUNCTUATION = rf"([.!?*=~+\#_-])\2*+|[^{_L}]"

# What an apostrophe does: these endings are words of their own ("user's" → user 's) …
_ENDINGS = {"en": "s|re|ve|ll|d|m|t", "de": "s|n|ne|nen|m"}
# … and so are these beginnings ("l'eau" → l' eau). In all other words it is a letter ("o'clock", "п'ять").
_BEGINNINGS = {
    "fr": "l|d|j|m|t|s|n|c|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu",
    "it": "l|d|c|s|m|t|v|n|un|all|dall|dell|nell|sull|coll|quest|quell|gl|bell|sant|tutt|mezz|anch|com|dov|cos",
    "ca": "l|d|m|t|s|n",
}

Tokeniser = Callable[[str], list[str]]


def tokenise(text: str, lang: str, split: bool = True) -> list[str]:
    """The tokens of a text."""
    return tokeniser(lang, split)(text)


@lru_cache(maxsize=64)
def tokeniser(lang: str, split: bool = True) -> Tokeniser:
    """The function from text to tokens for a language, for callers with many texts."""
    find = _pattern(lang.partition("-")[0].lower(), split).finditer

    def tokens(text: str) -> list[str]:
        return [match[1] for chunk in text.split() for match in find(chunk) if match[1]]

    return tokens


def address_parts(token: str) -> list[str] | None:
    """The words inside an address (http://www.gnome.org → http www gnome org); None for any other token."""
    return _WORDS.findall(token) if _ADDRESS.fullmatch(token) else None


_ADDRESS = regex.compile(f"{_URL}|{_EMAIL}", regex.VERBOSE)
_WORDS = regex.compile(f"{_LETTER}+")


def _pattern(lang: str, split: bool) -> regex.Pattern[str]:
    """Group 1 is the token; joiners between two words match without it."""
    endings, beginnings = _ENDINGS.get(lang), _BEGINNINGS.get(lang)
    letter, kinds = _LETTER, [_URL, _EMAIL]
    if lang in ("zh", "yue"):
        letter = rf"(?!\p{{Han}}){_LETTER}"
        kinds.append(rf"(?={_LETTER})\p{{Han}}")
    kinds += [_LANGUAGE_NAME, _ACRONYM]
    if split:
        kinds.append(_NUMBER)
    if beginnings:
        kinds.append(rf"(?i:{beginnings})'")
    inside = "'"
    if endings:
        ending = rf"(?i:{endings})(?!{_LETTER})"
        kinds.append(rf"(?<={_LETTER})'{ending}|'{ending}(?!')")
        inside = rf"'(?!{ending})"
    if lang == "en":
        kinds += [rf"(?i:can)(?='(?i:t)(?!{_LETTER}))", rf"(?:{letter})+?(?=(?i:n't)(?!{_LETTER}))",
                  rf"(?i:n't)(?!{_LETTER})"]
    if not split:
        inside = rf"(?:{_JOINERS}|(?<=\p{{Nd}}),(?=\p{{Nd}})|{inside})+"
    kinds += [rf"(?:{letter})++(?:{inside}(?:{letter})++)*+", _PUNCTUATION]
    joiner = rf"(?<={_LETTER}|\+\+|\#){_JOINERS}++(?={_LETTER})|" if split else ""
    return regex.compile(f"{joiner}({'|'.join(kinds)})", regex.VERBOSE)
