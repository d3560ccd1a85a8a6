"""Bilingual dictionaries: TSV, FreeDict's TEI, and the pairs of files that dictd serves.

    for entry in read_dictionary("de-en.tsv"): ...          # Haus TAB house, or Haus TAB house TAB 0.7
    for entry in read_dictionary("deu-eng.tei"): ...        # <entry> with <orth> and <cit type="trans"><quote>
    for entry in read_dictionary("deu-eng.index"): ...      # beside it stands deu-eng.dict or deu-eng.dict.dz

An entry may have several words on either side. Remarks in brackets are left out where a format has them: in TEI and in
dictd's definitions. Definitions are made for people; what stands in them between commas and semicolons, after the line
of the headword and without notes, examples and references, is taken for translations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crossbow.errors import InputError
from crossbow.records.lines import PathLike, open_blocks, open_lines, plain_suffix
from crossbow.records.xml import LONGEST, Events, Problem, stream

_TSV = "expected `word TAB translation` or `word TAB translation TAB probability`"
_TEI = 'expected TEI: <entry> with <orth> and <cit type="trans"><quote>'
_TRANSLATES = ("trans", "translation", "translationEquivalent")  # types of a <cit>: FreeDict's, TEI's, Lex-0's
_DIGITS = {ord(c): n for n, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
_REMARK = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|(?:(?<=\s)|^)/[^/\n]*/(?=\s|$)")
_NUMBERING = re.compile(r"\s*(?:\d+[.)]|[a-z]\))\s+")
_NO_TRANSLATION = re.compile(r'\s*(?:["“„]|(?:notes?|synonyms?|syn|antonyms?|see|see also|examples?|usage|'
                             r'abbr(?:eviation)?|derived)\b[:.])', re.I)


class Entry(NamedTuple):
    """A word or phrase and one translation; the probability of this translation, if the dictionary knows it."""

    source: str
    target: str
    probability: float | None = None


def read_dictionary(path: PathLike) -> Iterator[Entry]:
    """The entries of a dictionary, in the format that its name tells; there must be one."""
    suffix = plain_suffix(path)
    if Path(path).name.endswith((".dict", ".dict.dz", ".index")):
        entries = _read_dictd(path)
    else:
        entries = _read_tei(path) if suffix in (".tei", ".xml") else _read_tsv(path)
    empty = True
    for entry in entries:
        empty = False
        yield entry
    if empty:
        raise InputError(path, None, "no entries in it", "expected a dictionary: TSV, .tei, or .index with .dict(.dz)")


def _read_tsv(path: PathLike) -> Iterator[Entry]:
    """Lines that start with # are comments."""
    with_probability: bool | None = None
    for number, line in open_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [" ".join(field.split()) for field in line.split("\t")]
        if not 2 <= len(fields) <= 3 or not (fields[0] and fields[1]):
            raise InputError(path, number, f"{len(fields)} columns, or one without words", _TSV)
        if with_probability not in (None, len(fields) == 3):
            raise InputError(path, number, "only some entries have a probability", "give it for all entries or none")
        with_probability = len(fields) == 3
        yield Entry(fields[0], fields[1], _probability(path, number, fields[2]) if with_probability else None)


def _probability(path: PathLike, number: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 1:
        raise InputError(path, number, f"the probability {text!r} is not a number above 0 and at most 1", _TSV)
    return value


# --- TEI ---


class _Entries(Events[Entry]):
    """Headwords are <orth>; translations are <quote> or <orth> in <cit type="trans">, or <tr>; examples do not count.

    An entry may have others inside it (<re>, <entry>), with words and translations of their own.
    """

    def __init__(self) -> None:
        super().__init__()
        self.path: list[str] = []  # names of the open elements, with the type of a <cit>
        self.open: list[tuple[list[str], list[str]]] = []  # words and translations of the entries that we are in
        self.parts: list[str] | None = None
        self.length = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.path.append(f"cit {attributes.get('type', '')}" if name == "cit" else name)
        if name in ("entry", "re"):
            self.open.append(([], []))
        elif name in ("orth", "quote", "tr") and self._meant() is not None:
            self.parts, self.length = [], 0

    def _meant(self) -> list[str] | None:
        """Where the text of the innermost element belongs: to the words or the translations of an entry, or nowhere."""
        cited = [name.removeprefix("cit ") for name in self.path if name.startswith("cit ")]
        if not self.open or any(kind not in _TRANSLATES for kind in cited):
            return None
        words, translations = self.open[-1]
        if cited or self.path[-1] == "tr":
            return translations
        return words if self.path[-1] == "orth" else None

    def text(self, text: str) -> None:
        if self.parts is not None:
            self.parts.append(text)
            self.length += len(text)
            if self.length > LONGEST:
                raise Problem(f"a text of more than {LONGEST:,} characters")

    def end(self, name: str) -> None:
        if name in ("orth", "quote", "tr") and self.parts is not None:
            meant = self._meant()
            if meant is not None:
                meant.append(_without_remarks("".join(self.parts)))
            self.parts = None
        elif name in ("entry", "re"):
            words, translations = self.open.pop()
            self.found += [Entry(word, translation) for word in dict.fromkeys(words) if word
                           for translation in dict.fromkeys(translations) if translation]
        self.path.pop()


def _read_tei(path: PathLike) -> Iterator[Entry]:
    return stream(path, _Entries(), _TEI)


def _without_remarks(text: str) -> str:
    while (shorter := _REMARK.sub(" ", text)) != text:  # brackets within brackets
        text = shorter
    return " ".join(text.split())


# --- dictd ---


def _read_dictd(path: PathLike) -> Iterator[Entry]:
    """Headwords with offset and length of their definition, in dictd's base 64; its own entries (00-database-…) apart.

    A line may have the headword as it was before dictd simplified it in a fourth column.
    """
    stem = re.sub(r"\.(index|dict|dict\.dz)$", "", str(path))
    index = Path(f"{stem}.index")
    body = next((file for file in (Path(f"{stem}.dict.dz"), Path(f"{stem}.dict")) if file.exists()), None)
    if body is None:
        raise InputError(path, None, f"there is neither {stem}.dict.dz nor {stem}.dict",
                         "keep the .index and the .dict of a dictionary together")
    text = b"".join(open_blocks(body))
    for number, line in open_lines(index):
        fields = line.split("\t")
        if not 3 <= len(fields) <= 4:
            raise InputError(index, number, f"{len(fields)} columns", "expected headword, offset and length of dictd")
        if fields[0].startswith(("00-database-", "00database")):
            continue
        offset, length = (_base64(index, number, field) for field in fields[1:3])
        if offset + length > len(text):
            raise InputError(index, number, f"the definition of {fields[0]!r} lies behind the end of {body}",
                             "is that file complete, and do the two belong together?")
        try:
            definition = text[offset : offset + length].decode("utf8")
        except UnicodeDecodeError:
            raise InputError(index, number, f"the definition of {fields[0]!r} is not UTF-8",
                             f"convert {body}, or use the TEI or TSV form of the dictionary") from None
        headword = _without_remarks(fields[-1] if len(fields) == 4 else fields[0])
        for translation in dict.fromkeys(_translations(headword, definition)):
            if headword:
                yield Entry(headword, translation)


def _base64(path: PathLike, number: int, text: str) -> int:
    """A number as dictd writes it: digits of base 64, the most significant first."""
    value = 0
    for character in text.encode():
        if character not in _DIGITS or len(text) > 10:
            raise InputError(path, number, f"{text[:20]!r} is not a number of dictd", "is this a .index of dictd?")
        value = value * 64 + _DIGITS[character]
    return value


def _translations(headword: str, definition: str) -> Iterator[str]:
    """What a definition seems to give as translations."""
    lines = definition.strip("\n").split("\n")
    if len(lines) > 1 and _names(lines[0], headword):
        lines = lines[1:]
    for line in lines:
        line = _NUMBERING.sub("", line, count=1)
        if _NO_TRANSLATION.match(line):
            continue
        for part in re.split(r"[,;]", _without_remarks(line)):
            text = part.strip(" .-–—:")
            if any(map(str.isalnum, text)):
                yield text


def _names(line: str, headword: str) -> bool:
    """Whether a line is that of the headword: it begins with it, or has it among others between commas.

    The index may have the headword without its punctuation, as abombe for A-Bombe.
    """
    first, *others = ("".join(filter(str.isalnum, part)) for part in _without_remarks(line).casefold().split(","))
    wanted = "".join(filter(str.isalnum, headword.casefold()))
    return first.startswith(wanted) or wanted in others
