"""Documents and topics in TREC's own form: open elements, elements of every kind, and errors with file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from crossbow.errors import InputError
from crossbow.records import Doc, Query, read_docs, read_queries

DOCS = """
<DOC>
<DOCNO> FT911-3 </DOCNO>
<HEADLINE>
Otters &amp; clams
</HEADLINE>
<TEXT>
<P>Otters open
clams.</P>
</TEXT>
<TEXT>With rocks.</TEXT>
</DOC>

<doc><docno>AP-2</docno> <date>1990</date> Nothing but <b>text</b>. </doc>
"""
TOPICS = """<top>
<num> Number: 301
<title> International
Organized Crime

<desc> Description:
Identify organizations.
</top>
<TOP><NUM>7</NUM><TITLE>Topic: otters &lt; clams</TITLE></TOP>
"""


def test_documents(tmp_path: Path) -> None:
    (tmp_path / "docs").write_text(DOCS)
    expected = [Doc("FT911-3", "Otters open clams. With rocks.", "Otters & clams"),
                Doc("AP-2", "1990 Nothing but text .")]
    assert list(read_docs(tmp_path / "docs")) == expected
    (tmp_path / "docs.gz").write_bytes(gzip.compress(DOCS.encode()))
    assert list(read_docs(tmp_path / "docs.gz")) == expected


def test_topics(tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text(TOPICS)
    assert list(read_queries(tmp_path / "topics.txt")) == [
        Query("301", "International Organized Crime"), Query("7", "otters < clams")]


@pytest.mark.parametrize(("text", "line", "message"), [
    ("<DOC>\n<DOCNO>1</DOCNO>\ntext\n", 1, "does not end"),
    ("<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n\n<DOC>\ntext\n</DOC>\n", 5, "without <DOCNO>"),
    ("<DOC><DOCNO>1</DOCNO></DOC>\nid\ttext\n", 2, "neither <DOC> nor <top>"),
    ("<DOC><DOCNO>1</DOCNO></DOC>\n<DOC><DOCNO>1</DOCNO></DOC>\n", 2, "already used in line 1"),
    ("<DOC><DOCNO>1 2</DOCNO></DOC>\n", 1, "white space"),
    ("<top>\n<title> words\n</top>\n", 1, "without <num> or <title>"),
])
def test_files_that_are_wrong(tmp_path: Path, text: str, line: int, message: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        list(read_docs(tmp_path / "file"))
    assert str(caught.value).startswith(f"{tmp_path / 'file'}:{line}: ")


def test_a_topic_without_words(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("<top><num>1<title> </top>\n")
    with pytest.raises(InputError, match="query '1' is empty"):
        list(read_queries(tmp_path / "topics"))
