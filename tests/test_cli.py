"""The command line as a user meets it: output, exit codes, and errors of one line without a traceback."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crossbow import __version__, store
from crossbow.datasets.collection import Collection
from crossbow.decode.kbest import kbest
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.features import FEATURES
from crossbow.grammar.rulefile import read_rules
from crossbow.model import Model
from crossbow.vocab import Vocab
from training import contents, corpus, crossbow, litter, real_pairs, write_pairs

COMMANDS = [("train",), ("translate",), ("index",), ("info",), ("demo",), ("serve",),
            ("data", "debian")]
TEXT = "Das Wetter ist schlecht.\n\nIch möchte eine Suppe.\n"


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text and the model trained on it; nobody writes here."""
    return corpus(tmp_path_factory)


def failure(*arguments: str | Path, text: str | bytes = b"", code: int = 2) -> str:
    """The one line that a command prints when it fails."""
    done = crossbow(*arguments, text=text)
    assert done.returncode == code, done
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("crossbow: ")
    return lines[0]


def test_version() -> None:
    done = crossbow("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"crossbow {__version__}\n", "")


def test_help_lists_the_commands() -> None:
    done = crossbow("--help")
    assert done.returncode == 0
    assert all(command[0] in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_each_command_has_an_example(command: tuple[str, ...]) -> None:
    done = crossbow(*command, "--help")
    assert done.returncode == 0
    assert re.search(rf"Example: .*crossbow {' '.join(command)}\b", done.stdout)


@pytest.mark.parametrize("arguments", [
    ["bogus"], ["--bogus"], ["train", "--bogus"], ["train", "a"], ["train", "a", "b"], ["info"], ["data", "bogus"],
    ["train", "a", "b", "-o", "c", "--order", "9"], ["train", "a", "b", "-o", "c", "--order", "x"],
    ["train", "a", "b", "-o", "c", "--threads", "0"], ["train", "a", "b", "-o", "c", "--tune", "d"],
    ["train", "a", "b", "-o", "c", "--grammar", "tree"], ["train", "a", "b", "-o", "c", "--distortion-limit", "3"],
    ["train", "a", "b", "-o", "c", "--grammar", "phrase", "--distortion-limit", "11"],
    ["train", "a", "b", "-o", "c", "--analyzer", "letters"], ["train", "a", "b", "-o", "c", "--source", ""],
    ["translate", "model", "--nbest", "0"], ["translate", "model", "--set", "translation.pop_limit=-1"],
    ["translate", "model", "--set", "bm25.k1=2"], ["info", "a", "b"],
], ids=" ".join)
def test_bad_usage_is_one_line(arguments: list[str]) -> None:
    failure(*arguments)


@pytest.mark.parametrize("arguments", [[], ["data"]], ids=["crossbow", "crossbow data"])
def test_no_arguments_show_the_help(arguments: list[str]) -> None:
    done = crossbow(*arguments)
    shown = done.stdout + done.stderr
    assert shown.rstrip("\n") == crossbow(*arguments, "--help").stdout.rstrip("\n")


def test_train_translate_info(trained: Path, tmp_path: Path) -> None:
    """The whole way, with most options of training."""
    for name in ("train", "tune"):
        for side in ("de", "en"):
            lines = (trained / f"{name}.{side}").read_text().splitlines(keepends=True)
            (tmp_path / f"{name}.{side}").write_text("".join(lines[:60]))
    (tmp_path / "docs.tsv").write_text("d1\tThe weather in town.\n")
    (tmp_path / "groups").write_text("".join(f"g{n // 3}\n" for n in range(60)))
    arguments = ["train", "train.de", "train.en", "-o", "model", "--lm-text", "docs.tsv", "--tune", "tune.de",
                 "tune.en", "--groups", "groups", "--order", "3", "--pop-limit", "30", "--passes", "1",
                 "--threads", "1"]
    done = crossbow(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    table = dict(line.split(None, 1) for line in done.stdout.splitlines())
    assert table["pairs"] == "60"
    assert len(table["ngrams"].split()) == 3
    assert len(table["bleu"].split()) == 1
    model = Model.load(tmp_path / "model")
    assert table["signature"] == model.signature
    assert model.groups == [f"g{n}" for n in range(20)]
    assert model.decoder.config.pop_limit == 30
    assert "town" in model.decoder.target
    assert litter(tmp_path) == []
    again = crossbow(*arguments, "--quiet", cwd=tmp_path)
    assert again.stderr == ""
    assert [line for line in again.stdout.splitlines() if not line.startswith("seconds")] == [
        line for line in done.stdout.splitlines() if not line.startswith("seconds")]
    assert crossbow("translate", "model", text="Das Wetter\n", cwd=tmp_path).stdout.endswith("weather\n")
    shown = crossbow("info", "model", cwd=tmp_path).stdout
    assert re.search(r"^source +de$", shown, re.M)
    assert re.search(rf"^signature +{model.signature}$", shown, re.M)


def test_train_on_tokenized_text_of_other_languages(tmp_path: Path) -> None:
    write_pairs(tmp_path, "train", [("Nyumba KUBWA", "Big HOUSE"), ("Nyumba", "HOUSE"), ("KUBWA", "Big")] * 3)
    (tmp_path / "train.de").rename(tmp_path / "train.sw")
    (tmp_path / "train.en").rename(tmp_path / "train.txt")
    done = crossbow("train", "train.sw", "train.txt", "-o", "model", "--target", "TLH", "--analyzer", "tokens",
                    "--no-compounds", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["source           sw", "target           tlh"]
    assert crossbow("translate", "model", text="Nyumba KUBWA\n", cwd=tmp_path).stdout == "Big HOUSE\n"
    header = json.loads(crossbow("info", "model", "--json", cwd=tmp_path).stdout)
    assert header["meta"]["source"]["lang"] == "sw"
    assert header == store.header(tmp_path / "model")


def test_languages_of_train(tmp_path: Path) -> None:
    """From the names of the files, in any spelling from options; compounds are split whichever way German comes."""
    words = [("schule", "school"), ("buch", "book")] * 4
    write_pairs(tmp_path, "train", [("das schulbuch", "the school book"), *words])
    shutil.copy(tmp_path / "train.de", tmp_path / "source")
    shutil.copy(tmp_path / "train.de", tmp_path / "train.da")
    done = [crossbow("train", name, "train.en", "-o", f"model-{name}", *options, cwd=tmp_path) for name, options in
            (("train.de", ()), ("source", ("--source", "DEU")), ("train.da", ()))]
    assert [one.returncode for one in done] == [0, 0, 0]
    german, given, danish = (Model.load(tmp_path / f"model-{name}") for name in ("train.de", "source", "train.da"))
    assert given.signature == german.signature
    assert given.tokens("Schulbuch") == ["schule", "buch"]
    assert danish.source.settings.lang == "da"
    message = failure("train", tmp_path / "train.da", tmp_path / "train.en", "--source", "de", "-o", tmp_path / "x")
    assert "train.da: the source language is Danish ('da') by the name of the file, but --source is 'de'" in message
    assert "insist on it by renaming" in message
    assert "source: the source language is unknown; give it with --source" in failure(
        "train", tmp_path / "source", tmp_path / "train.en", "-o", tmp_path / "x")
    assert "'german' is not a language code; did you mean 'de'?" in failure(
        "train", tmp_path / "train.de", tmp_path / "train.en", "--source", "german", "-o", tmp_path / "x")
    (tmp_path / "train.en").rename(tmp_path / "train.vi")
    said = crossbow("train", "train.de", "train.vi", "-o", "vi", cwd=tmp_path)
    assert said.stderr.splitlines()[0] == "no stemmer for 'vi': words are matched as they stand"


def test_translate_keeps_lines(trained: Path) -> None:
    done = crossbow("translate", trained / "model", text=TEXT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "the weather is bad .\n\ni would like a soup .\n"


def test_translate_nothing(trained: Path) -> None:
    done = crossbow("translate", trained / "model")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_nbest_forests_and_rules(trained: Path, tmp_path: Path) -> None:
    done = crossbow("translate", trained / "model", "--nbest", "5", "--forest", tmp_path / "forests.jsonl", "--rules",
                    tmp_path / "rules", text=TEXT)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split(" ||| ") for line in done.stdout.splitlines()]
    model = Model.load(trained / "model")
    forests = list(Forest.read_jsonl(tmp_path / "forests.jsonl"))
    assert [forest.id for forest in forests] == ["1", "3"]
    for forest, line in zip(forests, ("Das Wetter ist schlecht.", "Ich möchte eine Suppe.")):
        mine = [row for row in rows if row[0] == forest.id]
        scores = [float(row[3]) for row in mine]
        assert 1 < len(mine) <= 5
        assert len({row[1] for row in mine}) == len(mine), "translations of an n-best list are distinct"
        assert scores == sorted(scores, reverse=True)
        for row in mine:
            features = {name: float(value) for name, value in (item.split("=") for item in row[2].split())}
            dot = sum(model.decoder.weights[name] * value for name, value in features.items())
            assert dot == pytest.approx(float(row[3]), abs=1e-2)
            assert len(features) == len(model.decoder.names)
        assert forest.source == model.source.tokens(line)
        assert " ".join(Model.best(forest)) == mine[0][1]
        assert kbest(forest, 1).score[0] == pytest.approx(scores[0], abs=1e-5)
        source, target = Vocab(), Vocab()
        rules = read_rules(tmp_path / "rules" / f"{forest.id}.grammar", source, target)
        assert rules.features.shape == (len(rules.counts), len(FEATURES))
        assert len(rules.counts) == len(model.decoder.rules(forest.source).counts)
        assert set(source.words) <= set(forest.source)
    assert sorted(os.listdir(tmp_path / "rules")) == ["1.grammar", "3.grammar"]
    assert litter(tmp_path) == []


def test_translate_with_other_settings(trained: Path) -> None:
    model = Model.load(trained / "model").with_settings(language_model=False, pop_limit=7)
    sentence = "Von dem Turm der Stadt hat man einen Blick."
    done = crossbow("translate", trained / "model", "--set", "translation.language_model=no", "--set",
                    "translation.pop_limit=7", text=sentence)
    assert done.stdout == " ".join(model.best(model.forest(sentence))) + "\n"


def test_bad_input_of_translate(trained: Path, tmp_path: Path) -> None:
    assert "standard input:1: not UTF-8" in failure("translate", trained / "model", text=b"caf\xe9\n")
    assert "nowhere: no such folder" in failure("translate", tmp_path / "nowhere")
    assert "of kind 'lm', expected 'model'" in failure("translate", trained / "model" / "lm")
    (tmp_path / "file").touch()
    assert "file" in failure("translate", trained / "model", "--rules", tmp_path / "file", text="Hallo\n")
    assert "is a folder" in failure("translate", trained / "model", "--forest", tmp_path, text="Hallo\n")


def test_bad_input_of_train(trained: Path, tmp_path: Path) -> None:
    source, target, out = trained / "train.de", trained / "train.en", tmp_path / "out"
    (tmp_path / "short").write_text("one line\n")
    (tmp_path / "empty").touch()
    quiet = ("-o", out, "--quiet", "--source", "de", "--target", "en")
    assert "short:1: ends here" in failure("train", source, tmp_path / "short", *quiet)
    assert "no sentence pairs" in failure("train", tmp_path / "empty", tmp_path / "empty", *quiet)
    assert "nowhere: cannot be read" in failure("train", source, tmp_path / "nowhere", *quiet)
    assert "short:2: expected as many lines" in failure("train", source, target, "--groups", tmp_path / "short", *quiet)
    assert not out.exists()


def test_info_of_parts_and_nonsense(trained: Path, tmp_path: Path) -> None:
    for part in ("lm", "bitext", "compounds"):
        done = crossbow("info", trained / "model" / part)
        assert done.returncode == 0
        assert re.search(rf"^kind +{part}$", done.stdout, re.M)
    (tmp_path / "header.json").write_text("{")
    assert "damaged header" in failure("info", tmp_path)
    assert "no search configuration" in failure("info", Path(__file__))
    assert "not a Crossbow folder" in failure("info", Path(__file__).parent)
    assert "no such folder" in failure("info", tmp_path / "nowhere")


def test_info_repairs_a_model_whose_replacement_was_cut_off(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained / "model", tmp_path / ".model.old")
    assert crossbow("info", tmp_path / "model").returncode == 0
    assert contents(tmp_path / "model") == contents(trained / "model")


@pytest.mark.parametrize("command", ["translate {model} < {text}", "info {model}", "--help"])
def test_a_reader_that_goes_away_is_no_error_message(trained: Path, tmp_path: Path, command: str) -> None:
    (tmp_path / "text").write_text("Das Wetter ist schlecht.\n" * 20_000)
    full = command.format(model=trained / "model", text=tmp_path / "text")
    executable = " ".join(crossbow("--version").args[:1])
    done = subprocess.run(["bash", "-c", f"{executable} {full} | head -c 1"], capture_output=True, text=True,
                          timeout=120)
    assert len(done.stdout) == 1
    assert done.stderr == ""


def test_an_interrupt_is_one_line(trained: Path, tmp_path: Path) -> None:
    """A report that interrupts stands for the user's Ctrl-C."""
    code = ("import sys, crossbow.pipeline as p; from crossbow.cli import app\n"
            "def stop(*ignored): raise KeyboardInterrupt\n"
            "p.file_digest.__globals__['hashlib'].sha256 = stop; app()")
    done = subprocess.run([sys.executable, "-c", code, "train", trained / "train.de", trained / "train.en", "-o",
                           tmp_path / "model", "--quiet"], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr.startswith("crossbow: interrupted")
    assert done.stderr.count("\n") == 1


def test_data_debian(tmp_path: Path) -> None:
    """A tiny archive; what is in a collection is tested with the collection."""
    lists, words = tmp_path / "lists", ["alpha", "beta", "gamma", "delta", "kappa", "sigma", "omega", "theta"]
    lists.mkdir()
    packages, sides = [], {"en": [], "de": []}  # type: ignore[var-annotated]
    for n in range(24):
        one, two, three = words[n % 8], words[(n * 3 + 1) % 8], words[n // 3]
        packages.append(f"Package: tool{n}\nSource: tool{n}\nDescription-md5: {n}\n")
        sides["en"].append(f"Package: tool{n}\nDescription-md5: {n}\nDescription-en: program for {one} and {two} {n}\n"
                           f" It shows {one}, {two} and {three} in window number {n}.\n")
        sides["de"].append(f"Package: tool{n}\nDescription-md5: {n}\nDescription-de: Programm für {one} und {two} {n}\n"
                           f" Es zeigt {one}, {two} und {three} in Fenster Nummer {n}.\n")
    prefix = "somewhere_dists_suite_main_"
    (lists / f"{prefix}binary-amd64_Packages").write_text("\n".join(packages))
    for lang, entries in sides.items():
        (lists / f"{prefix}i18n_Translation-{lang}").write_text("\n".join(entries))
    done = crossbow("data", "debian", "--lists", lists, "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "reading package lists" in done.stderr
    table = dict(line.split() for line in done.stdout.splitlines())
    collection = Collection.open(tmp_path / "out")
    assert table["documents"] == str(len(list(collection.docs()))) == "24"
    assert table["digest"] == collection.manifest["digest"]
    again = crossbow("data", "debian", "--lists", lists, "-o", tmp_path / "out", "--source", "DEU", "--quiet")
    assert (again.stdout, again.stderr) == (done.stdout, "")


def test_data_debian_without_lists(tmp_path: Path) -> None:
    done = crossbow("data", "debian", "--lists", tmp_path / "nowhere", "-o", tmp_path / "out", "--quiet")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "nowhere" in done.stderr
    assert "did you mean 'de'?" in failure("data", "debian", "--source", "German", "-o", tmp_path / "out")
    assert "descriptions are not translated into 'zh_Hant'" in failure(
        "data", "debian", "--source", "zh-hant", "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The demo on a part of its text."""
    from crossbow import demo
    from crossbow.datasets.demo import load
    from training import QUICK

    tuning = load.tune_pairs()[:8]
    monkeypatch.setattr(load, "train_pairs", lambda: real_pairs(200))
    monkeypatch.setattr(load, "tune_pairs", lambda: tuning)
    monkeypatch.setattr(demo, "TrainConfig", lambda *languages: QUICK)
    demo.run(tmp_path / "demo")
    shown = capsys.readouterr().out
    assert "trained on 200 sentence pairs" in shown
    assert all(f"\n{method} " in shown for method in ("DT", "PSQ", "BOW-FD"))
    assert next(query.text for query in load.queries("test") if query.id == demo.SHOWN) in shown
    assert "of the matches" in shown
    assert Model.load(tmp_path / "demo" / "model").signature in shown


def test_a_reader_that_has_seen_enough_is_no_problem() -> None:
    command = f"'{sys.executable}' -c 'from crossbow.cli import app; app()' methods | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (
        0, "dt: Direct translation (DT): BM25 with the best translation.\n", "")
