"""Languages in the names of files: what is recognized, what is taken for nothing, and what contradicts an option."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossbow.errors import CrossbowError
from crossbow.text.filenames import (
    Languages,
    catalog_language,
    language_in,
    languages_of_file,
    languages_of_texts,
    pair_in,
)


@pytest.mark.parametrize(("name", "code"), [
    ("train.da", "da"), ("folder.en/train.da", "da"), ("train.da.gz", "da"), ("train.da.txt.xz", "da"),
    ("corpus.da-en.da", "da"), ("train.DE", "de"), ("train.deu", "de"), ("train.pt-BR", "pt-BR"),
    ("train.pt_BR", "pt-BR"), ("train.zh-Hans", "zh-Hans"), ("docs.en.tsv", "en"), ("docs.en.jsonl.gz", "en"),
    ("docs.tsv", None), ("en.tsv", None), ("train", None), ("corpus.de-en", None), ("corpus.de-en.txt", None),
    ("train.pt-br", None), ("train.src", None), ("train.in", None), ("de.v1.2.txt", None), ("irds:a/b", None),
    ("", None),
])
def test_language_in(name: str, code: str | None) -> None:
    assert language_in(name) == language_in(Path(name)) == code


@pytest.mark.parametrize(("name", "pair"), [
    ("de-en.tsv", ("de", "en")), ("deu-eng.tei", ("de", "en")), ("x/DE_EN.tsv", ("de", "en")),
    ("freedict-deu-eng.index", ("de", "en")), ("deu-eng-2024.tsv", ("de", "en")), ("words.de-en.tsv.gz", ("de", "en")),
    ("pt_BR.tsv", None), ("dictionary.tsv", None), ("rules/1.grammar", None), ("de-de.tsv", None), ("d-e.tsv", None),
])
def test_pair_in(name: str, pair: tuple[str, str] | None) -> None:
    assert pair_in(name) == pair


def test_catalogs() -> None:
    assert [catalog_language(name) for name in ("po/de.po", "pt_BR.po", "app.de.po.gz", "app.po", "DE.PO")] == [
        "de", "pt-BR", "de", None, "de"]


@pytest.mark.parametrize(("files", "options", "found"), [
    (("train.da", "train.en"), (None, None), ("da", "en")),
    (("a.en", "a.de"), (None, None), ("en", "de")),
    (("train.da", "train.en"), ("DA", "eng"), ("da", "en")),
    (("train.de", "train.en"), ("de-AT", None), ("de-AT", "en")),
    (("train.no", "train.en"), ("nb", None), ("nb", "en")),
    (("a.is", "b.txt"), ("de", "en"), ("de", "en")),  # an ending that is a code by chance
    (("a.so", "b.so"), ("de", "en"), ("de", "en")),
    (("a.da", "b.txt"), (None, "en"), ("da", "en")),
    (("a", "b"), ("sw", "yue"), ("sw", "yue")),
    ((None, None), ("de", "en"), ("de", "en")),
    ((None, "train.en"), ("de", None), ("de", "en")),
])
def test_languages_of_texts(files: tuple[str, str], options: tuple[str, str], found: tuple[str, str]) -> None:
    assert languages_of_texts(*files, *options) == found


@pytest.mark.parametrize(("files", "options", "message"), [
    (("train.da", "train.en"), ("de", None), "train.da: the source language is Danish ('da') by the name of the file, "
     "but --source is 'de'; leave out --source, or insist on it by renaming the file"),
    (("train.da", "train.en"), (None, "de"), "train.en: the target language is English ('en')"),
    (("train.de", "train.en"), ("en", "de"), "train.de: the source language is German"),
    (("a", "b"), (None, None), "a: the source language is unknown; give it with --source, in Python with source_"),
    (("a.de", "b"), (None, None), "b: the target language is unknown; give it with --target"),
    (("a.so", "b.so"), (None, "en"), "a.so: the source language is unknown"),
    ((None, None), (None, "en"), "the source sentences: the source language is unknown"),
    (("train.de", "train.en"), ("german", None), "did you mean 'de'?"),
])
def test_languages_that_are_not_known_or_contradict(
    files: tuple[str, str], options: tuple[str, str], message: str
) -> None:
    with pytest.raises(CrossbowError) as caught:
        languages_of_texts(*files, *options)
    assert message in str(caught.value)


def test_languages_of_one_file() -> None:
    default = Languages("de", "en")
    assert languages_of_file("deu-fra.tei") == ("de", "fr")
    assert languages_of_file("deu-fra.tei", "de-AT", default=default) == ("de-AT", "fr")
    assert languages_of_file("rules", default=default) == ("de", "en")
    assert languages_of_file("rules", "it", default=default) == ("it", "en")
    with pytest.raises(CrossbowError, match=r"^d.tsv: the source language is unknown"):
        languages_of_file("d.tsv")
    with pytest.raises(CrossbowError, match=r"^de-en.tsv: the target language is English"):
        languages_of_file("de-en.tsv", target="fr")
