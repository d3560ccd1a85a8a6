"""gettext catalogs: what counts as a pair, plural forms, accelerators, escapes, and files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossbow.errors import InputError
from crossbow.records.po import read_po
from supplies import PO, PO_HEADER, PO_PAIRS


def read(path: Path, content: str | bytes, lang: str | None = "de") -> list[tuple[str, str]]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_po(path, lang))


def test_pairs(tmp_path: Path) -> None:
    assert read(tmp_path / "de.po", PO) == PO_PAIRS
    assert read(tmp_path / "de.po", PO.replace("\n", "\r\n"), None) == PO_PAIRS
    assert read(tmp_path / "de.po", PO.replace("Language: de", "Language: de_AT")) == PO_PAIRS
    assert read(tmp_path / "de.po", PO.removeprefix(PO_HEADER)) == PO_PAIRS  # a header is not needed


@pytest.mark.parametrize(("rule", "forms", "expected"), [
    ("nplurals=1; plural=0;", ["家%d"], [("%d houses", "家%d")]),
    ("nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
     ["дом", "дома", "домов"], [("%d house", "дом"), ("%d houses", "дома"), ("%d houses", "домов")]),
    ("nplurals=3; plural=(n==0 ? 0 : n==1 ? 1 : 2);", ["none", "one", "many"],
     [("%d houses", "none"), ("%d house", "one"), ("%d houses", "many")]),
])  # fmt: skip
def test_plural_forms(tmp_path: Path, rule: str, forms: list[str], expected: list[tuple[str, str]]) -> None:
    head = PO_HEADER.replace("nplurals=2; plural=(n != 1);", rule).replace(r"Language: de\n", "")
    rows = "".join(f'msgstr[{k}] "{form}"\n' for k, form in enumerate(forms))
    assert read(tmp_path / "x.po", f'{head}\nmsgid "%d house"\nmsgid_plural "%d houses"\n{rows}') == expected


@pytest.mark.parametrize(("message", "translation", "expected"), [
    ("&File", "&Datei", ("File", "Datei")),
    ("Sa_ve as", "Speichern _unter", ("Save as", "Speichern unter")),
    ("_File", "ファイル(_F)", ("File", "ファイル")),
    ("file_name", "file_name", ("file_name", "file_name")),
    ("a_b_c", "_x", ("a_b_c", "_x")),
    ("R & D", "F & E", ("R & D", "F & E")),
    ("_File", "Datei", ("_File", "Datei")),
])  # fmt: skip
def test_accelerators(tmp_path: Path, message: str, translation: str, expected: tuple[str, str]) -> None:
    assert read(tmp_path / "x.po", f'msgid "{message}"\nmsgstr "{translation}"\n') == [expected]


BAD = {
    "": "de.po: no translated message in it; expected a gettext catalog",
    PO_HEADER: "no translated message",
    'msgid "a"\nmsgstr ""\n': "no translated message",
    'msgid "a"\n': "de.po:1: the file ends within a message; is the file complete?",
    PO[: PO.index("Die Datei")]: "not a line of a message: 'msgstr \"'",
    'msgid "a\nmsgstr "b"': "de.po:1: not a line of a message",
    'msgid "a"\nmsgstr "b"\nnonsense': "de.po:3: not a line of a message: 'nonsense'; check the file with `msgfmt",
    '"a"': "de.po:1: a text that belongs to nothing",
    'msgstr "a"': "msgstr without a msgid",
    'msgid "a"\nmsgid "b"': "de.po:2: a second msgid of one message",
    'msgid "a"\nmsgstr "b"\nmsgstr "c"': "de.po:3: a second msgstr",
    PO_HEADER.replace("UTF-8", "ISO-8859-15") + '\nmsgid "a"\nmsgstr "b"': "the file is in ISO-8859-15; convert it: ms",
    PO_HEADER.replace("Language: de", "Language: fr") + '\nmsgid "a"\nmsgstr "b"': "translations into 'fr', expected",
    PO_HEADER.replace("(n != 1)", "n +* 1") + '\nmsgid "a"\nmsgstr "b"': "Plural-Forms: ",
    PO_HEADER.replace("(n != 1)", "__import__('os')") + '\nmsgid "a"\nmsgstr "b"': "Plural-Forms: ",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_bad_files(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path / "de.po", text)
    assert BAD[text] in str(caught.value)


def test_wrong_encoding_and_long_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"de.po:13: not UTF-8 .*; convert it: msgconv"):
        read(tmp_path / "de.po", PO.encode("latin1", "replace"))
    assert read(tmp_path / "de.po", f'msgid "{"a" * 100_000}"\nmsgstr "b"') == [("a" * 100_000, "b")]
