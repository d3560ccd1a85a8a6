"""One spelling for each character: what looks the same becomes the same, before anything else touches a text.

    normalize("ﬁne\u00a0„Ｗords“")  ==  'fine "Words"'

Like Unicode NFKC where that is safe (full-width and presentation forms, ligatures, odd spaces), but superscripts,
fractions and circled numbers stay (NFKC would turn 2³ into 23). Quotes and dashes are unified, invisible characters
go, control characters become spaces, line ends become "\\n", and lone surrogates become U+FFFD so that every result
can be written as UTF-8. No letter is lost. Normalizing twice changes nothing more.
"""

from __future__ import annotations

import re
import unicodedata

_KEPT_FORMS = ("<super>", "<sub>", "<fraction>", "<circle>")
_UNIFIED = {
    **dict.fromkeys("‘’‚‛‹›′´`ʼ", "'"),
    **dict.fromkeys("“”„‟«»″〝〞〟", '"'),
    **dict.fromkeys("‐‑‒–−", "-"),
    **dict.fromkeys("—―", " - "),  # these part phrases, so they must never glue two words into a hyphenated one
    **dict.fromkeys("\v\f\x85\u2028\u2029\r", "\n"),
    "\n": "\n",
    "\u200b": " ",  # ZERO WIDTH SPACE marks a word boundary in Thai, Khmer, …; the other zero-width characters do not
    "\u034f": "",  # COMBINING GRAPHEME JOINER
}
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_HANGUL_LETTERS = range(0x3131, 0x318F)  # NFKC would let letters that stand alone melt into syllables
_ASCII_TO_CHANGE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f`]")


def normalize(text: str) -> str:
    """The text with one spelling for each character."""
    if text.isascii() and not _ASCII_TO_CHANGE.search(text):
        return text
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return unicodedata.normalize("NFC", text.translate(_FOLDS))


def _fold(char: str) -> str:
    """What one character becomes."""
    if char in _UNIFIED:
        return _UNIFIED[char]
    category = unicodedata.category(char)
    if category == "Cf" or any(ord(char) in selectors for selectors in _VARIATION_SELECTORS):
        return ""
    if category in ("Cc", "Zs"):
        return " "
    if category == "Cs":
        return "\ufffd"
    canonical = unicodedata.normalize("NFC", char)
    if canonical != char:  # a second code for the same character
        return "".join(map(_fold, canonical))
    folded = unicodedata.normalize("NFKC", char)
    if folded == char or ord(char) in _HANGUL_LETTERS or unicodedata.decomposition(char).startswith(_KEPT_FORMS):
        return char
    if " " in folded:  # spacing accents: NFKC would cut the word there
        return char
    return "".join(_UNIFIED.get(part, part) for part in folded)


class _Folds(dict[int, str]):
    """The table for `str.translate`, filled as characters turn up."""

    def __missing__(self, code: int) -> str:
        self[code] = _fold(chr(code))
        return self[code]


_FOLDS = _Folds()
