"""Japanese has no spaces: this puts them in, with the morphological analyser Sudachi.

    Segmenter("A").spaced("東京でLinuxを使う")  ==  " 東京 で Linux を 使う "   (up to white space)

Only runs of kanji and kana are segmented; everything else is left to tokenise.py. Mode "A" gives the shortest units
(選挙 管理 委員 会), "C" whole names (選挙管理委員会). Short units suit translation from little data: far fewer of
them are unseen in training, and the grammar's phrases put names together again. Needs `pip install 'crossbow[ja]'`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import regex  # type: ignore[import-untyped]

from crossbow.errors import CrossbowError
from crossbow.text.memo import Memo

_RUN = regex.compile(r"(?:(?=[\p{L}\p{M}\p{N}])[\p{Han}\p{Hiragana}\p{Katakana}ー])+")
_LONGEST_RUN = 8000  # Sudachi takes at most 49,149 bytes at once


class Segmenter:
    """Sudachi in one mode, safe to use from several threads."""

    def __init__(self, mode: str = "A"):
        try:
            import sudachipy

            dictionary = sudachipy.Dictionary()
        except (ImportError, OSError) as error:
            raise CrossbowError(f"Japanese text needs SudachiPy and its dictionary ({error}); "
                                "install them with: pip install 'crossbow[ja]'") from error
        make = getattr(dictionary, "tokenizer", None) or dictionary.create  # named differently before version 0.7
        self._sudachi = make(mode=getattr(sudachipy.SplitMode, mode))
        self._lock = threading.Lock()  # a Sudachi tokenizer refuses a second call while one is under way
        self._spaced = Memo(self._segment)

    def spaced(self, text: str) -> str:
        """The text with spaces between Japanese words and around Japanese runs."""
        return str(_RUN.sub(lambda run: self._spaced[run[0]], text))

    def _segment(self, run: str) -> str:
        return f" {' '.join(self._words(run))} "

    def _words(self, run: str) -> Iterator[str]:
        for start in range(0, len(run), _LONGEST_RUN):
            with self._lock:
                yield from [word.surface() for word in self._sudachi.tokenize(run[start:start + _LONGEST_RUN])]
