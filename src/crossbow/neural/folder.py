"""A neural system on disk: the files of CTranslate2 and SentencePiece in a folder with a header and checksums.

    files = found_files("opus-mt-de-en.ct2")            # an error that says what is missing
    copy_system(files, SystemConfig(), place)
    system = open_system(place)

Nothing in these files is executed: weights, vocabularies and JSON.
"""

from __future__ import annotations

import difflib
import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.neural.system import CONFIG_FILE, MODEL_FILE, SOURCE_PIECES, TARGET_PIECES, System, SystemConfig
from crossbow.records.lines import PathLike
from crossbow.text.language import language_code

KIND = "neural"
TOKENIZER_FILE = "tokenizer_config.json"
VOCABULARIES = ("shared_vocabulary", "source_vocabulary", "target_vocabulary")
SHARED_PIECES = ("sentencepiece.bpe.model", "spiece.model", "sentencepiece.model", "spm.model")
CONVERT = "convert the model with one of CTranslate2's converters, such as ct2-transformers-converter or " \
          "ct2-opus-mt-converter"


class Nothing(NamedTuple):
    """The folder has no arrays of ours."""


class SystemFiles(NamedTuple):
    """The files that make a system, by the names that they get."""

    files: dict[str, Path]


def found_files(folder: PathLike, source_pieces: PathLike | None = None, target_pieces: PathLike | None = None
                ) -> SystemFiles:
    """The files of a system as its converter left them."""
    path = _checked(folder)
    files = {MODEL_FILE: path / MODEL_FILE}
    for name in VOCABULARIES:
        files |= {file.name: file for file in (path / f"{name}.json", path / f"{name}.txt") if file.is_file()}
    if len(files) == 1:
        raise InputError(path, None, "has no vocabulary (shared_vocabulary or source_vocabulary, .json or .txt)",
                         CONVERT)
    if not (path / CONFIG_FILE).is_file():
        raise InputError(path, None, f"has no {CONFIG_FILE}", CONVERT)
    files[CONFIG_FILE] = _json(path / CONFIG_FILE)
    files[SOURCE_PIECES] = _pieces(path, source_pieces, SOURCE_PIECES, "--source-spm")
    files[TARGET_PIECES] = _pieces(path, target_pieces, TARGET_PIECES, "--target-spm")
    return SystemFiles(files)


def check_tags(files: SystemFiles, config: SystemConfig) -> None:
    """An error if a control tag is no word of the system, which would take it for an unknown word and say nothing."""
    for side, tags in (("source", config.source_prefix), ("target", config.target_prefix)):
        file = next((file for name, file in files.files.items() if name.startswith((f"{side}_v", "shared_v"))), None)
        if file is None:
            continue
        words = _words(file) if tags else []
        for tag in tags:
            if tag not in words:
                near = ", ".join(difflib.get_close_matches(tag, words, cutoff=0.5))
                raise InputError(file, None, f"has no tag {tag!r}, which --{side}-tag names",
                                 f"the most similar words are {near}" if near else "was the model trained with tags?")


def _words(file: Path) -> list[str]:
    text = file.read_text("utf8")
    return list(json.loads(text)) if file.suffix == ".json" else text.splitlines()


def named_languages(folder: PathLike, source: str | None, target: str | None) -> tuple[str, str]:
    """The languages of a system: those given, or those that its tokenizer names, which must not be the other way."""
    file = _checked(folder) / TOKENIZER_FILE
    named = json.loads(_json(file).read_text("utf8")) if file.is_file() else {}
    told = [_code(named.get(name)) for name in ("source_lang", "target_lang")]
    found = [language_code(asked) if asked else own for asked, own in zip((source, target), told)]
    if None in found:
        raise CrossbowError("the languages of this model are unknown; give --source and --target")
    if found == told[::-1] and None not in told and found[0] != found[1]:
        raise CrossbowError(f"this model translates from {told[0]} to {told[1]}, not from {found[0]} to {found[1]}; "
                            "queries are in the source language, documents in the target language")
    return str(found[0]), str(found[1])


def _checked(folder: PathLike) -> Path:
    path = Path(folder)
    if not path.is_dir():
        raise InputError(path, None, "no such folder", f"give the folder of a CTranslate2 model; {CONVERT}")
    if not (path / MODEL_FILE).is_file():
        raise InputError(path, None, f"not a CTranslate2 model (no {MODEL_FILE} in it)", CONVERT)
    return path


def _code(name: Any) -> str | None:
    """A language as a tokenizer names it, if it is one: de, deu, deu_Latn; several in one are not."""
    try:
        return language_code(name.replace("_", "-")) if isinstance(name, str) else None
    except CrossbowError:
        return None


def _json(file: Path) -> Path:
    try:
        if not isinstance(json.loads(file.read_text("utf8")), dict):
            raise ValueError("it holds another value")
    except (ValueError, OSError) as error:
        raise InputError(file, None, f"not a JSON object ({error})", CONVERT) from None
    return file


def _pieces(folder: Path, given: PathLike | None, name: str, option: str) -> Path:
    """The SentencePiece model of a side: the given one, its own, or the one that both sides share."""
    places = [Path(given)] if given is not None else [folder / one for one in (name, *SHARED_PIECES)]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise InputError(places[0], None, "no such SentencePiece model",
                         f"it comes with the model that was converted; copy it into the folder, or give {option}")
    return found


def copy_system(files: SystemFiles, config: SystemConfig, place: Path) -> str:
    """Copy a system into a new folder; returns a digest of it."""
    place.mkdir(parents=True)
    for name, file in files.files.items():
        shutil.copyfile(file, place / name)
    names = list(files.files)
    digest = store.digest({name: store.checksum(place / name) for name in names}, asdict(config))
    store.save(place, KIND, Nothing(), {"config": asdict(config), "files": names}, names)
    return digest


def open_system(place: Path) -> System:
    """The system in a folder."""
    _, meta = store.load(place, KIND, Nothing)
    for name in meta["files"]:
        if not (place / name).is_file():
            raise InputError(place / name, None, "missing", "build the folder again")
    return System(place, SystemConfig(**{name: tuple(value) for name, value in meta["config"].items()}))
