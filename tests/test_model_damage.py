"""The model folder: what does not fit together is refused when it is opened, and so is damage to small files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.grammar.bitext import Bitext
from crossbow.grammar.rules import Rules
from crossbow.model import Model, Vocabularies
from crossbow.model.folder import GRAMMAR
from crossbow.text.analyzer import Settings
from crossbow.training.grammar import from_grammar
from crossbow.training.supplied import SuppliedConfig
from folders import as_format_1, flip
from supplies import GRAMMAR as RULES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of a grammar, which has all parts but compounds."""
    (tmp_path / "rules").write_text(RULES, "utf8")
    from_grammar(tmp_path / "rules", tmp_path / "model", SuppliedConfig(Settings("de"), Settings("en")))
    return tmp_path / "model"


SIZES = {  # arrays of which one entry too few is noticed
    ("bitext", Bitext): Bitext._fields,
    (GRAMMAR, Rules): Rules._fields,
}


@pytest.mark.parametrize(("part", "record", "name"), [
    pytest.param(part, record, name, id=f"{part} {name}") for (part, record), names in SIZES.items() for name in names])
def test_arrays_that_do_not_fit(folder: Path, part: str, record: type, name: str) -> None:
    arrays, meta = store.load(folder / part, part, record)
    store.save(folder / part, part, arrays._replace(**{name: getattr(arrays, name)[:-1]}), meta)
    with pytest.raises(CrossbowError, match=r"npy: does not fit the other arrays; build|vocabularies do not fit"):
        Model.load(folder)


def test_vocabularies_that_do_not_fit(folder: Path) -> None:
    words, meta = store.load(folder, "model", Vocabularies)
    for name in ("source", "target"):
        more = np.append(getattr(words, name), store.pack_strings(["more"]))
        store.save(folder, "model", words._replace(**{name: more}), meta)
        with pytest.raises(CrossbowError, match="the vocabularies do not fit the training text; build the model again"):
            Model.load(folder)


def test_damage_to_small_files_is_noticed(folder: Path) -> None:
    for file in folder.rglob("*.npy"):
        flip(file, file.stat().st_size - 1)
        with pytest.raises(InputError, match=rf"{file.name}: missing, truncated or damaged"):
            Model.load(folder)
        flip(file, file.stat().st_size - 1)
    assert Model.load(folder).best(Model.load(folder).forest("Schloss"))


def test_a_model_of_the_first_format_is_read(folder: Path) -> None:
    before = Model.load(folder)
    as_format_1(folder)
    model = Model.load(folder)
    assert model.signature == before.signature
    assert model.best(model.forest("Schloss")) == before.best(before.forest("Schloss"))
