"""Sentences of a text: translation works on one at a time.

    split_sentences("Er kam am 3. Mai. Dr. Roth auch.", "de")  ==  ["Er kam am 3. Mai.", "Dr. Roth auch."]

A sentence ends at . ! ? (and their kin in other scripts, and what else the language has) before white space, unless a
lower-case word follows or the period belongs to an abbreviation, an initial or, where the language writes them so, an
ordinal number (languages/).
Japanese and Chinese sentences end at 。！？ without white space. A blank line or a bullet always starts a new
sentence, a mere line break never does. White space inside a sentence becomes single spaces; nothing else is changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import regex  # type: ignore[import-untyped]

from crossbow.text.languages import Language, language

_NOT_LAST_BEFORE_NUMBER = frozenset({
    "abb", "abs", "art", "bd", "cap", "ch", "chap", "eq", "fig", "figs", "kap", "n", "no", "nos", "nr", "núm", "p",
    "pag", "pagg", "pp", "pág", "págs", "sec", "tab", "vol", "vols",
})  # fmt: skip
_CLOSERS = r"""["'”’»›)\]}」』）】〉》]"""
_BREAK = regex.compile(r"\n[^\S\n]*\n\s*|\n(?=[^\S\n]*[*•‣▪◦–-][^\S\n])")
_END = rf"(?<![.!?…])[.!?…]++{_CLOSERS}*+(?=\s)|[؟۔।॥։።။។]++{_CLOSERS}*+(?=\s)|[。！？｡]++{_CLOSERS}*+"
_END_WITHOUT_SPACE = rf"[。！？｡!?]++{_CLOSERS}*+|(?<!\.)[.]++{_CLOSERS}*+(?=\s)"
_NEXT_IS_LOWER_CASE = regex.compile(r"""\s+["'“‘„«‹(\[{]*+\p{Ll}""")
_NEXT_IS_NUMBER = regex.compile(r"\s+\p{Nd}")
_LAST_WORD = regex.compile(r"[\p{L}\p{M}\p{N}.ª]*$")
_LAST_LATIN_WORD = regex.compile(r"[\p{Latin}\p{M}\p{N}.]*$")  # where words stand close together: 装置No. 3
_INITIALS = regex.compile(r"\p{L}|(?:\p{L}{1,3}\.)+\p{L}{1,3}")
_ORDINAL = regex.compile(r"\p{Nd}{1,2}")
_LONGEST_ABBREVIATION = 16


def split_sentences(text: str, lang: str) -> list[str]:
    """The sentences of a text, without empty ones."""
    return [*_sentences(text, lang)]


def first_sentence(text: str, lang: str) -> str:
    """The first of them, or nothing; the others are not looked for."""
    return next(_sentences(text, lang), "")


def _sentences(text: str, lang: str) -> Iterator[str]:
    record = language(lang)
    for block in _BREAK.split(text):
        start = 0
        for end in _end(record.close, record.ends).finditer(block):
            if not _goes_on(block, end, record):
                yield from _tidy(block[start:end.end()])
                start = end.end()
        yield from _tidy(block[start:])


@lru_cache(maxsize=64)
def _end(close: bool, own: str) -> regex.Pattern[str]:
    """What may end a sentence, with the marks of a language's own."""
    own = rf"[{regex.escape(own)}]++{_CLOSERS}*+(?=\s)|" if own else ""
    return regex.compile(own + (_END_WITHOUT_SPACE if close else _END))


def _tidy(sentence: str) -> list[str]:
    return [found] if (found := " ".join(sentence.split())) else []


def _goes_on(block: str, end: regex.Match[str], record: Language) -> bool:
    """Whether the sentence continues after this mark."""
    if end[0][0] not in ".!?…" + record.ends:
        return False
    if not record.close and _NEXT_IS_LOWER_CASE.match(block, end.end()):
        return True
    if end[0] != ".":
        return False
    last = _LAST_LATIN_WORD if record.close else _LAST_WORD
    word = last.search(block[max(0, end.start() - _LONGEST_ABBREVIATION):end.start()])[0]
    if record.ordinals and _ORDINAL.fullmatch(word):
        return True
    if word.lower() in _NOT_LAST_BEFORE_NUMBER:  # "no. 5", but "he said no. Then"
        return bool(_NEXT_IS_NUMBER.match(block, end.end()))
    return word.lower() in record.not_last or bool(_INITIALS.fullmatch(word))
