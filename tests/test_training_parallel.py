"""Training from files to a model that translates: same input, same bytes; interrupted and resumed; bad input."""

import errno
import io
import json
import os
import shutil
import signal
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossbow import store
from crossbow.align import pharaoh
from crossbow.align.symmetrize import Links
from crossbow.decode.decoder import START_WEIGHTS
from crossbow.decode.tune import TuneConfig
from crossbow.errors import CrossbowError, InputError
from crossbow.model import Model
from crossbow.records import ParallelText, write_lines
from crossbow.text.analyzer import Settings
from crossbow.training.parallel import GRAMMARS, TextArrays, TrainConfig, train
from crossbow.training.texts import lm_documents
from crossbow.translate import translate_lines
from training import ENGLISH, GERMAN, QUICK, bits, contents, corpus, litter, real_pairs, run_python, write_pairs

TOKENS = replace(QUICK, source=Settings("de", kind="tokens"), target=Settings("en", kind="tokens"))


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text and the model trained on it; nobody writes here."""
    return corpus(tmp_path_factory)


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for the disk takes half the time of a small training."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def text_of(folder: Path) -> dict[str, ParallelText]:
    return {name: ParallelText(folder / f"{name}.de", folder / f"{name}.en") for name in ("train", "tune")}


def retrain(text: Path, out: Path, config: TrainConfig = QUICK, **options: Any) -> dict[str, Any]:
    """Train on the text of the shared model."""
    files = text_of(text)
    return train(files["train"], out, config, tuning=files["tune"], **options)


def assert_same_model(one: Path, other: Path) -> None:
    first, second = Model.load(one), Model.load(other)
    assert contents(one) == contents(other)
    assert bits(first.decoder.weights) == bits(second.decoder.weights)
    assert first.signature == second.signature
    assert {k: v for k, v in first.meta.items() if k != "summary"} == {
        k: v for k, v in second.meta.items() if k != "summary"}


def translated(model: Model, text: str, **options: Any) -> str:
    out = io.StringIO()
    given = {"nbest": 1, "forests": None, "rules": None, "threads": 2} | options
    translate_lines(model, io.BytesIO(text.encode()), out, **given)
    return out.getvalue()


def best(folder: Path, text: str) -> str:
    return translated(Model.load(folder), text).rstrip("\n")


# A model, and that it is the same again


def test_a_model_translates(trained: Path) -> None:
    model = Model.load(trained / "model")
    forest = model.forest("Das Wetter ist schlecht.", "q1")
    assert forest.id == "q1"
    assert forest.source == ["das", "wetter", "ist", "schlecht", "."]
    assert " ".join(model.best(forest)) == "the weather is bad ."
    assert model.sentences("Das Wetter ist gut. Es regnet.") == ["Das Wetter ist gut.", "Es regnet."]
    assert len(model.groups) == model.meta["summary"]["pairs"] == 300
    assert litter(trained) == []


def test_the_summary_counts_what_is_there(trained: Path) -> None:
    meta = store.header(trained / "model")["meta"]
    summary, model = meta["summary"], Model.load(trained / "model")
    pairs = [(model.source.tokens(german), model.target.tokens(english)) for german, english in real_pairs()]
    assert summary["source_tokens"] == sum(len(german) for german, _ in pairs)
    assert summary["target_tokens"] == summary["lm_tokens"] == sum(len(english) for _, english in pairs)
    assert summary["source_words"] == len({word for german, _ in pairs for word in german})
    assert summary["target_words"] == len({word for _, english in pairs for word in english})
    assert summary["empty"] == summary["too_long"] == 0
    assert len(summary["bleu"]) == QUICK.tune.passes
    assert summary["ngrams"][0] == summary["target_words"] + 3
    assert summary["perplexity"] > 1
    assert set(summary["seconds"]) == {"text", "align", "lm", "bitext", "tune"}
    assert meta["decode"] == asdict(QUICK.decode)
    assert set(meta["weights"]) == set(START_WEIGHTS)
    assert all(np.isfinite(value) for value in meta["weights"].values())


@pytest.mark.parametrize("threads", [1, 3])
def test_training_again_gives_the_same_bytes(trained: Path, tmp_path: Path, threads: int) -> None:
    summary = retrain(trained, tmp_path / "again", threads=threads)
    assert_same_model(trained / "model", tmp_path / "again")
    assert summary["signature"] == Model.load(trained / "model").signature
    assert litter(tmp_path) == []


def test_other_settings_or_text_give_another_signature(trained: Path, tmp_path: Path) -> None:
    text = text_of(trained)["train"]
    changed = [
        train(text, tmp_path / "a", QUICK),
        train(text, tmp_path / "b", replace(QUICK, compounds=False)),
        train(text, tmp_path / "c", replace(QUICK, decode=replace(QUICK.decode, pop_limit=31))),
        train(text, tmp_path / "d", QUICK, lm_texts=[trained / "tune.en"]),
        train(write_pairs(tmp_path, "fewer", real_pairs(299)), tmp_path / "e", QUICK),
    ]
    signatures = {summary["signature"] for summary in changed} | {Model.load(trained / "model").signature}
    assert len(signatures) == 6


PINNED = [("Das Haus am See.", "The house by the lake."), ("Das Schulhaus", "The school house"),
          ("Ein See", "A lake"), ("Die Schule am See", "The school by the lake")] * 3


@pytest.mark.parametrize(("grammar", "signature"), [("hierarchical", "c0053f2fe5f7"), ("phrase", "d925fbfa59f5")])
def test_signatures_stay_what_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grammar: str, signature: str
) -> None:
    """Published numbers name models by them: one must come out again for the same text, settings and version."""
    monkeypatch.setattr("crossbow.pipeline.__version__", "0.1.0")
    (tmp_path / "text").write_text("the old castle\nthe lock\n")
    decode, tuning = GRAMMARS[grammar]
    texts = [tmp_path / "text"] if grammar == "hierarchical" else []
    summary = train(write_pairs(tmp_path, "train", PINNED), tmp_path / "model",
                    TrainConfig(GERMAN, ENGLISH, decode=decode, tune=tuning), lm_texts=texts)
    assert summary["signature"] == signature


def test_paths_may_be_strings(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path, "train", PINNED)
    write_lines("groups", [str(n) for n in range(len(PINNED))])
    write_lines("links", ["0-0"] * len(PINNED))
    summary = train(ParallelText("train.de", "train.en"), "model", QUICK, lm_texts=["train.en"], groups="groups",
                    alignment="links")
    assert Model.load("model").signature == summary["signature"]


def test_texts_and_a_finished_language_model_exclude_each_other(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(CrossbowError, match="not both"):
        retrain(trained, tmp_path / "model", lm_texts=[trained / "tune.en"], arpa=tmp_path / "lm.arpa")
    assert not (tmp_path / "model").exists()


def test_without_tuning_the_weights_are_those_tuning_starts_from(trained: Path, tmp_path: Path) -> None:
    summary = train(text_of(trained)["train"], tmp_path / "model", QUICK)
    assert Model.load(tmp_path / "model").decoder.weights == START_WEIGHTS
    assert "bleu" not in summary


def test_one_tab_separated_file_does_as_well_as_two(trained: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "train.tsv.gz", (f"{german}\t{english}" for german, english in real_pairs()))
    train(ParallelText(tmp_path / "train.tsv.gz"), tmp_path / "model", QUICK, tuning=text_of(trained)["tune"])
    assert contents(tmp_path / "model") == contents(trained / "model")


def test_more_text_for_the_language_model_takes_the_last_column(trained: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "docs.tsv", ["d1\tThe zebra sleeps.", "d2\tTitle\tA zebra runs."])
    summary = train(text_of(trained)["train"], tmp_path / "model", QUICK, lm_texts=[tmp_path / "docs.tsv"])
    assert summary["lm_tokens"] == summary["target_tokens"] + 8
    words = Model.load(tmp_path / "model").decoder.target
    assert "zebra" in words
    assert "title" not in words


def test_the_language_model_reads_documents_in_json_too(tmp_path: Path) -> None:
    write_lines(tmp_path / "docs.jsonl", ['{"id": "d1", "title": "Zebras", "text": "The zebra\\nsleeps."}'])
    assert list(lm_documents([tmp_path / "docs.jsonl"])) == [["Zebras", "The zebra sleeps."]]


def test_groups_are_left_out_together(trained: Path, tmp_path: Path) -> None:
    pairs = [*real_pairs(50), ("Der Wombat gräbt.", "The wombat digs."), ("Ein Wombat frisst.", "A wombat eats.")]
    groups = [f"g{n // 2}" for n in range(len(pairs))]
    write_lines(tmp_path / "groups", groups)
    train(write_pairs(tmp_path, "train", pairs), tmp_path / "model", QUICK, groups=tmp_path / "groups")
    model = Model.load(tmp_path / "model")
    assert model.groups == list(dict.fromkeys(groups))
    assert model.best(model.forest("Wombat gräbt")) == ["wombat", "digs"]
    rules = [model.decoder.rules(["gräbt"], exclude) for exclude in (-1, 0, model.groups.index("g25"))]
    assert [len(found.first) > 1 and found.first[-1] > 0 for found in rules] == [True, True, False]


# Interruption


def stop_at(moment: tuple[str, int]) -> Any:
    """A report that interrupts when a stage of that name reports that number."""

    def report(what: str, done: int, total: int) -> None:
        if (what, done) == moment:
            raise KeyboardInterrupt

    return report


MOMENTS = [("text", 0), ("text", 1), ("align", 5), ("lm", 0), ("bitext", 1), ("tune, pass 2 of 2", 8), ("tune", 1)]


@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_an_interrupted_training_goes_on(trained: Path, tmp_path: Path, moment: tuple[str, int]) -> None:
    out = tmp_path / "model"
    shutil.copytree(trained / "model", out)
    (out / "old").touch()
    with pytest.raises(KeyboardInterrupt):
        retrain(trained, out, report=stop_at(moment))
    assert (out / "old").exists(), "the old model stays until the new one is complete"
    Model.load(out)
    finished = {path.name.split("-")[0] for path in tmp_path.glob(".model.stages/*-*")}
    order = ["text", "align", "lm", "bitext", "tune"]
    name = moment[0].split(",")[0]
    assert finished == set(order[: order.index(name) + (moment[1] == 1 and name == moment[0])])
    reports: list[tuple[str, int, int]] = []
    retrain(trained, out, report=lambda *what: reports.append(what))
    assert {what for what, done, _ in reports if done == 0} == set(order) - finished
    passes = {what for what, *_ in reports if "pass" in what}
    assert ("tune, pass 1 of 2" in passes) == (name != "tune"), "a finished pass of tuning is not made again"
    assert_same_model(trained / "model", out)
    assert not (out / "old").exists()
    assert litter(tmp_path) == []


KILLED = """
import os, signal, sys
from pathlib import Path
import crossbow.store
import crossbow.training.parallel
from crossbow.records import ParallelText
from training import QUICK

folder, out, moment = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
die = lambda *ignored: os.kill(os.getpid(), signal.SIGKILL)
if moment == "adopt":
    crossbow.store.adopt = die

def report(what, done, total):
    if what == moment and done:
        die()

crossbow.training.parallel.train(ParallelText(folder / "train.de", folder / "train.en"), out, QUICK,
                     tuning=ParallelText(folder / "tune.de", folder / "tune.en"), report=report)
"""


@pytest.mark.parametrize("moment", ["align", "tune, pass 1 of 2", "adopt"])
def test_a_killed_training_goes_on(trained: Path, tmp_path: Path, moment: str) -> None:
    out = tmp_path / "model"
    shutil.copytree(trained / "model", out)
    (out / "old").touch()
    done = run_python(KILLED, trained, out, moment, cwd=Path(__file__).parent)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (out / "old").exists()
    assert best(out, "Das Wetter ist schlecht.") == "the weather is bad ."
    retrain(trained, out)
    assert_same_model(trained / "model", out)
    assert not (out / "old").exists()
    assert not (tmp_path / ".model.stages").exists()


def test_changed_text_is_not_mixed_with_finished_stages(trained: Path, tmp_path: Path) -> None:
    """Interrupted after alignment, then the text is edited: nothing of the old text may be taken up."""
    text = write_pairs(tmp_path, "train", real_pairs(200))
    with pytest.raises(KeyboardInterrupt):
        train(text, tmp_path / "model", QUICK, report=stop_at(("lm", 0)))
    text = write_pairs(tmp_path, "train", real_pairs(100))
    train(text, tmp_path / "model", QUICK)
    (tmp_path / "other").mkdir()
    train(write_pairs(tmp_path / "other", "train", real_pairs(100)), tmp_path / "other" / "model", QUICK)
    assert_same_model(tmp_path / "model", tmp_path / "other" / "model")


def test_stages_of_another_version_are_not_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = write_pairs(tmp_path, "train", real_pairs(50))
    with pytest.raises(KeyboardInterrupt):
        train(text, tmp_path / "model", QUICK, report=stop_at(("align", 0)))
    monkeypatch.setattr("crossbow.text.analyzer.RULES", 999)
    made = []
    train(text, tmp_path / "model", QUICK, report=lambda what, done, total: made.append(what) if done == 0 else None)
    assert "text" in made


def test_a_place_that_is_taken_is_refused_before_the_work_begins(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "thesis.txt").write_text("years of work")
    reports: list[str] = []
    with pytest.raises(InputError, match="exists and is not a Crossbow folder"):
        train(write_pairs(tmp_path, "train", real_pairs(20)), tmp_path / "model", QUICK,
              report=lambda what, done, total: reports.append(what))
    assert (tmp_path / "model" / "thesis.txt").exists()
    assert reports == []


def test_a_full_disk_in_a_stage(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "model"
    shutil.copytree(trained / "model", out)
    saved = np.save

    def full(file: Path, *arguments: Any, **options: Any) -> None:
        if ".lm-" in str(file):
            raise OSError(errno.ENOSPC, "No space left on device")
        saved(file, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(np, "save", full)
        with pytest.raises(CrossbowError, match="the disk is full"):
            retrain(trained, out)
    assert_same_model(trained / "model", out)
    retrain(trained, out)
    assert_same_model(trained / "model", out)


# Input that is not as it should be


def test_unequal_line_counts(tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["Das Haus", "Der See", "Der Berg"])
    write_lines(tmp_path / "b", ["the house", "the lake"])
    for text, message in ((ParallelText(tmp_path / "a", tmp_path / "b"), r"/b:2: ends here, but .*/a has 3 lines"),
                          (ParallelText(tmp_path / "b", tmp_path / "a"), r"/b:2: ends here, but .*/a has 3 lines")):
        with pytest.raises(InputError, match=message):
            train(text, tmp_path / "model", QUICK)
    assert litter(tmp_path) in ([], [".model.stages"])
    assert not (tmp_path / "model").exists()


def test_empty_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    pairs = real_pairs(60)
    holes = [*pairs[:20], ("", "Only English."), *pairs[20:40], ("Nur Deutsch.", " \t"), ("", ""), *pairs[40:]]
    (tmp_path / "holes").mkdir()
    summary = train(write_pairs(tmp_path / "holes", "train", holes), tmp_path / "holes" / "model", QUICK)
    assert summary["empty"] == 3
    assert summary["pairs"] == 60
    train(write_pairs(tmp_path, "train", pairs), tmp_path / "model", QUICK)
    assert contents(tmp_path / "holes" / "model") == contents(tmp_path / "model")


def test_pairs_with_a_group_are_skipped_and_counted_too(tmp_path: Path) -> None:
    pairs = real_pairs(30)
    write_lines(tmp_path / "groups", ["a"] * 10 + ["lost"] + ["b"] * 20)
    summary = train(write_pairs(tmp_path, "train", [*pairs[:10], ("x", ""), *pairs[10:]]), tmp_path / "model", QUICK,
                    groups=tmp_path / "groups")
    assert summary["empty"] == 1
    assert Model.load(tmp_path / "model").groups == ["a", "b"]


@pytest.mark.parametrize("name", ["train.de", "train.en", "tune.en", "docs", "groups"])
def test_invalid_utf8_is_named_by_file_and_line(tmp_path: Path, name: str) -> None:
    files = {part: write_pairs(tmp_path, part, real_pairs(5)) for part in ("train", "tune")}
    write_lines(tmp_path / "docs", ["a b"] * 5)
    write_lines(tmp_path / "groups", "abcde")
    lines = (tmp_path / name).read_bytes().split(b"\n")
    lines[2] = b"caf\xe9"
    (tmp_path / name).write_bytes(b"\n".join(lines))
    with pytest.raises(InputError, match=rf"{name}:3: not UTF-8 \(byte 4"):
        train(files["train"], tmp_path / "model", QUICK, tuning=files["tune"], lm_texts=[tmp_path / "docs"],
              groups=tmp_path / "groups")
    assert not (tmp_path / "model").exists()


def test_a_sentence_of_ten_thousand_words_is_left_out_and_counted(tmp_path: Path) -> None:
    pairs = real_pairs(40)
    (tmp_path / "long").mkdir()
    long = [*pairs[:20], ("lang " * 10_000, "long"), ("lang", "long " * 10_000), ("x " * 200, "y"), *pairs[20:]]
    summary = train(write_pairs(tmp_path / "long", "train", long), tmp_path / "long" / "model", QUICK)
    assert summary["too_long"] == 2
    assert summary["pairs"] == 41
    assert "lang" not in Model.load(tmp_path / "long" / "model").decoder.source


@pytest.mark.parametrize(("lines", "message"), [
    ([], "train.de: no sentence pairs in it"), (["", "", ""], "train.de: no sentence pairs in it"),
    (["x " * 300], "no sentence pair has 1 to 200 tokens"), (["\u200b\u00ad", "\ufeff"], "no sentence pair"),
])
def test_files_without_a_usable_pair(tmp_path: Path, lines: list[str], message: str) -> None:
    text = write_pairs(tmp_path, "train", [(line, line) for line in lines])
    with pytest.raises(CrossbowError, match=message):
        train(text, tmp_path / "model", QUICK)


@pytest.mark.parametrize("name", ["pairs", "tuning", "lm_texts", "groups", "alignment"])
def test_missing_files_are_named(tmp_path: Path, name: str) -> None:
    text, nowhere = write_pairs(tmp_path, "train", real_pairs(5)), tmp_path / "nowhere"
    options: dict[str, Any] = {name: nowhere}
    if name == "pairs":
        text, options = ParallelText(tmp_path / "train.de", nowhere), {}
    elif name == "tuning":
        options = {name: ParallelText(nowhere, tmp_path / "train.en")}
    elif name == "lm_texts":
        options = {name: [nowhere]}
    with pytest.raises(InputError, match=r"nowhere: (no such file|cannot be read \(No such file)"):
        train(text, tmp_path / "model", QUICK, **options)


@pytest.mark.parametrize(("count", "line"), [(9, 10), (11, 11), (0, 1)])
def test_groups_must_have_a_line_for_each_pair(tmp_path: Path, count: int, line: int) -> None:
    text = write_pairs(tmp_path, "train", real_pairs(10))
    write_lines(tmp_path / "groups", ["g"] * count)
    with pytest.raises(InputError, match=rf"groups:{line}: expected as many lines as .*train.de"):
        train(text, tmp_path / "model", QUICK, groups=tmp_path / "groups")


def test_tuning_on_sentences_that_are_all_too_long_changes_nothing(trained: Path, tmp_path: Path) -> None:
    tuning = write_pairs(tmp_path, "tune", [("das wetter " * 40, "the weather " * 40)])
    train(text_of(trained)["train"], tmp_path / "model", QUICK, tuning=tuning)
    assert Model.load(tmp_path / "model").decoder.weights == START_WEIGHTS


# Odd text


SPECIAL = [("<s> haus </s>", "<s> house </s>"), ("<unk> see", "<unk> lake"), ("</s> berg <s>", "</s> mountain <s>"),
           ("das haus", "the house"), ("der see", "the lake"),
           ("haus </s>", "house </s>"), ("see <s>", "lake <s>")] * 4


def test_special_words_in_tokenized_text_are_ordinary_words(tmp_path: Path) -> None:
    text = write_pairs(tmp_path, "train", SPECIAL)
    held_out = write_pairs(tmp_path, "tune", [(f"{one[0]} {two[0]}", f"{one[1]} {two[1]}")
                                              for one, two in pairwise(SPECIAL)])
    summary = train(text, tmp_path / "model", TOKENS, tuning=held_out, lm_texts=[tmp_path / "train.en"])
    assert np.isfinite(summary["perplexity"])
    assert summary["perplexity"] < 100
    model = Model.load(tmp_path / "model")
    assert model.decoder.target.words[:3] == ["<unk>", "<s>", "</s>"]
    # None of the three special ids stands in the text itself.
    assert model.decoder.bitext.target.min() > 2
    for line in ("<s> haus </s>", "<unk> see", "das haus", "<s>", "</s> </s>", "unseen <s> unseen"):
        words = best(tmp_path / "model", line).split()
        assert len(words) == len(line.split())
    assert best(tmp_path / "model", "das haus") == "the house"


def test_marks_of_our_own_formats_in_tokenized_text(tmp_path: Path) -> None:
    """Words like [X,1] are words in text, forests and translations."""
    pairs = [("[X,1] haus", "[1] house"), ("haus [X] ||| see", "house [X] ||| lake"), ("0-0 see", "0-0 lake")] * 3
    train(write_pairs(tmp_path, "train", pairs), tmp_path / "model", TOKENS)
    assert best(tmp_path / "model", "haus [X] ||| see") == "house [X] ||| lake"
    assert best(tmp_path / "model", "[X,1] haus") == "[1] house"


@pytest.mark.parametrize("lang", ["und", "zh", "sw", "tlh-Latn"])
def test_a_language_without_stemmer_and_stopwords(tmp_path: Path, lang: str) -> None:
    config = replace(QUICK, source=Settings(lang), target=Settings(lang))
    pairs = [("mimi nyumba", "moja haus"), ("nyumba", "haus"), ("mimi", "moja")] * 3
    train(write_pairs(tmp_path, "train", pairs), tmp_path / "model", config)
    assert best(tmp_path / "model", "nyumba mimi") == "haus moja"


def test_an_odd_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CrossbowError, match="language"):
        Settings("")


def test_an_external_alignment_gives_the_same_model(trained: Path, tmp_path: Path) -> None:
    text = text_of(trained)["train"]
    with pytest.raises(KeyboardInterrupt):
        train(text, tmp_path / "model", QUICK, report=stop_at(("lm", 0)))
    (stage,) = tmp_path.glob(".model.stages/align-*")
    pharaoh.write(tmp_path / "links", store.load(stage, "links", Links)[0])
    train(text, tmp_path / "model", QUICK)
    train(text, tmp_path / "external", QUICK, alignment=tmp_path / "links")
    assert contents(tmp_path / "model") == contents(tmp_path / "external")


def test_another_alignment_gives_another_model(trained: Path, tmp_path: Path) -> None:
    text = text_of(trained)["train"]
    write_lines(tmp_path / "links", ["0-0"] * 300)
    train(text, tmp_path / "external", QUICK, alignment=tmp_path / "links")
    assert contents(tmp_path / "external") != contents(trained / "model")
    assert Model.load(tmp_path / "external").signature != Model.load(trained / "model").signature


@pytest.mark.parametrize(("lines", "message"), [
    (["0-0"] * 9, "9 lines for 10 sentence pairs"), (["0-0"] * 9 + ["99-0"], "links:10: link 99-0, but the source"),
    (["0-0"] * 9 + ["x"], "links:10: not a line of links"),
])
def test_an_alignment_must_fit_the_text(tmp_path: Path, lines: list[str], message: str) -> None:
    write_lines(tmp_path / "links", lines)
    with pytest.raises(InputError, match=message):
        train(write_pairs(tmp_path, "train", real_pairs(10)), tmp_path / "model", QUICK, alignment=tmp_path / "links")


@pytest.mark.parametrize("odd", [("", "empty"), ("lang " * 300, "long")])
def test_an_alignment_of_text_with_pairs_left_out_is_refused(tmp_path: Path, odd: tuple[str, str]) -> None:
    write_lines(tmp_path / "links", ["0-0"] * 11)
    text = write_pairs(tmp_path, "train", [*real_pairs(10), odd])
    with pytest.raises(CrossbowError, match=r"links do not match.*; remove those pairs"):
        train(text, tmp_path / "model", QUICK, alignment=tmp_path / "links")


# Translation


def test_a_line_for_a_line(trained: Path) -> None:
    text = "Das Wetter ist schlecht.\n\n \t \nIch möchte eine Suppe.\r\nDas Wetter ist schlecht."
    lines = translated(Model.load(trained / "model"), text).split("\n")
    assert lines == ["the weather is bad .", "", "", "i would like a soup .", "the weather is bad .", ""]


def test_long_lines_are_translated_in_pieces(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = Model.load(trained / "model").with_settings(pop_limit=1, max_words=50)
    words = [f"x{n}y" for n in range(10_000)]
    assert translated(model, f"Hallo.\n{' '.join(words)}\nHallo.\n").split("\n")[1].split() == words
    assert capsys.readouterr().err == "1 lines with more than 50 words were translated in pieces\n"


def test_short_lines_say_nothing(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = Model.load(trained / "model").with_settings(max_words=5)
    translated(model, "Das Wetter ist schlecht.\n")
    assert capsys.readouterr().err == ""


def test_pieces_have_names_of_their_own(trained: Path, tmp_path: Path) -> None:
    model = Model.load(trained / "model").with_settings(max_words=2)
    translated(model, "Hallo\na b c d e\n", forests=tmp_path / "forests", rules=tmp_path / "rules")
    names = [json.loads(line)["id"] for line in (tmp_path / "forests").read_text().splitlines()]
    assert names == ["1", "2.1", "2.2", "2.3"]


def test_order_is_kept_whatever_the_threads(trained: Path) -> None:
    model = Model.load(trained / "model")
    lines = [german for german, _ in real_pairs(25)]
    text = "\n".join(lines) + "\n"
    alone = "".join(translated(model, line + "\n") for line in lines)
    assert translated(model, text, threads=1) == alone
    assert translated(model, text, threads=4) == alone


def test_bad_bytes_leave_no_forests(trained: Path, tmp_path: Path) -> None:
    model, out = Model.load(trained / "model"), io.StringIO()
    (tmp_path / "forests").write_text("older")
    with pytest.raises(InputError, match=r"standard input:2: not UTF-8 \(byte 2"):
        translate_lines(model, io.BytesIO(b"Hallo\nb\xffad\n"), out, 1, tmp_path / "forests", None, 2)
    assert (tmp_path / "forests").read_text() == "older"
    assert litter(tmp_path) == []


def test_what_precedes_bad_bytes_is_translated(trained: Path) -> None:
    out = io.StringIO()
    with pytest.raises(InputError):
        translate_lines(Model.load(trained / "model"), io.BytesIO(b"Das Wetter\nb\xffad\n"), out, 1, None, None, 2)
    assert out.getvalue() == "the weather\n"


def test_settings_of_decoding_can_be_changed(trained: Path) -> None:
    model = Model.load(trained / "model")
    free = model.with_settings(language_model=False)
    assert (model.decoder.config.language_model, free.decoder.config.language_model) == (True, False)
    narrow, wide = (model.with_settings(pop_limit=limit).forest("Das Wetter ist heute schlecht.") for limit in (2, 100))
    assert narrow.edges < wide.edges


@pytest.mark.parametrize("part", ["lm", "bitext", "compounds", "."])
def test_a_model_with_a_damaged_part_says_which(trained: Path, tmp_path: Path, part: str) -> None:
    shutil.copytree(trained / "model", tmp_path / "model")
    (tmp_path / "model" / part / "header.json").unlink()
    with pytest.raises(InputError, match=r"model(/\w+)?: not a Crossbow folder"):
        Model.load(tmp_path / "model")


def test_a_model_without_its_compounds_is_refused(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained / "model", tmp_path / "model")
    shutil.rmtree(tmp_path / "model" / "compounds")
    with pytest.raises(CrossbowError, match="compounds"):
        Model.load(tmp_path / "model")


def test_stored_text_holds_the_sentences(tmp_path: Path) -> None:
    """The text stage, word for word."""
    text = write_pairs(tmp_path, "train", [("Das Haus.", "The house."), ("Ein See!", "A lake!")])
    with pytest.raises(KeyboardInterrupt):
        train(text, tmp_path / "model", replace(QUICK, tune=TuneConfig()), report=stop_at(("align", 0)))
    (stage,) = tmp_path.glob(".model.stages/text-*")
    arrays, meta = store.load(stage, "text", TextArrays)
    words = [store.unpack_strings(packed) for packed in (arrays.source_words, arrays.target_words)]
    assert [words[0][i] for i in arrays.source] == ["das", "haus", ".", "ein", "see", "!"]
    assert [words[1][i] for i in arrays.target] == ["the", "house", ".", "a", "lake", "!"]
    assert arrays.source_starts.tolist() == arrays.target_starts.tolist() == arrays.lm_starts.tolist() == [0, 3, 6]
    assert meta["pairs"] == 2
