"""Models: their folder written and read, translations of texts, what a model says of itself, and pickles."""

from __future__ import annotations

import ast
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import crossbow
from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.model import Model, ModelParts, Translated, info_rows, write_model
from crossbow.model.folder import HEADWORDS
from crossbow.records import write_lines
from crossbow.training.dictionary import from_dictionary
from crossbow.training.grammar import from_grammar
from crossbow.training.supplied import SuppliedConfig
from crossbow.weights import Learned
from folders import change_header
from supplies import GRAMMAR
from training import ENGLISH, GERMAN, contents, corpus, phrase_model

TEXT = "Das Wetter ist schlecht. Ich möchte eine Suppe."
WEIGHTS = Learned({"bank": -1.0}, {"LEX:I:the": 0.25})
SEARCH = {"method": "dt"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that nobody changes."""
    return corpus(tmp_path_factory) / "model"


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return Model.load(folder)


@pytest.fixture(scope="module")
def supplied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the models of a dictionary and of a grammar."""
    place = tmp_path_factory.mktemp("supplied-models")
    write_lines(place / "d.tsv", ["Schloss\tcastle", "Schloss\tlock", "alt\told"])
    (place / "rules").write_text(GRAMMAR)
    from_dictionary(place / "d.tsv", place / "dictionary", SuppliedConfig(GERMAN, ENGLISH))
    from_grammar(place / "rules", place / "grammar", SuppliedConfig(GERMAN, ENGLISH))
    return place


# --- the folder ---


def in_memory(parts: ModelParts) -> ModelParts:
    return replace(parts, bitext=parts.open_bitext(), lm=parts.open_lm(), compounds=parts.open_compounds(),
                   grammar=parts.open_grammar(), learned=WEIGHTS)


@pytest.mark.parametrize("name", ["parallel", "dictionary", "grammar"])
def test_a_model_is_the_same_from_memory_and_from_folders(
    folder: Path, supplied: Path, tmp_path: Path, name: str
) -> None:
    parts = ModelParts.of_folder(folder if name == "parallel" else supplied / name)
    write_model(str(tmp_path / "one"), in_memory(parts))
    write_model(tmp_path / "two", replace(parts, learned=tmp_path / "one" / "learned"))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    first, second = Model.load(tmp_path / "one"), Model.load(str(tmp_path / "two"))
    assert first.meta == second.meta == parts.meta
    assert first.learned == second.learned == WEIGHTS
    assert first.translate("Schloss") == second.translate("Schloss") == Model.of(in_memory(parts)).translate("Schloss")
    shared = [(tmp_path / each / "bitext" / "source.npy").stat().st_nlink for each in ("one", "two")]
    assert shared[0] < shared[1]


def test_a_model_can_be_written_over_itself(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "m")
    parts = ModelParts.of_folder(tmp_path / "m")
    write_model(tmp_path / "m", replace(parts, meta={**parts.meta, "signature": "new"}, learned=WEIGHTS))
    again = Model.load(tmp_path / "m")
    assert (again.signature, again.learned) == ("new", WEIGHTS)
    assert contents(folder).items() <= contents(tmp_path / "m").items()


def test_what_cannot_be_written_leaves_the_old_model(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "m")
    parts = ModelParts.of_folder(tmp_path / "m")
    with pytest.raises(FileNotFoundError):
        write_model(tmp_path / "m", replace(parts, lm=tmp_path / "nowhere"))
    assert contents(tmp_path / "m") == contents(folder)


def test_info(folder: Path, tmp_path: Path) -> None:
    rows = info_rows(folder)
    meta = store.header(folder)["meta"]
    assert (rows["source"], rows["target"], rows["signature"]) == ("de", "en", meta["signature"])
    assert {"pairs": 300, "term weights": 0, "LEX weights": 0}.items() <= rows.items()
    write_model(tmp_path / "m", replace(ModelParts.of_folder(folder), learned=WEIGHTS))
    learned = {"term weights": 1, "LEX weights": 1}
    assert info_rows(str(tmp_path / "m")) == {**rows, **learned}


def test_nobody_else_knows_what_is_in_the_folder() -> None:
    names = {"bitext", "lm", "compounds", "grammar", "learned"}
    package = Path(crossbow.__file__).parent
    found = {path.relative_to(package).as_posix() for path in package.rglob("*.py")
             for node in ast.walk(ast.parse(path.read_text("utf8")))
             if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
             and isinstance(node.right, ast.Constant) and node.right.value in names}
    assert found == set()


# --- translations ---


def test_the_best_translations_of_a_text(model: Model) -> None:
    found = model.translate(TEXT, n=7)
    assert found[0].text == "the weather is bad . i would like a soup ."
    assert len({each.text for each in found}) == len(found) == 7
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert model.translate(TEXT) == found[:1]
    assert isinstance(found[0], Translated)
    single = [model.translate(sentence)[0] for sentence in model.sentences(TEXT)]
    assert found[0] == (" ".join(each.text for each in single), pytest.approx(sum(each.score for each in single)))


def test_few_translations_and_none(model: Model, supplied: Path) -> None:
    assert len(Model.load(supplied / "dictionary").translate("alt", n=50)) < 50
    assert model.translate(" \n ") == []
    with pytest.raises(CrossbowError, match="0 translations were asked for"):
        model.translate(TEXT, n=0)


# --- what a model says of itself ---


def test_representations(model: Model, supplied: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    words = f"{len(model.decoder.source) - 1:,} source words, {len(model.decoder.target) - 3:,} target words"
    assert repr(model) == f"<Model de → en, hierarchical, 300 pairs, {words}, signature {model.signature}>"
    phrases = Model.load(phrase_model(tmp_path_factory))
    assert repr(phrases).startswith("<Model de → en, phrase, 300 pairs, ")
    dictionary, grammar = (Model.load(supplied / name) for name in ("dictionary", "grammar"))
    assert repr(dictionary).startswith("<Model de → en, dictionary, 3 entries, 2 source words, 3 target words, sig")
    assert repr(grammar).startswith("<Model de → en, grammar, 5 rules, ")
    assert dictionary.meta[HEADWORDS]


def test_the_folder_is_absolute(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    model = Model.load("model")
    assert model.folder == folder
    assert model.with_settings(pop_limit=3).with_weights({}).with_search(SEARCH, WEIGHTS).folder == folder


# --- pickles ---


def test_a_pickled_model_is_its_folder_and_what_was_changed(model: Model) -> None:
    data = pickle.dumps(model)
    assert len(data) < 500
    again = pickle.loads(data)
    assert (again.folder, again.signature, again.learned) == (model.folder, model.signature, model.learned)
    assert again.translate(TEXT, 3) == model.translate(TEXT, 3)
    weights = {**model.decoder.weights, "Glue": 0.5}
    changed = model.with_settings(pop_limit=7).with_weights(weights).with_search(SEARCH, WEIGHTS)
    again = pickle.loads(pickle.dumps(changed))
    assert again.decoder.config == changed.decoder.config
    assert again.decoder.weights == weights
    assert (again.learned, again.search) == (WEIGHTS, SEARCH)
    assert again.translate(TEXT, 3) == changed.translate(TEXT, 3)
    assert pickle.loads(pickle.dumps(again)).decoder.config.pop_limit == 7


def test_a_pickle_does_not_open_another_model(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "m")
    data = pickle.dumps(Model.load(tmp_path / "m"))
    parts = ModelParts.of_folder(tmp_path / "m")
    write_model(tmp_path / "m", replace(parts, meta={**parts.meta, "signature": "other"}))
    with pytest.raises(CrossbowError, match=f"m: holds the model other now, but {parts.meta['signature']} was pickled"):
        pickle.loads(data)
    shutil.rmtree(tmp_path / "m")
    with pytest.raises(InputError, match="no such folder"):
        pickle.loads(data)


def test_a_model_in_memory_cannot_be_pickled(folder: Path) -> None:
    with pytest.raises(CrossbowError, match="made in memory, so it cannot be pickled; write it to a folder"):
        pickle.dumps(Model.of(ModelParts.of_folder(folder)))


def test_a_model_with_an_odd_code_from_before_still_loads(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "m")
    meta = store.header(folder)["meta"]
    target = {**meta["target"], "lang": "english", "stopwords_digest": store.digest([])}
    change_header(tmp_path / "m", meta={**meta, "target": target})
    model = Model.load(tmp_path / "m")
    assert model.target.settings.lang == "english"
    assert model.target.terms("houses") == ("houses",)
    assert np.isfinite(model.translate(TEXT)[0].score)
