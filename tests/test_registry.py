"""Registries: entries by name, files and modules that add to them, and what goes wrong with those."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path

import pytest

from crossbow import registry
from crossbow.errors import CrossbowError
from crossbow.registry import Registry
from plugins import write_toy
from training import run_python

THINGS: Registry[int] = Registry("thing")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_loaded", set())
    monkeypatch.delenv(registry.VARIABLE, raising=False)
    monkeypatch.setattr(THINGS, "_entries", {"one": 1, "two": 2})


def test_names_and_order() -> None:
    THINGS.add("three", 3)
    assert (list(THINGS), len(THINGS), THINGS["three"], "two" in THINGS) == (["one", "two", "three"], 3, 3, True)
    THINGS.remove("two")
    assert dict(THINGS) == {"one": 1, "three": 3}
    with pytest.raises(CrossbowError, match=r"there is no thing 'tree'; there are one, three; did you mean 'three'\?$"):
        THINGS["tree"]


def test_another_of_the_same_name() -> None:
    THINGS.add("one", 7)  # the file was loaded again
    with pytest.raises(CrossbowError, match="there is a thing 'one' already"):
        THINGS.add("one", "another kind")  # type: ignore[arg-type]


def test_modules_are_imported_when_a_name_is_asked_for() -> None:
    lazy: Registry[int] = Registry("thing", {"far": "no_such_module_anywhere"})
    assert list(lazy) == ["far"]
    assert "far" in lazy
    with pytest.raises(ModuleNotFoundError):
        lazy["far"]


def test_files_and_modules_add_to_registries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from test_registry import THINGS\nTHINGS.add({name!r}, {value})\n"
    (tmp_path / "a plugin.py").write_text(code.format(name="from a file", value=10))
    (tmp_path / "plugged_in.py").write_text(code.format(name="from a module", value=11))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv(registry.VARIABLE, os.pathsep.join([str(tmp_path / "a plugin.py"), "plugged_in", ""]))
    assert (THINGS["from a file"], THINGS["from a module"]) == (10, 11)
    THINGS.remove("from a file")
    assert "from a file" not in THINGS  # each is loaded once


def test_packages_that_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "installed_plugin.py").write_text("from test_registry import THINGS\nTHINGS.add('installed', 12)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    point = importlib.metadata.EntryPoint("mine", "installed_plugin", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "crossbow" else [])
    assert THINGS["installed"] == 12


@pytest.mark.parametrize(("code", "message"), [
    ("1 / 0", "could not be loaded: ZeroDivisionError: division by zero; see CROSSBOW_PLUGINS"),
    ("import no_such_module_at_all", "ModuleNotFoundError"), ("def", "SyntaxError"),
    ("from crossbow.errors import CrossbowError\nraise CrossbowError('as it says')", "as it says"),
])  # fmt: skip
def test_broken_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str) -> None:
    (tmp_path / "broken.py").write_text(code)
    monkeypatch.setenv(registry.VARIABLE, str(tmp_path / "broken.py"))
    assert THINGS["one"] == 1  # what is known needs no plugin
    with pytest.raises(CrossbowError, match=message):
        list(THINGS)


def test_plugins_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.VARIABLE, "/nowhere/plugin.py")
    with pytest.raises(CrossbowError, match=r"/nowhere/plugin.py could not be loaded: FileNotFoundError"):
        list(THINGS)


@pytest.mark.parametrize("first", [
    "import crossbow.ranking.methods", "import crossbow.ranking.bm25", "import crossbow; crossbow.Searcher",
    "from crossbow.ranking.bm25 import Bm25; Bm25(idf='lucene')", "import crossbow.web.server",
    "from crossbow.ranking.config import SearchConfig; SearchConfig(method='toy')",
])
def test_plugins_wait_until_modules_are_imported(first: str, tmp_path: Path) -> None:
    """Whatever is imported or looked up first."""
    code = f"{first}; from crossbow.ranking.methods import METHODS; print(*METHODS)"
    done = run_python(code, env={**os.environ, registry.VARIABLE: str(write_toy(tmp_path))})
    assert (sorted(done.stdout.split()), done.stderr) == (["bowfd", "dt", "expected", "psq", "toy"], "")
