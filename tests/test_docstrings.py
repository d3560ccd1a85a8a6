"""The examples that files open with are true: they run, and what they say is equal is equal."""

from __future__ import annotations

import ast
import importlib
import inspect
import shutil
from pathlib import Path

import pytest

from crossbow.datasets.demo.load import tune_pairs
from crossbow.records import ParallelText, write_lines
from crossbow.text.analyzer import Settings
from supplies import ARPA, GRAMMAR
from training import corpus, real_pairs, write_pairs

MODULES = ["text.language", "text.filenames", "training.front", "training.parallel", "training.dictionary",
           "training.grammar", "model.model"]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A folder with the files that examples name."""
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path, "train", real_pairs(60))
    write_pairs(tmp_path, "tune", tune_pairs()[:3])
    write_lines("docs.tsv", ["d1\tThe castle by the lake."])
    write_lines("de-en.tsv", ["Schloss\tcastle", "alt\told"])
    write_lines("rules.gz", GRAMMAR.splitlines())
    (tmp_path / "english.arpa").write_text(ARPA)
    shutil.copytree(corpus(tmp_path_factory) / "model", "model.de-en")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(f"crossbow.{name}")
    paragraphs = (module.__doc__ or "").split("\n\n")
    example = next(text for text in paragraphs if text.startswith("    "))
    names = {**vars(module), "Settings": Settings, "ParallelText": ParallelText}
    for statement in ast.parse(inspect.cleandoc(example)).body:
        code = ast.unparse(statement)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Compare):
            assert eval(code, names), code
        else:
            exec(code, names)
