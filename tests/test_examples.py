"""The programs in examples/ run, offline, and show what their docstrings say. test_pyterrier.py runs PyTerrier's."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from crossbow.web.admission import Admission
from crossbow.web.app import make_app
from crossbow.web.engine import Engine, Served
from prepared import demo_place
from serving import running

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))


def example(name: str) -> ModuleType:
    """An example as a module, without running it."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_it_shows(path: Path) -> None:
    text = path.read_text("utf8")
    assert f"python examples/{path.name}" in (ast.get_docstring(ast.parse(text)) or "")
    assert text.count("\n") <= 150


def test_debates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example("debates").main(tmp_path)
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    assert lines[0] == "300 speeches, 20 debates"
    precision = {name.strip(): float(value) for name, value in (line.rsplit(maxsplit=1) for line in lines[2:6])}
    assert [*precision] == ["direct translation", "structured queries", "forced decoding", "standard settings"]
    assert precision["direct translation"] < precision["forced decoding"] < precision["standard settings"]
    assert "best translation: courts in canteens\n  d13-05 " in printed
    assert printed.split("as: ")[1].startswith("dishes in canteens\n")


def test_catalog(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    example("catalog").main(tmp_path)
    shown = [part.splitlines() for part in capsys.readouterr().out.strip().split("\n\n")]
    found = {heading: [line[2:20].strip() for line in lines] for heading, *lines in shown}
    all_prices, cheap, locks, written = found.values()
    assert all_prices[0] == "Garden bench"
    assert shown[0][-1] == "  5 products match: Holm 2, Kiko 1, Lumo 1, Tramp 1"
    assert "Garden bench" not in cheap
    assert locks == ["Cabinet lock", "Bicycle lock"]
    assert written == ["Picnic blanket", "Ceiling light"]


def test_a_tool_for_language_models(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str],
) -> None:
    tool = example("tool_for_models")
    place = demo_place(tmp_path, tmp_path_factory) / "crossbow-demo"
    served = Served.load(place / "model", place / "index")
    served.warm()
    with running(make_app(Engine(served), Admission())) as port:
        address = f"http://127.0.0.1:{port}"
        final = tool.converse(address, tool.Scripted(), "braune Flecken an der Zimmerdecke")
        refused = tool.search(address, {"query": "x", "k": 1000})
    assert final["answer"].startswith("Water stains on the ceiling [ceiling-leak]: ")
    assert "decke → ceiling" in final["because"]
    assert capsys.readouterr().out.count("search_documents({") == 2
    assert [*refused] == ["error"]  # a sentence that a model can act on


def test_the_schema_of_the_tool_is_what_a_call_may_have() -> None:
    tool = example("tool_for_models")
    parameters: dict[str, Any] = tool.TOOL["parameters"]
    assert json.loads(json.dumps(tool.TOOL)) == tool.TOOL
    assert {"query", "k", "must_have"} == parameters["properties"].keys()
    calls = [tool.Scripted().reply([{"role": "user", "content": "x"}, *[{}] * done])["call"] for done in (0, 1)]
    assert all({*parameters["required"]} <= call.keys() <= parameters["properties"].keys() for call in calls)


def test_the_notebook(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Cell by cell, as a notebook runs them: the last expression of a cell is shown."""
    notebook = json.loads((EXAMPLES / "notebook.ipynb").read_text("utf8"))
    assert notebook["nbformat"] == 4
    monkeypatch.chdir(demo_place(tmp_path, tmp_path_factory))
    names: dict[str, Any] = {}
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []  # nothing is stored that could be out of date
            *statements, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(statements, []), "notebook", "exec"), names)
            assert isinstance(last, ast.Expr)
            value = eval(compile(ast.Expression(last.value), "notebook", "eval"), names)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    model, hits, why, methods, table = shown
    assert model.startswith("<Model de → en")
    assert "ceiling-leak" in hits
    assert "ceiling" in why
    assert ast.literal_eval(methods)["bowfd"][0] == "ceiling-leak"
    assert "standard settings − direct translation" in table
