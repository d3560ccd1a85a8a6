"""docs/formats.md is true: every file that it shows is written and read, and its sessions give what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from sessions import run_document

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/formats.md").read_text("utf8")


def test_examples(tmp_path: Path) -> None:
    counts = run_document(TEXT, tmp_path)
    assert counts["text"] >= 20
    assert counts["pycon"] >= 9
    assert counts["console"] >= 2


def test_every_example_is_used() -> None:
    """A file that is shown is named in a session below it, so that it is read."""
    sessions = "".join(re.findall(r"^```(?:pycon|console)\n(.*?)^```", TEXT, re.M | re.S))
    unused = [name for name in re.findall(r"^```text file=(\S+)", TEXT, re.M) if name not in sessions]
    assert unused == []
