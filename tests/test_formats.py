"""docs/formats.md is true: every file that it shows is written and read, and its sessions give what it shows."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from sessions import run_document
from toy_neural import toy_system

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/formats.md").read_text("utf8")


NEURAL = ("ls opus-mt-de-en", "crossbow neural")  # commands that need CTranslate2


def test_examples(tmp_path: Path) -> None:
    """What CTranslate2's converter writes is made by its own library, if that is installed."""
    there = all(find_spec(name) for name in ("ctranslate2", "sentencepiece"))
    if there:
        toy_system(tmp_path / "opus-mt-de-en")
    counts = run_document(TEXT, tmp_path, done=() if there else NEURAL)
    assert counts["text"] >= 35
    assert counts["pycon"] >= 10
    assert counts["console"] >= 7


def test_every_example_is_used() -> None:
    """A file that is shown, or its folder, is named in a session below it, so that it is read."""
    sessions = "".join(re.findall(r"^```(?:pycon|console)\n(.*?)^```", TEXT, re.M | re.S))
    unused = [name for name in re.findall(r"^```text file=(\S+)", TEXT, re.M)
              if not {name, name.partition("/")[0]}.intersection(re.findall(r"[\w./-]+", sessions))]
    assert unused == []
