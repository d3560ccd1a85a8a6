"""Training in one call, from files or from sentences in memory: this is `crossbow.train`.

    model = train("train.de", "train.en", "model", lm_text=["docs.tsv"], tune=("tune.de", "tune.en"))
    model = train(["Das Haus", "Der See"], ["the house", "the lake"], "small", source_lang="de", target_lang="en")

Sentences in memory are written to temporary files first, so a model of them has the signature of one trained on files
with these lines, and an interrupted training goes on where it stopped in the same way.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from crossbow.decode.phrases import grammar_kind
from crossbow.errors import CrossbowError
from crossbow.model import Model
from crossbow.pipeline import Report
from crossbow.records import ParallelText, write_lines
from crossbow.records.lines import PathLike
from crossbow.text.analyzer import Settings
from crossbow.text.filenames import languages_of_texts
from crossbow.text.language import language_code
from crossbow.training.parallel import GRAMMARS, HIERARCHICAL, TrainConfig
from crossbow.training.parallel import train as train_on_files

Text = PathLike | Iterable[str]  # a file with a sentence in every line, or the sentences


def train(
    source: Text, target: Text, out: PathLike, *, lm_text: PathLike | Iterable[PathLike] = (),
    tune: tuple[Text, Text] | None = None, source_lang: str | None = None, target_lang: str | None = None,
    groups: Text | None = None, alignment: PathLike | None = None, arpa: PathLike | None = None,
    grammar: str | None = None, threads: int = 2, report: Report | None = None, config: TrainConfig | None = None,
) -> Model:
    """Train a translation model on parallel text, write it to the folder `out`, and open it.

    `source` and `target` are files or sentences that translate each other line by line. By default their languages are
    taken from the names of the files, such as train.de and train.en. `lm_text` are more files for the language model.
    `tune` is held-out parallel text on which weights are tuned. `groups` names the article or package of each pair, for
    leave-one-out. `alignment` (in Pharaoh format) and `arpa` (a language model) are used instead of making our own.
    `grammar` is 'hierarchical' (rules with gaps, the default) or 'phrase'. A `config` has all settings, also those of
    the languages and the grammar; if these are given here too, both must agree. `report` is called with (what, done, of
    how many).
    """
    chosen = _config(source, target, (source_lang, target_lang), grammar, config)
    with tempfile.TemporaryDirectory(prefix="crossbow-train-") as scratch:
        files = _Files(Path(scratch))
        train_on_files(
            files.pairs("train", source, target), out, chosen,
            lm_texts=[lm_text] if isinstance(lm_text, str | os.PathLike) else lm_text,
            groups=None if groups is None else files.file("groups", groups),
            tuning=None if tune is None else files.pairs("tune", *tune),
            alignment=alignment, arpa=arpa, threads=threads, report=report)
    return Model.load(out)


def _config(
    source: Text, target: Text, languages: tuple[str | None, str | None], grammar: str | None,
    config: TrainConfig | None,
) -> TrainConfig:
    """The settings of training: those given, or the defaults for the languages and the grammar."""
    if grammar is not None and grammar not in GRAMMARS:
        raise CrossbowError(f"there is no grammar {grammar!r}; there are {' and '.join(GRAMMARS)}")
    if config is not None:
        for said, settings, side in zip(languages, (config.source, config.target), ("source", "target")):
            if said is not None and language_code(said) != settings.lang:
                raise CrossbowError(f"{side}_lang is {said!r}, but the config's {side} is {settings.lang!r}; leave out "
                                    "one of them, or let them agree")
        if grammar is not None and grammar != grammar_kind(config.decode):
            raise CrossbowError(f"the grammar is {grammar!r}, but the config's settings of decoding are "
                                f"{grammar_kind(config.decode)}; leave out one of them, or let them agree")
        languages = config.source.lang, config.target.lang
    found = languages_of_texts(_path(source), _path(target), *languages)
    decode, tuning = GRAMMARS[grammar or HIERARCHICAL]
    return config or TrainConfig(Settings(found.source), Settings(found.target), decode=decode, tune=tuning)


def _path(text: Text) -> PathLike | None:
    """The name of a text that is in a file."""
    return text if isinstance(text, str | os.PathLike) else None


@dataclass(frozen=True)
class _Files:
    """Texts as files: those that are files already, and temporary ones in a folder."""

    folder: Path

    def pairs(self, name: str, source: Text, target: Text) -> ParallelText:
        """Both sides of parallel text, which must be equally long if both are in memory."""
        left, right = (text if isinstance(text, str | os.PathLike) else list(text) for text in (source, target))
        if isinstance(left, list) and isinstance(right, list) and len(left) != len(right):
            raise CrossbowError(f"there are {len(left)} source sentences, but {len(right)} target sentences; "
                                "sentence n of one side must be the translation of sentence n of the other")
        return ParallelText(self.file(f"{name}.source", left), self.file(f"{name}.target", right))

    def file(self, name: str, text: Text) -> PathLike:
        """The file of a text. A line break inside a sentence becomes a space."""
        if isinstance(text, str | os.PathLike):
            return text
        place = self.folder / name
        write_lines(place, map(_line, text))
        return place


def _line(sentence: str) -> str:
    if not isinstance(sentence, str):
        raise CrossbowError(f"{sentence!r} is not a sentence; give strings, or the path of a file")
    return sentence.replace("\r", " ").replace("\n", " ").encode("utf8", "replace").decode()
