"""Help texts are full sentences, and every command shows an example."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from crossbow.cli import cli

# Still to be written as sentences.
TO_CONVERT = {"search", "explain", "serve", "train", "dictionary", "grammar", "convert", "index", "translate", "info"}


def commands(group: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Each command by its name, `parse train` too."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*names, name))
        else:
            yield " ".join((*names, name)), command


COMMANDS = dict(commands(typer.main.get_command(cli)))


def test_the_list_is_true() -> None:
    assert COMMANDS.keys() > TO_CONVERT
    assert {"demo", "learn", "evaluate", "reproduce", "data debian", "parse train", "parse show"} <= COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example(name: str) -> None:
    assert f"crossbow {name}" in COMMANDS[name].help.partition("Example: ")[2]


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - TO_CONVERT))
def test_every_option_is_explained_by_a_sentence(name: str) -> None:
    explained = {parameter.name: parameter.help or "" for parameter in COMMANDS[name].params}
    assert [f"{parameter}: {text}" for parameter, text in explained.items()
            if not (text[:1].isupper() and text.endswith(".") and " " in text)] == []


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - TO_CONVERT))
def test_a_command_says_what_it_does_in_sentences(name: str) -> None:
    paragraphs = COMMANDS[name].help.partition("Example: ")[0].strip().split("\n\n")
    assert [text for text in paragraphs if not (text[:1].isupper() and text.endswith("."))] == []
