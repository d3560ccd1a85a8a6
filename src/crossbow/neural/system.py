"""A neural translation system in CTranslate2's format, with its SentencePiece models: text in, hypotheses out.

    system = System(folder, SystemConfig(target_prefix=("eng_Latn",)))
    system.hypotheses("Das Haus am See.", nbest=24)[0].score        # log p(translation | text), natural

CTranslate2 divides scores by the length of the translation when it searches; here they are log probabilities again. The
same text gives the same hypotheses whatever was translated before or is at the same time. Samples too: CTranslate2's
random numbers go on from text to text in each of its threads, so every text is sampled by threads of its own, which
begin with SEED.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow.arrays import F64
from crossbow.errors import CrossbowError, InputError
from crossbow.text.located import Span, located

MODEL_FILE, CONFIG_FILE = "model.bin", "config.json"
SOURCE_PIECES, TARGET_PIECES = "source.spm", "target.spm"
SPACE = "▁"  # in SentencePiece's pieces
SEED = 1  # of samples
LEAST_THREADS = 2  # that translate: CTranslate2 lets a text wait while all are busy, and one may be long
LONGEST = 500  # pieces of a text, and of a translation: most systems have 512 positions, and fail beyond
EXTRA = "install the extra: pip install 'crossbow-clir[neural]'"


@dataclass(frozen=True)
class SystemConfig:
    """How text is put to a system."""

    source_prefix: tuple[str, ...] = ()  # control tags before the text, such as >>eng<< or deu_Latn
    target_prefix: tuple[str, ...] = ()  # with which translations begin, such as eng_Latn
    source_end: tuple[str, ...] = ("</s>",)  # what the text ends with, if the system does not add it itself


class Pieces(NamedTuple):
    """A text in the pieces of a SentencePiece model, and where each stands in it."""

    text: str
    names: list[str]
    places: list[Span]


class Listed(NamedTuple):
    """A translation in pieces, its log probability, and how much each piece looks at each piece of the source."""

    pieces: Pieces
    score: float
    attention: F64


class System:
    """A system that is opened when it is first used. Safe to share between threads."""

    def __init__(self, folder: Path, config: SystemConfig = SystemConfig(), threads: int | None = None):
        self.folder, self.config = folder, config
        self.threads = threads or max(LEAST_THREADS, os.cpu_count() or 1)
        self._opening = threading.Lock()

    @cached_property
    def _translator(self) -> Any:
        return self._started(self.threads)

    def _started(self, threads: int) -> Any:
        ctranslate2 = _module("ctranslate2")
        try:
            # One text takes one core; several texts are translated side by side, and share the weights.
            return ctranslate2.Translator(str(self.folder), device="cpu", inter_threads=threads, intra_threads=1)
        except (RuntimeError, ValueError) as error:
            raise InputError(self.folder, None, f"CTranslate2 cannot open this model ({error})",
                             "convert the model again with one of CTranslate2's converters") from None

    @cached_property
    def _source(self) -> Any:
        return _pieces_model(self.folder / SOURCE_PIECES)

    @cached_property
    def _target(self) -> Any:
        return _pieces_model(self.folder / TARGET_PIECES)

    @cached_property
    def _end(self) -> tuple[str, ...]:
        settings = json.loads((self.folder / CONFIG_FILE).read_text("utf8"))
        return () if settings.get("add_source_eos") else self.config.source_end

    def open(self) -> None:
        """Load everything now, once however many threads ask."""
        with self._opening:
            _ = self._translator, self._source, self._target, self._end

    def cut(self, text: str) -> Pieces:
        """A source text in pieces."""
        return _placed(text, self._source.encode(text, out_type=str))

    def words(self, side: str) -> dict[str, float]:
        """The pieces of a side that begin a word, with their relative frequencies, which are guessed from their ranks:
        scores are logarithms in some models and ranks in others. Nothing if both sides have the same pieces."""
        listed = [_by_score(one) for one in (self._source, self._target)]
        if listed[0] == listed[1]:
            return {}
        words = (name[len(SPACE) :].lower() for name in listed[side == "target"] if name.startswith(SPACE))
        return {word: 1.0 / rank for rank, word in enumerate(dict.fromkeys(filter(str.isalpha, words)), 1)}

    def hypotheses(self, text: str, nbest: int, samples: int = 0) -> tuple[Pieces, list[Listed]]:
        """The pieces of a text, and its best translations by beam search, best first; after them those samples, of so
        many, that are not among them. A text of more than LONGEST pieces is cut."""
        self.open()
        whole = self.cut(text)
        source = Pieces(text, whole.names[:LONGEST], whole.places[:LONGEST])
        listed = self._listed(self._translator, source, beam_size=nbest, num_hypotheses=nbest)
        if samples:
            _module("ctranslate2").set_random_seed(SEED)  # of threads that start from now on
            known = {tuple(one.pieces.names): one for one in listed}
            for one in self._listed(self._started(1), source, sampling_topk=0, num_hypotheses=samples):
                known.setdefault(tuple(one.pieces.names), one)
            listed = list(known.values())
        return source, listed

    def _listed(self, translator: Any, source: Pieces, **how: int) -> list[Listed]:
        before, after = self.config.source_prefix, self.config.target_prefix
        tokens = [*before, *source.names, *self._end]
        found = translator.translate_batch(
            [tokens], target_prefix=[list(after)] if after else None, length_penalty=1.0, return_scores=True,
            return_attention=True, max_input_length=0, max_decoding_length=min(2 * len(tokens) + 20, LONGEST),
            **{"beam_size": 1, **how})[0]
        columns = slice(len(before), len(before) + len(source.names))
        listed = []
        for pieces, score, attention in zip(found.hypotheses, found.scores, found.attention):
            own, looks = pieces[len(after) :], np.array(attention, np.float64).reshape(len(pieces), len(tokens))
            listed.append(Listed(_placed(self._target.decode(own), own), float(score) * (len(pieces) + 1),
                                 looks[len(after) :, columns]))
        return listed


def _by_score(model: Any) -> list[str]:
    """All pieces of a SentencePiece model, the most frequent first."""
    numbers = sorted(range(model.get_piece_size()), key=lambda number: -model.get_score(number))
    return [model.id_to_piece(number) for number in numbers]


def _placed(text: str, names: Sequence[str]) -> Pieces:
    return Pieces(text, list(names), located([name.replace(SPACE, "") for name in names], text))


def _pieces_model(file: Path) -> Any:
    if not file.is_file():
        raise InputError(file, None, "no such SentencePiece model", "give it when the model is made, by --source-spm "
                         "and --target-spm")
    try:
        return _module("sentencepiece").SentencePieceProcessor(model_file=str(file))
    except (RuntimeError, OSError) as error:
        raise InputError(file, None, f"no SentencePiece model ({error})", "is this the right file?") from None


def _module(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        raise CrossbowError(f"{name} is not installed, which neural models need; {EXTRA}") from None
