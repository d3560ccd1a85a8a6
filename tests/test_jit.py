"""The folder of compiled kernels: another one for other sources or with bounds checks, and where the user wants it."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from crossbow import jit

PACKAGE = Path(jit.__file__).parent


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders with one of the decorators each, and one with none, in place of our package."""
    folder = tmp_path / "package"
    for name, source in {"jit": "", "one/a": "from crossbow.jit import kernel\n", "one/constants": "X = 1\n",
                         "two/b": "from crossbow.jit import helper\n", "three/c": "from crossbow.jit import loop\n",
                         "four/d": "from crossbow.jit import maker\n", "other/plain": "import json\n"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(source)
    monkeypatch.setattr(jit, "__file__", str(folder / "jit.py"))
    return folder


@pytest.mark.parametrize("name", ["jit.py", "one/a.py", "one/constants.py", "two/b.py", "three/c.py", "four/d.py"])
def test_an_edited_kernel_file_gets_another_folder(package: Path, name: str) -> None:
    before = jit.cache_folder()
    assert jit.cache_folder() == before
    with (package / name).open("a") as file:
        file.write("# edited\n")
    assert jit.cache_folder() != before


def test_a_moved_or_new_kernel_file_gets_another_folder(package: Path) -> None:
    before = jit.cache_folder()
    (package / "two" / "b.py").rename(package / "two" / "c.py")
    moved = jit.cache_folder()
    (package / "other" / "new.py").write_text("from crossbow.jit import kernel\n")
    assert len({before, moved, jit.cache_folder()}) == 3


def test_other_files_do_not_matter(package: Path) -> None:
    before = jit.cache_folder()
    (package / "other" / "plain.py").write_text("import csv\n")
    assert jit.cache_folder() == before


def test_bounds_checks_get_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = set()
    for flag in (0, 1):
        monkeypatch.setattr("numba.config.BOUNDSCHECK", flag)
        folders.add(jit.cache_folder())
    assert len(folders) == 2


def test_another_numba_gets_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    before = jit.cache_folder()
    monkeypatch.setattr("numba.__version__", "0.0")
    assert jit.cache_folder() != before


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("CROSSBOW_CACHE", str(tmp_path / "ours"))
    ours = jit.cache_folder()
    assert ours.parent == tmp_path / "ours"
    monkeypatch.setenv("CROSSBOW_CACHE", "")
    assert jit.cache_folder() == tmp_path / "xdg" / "crossbow" / ours.name
    monkeypatch.delenv("CROSSBOW_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert jit.cache_folder() == tmp_path / "home" / ".cache" / "crossbow" / ours.name


def test_whether_anything_is_cached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path / "kernels"))
    assert not jit.anything_cached()
    (tmp_path / "kernels" / "align_1").mkdir(parents=True)
    assert not jit.anything_cached()
    (tmp_path / "kernels" / "align_1" / "x.nbi").touch()
    assert jit.anything_cached()


SMALL = """
from crossbow.jit import helper, kernel

@helper
def twice(x):
    return 2 * x

@kernel
def double(x):
    return twice(x)
"""
COMPILE = """
import sys
sys.path.insert(0, sys.argv[1])
import crossbow.jit, small
assert small.double(21) == 42
print(crossbow.jit.cache_folder())
"""
LISTEN = """
import sys
sys.path.insert(0, sys.argv[1])
from crossbow.compiling import listening
assert "numba" not in sys.modules
with listening(print):
    import small
    small.double(21), small.double(2), small.double(0.5)
small.double(1 + 1j)
"""


def test_kernels_are_cached_where_the_environment_says(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    done = subprocess.run([sys.executable, "-c", COMPILE, tmp_path], capture_output=True, text=True, check=True,
                          env={"CROSSBOW_CACHE": str(tmp_path / "cache"), "PATH": "", "HOME": str(tmp_path / "home"),
                               "PYTHONPATH": str(PACKAGE.parent)})
    folder = Path(done.stdout.strip())
    assert folder.parent == tmp_path / "cache"
    assert [path.name for path in folder.rglob("*.nbi") if "double" in path.name]
    assert done.stderr == ""


def test_who_listens_is_told_of_kernels_that_are_compiled(tmp_path: Path) -> None:
    """Once for each type of arguments, not of their helpers, and not of what is cached."""
    (tmp_path / "small.py").write_text(SMALL)

    def run() -> list[str]:
        done = subprocess.run([sys.executable, "-c", LISTEN, tmp_path], capture_output=True, text=True, check=True,
                              env={"CROSSBOW_CACHE": str(tmp_path / "cache"), "PATH": "",
                                   "PYTHONPATH": str(PACKAGE.parent)})
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert run() == ["double", "None"] * 2
    assert run() == []


def _imports(path: Path) -> list[ast.ImportFrom]:
    return [node for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("crossbow")]


def _in_kernels(path: Path) -> set[str]:
    """All names that the file's jitted functions use."""
    ours = {"kernel", "loop", "maker", "helper"}
    jitted = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)
              and {d.id for d in node.decorator_list if isinstance(d, ast.Name)} & ours]
    return {node.id for function in jitted for statement in function.body for node in ast.walk(statement)
            if isinstance(node, ast.Name)}


def test_every_constant_that_is_compiled_in_comes_from_a_digested_file() -> None:
    """A constant of another file becomes part of the machine code; editing it must not leave a stale cache."""
    stale, digested = [], jit.kernel_sources(PACKAGE)
    for path in sorted(PACKAGE.rglob("*.py")):
        used = _in_kernels(path)
        for node in _imports(path):
            module = PACKAGE.parent.joinpath(*str(node.module).split("."))
            source = module.with_suffix(".py") if module.with_suffix(".py").exists() else module / "__init__.py"
            names = used & {alias.asname or alias.name for alias in node.names}
            if names and source not in digested:
                stale.append(f"{path.relative_to(PACKAGE)} compiles in {sorted(names)} of {node.module}")
    assert not stale


def test_kernels_are_made_with_our_decorators_only() -> None:
    """Only jit.py names numba, so every kernel is cached in our folder; and what fills that folder (seeds.py)."""
    named = [path.name for path in PACKAGE.rglob("*.py")
             for node in ast.walk(ast.parse(path.read_text()))
             if (isinstance(node, ast.Import) and any(alias.name.startswith("numba") for alias in node.names))
             or (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba"))]
    assert set(named) == {"jit.py", "seeds.py"}


@pytest.mark.parametrize("decorator", [jit.loop, jit.helper])
def test_what_counts_no_references_may_not_return_arrays(decorator: Any) -> None:
    """Neither alone nor among others: the array could be gone before it is looked at."""
    data = np.arange(6.0).reshape(2, 3)
    options = {name: value for name, value in decorator(lambda x: x).targetoptions.items() if name != "nopython"}
    uncached = numba.njit(**{**options, "cache": False})
    assert options["_nrt"] is False
    assert uncached(lambda rows, at: rows[at].sum())(data, 1) == 12
    for wrong in (lambda rows, at: rows[at], lambda rows, at: (at, rows[at]), lambda rows, at: np.zeros(at)):
        with pytest.raises((TypeError, numba.NumbaError), match=r"returns an array|returning of array|NRT"):
            uncached(wrong)(data, 1)
    assert jit.maker(lambda rows, at: rows[at])(data, 1).tolist() == [3, 4, 5]
