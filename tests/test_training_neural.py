"""A model of a neural system: made, opened, searched with by every method, explained, learned from, served."""

from __future__ import annotations

import io
import pickle
import re
import shutil
import sys
import warnings
from pathlib import Path

import pytest

from commands import Run, good, runner
from crossbow import Index, Model, SearchConfig, Searcher, build_index
from crossbow.errors import CrossbowError, CrossbowWarning
from crossbow.neural.folder import open_system
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training import neural as training
from crossbow.training.neural import from_neural, resembled
from toy_neural import toy_system

TEXT = "Das Haus am See"
DOCS = [Doc("d1", "", "an old home by the sea"), Doc("d2", "", "a house at a lake"),
        Doc("d3", "", "the bank lends money"), Doc("d4", "", "a bench in the park"), Doc("d5", "", "nothing of it")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("neural")
    toy_system(folder / "toy")
    from_neural(folder / "toy", folder / "model", Settings("de"), Settings("en"))
    build_index(DOCS, folder / "index", lang="en")
    return folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in an empty folder, with a sentence to be read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    return runner(monkeypatch, capsys)


def rows(shown: str) -> dict[str, str]:
    return dict(line.split(maxsplit=1) for line in shown.splitlines() if len(line.split()) > 1)


def test_the_model_is_complete_in_itself(place: Path, tmp_path: Path) -> None:
    from_neural(place / "toy", tmp_path / "model", Settings("de"), Settings("en"))
    shutil.copytree(tmp_path / "model", tmp_path / "moved")
    shutil.rmtree(tmp_path / "model")
    model = Model.load(tmp_path / "moved")
    assert (model.kind, model.lexicon) == ("neural", None)
    assert model.signature == Model.load(place / "model").signature
    assert [one.text for one in model.translate(TEXT, 2)] == ["the house at lake", "the house at sea"]
    assert pickle.loads(pickle.dumps(model)).translate(TEXT) == model.translate(TEXT)
    assert [path.name for path in tmp_path.iterdir()] == ["moved"]


def test_other_settings_are_another_model(place: Path, tmp_path: Path) -> None:
    from crossbow.neural.system import SystemConfig

    from_neural(place / "toy", tmp_path / "model", Settings("de"), Settings("en"),
                system=SystemConfig(source_prefix=("▁Das",), target_prefix=("▁the",)))
    model = Model.load(tmp_path / "model")
    assert model.signature != Model.load(place / "model").signature
    assert model.translate("Haus am See")[0].text == "house at lake"


@pytest.mark.parametrize("method", ["dt", "psq", "expected", "bowfd"])
def test_every_method_searches_and_explains(place: Path, method: str) -> None:
    model, index = Model.load(place / "model"), Index.load(place / "index")
    searcher = Searcher(model, index, SearchConfig(method))
    hits = searcher.search(TEXT)
    assert [hit.doc for hit in hits][:2] == (["d2"] if method == "dt" else ["d2", "d1"])[: len(hits)]
    for hit in hits:
        explanation = searcher.explain(TEXT, hit.doc)
        assert sum(one.value for one in explanation.parts) == pytest.approx(hit.score, abs=2e-6)


def test_a_word_that_becomes_two_is_explained_once(place: Path) -> None:
    """Its two words stand in two arcs of the lattice; neither of them is a difference to the best translation."""
    searcher = Searcher(Model.load(place / "model"), Index.load(place / "index"), SearchConfig().set("weights.v", 5.0))
    for doc, sea in (("d1", "sea"), ("d2", "lake")):
        (sentence,) = searcher.explain("Ausweis am See", doc).sentences
        expected = [([0], ["identity", "card"], ["identity", "card"]), ([1], ["at"], ["at"]), ([2], [sea], ["lake"])]
        assert [(step.source, step.target, step.best) for step in sentence.steps] == expected
        assert [(unit.source, [word.text for word in unit.words], unit.best) for unit in sentence.units] == expected


def test_a_document_is_shown_the_translation_that_it_supports(place: Path) -> None:
    searcher = Searcher(Model.load(place / "model"), Index.load(place / "index"), SearchConfig().set("weights.v", 5.0))
    first, second = (searcher.explain(TEXT, doc).sentences[0] for doc in ("d2", "d1"))
    assert (first.target, second.target) == (["the", "house", "at", "lake"], ["the", "home", "at", "sea"])
    assert [[word.text for word in unit.words] for unit in second.units] == [["the"], ["home"], ["at"], ["sea"]]
    assert [list(unit.source) for unit in second.units] == [[0], [1], [2], [3]]


def test_long_texts_are_translated_in_pieces(place: Path) -> None:
    model = Model.load(place / "model").with_settings(max_words=4)
    assert model.translate(f"{TEXT} Das Haus ist alt im Park")[0].text == "the house at lake the house is old in park"
    assert [piece.text for piece in model.pieces(f"{TEXT}  Das Haus ist alt im Park")] == [
        "Das Haus am See  ", "Das Haus ist alt ", "im Park"]


def test_a_system_of_other_languages_is_noticed(place: Path, tmp_path: Path) -> None:
    german = Settings("de", stopwords=["am", "im"])
    with pytest.warns(CrossbowWarning, match="'am im' as 'at in', which does not look like fr; does it translate"):
        from_neural(place / "toy", tmp_path / "model", german, Settings("fr"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from_neural(place / "toy", tmp_path / "model", german, Settings("en"))


ENGLISH = "there is one thing that they have not wanted to do , but they can have no reason for what it does to you"
DANISH = "det er ikke noget som vi kan gøre for dem , men de har været her hos os og vil ikke have mere af det"
NORWEGIAN = "det er ikke noe som vi kan gjøre for dem , men de har vært her hos oss og vil ikke ha mer av det"
CROATIAN = "to nije ono što smo mi htjeli , ali sada je sve kao i prije jer su oni bili s nama kada smo ih tražili"
SERBIAN = "то није оно што смо ми хтели , али сада је све као и пре јер су они били с нама када смо их тражили у кући"


def test_the_language_of_a_translation_is_told_by_its_function_words() -> None:
    for code in ("cs", "hr", "pl", "da", "it", "sv", "nl", "de", "fr", "ja", "ru"):
        assert resembled(ENGLISH.split(), code) == "en"
    for text, right in ((ENGLISH, "en"), (DANISH, "da"), (DANISH, "nb"), (DANISH, "no"), (NORWEGIAN, "da"),
                        (NORWEGIAN, "nb"), (CROATIAN, "hr"), (CROATIAN, "sr"), (SERBIAN, "sr")):
        assert resembled(text.split(), right) is None
    assert resembled(CROATIAN.split(), "en") in ("hr", "sr")
    assert resembled(["the", "house", "of", "the", "sea"], "cs") is None  # too short to tell
    assert resembled(ENGLISH.split(), "tlh") is None  # nothing is known of it


def test_a_system_of_another_target_language_is_noticed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = open_system(place / "model" / "neural")
    own = system.hypotheses("Das", 1)
    said = own[1][0]._replace(pieces=own[1][0].pieces._replace(text=ENGLISH))
    monkeypatch.setattr(system, "hypotheses", lambda text, nbest: (own[0], [said]))
    german = Analyzer(Settings("de"))
    with pytest.warns(CrossbowWarning, match="does not look like cs but like en; does it translate from de to cs"):
        training._try(system, german, Analyzer(Settings("cs")))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        training._try(system, german, Analyzer(Settings("en")))


def test_an_error_names_the_files_that_were_given(place: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(place / "toy", tmp_path / "broken")
    (broken / "source.spm").write_bytes(b"nonsense")
    with pytest.raises(CrossbowError, match="^" + re.escape(f"{broken / 'source.spm'}: no SentencePiece model")):
        from_neural(broken, tmp_path / "model", Settings("de"), Settings("en"))
    (broken / "model.bin").write_bytes(b"nonsense")
    with pytest.raises(CrossbowError, match="^" + re.escape(f"{broken}: CTranslate2 cannot open this model")):
        from_neural(broken, tmp_path / "model", Settings("de"), Settings("en"))
    assert [file.name for file in tmp_path.iterdir()] == ["broken"]


def test_on_the_command_line(run: Run, place: Path, tmp_path: Path) -> None:
    shown = rows(good(run("neural", str(place / "toy"), "-o", "model", "--nbest", "3")))
    assert (shown["source"], shown["target"]) == ("de", "en")
    assert rows(run("info", "model", "--check").out)["decode"].startswith("nbest 3")
    index = str(place / "index")
    assert "d2" in good(run("search", "model", index, "-q", TEXT)).splitlines()[2]
    assert "home" in good(run("explain", "model", index, "-q", TEXT, "d1"))
    assert "has no rules" in run("translate", "model", "--rules", "rules").err
    lists = good(run("translate", "model", "--nbest", "2")).splitlines()
    assert [line.split(" ||| ")[1] for line in lists] == ["the house at lake", "the house at sea"]
    good(run("neural", str(place / "toy"), "-o", "sampled", "--nbest", "1", "--samples", "40"))
    assert Model.load(tmp_path / "sampled").signature != Model.load(tmp_path / "model").signature
    assert "samples 40" in good(run("info", "sampled"))
    assert "samples" not in good(run("info", "model"))
    assert "home" in good(run("explain", "sampled", index, "-q", TEXT, "d1", "--set", "weights.v=5"))
    found = run("search", "model", index, "-q", TEXT, "--set", "translation.lm_scale=0.5")
    assert "translation.lm_scale has no effect on a neural model" in found.err


def test_settings_are_chosen_for_it_too(run: Run, place: Path, tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text(f"q1\t{TEXT}\nq2\tDie Bank verleiht Geld\n", "utf8")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d3 1\n", "utf8")
    good(run("learn", str(place / "model"), str(place / "index"), "--dev-queries", "queries.tsv", "--dev-qrels",
             "qrels.txt", "-o", "learned", "--quiet"))
    learned = Model.load(tmp_path / "learned")
    assert learned.kind == "neural"
    assert learned.search
    with pytest.raises(CrossbowError, match="neural"):
        learned.with_translation(SearchConfig().set("translation.tuned", 0.0).translation)
