"""Spaces between words for scripts that have none, by the segmenter that a language's record names.

    spaced = segmenter("sudachi", language("ja"), mode="A")
    spaced("東京でLinuxを使う")  ==  " 東京 で Linux を 使う "   (up to white space)

Only runs of the script are segmented; everything else is left to tokenize.py. A plugin may add another way:

    SEGMENTERS.add("syllables", lambda code: my_syllables)      # from the code of a language to (run -> its words)

    spaces      the text as it is
    sudachi     Japanese words. Mode "A" gives the shortest units (選挙 管理 委員 会), "C" whole names. Short units suit
                translation from little data: far fewer are unseen in training, and phrases put names together again.
    jieba       Chinese words
    icu         words by ICU's dictionaries: Thai, Lao, Khmer, Burmese, Chinese
    bigrams     pairs of characters, each with the next one (图书馆 is 图书 书馆): no dictionary, nothing to install
    characters  one by one
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import regex  # type: ignore[import-untyped]

from crossbow.errors import CrossbowError
from crossbow.registry import Registry
from crossbow.text.languages import Language
from crossbow.text.memo import Memo

Segmenter = Callable[[str], str]
Words = Callable[[str], Iterable[str]]
MODES = ("A", "B", "C")  # of Sudachi
_LONGEST_RUN = 8000  # Sudachi takes at most 49,149 bytes at once
_CHARACTER = regex.compile(r"\X")  # with its marks


def segmenter(name: str, language: Language, mode: str = "A") -> Segmenter | None:
    """The function that puts spaces into a text; None if the text has them already."""
    if name == "spaces":
        return None
    if not language.unspaced:
        raise CrossbowError(f"the segmenter is {name!r}, but the record of {language.code!r} names no script without "
                            "spaces (`unspaced`); use 'spaces', or build the model or index again")
    words = _sudachi(mode) if name == "sudachi" else SEGMENTERS[name](language.code)
    run = regex.compile(rf"(?:(?=[\p{{L}}\p{{M}}\p{{N}}])[{language.unspaced}])+")

    def segment(found: str) -> str:
        parts = (words(found[start:start + _LONGEST_RUN]) for start in range(0, len(found), _LONGEST_RUN))
        return f" {' '.join(word for part in parts for word in part)} "

    memo = Memo(segment)
    return lambda text: str(run.sub(lambda match: memo[match[0]], text))


def _sudachi(mode: str) -> Words:
    sudachipy = _package("sudachipy", "Japanese text needs SudachiPy and its dictionary", "ja")
    try:
        dictionary = sudachipy.Dictionary()
    except (ImportError, OSError) as error:
        raise CrossbowError(f"Japanese text needs SudachiPy's dictionary ({error}); "
                            "install it with: pip install 'crossbow-clir[ja]'") from error
    make = getattr(dictionary, "tokenizer", None) or dictionary.create  # named differently before version 0.7
    sudachi, lock = make(mode=getattr(sudachipy.SplitMode, mode)), threading.Lock()

    def words(run: str) -> list[str]:
        with lock:  # a Sudachi tokenizer refuses a second call while one is under way
            return [word.surface() for word in sudachi.tokenize(run)]

    return words


def _jieba(code: str) -> Words:
    jieba = _package("rjieba", "the segmenter 'jieba' needs the package rjieba", "zh")
    return lambda run: jieba.cut(run)


def _icu(code: str) -> Words:
    breakers = _package("icu4py.breakers", f"words of {code!r} are found by ICU, which needs the package icu4py", "icu")
    return lambda run: breakers.WordBreaker(run, code)


def _bigrams(code: str) -> Words:
    def pairs(run: str) -> list[str]:
        characters = _CHARACTER.findall(run)
        return ["".join(pair) for pair in pairwise(characters)] or characters

    return pairs


def _characters(code: str) -> Words:
    return lambda run: list(_CHARACTER.findall(run))


SEGMENTERS: Registry[Callable[[str], Words]] = Registry("segmenter")
SEGMENTERS.add("spaces", lambda code: str.split)
SEGMENTERS.add("sudachi", lambda code: _sudachi("A"))
SEGMENTERS.add("jieba", _jieba)
SEGMENTERS.add("icu", _icu)
SEGMENTERS.add("bigrams", _bigrams)
SEGMENTERS.add("characters", _characters)


def _package(name: str, needs: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise CrossbowError(f"{needs} ({error}); install it with: pip install 'crossbow-clir[{extra}]', or choose the "
                            "segmenter 'bigrams', which needs nothing") from error
