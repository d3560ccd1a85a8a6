"""Tokens of a text in any language: words, numbers, addresses and punctuation, each a token of its own.

    tokenize("The user's libgtk-3.0 (1,000 files).", "en")
    == ["The", "user", "'s", "libgtk", "3.0", "(", "1,000", "files", ")", "."]

Words joined by - _ / . : are split there and the joiners dropped, for that is where technical text hides its words;
`split=False` keeps `libgtk-3.0` whole. A token never depends on what stands beyond the white space around it, and a
token tokenized again is itself: the index relies on both. Text should be normalized first (see normalize.py).

Addresses (http://…, www.…, name@host.org) are one token each. Repeated marks ("...", "--", "!!") are one token. Scripts
without spaces stay in runs: segmenters.py puts spaces between their words before. What an apostrophe separates is
in the record of the language.
Every pattern is linear in the length of the text: possessive or anchored so that no run is scanned twice over.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import regex  # type: ignore[import-untyped]

from crossbow.text.languages import Language, language

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

Tokenizer = Callable[[str], list[str]]


def tokenize(text: str, lang: str, split: bool = True) -> list[str]:
    """The tokens of a text."""
    return tokenizer(lang, split)(text)


@lru_cache(maxsize=64)
def tokenizer(lang: str, split: bool = True) -> Tokenizer:
    """The function from text to tokens for a language, for callers with many texts."""
    find = _pattern(language(lang), split).finditer

    def tokens(text: str) -> list[str]:
        return [match[1] for chunk in text.split() for match in find(chunk) if match[1]]

    return tokens


def address_parts(token: str) -> list[str] | None:
    """The words inside an address (http://www.gnome.org → http www gnome org); None for any other token."""
    return _WORDS.findall(token) if _ADDRESS.fullmatch(token) else None


_ADDRESS = regex.compile(f"{_URL}|{_EMAIL}", regex.VERBOSE)
_WORDS = regex.compile(f"{_LETTER}+")


def _pattern(record: Language, split: bool) -> regex.Pattern[str]:
    """Group 1 is the token; joiners between two words match without it."""
    kinds = [_URL, _EMAIL, _LANGUAGE_NAME, _ACRONYM]
    if split:
        kinds.append(_NUMBER)
    if record.beginnings:
        kinds.append(rf"(?i:{record.beginnings})'")
    inside = "'"
    if record.endings:
        ending = rf"(?i:{record.endings})(?!{_LETTER})"
        kinds.append(rf"(?<={_LETTER})'{ending}|'{ending}(?!')")
        inside = rf"'(?!{ending})"
    if record.negation:
        negation = rf"(?i:{record.negation})(?!{_LETTER})"
        kinds += [rf"(?i:can)(?='(?i:t)(?!{_LETTER}))", rf"{_LETTER}+?(?={negation})", negation]
    if not split:
        inside = rf"(?:{_JOINERS}|(?<=\p{{Nd}}),(?=\p{{Nd}})|{inside})+"
    kinds += [rf"{_LETTER}++(?:{inside}{_LETTER}++)*+", _PUNCTUATION]
    joiner = rf"(?<={_LETTER}|\+\+|\#){_JOINERS}++(?={_LETTER})|" if split else ""
    return regex.compile(f"{joiner}({'|'.join(kinds)})", regex.VERBOSE)
