"""Help texts are full sentences, every command shows an example, and shells complete what is typed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from crossbow.cli import cli
from reference_pages import commands

COMMANDS = dict(commands(typer.main.get_command(cli)))


def test_all_commands_are_looked_at() -> None:
    assert {"demo", "learn", "evaluate", "reproduce", "data debian", "parse train", "parse show"} <= COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example(name: str) -> None:
    assert f"crossbow {name}" in COMMANDS[name].help.partition("Example: ")[2]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_by_a_sentence(name: str) -> None:
    explained = {parameter.name: parameter.help or "" for parameter in COMMANDS[name].params}
    assert [f"{parameter}: {text}" for parameter, text in explained.items()
            if not (text[:1].isupper() and text.endswith(".") and " " in text)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_does_in_sentences(name: str) -> None:
    paragraphs = COMMANDS[name].help.partition("Example: ")[0].strip().split("\n\n")
    assert [text for text in paragraphs if not (text[:1].isupper() and text.endswith("."))] == []


def test_the_list_of_commands_has_whole_sentences_in_the_order_of_use() -> None:
    done = subprocess.run([Path(sys.executable).with_name("crossbow"), "--help"], capture_output=True, text=True)
    listed = " ".join(done.stdout.partition("Commands:")[2].split())
    assert "..." not in listed
    places = [listed.index(f"{name} {COMMANDS[name].help[:20]}")
              for name in ("demo", "train", "index", "search", "evaluate", "warm")]
    assert places == sorted(places)


@pytest.mark.parametrize(("typed", "completed"), [("crossbow se", "search\nserve\n"), ("crossbow data b", "build\n")])
def test_the_shell_completes_commands(typed: str, completed: str) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_CROSSBOW_COMPLETE": "complete_bash"}
    done = subprocess.run([Path(sys.executable).with_name("crossbow")], env={**os.environ, **words},
                          capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (completed, "")
