"""A system in CTranslate2's format: true probabilities, attention, the same output again, and clear errors."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from math import log
from pathlib import Path

import numpy as np
import pytest

from crossbow.errors import CrossbowError, InputError
from crossbow.neural import system as module
from crossbow.neural.folder import SystemFiles, check_tags, copy_system, found_files, named_languages, open_system
from crossbow.neural.system import LONGEST, System, SystemConfig
from toy_neural import toy_system

TEXT = "Das Haus am See"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy_system(tmp_path_factory.mktemp("neural") / "toy")


def test_scores_are_log_probabilities_and_the_best_comes_first(folder: Path) -> None:
    source, listed = System(folder).hypotheses(TEXT, 4)
    assert source.names == ["▁Das", "▁Haus", "▁am", "▁See"]
    found = {one.pieces.text: one.score for one in listed}
    expected = {"the house at lake": log(0.42), "the house at sea": log(0.28), "the home at lake": log(0.18),
                "the home at sea": log(0.12)}
    assert list(found) == list(expected)
    assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-4)


def test_scores_are_those_that_ctranslate2_gives_a_translation_when_asked(folder: Path) -> None:
    system = System(folder)
    for one in system.hypotheses(TEXT, 8)[1]:
        scored = system._translator.score_batch([["▁Das", "▁Haus", "▁am", "▁See", "</s>"]], [one.pieces.names])[0]
        assert one.score == pytest.approx(sum(scored.log_probs), abs=1e-4)


def test_every_piece_looks_at_its_source(folder: Path) -> None:
    for one in System(folder).hypotheses(TEXT, 4)[1]:
        np.testing.assert_allclose(one.attention, np.eye(4), atol=1e-3)


def test_the_same_text_gives_the_same_whatever_else_is_translated(folder: Path) -> None:
    system = System(folder, threads=2)
    texts = [TEXT, "Die Bank verleiht Geld", "Die Bank im Park ist alt"]
    alone = {text: System(folder).hypotheses(text, 5)[1] for text in texts}
    with ThreadPoolExecutor(8) as pool:
        for text, (_, listed) in zip(texts * 10, pool.map(lambda text: system.hypotheses(text, 5), texts * 10)):
            assert [one[:2] for one in listed] == [one[:2] for one in alone[text]]


def test_a_text_does_not_wait_for_another_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CTranslate2 works on one text for each of its threads and lets others wait, so there are two on one core too."""
    monkeypatch.setattr(module.os, "cpu_count", lambda: 1)
    system = System(folder)
    system.open()
    assert system._translator.num_translators == 2


def test_samples_stand_behind_the_best_and_are_the_same_again(folder: Path) -> None:
    """Whatever was sampled before or is at the same time; their scores are those of any translation."""
    system = System(folder, threads=2)
    texts = [TEXT, "Die Bank verleiht Geld", "Das Haus ist im Park am See"]
    alone = {text: System(folder).hypotheses(text, 2, 40)[1] for text in texts}
    assert [one.pieces.text for one in alone[TEXT][:2]] == ["the house at lake", "the house at sea"]
    assert {one.pieces.text for one in alone[TEXT][2:]} == {"the home at lake", "the home at sea"}
    beam = {one.pieces.text: one.score for one in system.hypotheses(TEXT, 4)[1]}
    assert {one.pieces.text: one.score for one in alone[TEXT]} == pytest.approx(beam, abs=1e-4)
    np.testing.assert_allclose(alone[TEXT][-1].attention, np.eye(4), atol=1e-3)
    with ThreadPoolExecutor(4) as pool:
        for text, (_, listed) in zip(texts * 5, pool.map(lambda text: system.hypotheses(text, 2, 40), texts * 5)):
            assert [one[:2] for one in listed] == [one[:2] for one in alone[text]]


def test_the_words_that_its_pieces_begin_are_known(folder: Path) -> None:
    """They tell which language a query is in, if there is nothing else."""
    system = System(folder)
    assert {"das", "haus", "am", "see"} <= system.words("source").keys()
    assert {"the", "house", "lake"} <= system.words("target").keys()
    assert all(0 < value <= 1 for value in system.words("source").values())
    shared = System(folder)
    shared.__dict__["_target"] = shared._source  # pieces of both languages say nothing of either
    assert shared.words("source") == {}


def test_tags_stand_before_text_and_translation(folder: Path) -> None:
    """A tag is a word of the source; what a translation begins with is not part of it."""
    config = SystemConfig(source_prefix=("▁Das",), target_prefix=("▁the",))
    source, listed = System(folder, config).hypotheses("Haus am See", 1)
    assert source.names == ["▁Haus", "▁am", "▁See"]
    assert listed[0].pieces.text == "house at lake"
    np.testing.assert_allclose(listed[0].attention, np.eye(3), atol=1e-3)


def test_a_tag_that_the_system_does_not_know_is_an_error(folder: Path, tmp_path: Path) -> None:
    files = found_files(folder)
    check_tags(files, SystemConfig(source_prefix=("▁Das",), target_prefix=("▁the",)))
    for config, said in ((SystemConfig(source_prefix=("▁Dass",)), "source_vocabulary.json: has no tag '▁Dass', which "
                          "--source-tag names; the most similar words are ▁Das"),
                         (SystemConfig(target_prefix=(">>eng<<",)), "target_vocabulary.json: has no tag '>>eng<<', "
                          "which --target-tag names; was the model trained with tags")):
        with pytest.raises(InputError, match=said):
            check_tags(files, config)
    (tmp_path / "shared_vocabulary.txt").write_text("a\n>>eng<<\n", "utf8")
    shared = SystemFiles({"shared_vocabulary.txt": tmp_path / "shared_vocabulary.txt"})
    check_tags(shared, SystemConfig(source_prefix=(">>eng<<",)))
    with pytest.raises(InputError, match=r">>deu<<.*the most similar words are >>eng<<"):
        check_tags(shared, SystemConfig(source_prefix=(">>deu<<",)))


def test_unknown_words_do_no_harm(folder: Path) -> None:
    assert System(folder).hypotheses("Das Krokodil", 1)[1][0].pieces.text.startswith("the")


def test_endless_texts_are_cut_before_the_system_runs_out_of_positions(folder: Path) -> None:
    source, listed = System(folder).hypotheses("Bank " * 600, 1)
    assert len(source.names) == len(source.places) == LONGEST
    assert len(listed[0].pieces.names) <= LONGEST
    assert listed[0].attention.shape == (len(listed[0].pieces.names), LONGEST)


def test_files_that_are_no_system(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such folder.*CTranslate2"):
        found_files(tmp_path / "missing")
    with pytest.raises(InputError, match=r"no model.bin.*convert"):
        found_files(tmp_path)
    for missing, said in (("source_vocabulary.json", None), ("config.json", "has no config.json"),
                          ("target.spm", "no such SentencePiece model.*--target-spm")):
        broken = shutil.copytree(folder, tmp_path / missing)
        (broken / missing).unlink()
        if said is None:
            (broken / "target_vocabulary.json").unlink()
            said = "has no vocabulary"
        with pytest.raises(InputError, match=said):
            found_files(broken)
    (broken / "sentencepiece.bpe.model").write_bytes((folder / "source.spm").read_bytes())
    assert found_files(broken).files["target.spm"].name == "sentencepiece.bpe.model"
    (broken / "config.json").write_text("[]")
    with pytest.raises(InputError, match="not a JSON object"):
        found_files(broken)


def test_damage_is_an_error_that_says_so(folder: Path, tmp_path: Path) -> None:
    copy_system(found_files(folder), SystemConfig(), tmp_path / "copy")
    (tmp_path / "copy" / "source.spm").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="no SentencePiece model"):
        open_system(tmp_path / "copy").hypotheses(TEXT, 1)
    (tmp_path / "copy" / "model.bin").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="CTranslate2 cannot open this model"):
        open_system(tmp_path / "copy").hypotheses(TEXT, 1)
    (tmp_path / "copy" / "model.bin").unlink()
    with pytest.raises(InputError, match="missing"):
        open_system(tmp_path / "copy")


def test_languages_are_told_or_asked_for(folder: Path, tmp_path: Path) -> None:
    assert named_languages(folder, None, None) == ("de", "en")
    assert named_languages(folder, "nl", None) == ("nl", "en")
    with pytest.raises(CrossbowError, match="from de to en, not from en to de"):
        named_languages(folder, "en", "de")
    (bare := shutil.copytree(folder, tmp_path / "bare")).joinpath("tokenizer_config.json").unlink()
    assert named_languages(bare, "EN", "deu") == ("en", "de")
    with pytest.raises(CrossbowError, match="give --source and --target"):
        named_languages(bare, "de", None)


def test_without_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "__import__", lambda name: (_ for _ in ()).throw(ImportError()), raising=False)
    with pytest.raises(CrossbowError, match=r"is not installed.*crossbow-clir\[neural\]"):
        System(folder).hypotheses(TEXT, 1)
