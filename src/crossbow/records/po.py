"""gettext catalogs (PO) as sentence pairs, read as a stream.

    for message, translation in read_po("de.po", lang="de"): ...

Untranslated, fuzzy and obsolete messages are passed over; contexts and comments do not count. Of a message with plural
forms, the form for one goes with the singular and all others go with the plural. Keyboard accelerators (_File, &File)
and white space are what they are on the screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import c2py
from typing import NoReturn

from crossbow.errors import InputError
from crossbow.records.lines import PathLike, open_lines
from crossbow.records.tmx import Spell, hyphened, matches

_LINE = re.compile(r'(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[(\d{1,3})\])?)\s*)?"((?:[^"\\]|\\.)*)"\s*')
_ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_PLURALS = re.compile(r"nplurals\s*=\s*(\d+)\s*;\s*plural\s*=\s*([^;]+)")
_ACCELERATOR = re.compile(r"[_&](?=\w)|\s*\([_&]\w\)")
_FORM = "check the file with `msgfmt --check`"
_CONVERT = "convert it: msgconv --to-code=UTF-8"  # which changes the header too, as iconv does not


class _Message:
    """What a message consists of so far."""

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.fuzzy = False

    @property
    def complete(self) -> bool:
        return "msgid" in self.parts and any(name.startswith("msgstr") for name in self.parts)


class _Reader:
    def __init__(self, path: PathLike, lang: str | None, spell: Spell):
        self.path, self.lang, self.spell = path, lang, spell
        self.number = 0
        self.singular = 0  # the number of the plural form for one

    def fail(self, problem: str, remedy: str = _FORM) -> NoReturn:
        raise InputError(self.path, self.number, problem, remedy)

    def messages(self) -> Iterator[_Message]:
        """All messages that are not obsolete."""
        message, part = _Message(), ""
        for number, raw in open_lines(self.path, _CONVERT):
            self.number, line = number, raw.strip()
            if not line or line.startswith("#"):
                if message.complete:
                    yield message
                if message.complete or line.startswith("#~"):  # the flags of an obsolete message are not the next one's
                    message = _Message()
                part = ""
                message.fuzzy |= line.startswith("#,") and "fuzzy" in re.split(r"[,\s]+", line)
                continue
            match = _LINE.fullmatch(line)
            if not match:
                self.fail(f"not a line of a message: {line[:60]!r}")
            keyword, _, text = match.groups()
            if keyword:
                if keyword in ("msgctxt", "msgid") and message.complete:
                    yield message
                    message = _Message()
                if keyword in message.parts:
                    self.fail(f"a second {keyword} of one message")
                if keyword != "msgctxt" and keyword != "msgid" and "msgid" not in message.parts:
                    self.fail(f"{keyword} without a msgid")
                part, message.parts[keyword] = keyword, ""
            elif not part:
                self.fail("a text that belongs to nothing")
            message.parts[part] += _unescaped(text)
        if message.parts and not message.complete:
            self.fail("the file ends within a message", "is the file complete? " + _FORM)
        if message.complete:
            yield message

    def pairs(self) -> Iterator[tuple[str, str]]:
        for message in self.messages():
            parts = message.parts
            if not parts["msgid"]:
                if "msgctxt" not in parts:
                    self.header(parts.get("msgstr", ""))
                continue
            if message.fuzzy:
                continue
            plural = parts.get("msgid_plural", parts["msgid"])
            forms = sorted(name for name in parts if name.startswith("msgstr"))
            for name in forms:
                is_one = name == "msgstr" or (len(forms) > 1 and name == f"msgstr[{self.singular}]")
                yield parts["msgid"] if is_one else plural, parts[name]

    def header(self, text: str) -> None:
        """The metadata: encoding, language and the rule for plural forms."""
        fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        charset = fields.get("Content-Type", "").partition("charset=")[2].strip()
        if charset.lower() not in ("", "utf-8", "utf8", "us-ascii", "ascii", "charset"):
            self.fail(f"the file is in {charset}", _CONVERT)
        lang = fields.get("Language", "").strip()
        if lang and self.lang and not (matches(self.lang, lang, self.spell) or matches(lang, self.lang, self.spell)):
            self.fail(f"translations into {lang!r}, expected {self.lang!r}",
                      "choose the languages with --source, --target and --msgid")
        rule = _PLURALS.search(fields.get("Plural-Forms", ""))
        if rule:
            try:
                self.singular = c2py(rule[2].strip())(1)
            except (ValueError, ZeroDivisionError, OverflowError) as error:
                self.fail(f"Plural-Forms: {error}")


def read_po(path: PathLike, lang: str | None = None, spell: Spell = hyphened) -> Iterator[tuple[str, str]]:
    """Pairs of message and translation. With `lang`, a file whose header names another language is an error."""
    empty = True
    for message, translation in _Reader(path, lang, spell).pairs():
        pair = _shown(message, translation)
        if all(pair):
            empty = False
            yield pair
    if empty:
        raise InputError(path, None, "no translated message in it", "expected a gettext catalog (PO), not a template")


def _shown(message: str, translation: str) -> tuple[str, str]:
    """Both texts on one line and without accelerators, of which each has at most one."""
    found = [list(_ACCELERATOR.finditer(text)) for text in (message, translation)]
    if [len(one) for one in found] == [1, 1]:
        marked = [_word_at(text, one[0].start()) for text, one in zip((message, translation), found)]
        if marked[0] != marked[1]:  # the same word on both sides is a name, such as AT&T
            message, translation = (_ACCELERATOR.sub("", text) for text in (message, translation))
    return " ".join(message.split()), " ".join(translation.split())


def _word_at(text: str, place: int) -> str:
    return text[: place + 1].split(" ")[-1] + text[place + 1 :].split(" ")[0]


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "01234567":
            return chr(int(code, 8))
        if code[0] == "x" and len(code) > 1:
            return chr(int(code[1:], 16))
        return _PLAIN.get(code, code)

    return _ESCAPE.sub(character, text)
