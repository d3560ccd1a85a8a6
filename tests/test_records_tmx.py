"""Translation memories: variants of languages, inline elements, encodings, and files that are wrong or hostile."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from crossbow.errors import InputError
from crossbow.records.tmx import matches, read_tmx
from crossbow.text.language import spelled
from supplies import TMX, TMX_PAIRS


def read(path: Path, content: str | bytes, source: str = "de", target: str = "en") -> list[tuple[str, str]]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read_tmx(path, source, target))


def test_pairs(tmp_path: Path) -> None:
    assert read(tmp_path / "a.tmx", TMX) == TMX_PAIRS
    assert read(tmp_path / "a.tmx", TMX, "en", "de") == [(right, left) for left, right in TMX_PAIRS]
    assert read(tmp_path / "a.tmx", TMX, "fr", "en-gb") == [("La maison est vieille.", TMX_PAIRS[0][1])]
    assert read(tmp_path / "a.tmx.gz", gzip.compress(TMX.encode())) == TMX_PAIRS


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "windows-1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    assert read(tmp_path / "a.tmx", TMX.replace('"UTF-8"', f'"{encoding}"').encode(encoding)) == TMX_PAIRS


def test_variants_of_a_language(tmp_path: Path) -> None:
    assert matches("de", "de-AT")
    assert matches("PT-br", "pt_BR")
    assert not matches("de-AT", "de")
    assert not matches("e", "en")
    unit = ('<tmx><body><tu><tuv xml:lang="pt-PT"><seg>autocarro</seg></tuv><tuv xml:lang="pt"><seg>veículo</seg></tuv>'
            '<tuv xml:lang="pt-BR"><seg>ônibus</seg></tuv><tuv xml:lang="en"><seg>bus</seg></tuv></tu></body></tmx>')
    for code, word in (("pt-BR", "ônibus"), ("pt", "veículo"), ("pt-PT", "autocarro")):
        assert read(tmp_path / "a.tmx", unit, code) == [(word, "bus")]
    assert read(tmp_path / "a.tmx", unit.replace('"pt"', '"es"'), "pt") == [("autocarro", "bus")]


def test_tags_may_be_spelled_by_the_registry_of_languages(tmp_path: Path) -> None:
    memory = tmp_path / "a.tmx"
    memory.write_text('<tmx><body><tu><tuv xml:lang="zh-CN"><seg>书</seg></tuv><tuv xml:lang="zh"><seg>本</seg></tuv>'
                      '<tuv xml:lang="eng"><seg>book</seg></tuv></tu></body></tmx>')
    assert list(read_tmx(memory, "zho", "en", spelled)) == [("本", "book")]
    assert not matches("en-GB", "eng", spelled)
    assert list(read_tmx(memory, "CMN_cn", "en", spelled)) == [("书", "book")]


def test_large_files_are_read_as_they_come(tmp_path: Path) -> None:
    """A pair is there long before the end of the file, which is broken."""
    unit = TMX[TMX.index("  <tu ") : TMX.index("  <tu><tuv")]
    (tmp_path / "a.tmx").write_text(f"<tmx><body>{unit * 4000}</body>")
    pairs = read_tmx(tmp_path / "a.tmx", "de", "en")
    assert [next(pairs) for _ in range(3000)] == TMX_PAIRS[:1] * 3000
    with pytest.raises(InputError, match=r"a.tmx:\d+: not well-formed XML \(no element found\); is the file complete"):
        list(pairs)


LAUGHS = '<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
BAD = {
    "": "a.tmx:1: not well-formed XML (no element found)",
    "words": "a.tmx:1: not well-formed XML (syntax error)",
    TMX[:700]: "a.tmx:15: not well-formed XML (no element found); is the file complete",
    TMX.replace("</seg>", "", 1): "not well-formed XML (mismatched tag)",
    "<tei></tei>": "a.tmx:1: the root element is <tei>; expected TMX",
    "<tmx>\n<tuv><seg>a</seg></tuv></tmx>": "a.tmx:2: a <tuv> without xml:lang",
    "<tmx></tmx>": "the file's languages are none at all; choose among these",
    TMX.replace('xml:lang="en-GB"', 'xml:lang="it"').replace("EN_us", "es"): "languages are de, de-DE, en, es, fr, it",
    LAUGHS + "<tmx>&b;</tmx>": "declares the entity 'a', which is refused",
    '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]><tmx>&a;</tmx>': "declares the entity 'a'",
    '<!DOCTYPE tmx [<!ENTITY % p "x"> %p;]><tmx></tmx>': "declares the entity 'p'",
    TMX.replace("&amp;", "&nbsp;", 1): "the entity &nbsp; is not declared",
    "<tmx>&nbsp;</tmx>": "not well-formed XML (undefined entity)",
    '<?xml version="1.0" encoding="klingon"?><tmx/>': "unknown encoding",
    "<tmx><tuv lang='de'><seg>" + "x" * 1_000_001: "a segment of more than 1,000,000 characters",
}  # fmt: skip


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_files(tmp_path: Path, number: int) -> None:
    text = list(BAD)[number]
    with pytest.raises(InputError) as caught:
        read(tmp_path / "a.tmx", text)
    assert BAD[text] in str(caught.value)


def test_wrong_encoding_and_half_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a.tmx:10: not well-formed XML \(.*in the encoding that it declares"):
        read(tmp_path / "a.tmx", TMX.encode("latin1"))
    with pytest.raises(InputError, match=r"a.tmx.gz: the compressed file is truncated"):
        read(tmp_path / "a.tmx.gz", gzip.compress(TMX.encode())[:-9])
    with pytest.raises(InputError, match="no such file"):
        list(read_tmx(tmp_path / "nowhere.tmx", "de", "en"))
