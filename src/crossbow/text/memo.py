"""A bounded memory of a function's answers, as a dictionary that fills itself.

    stems = Memo(stem_one_word)
    stems["houses"]             # computed once; a hit costs no more than a dictionary look-up

Text is Zipfian: a few thousand distinct pieces make up most of it, so remembering beats clever code. The bound keeps
endless input from filling the memory; very long keys are answered but not kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")
ENTRIES = 1 << 17
LONGEST_KEY = 64


class Memo(dict[str, Value]):
    """`memo[key]` is `function(key)`."""

    def __init__(self, function: Callable[[str], Value], entries: int = ENTRIES):
        super().__init__()
        self.function, self.entries = function, entries

    def __missing__(self, key: str) -> Value:
        value = self.function(key)
        if len(key) <= LONGEST_KEY:
            if len(self) >= self.entries:
                self.clear()
            self[key] = value
        return value
