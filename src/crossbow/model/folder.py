"""The folder of a model. No other file knows what lies in it.

    write_model("model", ModelParts(words, meta, bitext, lm))           # parts in memory, or folders that are finished
    parts = ModelParts.of_folder("model")
    write_model("learned", replace(parts, meta=meta, learned=weights))      # what is large is shared, not copied
    info_rows("model")                                                  # what to show of it

    header.json, *.npy    settings, weights and signature; the words of both languages, the names of groups
    bitext/               the training text, from which rules are drawn on demand
    lm/                   the language model
    compounds/            how the source language's compounds are split, if they are
    grammar/              rules from elsewhere, if they are used instead of the text
    learned/              weights of terms and word translations that `crossbow learn` found, if it was asked
    neural/               a system in CTranslate2's format, in place of bitext and lm
    system-1/ …           models that are combined, each complete, in place of all others
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from crossbow import store
from crossbow.arrays import U8
from crossbow.errors import CrossbowError, InputError
from crossbow.grammar.bitext import Bitext, load_bitext, save_bitext
from crossbow.grammar.rules import Rules, load_rules
from crossbow.lm.model import LanguageModel
from crossbow.text.analyzer import Settings
from crossbow.text.compounds import Splitter
from crossbow.weights import Learned

KIND = "model"
BITEXT, LM, COMPOUNDS, GRAMMAR, LEARNED, NEURAL = "bitext", "lm", "compounds", "grammar", "learned", "neural"
SYSTEM = "system-"
OLD_WEIGHTS = "retrieval"  # where version 0.1 kept what was learned
SEARCH = "search"  # in the metadata: the configuration with which to search, as SearchConfig writes it
HEADWORDS = "headwords"  # set in the metadata of a model that knows words in their basic forms
Part = TypeVar("Part")


class Vocabularies(NamedTuple):
    """The words of both languages in order of their ids, packed; and the names of the groups of training sentences."""

    source: U8
    target: U8
    groups: U8

    @staticmethod
    def pack(source: list[str], target: list[str], groups: list[str]) -> Vocabularies:
        """The vocabularies of lists of words."""
        return Vocabularies(*map(store.pack_strings, (source, target, groups)))


@dataclass(frozen=True)
class ModelParts:
    """All that makes a model. A part is there in memory, or in a finished folder of its own.

    `meta` has the keys source and target (the analyzers), weights, decode, summary and signature.
    """

    words: Vocabularies
    meta: dict[str, Any]
    bitext: Bitext | Path | None = None
    lm: LanguageModel | Path | None = None
    compounds: Splitter | Path | None = None
    grammar: Rules | Path | None = None
    learned: Learned | Path | None = None
    neural: Path | None = None  # a folder that neural/folder.py wrote
    systems: tuple[Path, ...] = ()  # folders of models

    @staticmethod
    def of_folder(folder: str | os.PathLike[str]) -> ModelParts:
        """The parts of a model as they lie in its folder."""
        path = Path(folder)
        words, meta = store.load(path, KIND, Vocabularies)
        if (path / OLD_WEIGHTS).exists():
            raise InputError(path, None, "was learned by version 0.1, whose weights this version does not read",
                             "learn again from the model that it was learned from")
        systems = sorted(path.glob(f"{SYSTEM}*"), key=lambda one: int(one.name.removeprefix(SYSTEM)))
        needed = () if systems or (path / NEURAL).exists() else (BITEXT, LM)
        optional = (name for name in (COMPOUNDS, GRAMMAR, LEARNED, NEURAL) if (path / name).exists())
        return ModelParts(words, meta, systems=tuple(systems), **{name: path / name for name in (*needed, *optional)})

    def open_bitext(self) -> Bitext:
        return _opened(self.bitext, load_bitext)

    def open_lm(self) -> LanguageModel:
        return _opened(self.lm, LanguageModel.load)

    def open_compounds(self) -> Splitter | None:
        return None if self.compounds is None else _opened(self.compounds, Splitter.load)

    def open_grammar(self) -> Rules | None:
        return None if self.grammar is None else _opened(self.grammar, _load_grammar)

    def open_learned(self) -> Learned:
        return Learned() if self.learned is None else _opened(self.learned, Learned.load)


def write_model(out: str | os.PathLike[str], parts: ModelParts) -> None:
    """Write a model. The folder appears, or takes the place of an older model, when it is complete."""
    with store.replacing(out, KIND) as fresh:
        _write_part(parts.bitext, fresh / BITEXT, save_bitext)
        _write_part(parts.lm, fresh / LM, lambda place, lm: lm.save(place))
        _write_part(parts.compounds, fresh / COMPOUNDS, lambda place, splitter: splitter.save(place))
        _write_part(parts.grammar, fresh / GRAMMAR, _save_grammar)
        _write_part(parts.learned, fresh / LEARNED, lambda place, weights: weights.save(place))
        if parts.neural is not None:
            store.adopt(parts.neural, fresh / NEURAL)
        for number, system in enumerate(parts.systems, 1):
            store.adopt(system, fresh / f"{SYSTEM}{number}")
        store.save(fresh, KIND, parts.words, parts.meta)


def info_rows(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """What to show of a model: languages, sizes, weights, settings, signature, and how much was learned."""
    path = Path(folder)
    meta = store.header(path)["meta"]
    place = path / LEARNED
    learned = store.header(place)["meta"] if place.exists() else {"terms": 0, "lex": 0}
    lacks = [problem for side in ("source", "target") for problem in Settings.recorded(meta[side]).lacks()]
    return {"source": meta["source"]["lang"], "target": meta["target"]["lang"],
            **({"lacks": "; ".join(lacks)} if lacks else {}), **meta["summary"],
            "weights": meta["weights"], "decode": meta["decode"], "signature": meta["signature"],
            "term weights": learned["terms"], "LEX weights": learned["lex"]}


def _opened(part: Part | Path | None, load: Callable[[Path], Part]) -> Part:
    if part is None:
        raise CrossbowError("this model has no training text and no language model")
    return load(part) if isinstance(part, Path) else part


def _write_part(part: Part | Path | None, place: Path, save: Callable[[Path, Part], None]) -> None:
    if isinstance(part, Path):
        store.adopt(part, place)
    elif part is not None:
        save(place, part)


def _load_grammar(folder: Path) -> Rules:
    return load_rules(folder, GRAMMAR)


def _save_grammar(folder: Path, rules: Rules) -> None:
    store.save(folder, GRAMMAR, rules, {})
