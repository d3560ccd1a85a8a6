"""An index in one call."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossbow
from crossbow.errors import CrossbowError
from crossbow.records import Doc


def test_documents_of_any_kind(tmp_path: Path) -> None:
    docs = [Doc("d1", "the houses"), Doc("d2", "a lake", "Lakes")]
    signatures = set()
    for number, source in enumerate((docs, [doc._asdict() for doc in docs], iter(docs))):
        index = crossbow.build_index(source, str(tmp_path / str(number)))
        signatures.add(index.signature)
        assert (len(index), index.df("hous"), index.df("lake")) == (2, 1, 1)
    assert len(signatures) == 1


def test_the_language_of_documents(tmp_path: Path) -> None:
    (tmp_path / "docs.de.tsv").write_text("d1\tDie Häuser\n", "utf8")
    index = crossbow.build_index(tmp_path / "docs.de.tsv", tmp_path / "told")
    assert (index.analyzer.settings.lang, index.df("haus")) == ("de", 1)
    assert crossbow.build_index(tmp_path / "docs.de.tsv", tmp_path / "said", "nl").analyzer.settings.lang == "nl"
    assert crossbow.build_index([("d1", "a house")], tmp_path / "else").analyzer.settings.lang == "en"


def test_settings_of_the_analyzer(tmp_path: Path) -> None:
    index = crossbow.build_index([Doc("d", "the houses")], tmp_path / "index", stem=False, stopwords="none")
    assert (index.df("houses"), index.df("the")) == (1, 1)
    with pytest.raises(TypeError, match="stemming"):
        crossbow.build_index([], tmp_path / "other", stemming=False)
    with pytest.raises(CrossbowError, match="given twice"):
        crossbow.build_index([Doc("d", "a"), Doc("d", "b")], tmp_path / "other")
    assert not (tmp_path / "other").exists()
