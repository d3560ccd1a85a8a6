"""Debian package descriptions as plain text: a synopsis, and paragraphs of units without their markup.

    description = parse(raw)                     # raw: the field as it stands in a package list
    description.text                             # "synopsis. first paragraph …", one line
"""

from __future__ import annotations

import re
from typing import NamedTuple

BULLET = re.compile(r"\s*(?:[*+•·–—-]|o(?=\s)|\(?\d{1,2}[.)])\s+(?=\S)")
CJK = "\u3040-\u30ff\u3400-\u9fff"  # kana and Chinese characters, written without spaces
CLOSED = tuple(".!?:;,。！？：；、…")
ENGLISH = frozenset({"the", "of", "and", "is", "this", "with", "which", "are", "that", "from", "your", "you", "or"})


class Description(NamedTuple):
    """Each paragraph is a list of units: running text, or one item of a list."""

    synopsis: str
    paragraphs: tuple[tuple[str, ...], ...]

    @property
    def units(self) -> list[str]:
        return [unit for paragraph in self.paragraphs for unit in paragraph]

    @property
    def text(self) -> str:
        return flow([self.synopsis, *self.units])


def parse(raw: str) -> Description:
    """Read a description field: the synopsis on the first line, then lines that start with one space.

    ` .` separates paragraphs, a bullet starts a list item, and an item goes on while its lines are indented deeper.
    """
    synopsis, _, body = raw.partition("\n")
    paragraphs: list[list[str]] = [[]]
    in_item = False
    for line in body.split("\n"):
        line = line.removeprefix(" ").rstrip()
        if line in (".", ""):
            paragraphs.append([])
            in_item = False
            continue
        bullet = BULLET.match(line)
        units = paragraphs[-1]
        if bullet:
            units.append(line[bullet.end():])
            in_item = True
        elif units and (not in_item or line.startswith(" ")):
            units[-1] += " " + line
        else:
            units.append(line)
            in_item = False
    cleaned = (tuple(filter(None, map(tidy, units))) for units in paragraphs)
    return Description(tidy(synopsis), tuple(filter(None, cleaned)))


def tidy(text: str) -> str:
    """One line, single spaces, no rulers, and no space where a line of a script without spaces was broken."""
    text = " ".join(re.sub(r"([-=_~*#+.])\1{3,}", " ", text).split())
    return re.sub(rf"(?<=[{CJK}、。]) (?=[{CJK}])", "", text)


def flow(units: list[str]) -> str:
    """Join units into running text, closing with a full stop those that lack a closing mark."""
    return " ".join(unit if unit.endswith(CLOSED) else unit + _full_stop(unit) for unit in units)


def _full_stop(unit: str) -> str:
    return "。" if re.search(f"[{CJK}]$", unit) else "."


def words(text: str) -> list[str]:
    """What texts are compared by: case-folded words without digits or punctuation; each CJK character is a word."""
    return re.findall(rf"[{CJK}]|[^\W\d_{CJK}]+", text.casefold())


def untranslated(ours: str, english: str) -> bool:
    """Whether a "translation" is the English text itself, or mostly English words."""
    left, right = words(ours), words(english)
    if not left or left == right:
        return True
    shared = len(set(left) & set(right)) / len(set(left))
    function = sum(word in ENGLISH for word in left) / len(left)
    return (len(set(left)) >= 5 and shared > 0.7) or (len(left) >= 5 and function > 0.15)
