"""What the tests of training and of the command line share: small parallel text, a model trained on it, processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossbow.datasets.demo.load import train_pairs, tune_pairs
from crossbow.decode.decoder import DecodeConfig
from crossbow.decode.phrases import PhraseConfig
from crossbow.decode.tune import TuneConfig
from crossbow.records import ParallelText, write_lines
from crossbow.text.analyzer import Settings
from crossbow.training.parallel import TrainConfig, train

PAIRS, TUNING = 300, 12
GERMAN, ENGLISH = Settings("de"), Settings("en")
QUICK = TrainConfig(GERMAN, ENGLISH, decode=DecodeConfig(pop_limit=30),
                    tune=TuneConfig(passes=2, k=50, pop_limit=20))
QUICK_PHRASES = TrainConfig(GERMAN, ENGLISH, decode=PhraseConfig(pop_limit=100),
                            tune=TuneConfig(passes=2, k=50, pop_limit=60))


def write_pairs(folder: Path, name: str, pairs: list[tuple[str, str]]) -> ParallelText:
    """Two files, folder/name.de and folder/name.en."""
    for side, suffix in ((0, "de"), (1, "en")):
        write_lines(folder / f"{name}.{suffix}", (pair[side] for pair in pairs))
    return ParallelText(folder / f"{name}.de", folder / f"{name}.en")


def real_pairs(count: int = PAIRS) -> list[tuple[str, str]]:
    """German and English sentences of the demo collection."""
    return train_pairs()[:count]


def corpus(factory: pytest.TempPathFactory) -> Path:
    """A folder with train.{de,en} and tune.{de,en} and a trained `model`, made once per test session.

    A fixture imported into two files would be made twice, so this one keeps its result in the session's folder.
    """
    folder = factory.getbasetemp() / "reference-model"
    if not folder.exists():
        folder.mkdir()
        text, tuning = write_pairs(folder, "train", real_pairs()), write_pairs(folder, "tune", tune_pairs()[:TUNING])
        train(text, folder / "model", QUICK, tuning=tuning)
    return folder


def phrase_model(factory: pytest.TempPathFactory) -> Path:
    """The folder of a phrase-based model of the same text, made once per test session too."""
    folder = corpus(factory)
    if not (folder / "phrases").exists():
        text, tuning = (ParallelText(folder / f"{name}.de", folder / f"{name}.en") for name in ("train", "tune"))
        train(text, folder / "phrases", QUICK_PHRASES, tuning=tuning)
    return folder / "phrases"


def contents(folder: Path) -> dict[str, bytes]:
    """Every array of a stored folder by its path, as bytes; not the headers, which hold the seconds a stage took."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.npy"))}


def litter(folder: Path) -> list[str]:
    """Hidden names, which are what temporary files and folders are called."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def run_python(code: str, *arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    """A Python program in a process of its own."""
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, **options)


def crossbow(*arguments: str | Path, text: str | bytes = b"", **options: Any) -> subprocess.CompletedProcess[str]:
    """The installed command; `text` is its standard input."""
    command = [str(Path(sys.executable).with_name("crossbow")), *map(str, arguments)]
    given = text if isinstance(text, bytes) else text.encode()
    environment = {**os.environ, **options.pop("env", {})}
    done = subprocess.run(command, input=given, capture_output=True, env=environment, **options)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def bits(values: dict[str, float]) -> bytes:
    """Weights to the last bit."""
    return np.array(list(values.values())).tobytes()
