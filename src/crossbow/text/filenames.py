"""What the names of files say about languages, and what follows for a pair of them.

    language_in("train.da.gz") == "da"
    language_in("docs.en.jsonl") == "en"
    pair_in("freedict-deu-eng.index") == ("de", "en")
    languages_of_texts("train.da", "train.en") == ("da", "en")
    languages_of_texts("train.da", "english.txt", target="en") == ("da", "en")

Options say more than names. Only names that tell both languages contradict an option: corpus.is may be Icelandic, or
nothing of the kind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from crossbow.errors import CrossbowError
from crossbow.text.language import is_common, language_code, language_name, same_language

_PACKED = ("gz", "xz", "bz2", "zst", "dz")
# In lower case a second part may be another language: de-en is not the German of a country.
_CODE = re.compile(r"([A-Za-z]{2,3})(?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}))?")


class Languages(NamedTuple):
    """The languages from and into which there are translations."""

    source: str
    target: str


def language_in(path: str | os.PathLike[str]) -> str | None:
    """The language that the ending of a name says: da for train.da, train.da.gz and train.da.txt."""
    endings = Path(path).name.split(".")[1:]
    while endings and endings[-1].lower() in _PACKED:
        endings.pop()
    return next((code for code in map(_code, reversed(endings[-2:])) if code), None)


def catalog_language(path: str | os.PathLike[str]) -> str | None:
    """The language that the name of a gettext catalog says: de for de.po and app.de.po."""
    return language_in(path) or _code(Path(path).name.split(".")[0])


def pair_in(path: str | os.PathLike[str]) -> Languages | None:
    """The two languages in the name of a dictionary: de-en.tsv, words.de-en.gz, freedict-deu-eng.index."""
    for part in Path(path).name.split("."):
        words = re.split("[-_]", part)
        for pair in (words[-2:], words[:2]):
            if len(pair) == 2 and all(map(is_common, pair)) and pair[0].isupper() == pair[1].isupper():
                source, target = map(language_code, pair)
                if source != target:
                    return Languages(source, target)
    return None


def languages_of_texts(
    source_text: str | os.PathLike[str] | None, target_text: str | os.PathLike[str] | None,
    source: str | None = None, target: str | None = None,
) -> Languages:
    """The languages of parallel text: those given, or those that the names of the files tell.

    A text that is not in a file (None) tells nothing, and neither do two files that tell the same language.
    """
    told = [language_in(path) if path is not None else None for path in (source_text, target_text)]
    if told[0] and told[1] and same_language(told[0], told[1]):
        told = [None, None]
    names = [os.fspath(path) if path is not None else f"the {side} sentences"
             for path, side in ((source_text, "source"), (target_text, "target"))]
    return _decide(told, names, (source, target))


def languages_of_file(
    path: str | os.PathLike[str], source: str | None = None, target: str | None = None,
    default: Languages | None = None,
) -> Languages:
    """The languages of a file that has both: those given, those that its name tells, or the default."""
    return _decide(pair_in(path) or (None, None), [os.fspath(path)] * 2, (source, target), default)


def _code(part: str) -> str | None:
    """The language code that a part of a name is."""
    match = _CODE.fullmatch(part)
    return language_code(part) if match and is_common(match[1]) else None


def _decide(
    told: Sequence[str | None], names: Sequence[str], given: Sequence[str | None], default: Languages | None = None
) -> Languages:
    """For both sides what was given, what the name tells, or the default, in this order."""
    found = []
    for side, hint, name, asked, otherwise in zip(Languages._fields, told, names, given, default or (None, None)):
        wanted = language_code(asked) if asked is not None else None
        if wanted and hint and all(told) and not same_language(wanted, hint):
            raise CrossbowError(
                f"{name}: the {side} language is {language_name(hint)} ({hint!r}) by the name of the file, but "
                f"--{side} is {wanted!r}; leave out --{side}, or insist on it by renaming the file")
        choice = wanted or hint or otherwise
        if choice is None:
            raise CrossbowError(f"{name}: the {side} language is unknown; give it with --{side}, in Python with "
                                f"{side}_lang")
        found.append(choice)
    return Languages(*found)
