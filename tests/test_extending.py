"""docs/extending.md is true: a newcomer's walk, step by step, in a folder with the demo's model and index."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossbow.datasets.demo.load import documents
from crossbow.index.make import build_index
from sessions import run_document
from training import corpus

ROOT = Path(__file__).parent.parent


def test_a_newcomers_walk(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (tmp_path / "crossbow-demo").mkdir()
    (tmp_path / "crossbow-demo/model").symlink_to(corpus(tmp_path_factory) / "model")
    build_index(documents(), tmp_path / "crossbow-demo/index")
    counts = run_document((ROOT / "docs/extending.md").read_text("utf8"), tmp_path)
    assert counts["python"] == 4
    assert counts["console"] >= 4
