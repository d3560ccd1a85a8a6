"""The documentation site builds without warnings, every page is in its navigation, and no link leads nowhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest

from site_pages import page, sources, stage, target_of

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "zensical.toml").read_text("utf8"))["project"]


def listed(entries: list[dict[str, object]]) -> Iterator[str]:
    """The pages of a navigation."""
    for entry in entries:
        for value in entry.values():
            if isinstance(value, list):
                yield from listed(value)
            else:
                yield str(value)


class Links(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, text: str):
        super().__init__()
        self.targets: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.targets.append(value)
            elif name == "id" and value:
                self.places.add(value)


def broken(site: Path) -> list[str]:
    """Links and anchors of all pages of a site that lead nowhere."""
    pages = {path: Links(path.read_text("utf8")) for path in site.rglob("*.html") if path.name != "404.html"}
    found = []
    for path, links in pages.items():
        for target in links.targets:
            file, _, anchor = unquote(target).partition("#")
            if re.match(r"[a-z]+:", file):
                continue
            place = (path.parent / file.partition("?")[0]).resolve() if file else path
            if place.is_dir():
                place /= "index.html"
            if not place.is_file() or (anchor and place in pages and anchor not in pages[place].places):
                found.append(f"{path.relative_to(site)}: {target}")
    return found


def test_the_site_builds_without_warnings_and_its_links_hold(tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="THE SITE WAS NOT BUILT: zensical is not installed; `make docs` installs it")
    pages = stage(tmp_path / SETTINGS["docs_dir"])
    assert sorted(listed(SETTINGS["nav"])) == pages  # every page once, and no other
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    built = subprocess.run([sys.executable, "-m", "zensical", "build", "--strict"], cwd=tmp_path, capture_output=True,
                           text=True)
    said = built.stdout + built.stderr
    assert built.returncode == 0, said
    assert "Warning" not in said
    site = tmp_path / SETTINGS["site_dir"]
    made = {path.relative_to(site).with_suffix(".md").as_posix() for path in site.rglob("*.html")}
    assert made - {"404.md"} == {*pages}
    assert broken(site) == []
    # GitHub sees a list or a table right below a paragraph, the site's Markdown only below an empty line.
    swallowed = re.compile(r"<p>(?:(?!</p>).)*?\n(- |\|[ -])", re.S)
    assert [path.name for path in site.rglob("*.html") if swallowed.search(path.read_text("utf8"))] == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a> <a href="b.html#gone">b</a> <img src="c.png">')
    (tmp_path / "b.html").write_text('<h2 id="here">x</h2> <a href="https://example.org/">x</a> <a href="a.html">a</a>')
    assert broken(tmp_path) == ["a.html: b.html#gone", "a.html: c.png"]


@pytest.mark.parametrize("path", [path for path in sources() if path.suffix == ".md"], ids=str)
def test_links_hold_on_github_too(path: PurePosixPath) -> None:
    """There a heading is linked to by its words in lower case, without punctuation, joined by hyphens."""
    text = (ROOT / path).read_text("utf8")
    for link, _, anchor in (target.partition("#") for target in re.findall(r"\]\(([^)\s]+)\)", text)):
        if "://" in link:
            continue
        target = ROOT / (target_of(path, link) if link else path)
        assert target.exists(), link
        assert not anchor or anchor in headings(target.read_text("utf8")), f"{link}#{anchor}"


def headings(text: str) -> set[str]:
    plain = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", plain, re.M)}


def test_links_out_of_docs_come_along() -> None:
    text, linked = page(PurePosixPath("docs/howto/x.md"),
                        "[a](../../Makefile), [b](../design.md#2-x), [c](https://x.y/z), [d](../../tools), [e](#f)")
    assert text == "[a](../project/Makefile), [b](../design.md#2-x), [c](https://x.y/z), d, [e](#f)"
    assert linked == [PurePosixPath("Makefile"), PurePosixPath("docs/design.md")]


def test_what_github_reads_otherwise() -> None:
    """The name of a file that is shown, and lists and tables below a paragraph; what is in blocks stays."""
    crowded = "A list:\n- one\n  more\n- two\n\nA table:\n| a |\n|---|\n"
    text, _ = page(PurePosixPath("docs/x.md"), f"{crowded}```text file=a.tsv\n{crowded}[a](b)\n```\n# Head\n- three\n")
    apart = crowded.replace(":\n", ":\n\n")
    assert text == f'{apart}```text title="a.tsv"\n{crowded}[a](b)\n```\n# Head\n- three\n'
