"""Plugins are loaded when everything they import is there, whatever is imported or looked up first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crossbow.errors import CrossbowError
from crossbow.ranking.methods import METHODS
from crossbow.registry import VARIABLE
from plugins import plugged, write_toy
from training import run_python

LISTED = "; from crossbow.ranking.methods import METHODS; print(*METHODS)"


@pytest.mark.parametrize("first", [
    "import crossbow.ranking.methods", "import crossbow.ranking.bm25", "import crossbow; crossbow.Searcher",
    "from crossbow.ranking.bm25 import Bm25; Bm25(idf='lucene')", "import crossbow.web.server",
    "from crossbow.ranking.config import SearchConfig; SearchConfig(method='toy')",
])
def test_plugins_wait_until_modules_are_imported(first: str, tmp_path: Path) -> None:
    done = run_python(first + LISTED, env={**os.environ, VARIABLE: str(write_toy(tmp_path))})
    assert (done.stdout.split(), done.stderr) == (["dt", "psq", "expected", "bowfd", "toy"], "")


def test_names_that_are_taken_or_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CrossbowError, match="there is no method 'toy'"):
        _ = METHODS["toy"]
    with plugged(tmp_path, monkeypatch):
        assert METHODS["toy"].label == "Every word"
        with pytest.raises(CrossbowError, match="there is a method 'dt' already; choose another name"):
            METHODS.add("dt", METHODS["toy"])
    assert "toy" not in METHODS


def test_a_plugin_that_is_broken(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import nothing_of_that_name")
    done = run_python("from crossbow.ranking.methods import METHODS; list(METHODS)",
                      env={**os.environ, VARIABLE: str(tmp_path / "bad.py")})
    assert "bad.py could not be loaded: ModuleNotFoundError" in done.stderr
