"""What people bring, from the command line: dictionary, grammar, convert; training with alignment and ARPA file."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import Run, failure, good, runner
from crossbow.lm.arpa import read_arpa
from crossbow.model import Model
from supplies import ARPA, GRAMMAR, PO, PO_HEADER, PO_PAIRS, TMX, TMX_PAIRS
from training import litter

DICTIONARY = "Schloss\tcastle\nSchloss\tlock\nalt\told\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in a folder with a file of each kind."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"de-en.tsv": DICTIONARY, "d.tsv": DICTIONARY,
                       "rules": GRAMMAR, "lm.arpa": ARPA, "text": "the old castle\nthe lock\n",
                       "a.tmx": TMX, "de.po": PO, "fr.po": PO_HEADER.replace("Language: de", "Language: fr"),
                       "mine.de": "altes Schloss\nSchloss\n", "mine.en": "old castle\nlock\n",
                       "links": "0-0 1-1\n0-0\n"}.items():  # fmt: skip
        (tmp_path / name).write_text(text, "utf8")
    return runner(monkeypatch, capsys)


def rows(shown: str) -> dict[str, str]:
    return dict(line.split(maxsplit=1) for line in shown.splitlines())


def test_dictionary(run: Run) -> None:
    shown = rows(good(run("dictionary", "de-en.tsv", "-o", "model", "--lm-text", "text")))
    assert (shown["source"], shown["target"]) == ("de", "en")
    assert (shown["entries"], shown["headwords"], shown["lm_tokens"]) == ("3", "2", "5")
    assert Model.load("model").best(Model.load("model").forest("alte Schlösser")) == ["old", "castle"]
    assert shown["signature"] == Model.load("model").signature
    assert rows(good(run("info", "model")))["entries"] == "3"
    other = rows(good(run("dictionary", "d.tsv", "-o", "model", "--source", "DE", "--target", "eng", "--lm-text",
                          "text", "--order", "2", "--pop-limit", "9", "--no-compounds")))  # fmt: skip
    assert other["signature"] != shown["signature"]
    model = Model.load("model")
    assert (model.decoder.config.pop_limit, model.decoder.lm.order, model.source.splitter) == (9, 2, None)


def test_grammar(run: Run) -> None:
    shown = rows(good(run("grammar", "rules", "-o", "model", "--arpa", "lm.arpa")))
    assert (shown["rules"], shown["patterns"]) == ("5", "4")
    assert shown["source"] == "de (the default; --source chooses another)"
    assert rows(good(run("info", "model")))["source"] == "de"
    Path("rules").rename("de-en.rules")
    assert rows(good(run("grammar", "de-en.rules", "-o", "model", "--target", "en-GB")))["target"] == "en-GB"
    Path("de-en.rules").rename("rules")
    shown = rows(good(run("grammar", "rules", "-o", "model", "--arpa", "lm.arpa", "--source", "vi")))
    assert (shown["source"], shown["target"]) == ("vi", "en (the default; --target chooses another)")
    assert Model.load("model").best(Model.load("model").forest("Schloss")) == ["lock"]


def test_convert(run: Run) -> None:
    shown = rows(good(run("convert", "a.tmx", "de.po", "-o", "out/all")))
    assert shown == {"a.tmx": str(len(TMX_PAIRS)), "de.po": str(len(PO_PAIRS)),
                     "pairs": str(len(TMX_PAIRS) + len(PO_PAIRS))}  # fmt: skip
    expected = [*TMX_PAIRS, *((left, right) for right, left in PO_PAIRS)]
    for side, suffix in ((0, "de"), (1, "en")):
        assert Path(f"out/all.{suffix}").read_text("utf8").splitlines() == [pair[side] for pair in expected]
    Path("de.po").rename("DE.PO")  # as some systems spell it
    for name, options in (("back", ("--source", "EN")), ("again", ())):
        good(run("convert", "DE.PO", "-o", name, *options, "--target", "De"))
        assert Path(f"{name}.en").read_text("utf8").splitlines() == [left for left, _ in PO_PAIRS]
        assert Path(f"{name}.de").read_text("utf8").splitlines() == [right for _, right in PO_PAIRS]


@pytest.mark.parametrize("code", ["deu", "GER"])
def test_convert_knows_the_other_codes_of_a_language(run: Run, code: str) -> None:
    """The files say de, de-DE, en-GB and EN_us."""
    shown = rows(good(run("convert", "a.tmx", "de.po", "-o", "all", "--source", code, "--target", "eng")))
    assert shown["pairs"] == str(len(TMX_PAIRS) + len(PO_PAIRS))
    assert Path("all.de").exists()


def test_training_with_an_alignment_and_a_language_model(run: Run) -> None:
    good(run("train", "mine.de", "mine.en", "-o", "model", "--alignment", "links", "--arpa", "lm.arpa", "--quiet"))
    model = Model.load("model")
    assert model.lexicon.translations("schloss") == [("castle", 0.5), ("lock", 0.5)]
    ngrams, vocab = read_arpa("lm.arpa")
    assert model.decoder.lm.tables.counts.tolist() == list(ngrams.counts)
    assert {"unheard", "old"} <= set(model.decoder.target.words)
    score = model.decoder.lm.score(model.decoder.target.ids(["lock", "castle"]))
    assert score == pytest.approx(-0.1 + -0.1 - 1.0 + -0.2 - 0.5)  # by the numbers in the file
    assert len(vocab) == 6


@pytest.mark.parametrize(("arguments", "message"), [
    ("dictionary nowhere.tsv -o model --source de --target en", "nowhere.tsv: no such file"),
    ("dictionary rules -o model --source de --target en", "rules:1: 1 columns"),
    ("dictionary d.tsv -o model", "d.tsv: the source language is unknown; give it with --source"),
    ("dictionary d.tsv -o model --source german", "'german' is not a language code; did you mean 'de'?"),
    ("dictionary de-en.tsv -o model --target fr", "de-en.tsv: the target language is English ('en') by the name"),
    ("dictionary de-en.tsv -o model --arpa lm.arpa --lm-text text", "not both"),
    ("dictionary de-en.tsv -o model --arpa text", "text:2: no \\data\\ line, so this is no ARPA file"),
    ("dictionary de-en.tsv -o model --analyzer odd", "the kind of text is 'odd'"),
    ("grammar d.tsv -o model", "d.tsv:1: 1 fields"),
    ("grammar rules -o model --weights text", "text:1: 'the old castle' is not the weight"),
    ("train mine.de mine.en -o model --quiet --arpa lm.arpa --lm-text text", "give --lm-text or --arpa, not both"),
    ("train mine.de mine.en -o model --quiet --arpa text", "text:2: no \\data\\ line"),
    ("train mine.de mine.en -o model --quiet --alignment text", "text:1: not a line of links"),
    ("convert -o x", "missing argument"),
    ("convert text -o x --source de", "text: is neither .tmx nor .po; convert it first"),
    ("convert a.tmx -o x --source de --target de", "both 'de'"),
    ("convert a.tmx -o x --source nl", "no unit has both 'nl' and 'en'; the file's languages are"),
    ("convert a.tmx fr.po -o x --source de", "translations into 'fr', expected 'de'"),
    ("convert a.tmx -o x", "the source language is unknown; give it with --source"),
    ("convert de.po fr.po -o x", "the source language is unknown"),
    ("convert de.po -o x --target english", "did you mean 'en'?"),
    ("convert de.po -o x --msgid fr", "--msgid is 'fr', which is neither"),
    ("convert nowhere.po -o x --source de", "nowhere.po: no such file"),
])  # fmt: skip
def test_errors(run: Run, tmp_path: Path, arguments: str, message: str) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    assert message in failure(run(*arguments.split()))
    after = sorted(path.name for path in tmp_path.iterdir())
    assert [name for name in after if name not in before and name != ".model.stages"] == []
    assert litter(tmp_path) in ([], [".model.stages"])
