"""What there is for each language, as a table: for `crossbow languages` and docs/languages.md.

    for row in rows(): row.code, row.name, row.segmentation, row.stems, row.stopwords, row.compounds, row.sentence
    markdown()                      # the table in docs/languages.md, which a test holds against the registry
"""

from __future__ import annotations

from typing import NamedTuple

from crossbow.text.language import language_name
from crossbow.text.languages import LANGUAGES, Language

HEADINGS = ("code", "language", "script", "segmentation", "stems", "function words", "compounds", "tested sentence")

UNKNOWN = ("not known", "spaces; bigrams in scripts that have none")


class Row(NamedTuple):
    """One language in words."""

    code: str
    name: str
    script: str
    segmentation: str
    stems: str
    stopwords: str
    compounds: str
    sentence: str


def rows() -> list[Row]:
    """All languages of the registry, by code."""
    return [row(LANGUAGES[code]) for code in sorted(LANGUAGES)]


def row(record: Language) -> Row:
    """What there is for one language."""
    stems = " + ".join(part for part in (f"Snowball ({record.algorithm})" if record.algorithm else "",
                                         record.stems if record.light else "") if part)
    script, segmentation = (record.script, ", ".join(record.segmenters)) if record.is_known else UNKNOWN
    return Row(", ".join((record.code, *record.also)), language_name(record.code), script, segmentation,
               stems or "none", str(len(record.function_words) or "none"), "split" if record.compounds else "",
               record.example[0])


def markdown() -> str:
    """The table as Markdown."""
    lines = [HEADINGS, tuple("---" for _ in HEADINGS), *rows()]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
