"""All languages: one file each, found by code.

    language("de").function_words           # also for "DE", "deu", "de_AT"
    language("yue").code == "zh"            # a record may serve several languages
    language("tlh").lacks()                 # a language without a file has the defaults, and says what it lacks
    language("tlh").is_known                # False

A file named by its code adds a record (record.py) to LANGUAGES; nothing else has to be changed. Plugins add theirs in
the same way: docs/extending.md. Codes are checked where users give them (text/language.py); here any string is fine,
for headers may hold what was written before codes were checked.
"""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from functools import lru_cache

from crossbow.registry import Registry
from crossbow.text.language import primary
from crossbow.text.languages.record import Compounds, Language, digits

__all__ = ["LANGUAGES", "Compounds", "Language", "digits", "language"]

LANGUAGES: Registry[Language] = Registry("language", {
    name: f"{__name__}.{name}" for name in sorted(module.name for module in pkgutil.iter_modules(__path__))
    if len(name) <= 3})  # codes have two or three letters; record.py and table.py are longer


# Languages without a file, in whatever script: what is written without spaces becomes pairs of characters. Tibetan has
# marks between its syllables, which part words well enough.
_UNSPACED = (r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
             r"\p{Tai_Tham}\p{Tai_Le}\p{New_Tai_Lue}\p{Tai_Viet}\p{Javanese}\p{Balinese}")
_ENDS = "།༎፧፨᠃꓿᙮"  # Tibetan, Ethiopic, Mongolian, Lisu, Canadian syllabics
_UNKNOWN = Language("", script="", segmenters=("bigrams", "spaces"), unspaced=_UNSPACED, ends=_ENDS)


def language(code: str) -> Language:
    """The record of a language; one with nothing but defaults if there is none."""
    short = primary(code)
    home = short if short in LANGUAGES else _served().get(short)
    return replace(_UNKNOWN, code=short) if home is None else LANGUAGES[home]


def _served() -> dict[str, str]:
    """Codes without a file of their own, and the record that serves them."""
    return _others(tuple(LANGUAGES))


@lru_cache(maxsize=8)
def _others(names: tuple[str, ...]) -> dict[str, str]:
    return {other: name for name in names for other in LANGUAGES[name].also if other not in names}
