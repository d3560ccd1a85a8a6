"""The rules of the house: who may import whom, how large a file may grow, what stays out, how fast the door opens."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import crossbow

PACKAGE = Path(crossbow.__file__).parent
ROOT = PACKAGE.parent.parent
# A module may import what stands before it, and modules of its own folder.
LAYERS = [
    "compiling", "seeds", "errors", "arrays", "settings", "registry", "records", "store", "integrity", "hub", "weights",
    "text", "vocab", "jit", "structures", "align", "grammar", "lm", "forest", "decode", "neural", "lock", "processes",
    "pipeline", "index", "model", "threads", "ranking", "cluster", "evaluation", "display", "datasets", "training",
    "learn", "translate", "parse", "experiments", "demo", "warm", "pyterrier", "web", "cli", "__main__",
]
SOURCES = sorted(PACKAGE.rglob("*.py"))


def layer(module: str) -> str:
    """errors for crossbow.errors, text for crossbow.text.stem, "" for the package itself."""
    return module.partition(".")[2].partition(".")[0]


def imports(path: Path) -> Iterator[str]:
    """The modules of ours that a file names, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == "crossbow")
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "crossbow":
                yield from (f"crossbow.{a.name}" for a in node.names if a.name != "__version__")
            elif node.module.startswith("crossbow."):
                yield node.module


def module_of(path: Path) -> str:
    return ".".join(("crossbow", *path.relative_to(PACKAGE).with_suffix("").parts))


def repository_files() -> list[Path]:
    """What is under version control, or would be."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("THE RULES FOR FILES WERE NOT CHECKED: this is not a git repository")
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_every_module_has_its_place() -> None:
    assert {layer(module_of(path)) for path in SOURCES} - {"__init__"} == set(LAYERS)


@pytest.mark.parametrize("path", [path for path in SOURCES if path != PACKAGE / "__init__.py"], ids=module_of)
def test_imports_point_downwards(path: Path) -> None:
    own = layer(module_of(path))
    below = {own, *LAYERS[: LAYERS.index(own)]}
    assert [name for name in imports(path) if layer(name) not in below] == []


@pytest.mark.parametrize("arguments", [["-c", "import crossbow"], ["-m", "crossbow.cli", "--help"]], ids=" ".join)
def test_nothing_heavy_is_loaded_at_the_door(arguments: list[str]) -> None:
    """Best of three: other work on the machine must not decide. The limit is six times what it takes."""
    script = ("import sys, time, runpy\n"
              "sys.argv = sys.argv[1:]\n"
              "def done():\n"
              "    heavy = {'numba', 'numpy', 'scipy', 'rich', 'sacrebleu'} & set(sys.modules)\n"
              "    print(f'\\n{time.process_time():.3f}', *sorted(heavy))\n"
              "import atexit; atexit.register(done)\n")
    script += arguments[1] if arguments[0] == "-c" else "from crossbow.cli import app; app()"
    seconds = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", script, "crossbow", *arguments[2:]], capture_output=True,
                              text=True, check=True)
        spent, *heavy = done.stdout.splitlines()[-1].split()
        assert heavy == []
        seconds.append(float(spent))
    assert min(seconds) < 0.3


def test_types_are_shipped() -> None:
    assert (PACKAGE / "py.typed").exists()
    assert "py.typed" in (ROOT / "pyproject.toml").read_text()


def test_public_names_can_be_reached() -> None:
    for name in crossbow.__all__:
        assert getattr(crossbow, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'bogus'"):
        _ = crossbow.bogus


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_files_are_short_and_say_what_they_are_for(path: Path) -> None:
    text = path.read_text("utf8")
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    assert text.count("\n") <= 400
    long = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
            and (node.end_lineno or 0) - node.lineno + 1 > 60]
    assert long == []


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_only_kernels_go_without_types(path: Path) -> None:
    """A type checker cannot read them; everything else is annotated in full."""
    bare = []
    for node in ast.walk(ast.parse(path.read_text("utf8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            named = {decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)}
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            typed = [one.annotation is not None or one.arg in ("self", "cls") for one in arguments]
            returns = node.returns is not None or node.name == "__init__"
            if not named & {"kernel", "loop", "helper", "maker"} and not (returns and all(typed)):
                bare.append(node.name)
    assert bare == []


def test_no_machine_paths_or_archive_hosts() -> None:
    """Neither where this copy happens to lie nor where packages come from belongs into a file."""
    outside = os.fspath(ROOT.parent) + os.sep
    hosts = re.compile(r"https?://[\w.-]*(debian|pypi|pythonhosted|npmjs)")
    found = []
    for path in repository_files():
        text = path.read_bytes().decode("utf8", "replace")
        if (len(outside) > 3 and outside in text) or hosts.search(text):
            found.append(path.relative_to(ROOT).as_posix())
    assert found == []


def test_the_version_stands_in_one_file() -> None:
    """The build reads it there without importing the package, so it must be a plain string."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "crossbow.__version__"}
    door = PACKAGE / "__init__.py"
    assigned = [node.value for node in ast.parse(door.read_text("utf8")).body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__"]
    assert [ast.literal_eval(value) for value in assigned] == [crossbow.__version__]
    repeated = [path for path in (*SOURCES, ROOT / "pyproject.toml", ROOT / "Makefile", ROOT / "docs" / "design.md")
                if crossbow.__version__ in path.read_text("utf8")]
    assert repeated == [door]
