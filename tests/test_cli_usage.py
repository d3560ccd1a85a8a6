"""What the command line says to somebody who mistypes: one line, with what may have been meant or where to look."""

from __future__ import annotations

import pytest

from commands import Run, failure, runner

MISTYPED = {
    "kyoto": "there is no command 'kyoto'; see crossbow --help",
    "trian a b": "there is no command 'trian'; did you mean 'train'?",
    "trans": "there is no command 'trans'; did you mean 'train' or 'translate'?",
    "data bogus": "there is no command 'bogus'; see crossbow data --help",
    "parse shwo": "there is no command 'shwo'; did you mean 'show'?",
    "--bogus": "there is no option '--bogus'; see crossbow --help",
    "--verison": "there is no option '--verison'; did you mean '--version'?",
    "train a b --bogus": "there is no option '--bogus'; see crossbow train --help",
    "train a b --qiet": "there is no option '--qiet'; did you mean '--quiet'?",
    "learn a b --thread 2": "there is no option '--thread'; did you mean '--threads'?",
    "learn a b --jobs 2": "there is no option '--jobs'; see crossbow learn --help",
    "train a b --no-compunds": "there is no option '--no-compunds'; did you mean '--no-compounds' or '--compounds'?",
    "train -x": "there is no option '-x'; see crossbow train --help",
    "train a": "missing argument 'TGT'; see crossbow train --help",
    "train a b": "missing option '-o' / '--out'; see crossbow train --help",
    "train a b -o": "option '-o' requires an argument; see --help",
}  # fmt: skip


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(monkeypatch, capsys)


@pytest.mark.parametrize("typed", MISTYPED)
def test_a_mistyped_command(run: Run, typed: str) -> None:
    assert failure(run(*typed.split())) == f"crossbow: {MISTYPED[typed]}\n"


@pytest.mark.parametrize("typed", ["train a b -o c --order 9", "train a b -o c --order x", "info a b", "demo -o"])
def test_no_punctuation_is_doubled(run: Run, typed: str) -> None:
    message = failure(run(*typed.split())).removeprefix("crossbow: ").rstrip("\n")
    assert message[0].islower()
    assert message.endswith("--help")
    assert ".;" not in message
    assert ".:" not in message
