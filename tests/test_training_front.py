"""crossbow.train: files or sentences, languages and settings that agree, and a model that is open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import crossbow
from crossbow.decode.phrases import PhraseConfig
from crossbow.errors import CrossbowError, InputError
from crossbow.model import Model
from crossbow.records import write_lines
from crossbow.text.analyzer import Settings
from training import QUICK, QUICK_PHRASES, litter, write_pairs

PAIRS = [("Das Haus am See.", "The house by the lake."), ("Das Schulhaus", "The school house"), ("Ein See", "A lake"),
         ("Die Schule am See", "The school by the lake")] * 3  # fmt: skip
GERMAN, ENGLISH = map(list, zip(*PAIRS))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with parallel text and a text for the language model."""
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path, "train", PAIRS)
    write_pairs(tmp_path, "tune", [("Ein Haus am See", "A house by the lake"), ("Das Haus", "The house")])
    write_lines("docs.tsv", ["d1\tThe zebra by the lake."])
    return tmp_path


def test_training_from_files(place: Path) -> None:
    reports: list[str] = []
    model = crossbow.train("train.de", Path("train.en"), "model", lm_text=["docs.tsv"], tune=("tune.de", "tune.en"),
                           config=QUICK, report=lambda what, done, total: reports.append(what))
    assert isinstance(model, Model)
    assert model.folder == place / "model"
    assert model.translate("Das Haus am See.")[0].text == "the house by the lake ."
    assert "zebra" in model.decoder.target
    assert {"text", "align", "tune"} <= set(reports)
    assert litter(place) == []


def test_sentences_in_memory_give_the_model_of_files_with_these_lines(place: Path) -> None:
    groups = [f"g{n // 2}" for n in range(len(PAIRS))]
    write_lines("groups", groups)
    options: dict[str, Any] = {"source_lang": "DE", "target_lang": "eng", "lm_text": "docs.tsv"}
    files = crossbow.train("train.de", "train.en", "files", groups="groups", **options)
    memory = crossbow.train(tuple(GERMAN), iter(ENGLISH), "memory", groups=groups, **options)
    broken = [line.replace("the", "the\r\n") for line in ENGLISH]
    mixed = crossbow.train(Path("train.de"), broken, "mixed", groups=groups, **options)
    assert memory.signature == files.signature
    assert memory.groups == files.groups == list(dict.fromkeys(groups))
    assert mixed.translate("Ein See")[0].text == "a lake"
    assert (memory.source.settings.lang, memory.target.settings.lang) == ("de", "en")


def test_the_grammar(place: Path) -> None:
    model = crossbow.train("train.de", "train.en", "model", grammar="phrase")
    assert (model.kind, model.decoder.config) == ("phrase", PhraseConfig())
    assert crossbow.train("train.de", "train.en", "model", grammar="phrase", config=QUICK_PHRASES).kind == "phrase"


DANISH = replace(QUICK, source=Settings("da"))


@pytest.mark.parametrize(("texts", "options", "message"), [
    ((GERMAN, ENGLISH), {"target_lang": "en"}, "the source sentences: the source language is unknown"),
    ((GERMAN, ENGLISH[:-1]), {"config": QUICK}, "there are 12 source sentences, but 11 target sentences"),
    ((GERMAN, [None] * 12), {"config": QUICK}, "None is not a sentence"),
    (("train.de", "train.en"), {"source_lang": "da"}, "train.de: the source language is German ('de') by the name"),
    (("train.de", "train.en"), {"config": DANISH}, "train.de: the source language is German ('de') by the name"),
    (("train.de", "train.en"), {"config": QUICK, "target_lang": "fr"}, "target_lang is 'fr', but the config's target"),
    (("train.de", "train.en"), {"config": QUICK, "grammar": "phrase"}, "the grammar is 'phrase', but the config's"),
    (("train.de", "train.en"), {"grammar": "tree"}, "there is no grammar 'tree'; there are hierarchical and phrase"),
    (("train.de", "train.en"), {"source_lang": "german"}, "did you mean 'de'?"),
    (("train.de", "train.en"), {"lm_text": "docs.tsv", "arpa": "lm"}, "not both"),
    (("train.de", "train.en"), {"tune": (GERMAN, ENGLISH[1:])}, "there are 12 source sentences, but 11 target"),
])
def test_what_does_not_agree(place: Path, texts: tuple[Any, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(CrossbowError) as caught:
        crossbow.train(*texts, "model", **options)
    assert message in str(caught.value)
    assert not (place / "model").exists()


def test_a_sentence_for_a_path(place: Path) -> None:
    with pytest.raises(InputError, match="Das Haus: cannot be read"):
        crossbow.train("Das Haus", "the house", "model", source_lang="de", target_lang="en")
