"""The reference pages, made from the program itself: its commands with their options, its public names with docstrings.

    python tools/reference_pages.py               # writes docs/reference/cli.md and docs/reference/api.md

A test compares the pages with what this would write.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

import crossbow
from crossbow import pyterrier
from crossbow.cli import cli
from crossbow.cli.configuring import ConfiguredCommand
from crossbow.ranking.methods import METHODS
from crossbow.records import exchange
from crossbow.registry import Registry

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
CLI_HEAD = """# Command line

All commands with all their options, as `crossbow COMMAND --help` shows them too. [File formats](../formats.md) shows
what commands read and write, and `crossbow methods` lists the settings that `--set` changes.
`python tools/reference_pages.py` writes this page.

"""
API_HEAD = """# Python

Everything that `import crossbow` offers, and what is there for other tools, from the docstrings. The
[tutorial](../tutorial.md) shows how the parts work together, [extending](../extending.md) how to add to them.
`python tools/reference_pages.py` writes this page.

"""
FRAMES = "\n## crossbow.records.exchange\n\nRuns, judgments and queries for other tools.\n"
TRANSFORMERS = ("\n## crossbow.pyterrier\n\nTransformers, indexes and models for PyTerrier. [Work in PyTerrier]"
                "(../howto/pyterrier.md) shows how they are used.\n")
PARTS = (  # what stands above them, where they are, and their names
    ("", crossbow, [name for name in crossbow.__all__ if not name.startswith("_")]),
    (FRAMES, exchange, ["qrels_frame", "queries_frame", "run_frame", "run_scores"]),
    (TRANSFORMERS, pyterrier, pyterrier.__all__),
)


def command_page() -> str:
    """docs/reference/cli.md."""
    listed = dict(sorted(commands(typer.main.get_command(cli))))
    overview = "".join(f"| [{name}](#crossbow-{name.replace(' ', '-')}) | {_paragraphs(one)[0]} |\n"
                       for name, one in listed.items())
    return (f"{CLI_HEAD}| command | what it does |\n|---|---|\n{overview}"
            + "".join(_command(name, one) for name, one in listed.items()))


def commands(group: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Each command by its name, `parse train` too."""
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from commands(one, (*names, name))
        else:
            yield " ".join((*names, name)), one


def _paragraphs(command: Any) -> list[str]:
    return [" ".join(text.split()) for text in inspect.cleandoc(command.help).split("\n\n")]


def _command(name: str, command: Any) -> str:
    *told, example = _paragraphs(command)
    rows = "".join(f"| {_spelled(one)} | {_cell(one.help)}{_default(one)} |\n" for one in command.params)
    table = f"| argument or option | meaning |\n|---|---|\n{rows}\n" if rows else ""
    methods = f"Methods:\n\n{_method_list()}" if isinstance(command, ConfiguredCommand) else ""
    return (f"\n## crossbow {name}\n\n" + "".join(f"{text}\n\n" for text in told)
            + f"Example: `{example.removeprefix('Example: ')}`\n\n{table}{methods}").rstrip("\n") + "\n"


def _method_list() -> str:
    return "".join(f"- `{name}`: {METHODS[name].help}\n" for name in METHODS.homes)


def _spelled(parameter: Any) -> str:
    """An argument or an option as one writes it."""
    if parameter.param_type_name == "argument":
        return f"`{_cell(parameter.metavar or parameter.name.upper())}`"
    value = "" if parameter.is_flag else f" {parameter.metavar or parameter.name.upper().replace('_', '-')}"
    written = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return f"`{_cell(written + value)}`" + (" (required)" if parameter.required else "")


def _default(parameter: Any) -> str:
    usual = parameter.default
    if parameter.param_type_name == "argument" or usual is None or usual is False or usual in ([], ()):
        return ""
    return f" Default: `{parameter.opts[0] if usual is True else usual}`."


def _cell(text: str) -> str:
    """Text in a cell of a table; what looks like a tag is not one."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def python_page() -> str:
    """docs/reference/api.md."""
    return API_HEAD.rstrip("\n") + "\n" + "".join(
        head + "".join(_public(name, getattr(module, name)) for name in sorted(names, key=str.lower))
        for head, module, names in PARTS)


def _public(name: str, value: Any) -> str:
    """A function, a class with its public members, or the registry of methods. What has no docstring stays out."""
    if isinstance(value, Registry):
        return f"\n## {name}\n\nThe methods by name, and those that plugins add.\n\n{_method_list()}"
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(value))).body
    if isinstance(tree, ast.FunctionDef):
        return f"\n## {name}\n\n{_signature(tree)}\n\n{_told(tree)}\n"
    assert isinstance(tree, ast.ClassDef)
    parts = [f"## {name}", _told(tree)]
    fields = [_field(one) for one in tree.body if isinstance(one, ast.AnnAssign)]
    if fields:
        parts.append(f"Fields: {', '.join(fields)}.")
    for one in tree.body:
        if isinstance(one, ast.FunctionDef) and ast.get_docstring(one):
            if one.name == "__init__":
                parts += [_signature(one, name), _told(one)]
            elif not one.name.startswith("_"):
                parts += [f"### {name}.{one.name}", _signature(one), _told(one)]
    return "\n" + "\n\n".join(parts) + "\n"


def _field(assigned: ast.AnnAssign) -> str:
    """A field of a record with its type, and its default if that is a plain value."""
    default = f" = {ast.unparse(assigned.value)}" if isinstance(assigned.value, ast.Constant | ast.Tuple) else ""
    return f"`{ast.unparse(assigned.target)}: {ast.unparse(assigned.annotation)}{default}`"


def _signature(function: ast.FunctionDef, name: str = "") -> str:
    """The call as one writes it; of an attribute its type."""
    made_by = {ast.unparse(one) for one in function.decorator_list}
    returned = f" -> {ast.unparse(function.returns)}" if function.returns and function.name != "__init__" else ""
    if made_by & {"property", "cached_property"}:
        return f"`{function.name}`{': `' + returned.removeprefix(' -> ') + '`' if returned else ''}"
    for arguments in (function.args.posonlyargs, function.args.args):
        if arguments and arguments[0].arg in ("self", "cls") and "staticmethod" not in made_by:
            del arguments[0]
    return f"`{name or function.name}({ast.unparse(function.args)}){returned}`"


def _told(tree: ast.FunctionDef | ast.ClassDef) -> str:
    return (ast.get_docstring(tree) or "").replace("<", "&lt;")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "cli.md").write_text(command_page(), encoding="utf8")
    (FOLDER / "api.md").write_text(python_page(), encoding="utf8")
