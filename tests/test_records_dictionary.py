"""Dictionaries: TSV, TEI and dictd, written here in their true formats; and files that are wrong."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from crossbow.errors import InputError
from crossbow.records.dictionary import Entry, read_dictionary

TEI = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE TEI SYSTEM "freedict-P5.dtd">
<TEI xmlns="http://www.tei-c.org/ns/1.0" version="5.0">
 <teiHeader><fileDesc><titleStmt><title>German-English</title></titleStmt></fileDesc></teiHeader>
 <text><body xml:lang="de">
  <entry><form><orth>Haus</orth><pron>haʊs</pron></form>
   <gramGrp><pos>n</pos><gen>neut</gen></gramGrp>
   <sense n="1"><cit type="trans" xml:lang="en"><quote>house</quote></cit>
    <cit type="trans"><quote>home (where one lives)</quote></cit>
    <cit type="example"><quote>zu Hause</quote><cit type="trans"><quote>at home</quote></cit></cit>
    <note>a building</note><xr type="syn"><ref>Gebäude</ref></xr></sense>
   <sense n="2"><cit type="translation"><quote>house</quote></cit></sense>
  </entry>
  <entry><form><orth>Samstag</orth><orth>Sonnabend</orth></form>
   <sense><cit type="trans"><quote>Saturday</quote></cit></sense></entry>
  <entry><form><orth>leer</orth></form><sense><def>without translation</def></sense></entry>
 </body></text>
</TEI>
"""
ENTRIES = [Entry("Haus", "house"), Entry("Haus", "home"), Entry("Samstag", "Saturday"), Entry("Sonnabend", "Saturday")]
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def base64(number: int) -> str:
    return (base64(number // 64) if number >= 64 else "") + DIGITS[number % 64]


def dictd(definitions: dict[str, str]) -> tuple[str, bytes]:
    """The .index and the .dict of dictd."""
    body, rows = b"", []
    for headword, text in definitions.items():
        rows.append(f"{headword}\t{base64(len(body))}\t{base64(len(text.encode()))}\n")
        body += text.encode()
    return "".join(sorted(rows)), body


DEFINITIONS = {
    "00-database-info": "A dictionary, made by hand\n",
    "00databaseshort": "German-English\n",
    "haus": "Haus /hˈaʊs/ <neut, n, sg>\n 1. house [building]\n 2. home, household; dynasty\n    Note: not a hut\n"
            "  Synonym: {Gebäude}\n  \"zu Hause\" - at home\n",
    "gericht": "Gericht (n)\n   court, dish\n",
    "wahl": "choice",
    "abombe": "A-Bombe /x/ <fem, n, sg>\natomic bomb\n",
    "häuser": "Haus, Häuser <n>\n 1. houses\n",
    "nichts": "nichts <adv>\n  see: {alles}\n",
}  # fmt: skip


def test_tsv(tmp_path: Path) -> None:
    path = tmp_path / "de-en.tsv"
    path.write_text("# comment\nHaus\thouse\n\nauf dem  Land\tin the countryside\r\n", "utf8")
    assert list(read_dictionary(path)) == [Entry("Haus", "house"), Entry("auf dem Land", "in the countryside")]
    path.write_text("Haus\thouse\t0.75\nHaus\thome\t2.5e-1\n", "utf8")
    assert list(read_dictionary(path)) == [Entry("Haus", "house", 0.75), Entry("Haus", "home", 0.25)]


@pytest.mark.parametrize("name", ["a.tei", "a.xml", "a.tei.gz"])
def test_tei(tmp_path: Path, name: str) -> None:
    data = TEI.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert list(read_dictionary(tmp_path / name)) == ENTRIES


def test_old_tei(tmp_path: Path) -> None:
    (tmp_path / "a.tei").write_text("""<?xml version="1.0"?>
        <!DOCTYPE TEI.2 PUBLIC "-//TEI P4//DTD Main Document Type//EN" "tei2.dtd"
          [<!ENTITY % TEI.dictionaries "INCLUDE">]>
        <TEI.2><text><body><entry><form><orth>Haus</orth></form><trans><tr>house</tr></trans></entry>
        </body></text></TEI.2>""")
    assert list(read_dictionary(tmp_path / "a.tei")) == [Entry("Haus", "house")]


def test_tei_with_entries_in_entries_and_translations_as_forms(tmp_path: Path) -> None:
    (tmp_path / "a.tei").write_text("""<TEI><text><body>
        <entry><form><orth>Haus</orth></form>
         <re><form><orth>Haus und Hof</orth></form><cit type="trans"><quote>house and home</quote></cit></re>
         <entry type="relatedEntry"><form><orth>Hausboot</orth></form>
          <cit type="trans"><quote>houseboat</quote></cit></entry>
         <sense><cit type="translationEquivalent"><form><orth>house</orth></form></cit>
          <cit type="example"><form><orth>zu Hause</orth></form></cit></sense></entry>
        </body></text></TEI>""", "utf8")
    assert sorted(read_dictionary(tmp_path / "a.tei")) == [
        Entry("Haus", "house"), Entry("Haus und Hof", "house and home"), Entry("Hausboot", "houseboat")]


@pytest.mark.parametrize("packed", [False, True])
def test_dictd(tmp_path: Path, packed: bool) -> None:
    index, body = dictd(DEFINITIONS)
    (tmp_path / "deu-eng.index").write_text(index, "utf8")
    (tmp_path / ("deu-eng.dict.dz" if packed else "deu-eng.dict")).write_bytes(gzip.compress(body) if packed else body)
    expected = [("abombe", "atomic bomb"), ("gericht", "court"), ("gericht", "dish"), ("haus", "house"),
                ("haus", "home"), ("haus", "household"), ("haus", "dynasty"), ("häuser", "houses"),
                ("wahl", "choice")]  # fmt: skip
    for name in ("deu-eng.index", "deu-eng.dict.dz" if packed else "deu-eng.dict"):
        assert [tuple(entry[:2]) for entry in read_dictionary(tmp_path / name)] == expected
    (tmp_path / "deu-eng.index").write_text(index.rstrip("\n") + "\tWahl\n", "utf8")  # its original spelling
    assert [entry.source for entry in read_dictionary(tmp_path / "deu-eng.index")][-1] == "Wahl"


BAD = {
    ("a.tsv", ""): "a.tsv: no entries in it; expected a dictionary",
    ("a.tsv", "Haus house"): "a.tsv:1: 1 columns",
    ("a.tsv", "Haus\thouse\nHaus\t \n"): "a.tsv:2: 2 columns, or one without words; expected `word TAB translation`",
    ("a.tsv", "a\tb\tc\td"): "a.tsv:1: 4 columns",
    ("a.tsv", "a\tb\tnan"): "a.tsv:1: the probability 'nan' is not a number above 0",
    ("a.tsv", "a\tb\t0"): "the probability '0' is not",
    ("a.tsv", "a\tb\t1.5"): "the probability '1.5' is not",
    ("a.tsv", "a\tb\t1\na\tc"): "a.tsv:2: only some entries have a probability; give it for all",
    ("a.tei", ""): "a.tei:1: not well-formed XML",
    ("a.tei", TEI[:900]): "not well-formed XML",
    ("a.tei", "<TEI></TEI>"): "no entries in it",
    ("a.tei", '<!DOCTYPE TEI [<!ENTITY a "b">]><TEI>&a;</TEI>'): "declares the entity 'a', which is refused",
    ("a.index", "haus\tA\tB"): "a.index: there is neither",
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), BAD)
def test_bad_files(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, "utf8")
    with pytest.raises(InputError) as caught:
        list(read_dictionary(tmp_path / name))
    assert BAD[name, text] in str(caught.value)


@pytest.mark.parametrize(("index", "message"), [
    ("haus\tA", "a.index:1: 2 columns; expected headword"),
    ("haus\tC\tD\nsee\tA\tzz", "a.index:2: the definition of 'see' lies behind the end of"),
    ("haus\tA\t?", "a.index:1: '?' is not a number of dictd"),
    ("haus\tA\t" + "A" * 5000, "is not a number of dictd"),
    ("haus\tA\tC", "a.index:1: the definition of 'haus' is not UTF-8; convert"),
    ("", "no entries in it"),
])  # fmt: skip
def test_bad_dictd(tmp_path: Path, index: str, message: str) -> None:
    (tmp_path / "a.index").write_text(index)
    (tmp_path / "a.dict").write_bytes(b"\xff\xfe house")
    with pytest.raises(InputError) as caught:
        list(read_dictionary(tmp_path / "a.index"))
    assert message in str(caught.value)


def test_wrong_encoding_and_half_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes("Käse\tcheese".encode("latin1"))
    with pytest.raises(InputError, match=r"a.tsv:1: not UTF-8"):
        list(read_dictionary(tmp_path / "a.tsv"))
    (tmp_path / "a.index").write_text("haus\tA\tB")
    (tmp_path / "a.dict.dz").write_bytes(gzip.compress(b"house " * 1000)[:-10])
    with pytest.raises(InputError, match=r"a.dict.dz: the compressed file is truncated"):
        list(read_dictionary(tmp_path / "a.index"))
