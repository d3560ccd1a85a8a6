"""The pages of docs/ as the site builder wants them. They are written for GitHub, and little has to change.

    python tools/site_pages.py build/docs         # what `make docs` calls before it builds build/site

Links that lead out of docs/ would be dead on the site, so the files they lead to come along, in the folder `project`,
and their own links are followed in turn; a link to a folder becomes plain text. A block that shows a file
(`text file=docs.tsv`) gets the name as its title. A list or a table right below a paragraph gets an empty line before
it, which GitHub does not need.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
KINDS = (".md", ".svg", ".png")
OUTSIDE = PurePosixPath("project")
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
BLOCK = re.compile(r"(^```.*?^```)", re.M | re.S)
NAMED_BLOCK = re.compile(r"^```(\w+) file=(\S+)$", re.M)
CROWDED = re.compile(r"^(?!- |  |\||#)(.+\n)(?=- |\|)", re.M)


def stage(out: Path) -> list[str]:
    """Write all pages and pictures into a new folder; returns the names of the pages there."""
    shutil.rmtree(out, ignore_errors=True)
    waiting, done = sources(), set[PurePosixPath]()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        place = out / on_site(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text, linked = page(path, (ROOT / path).read_text("utf8"))
            place.write_text(text, encoding="utf8")
            waiting += linked
        else:
            shutil.copyfile(ROOT / path, place)
    return sorted(on_site(path).as_posix() for path in done if path.suffix == ".md")


def sources() -> list[PurePosixPath]:
    """All pages and pictures of docs/."""
    return [PurePosixPath(path.relative_to(ROOT).as_posix()) for path in sorted((ROOT / "docs").rglob("*"))
            if path.suffix in KINDS]


def page(path: PurePosixPath, text: str) -> tuple[str, list[PurePosixPath]]:
    """A page of the repository as a page of the site, and the files that it links to."""
    linked = []

    def relinked(match: re.Match[str]) -> str:
        if "://" in match[2]:
            return match[0]
        target = target_of(path, match[2])
        if (ROOT / target).is_dir():
            return match[1]
        if not (ROOT / target).is_file():
            raise SystemExit(f"{path}: the link {match[2]} leads nowhere")
        linked.append(target)
        return f"[{match[1]}]({os.path.relpath(on_site(target), on_site(path).parent)}{match[3] or ''})"

    parts = BLOCK.split(text)
    parts[::2] = [CROWDED.sub(r"\1\n", LINK.sub(relinked, part)) for part in parts[::2]]
    return NAMED_BLOCK.sub(r'```\1 title="\2"', "".join(parts)), linked


def target_of(path: PurePosixPath, link: str) -> PurePosixPath:
    """The file of the repository that a link of a page leads to."""
    return PurePosixPath(os.path.normpath(path.parent / link))


def on_site(path: PurePosixPath) -> PurePosixPath:
    """Where a file of the repository lies on the site."""
    return path.relative_to("docs") if path.parts[0] == "docs" else OUTSIDE / path


if __name__ == "__main__":
    print(f"{len(stage(Path(sys.argv[1])))} pages")
