"""The README is true: its console sessions and Python sessions are run, and give what it shows."""

import re
from pathlib import Path

from sessions import run_document
from toy_neural import toy_system

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf8")


def test_sessions(tmp_path: Path) -> None:
    toy_system(tmp_path / "opus-mt-de-en.ct2")  # in place of the system that the README speaks of
    counts = run_document(README, tmp_path)
    assert counts["console"] > 3
    assert counts["pycon"] > 0


def test_links_lead_somewhere() -> None:
    found = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src(?:set)?="([^"]+)"', README)
    targets = [target for target in found if "://" not in target]
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
