"""The pages of docs/ are true: their code runs and gives what they show, and what is generated is up to date."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pictures
import reference_pages
from crossbow.forest.hypergraph import Forest
from crossbow.index.make import build_index
from crossbow.ranking.expected import counted_terms
from crossbow.ranking.searcher import Searcher
from prepared import demo_place
from sessions import BLOCK, run_document
from toy_neural import toy_system

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
# Reports are written by `crossbow reproduce`; these two pages have tests of their own.
ELSEWHERE = {DOCS / "formats.md", DOCS / "extending.md"}
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if path.name != "report.md"]
RUN = [path for path in PAGES if BLOCK.search(path.read_text("utf8")) and path not in ELSEWHERE]
# Made by `demo_place`; that these commands make it is tested with the README, which trains twice.
DONE = ("crossbow demo", "crossbow train demo/")
# What is shown and is no code: results, drawings and formulas have no language; the settings of a package have.
SHOWN = {"", "toml"}


def name_of(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_sessions(page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = page.read_text("utf8")
    if "opus-mt-de-en.ct2" in text:
        toy_system(tmp_path / "opus-mt-de-en.ct2")  # in place of the system that the page speaks of
    counts = run_document(text, demo_place(tmp_path, tmp_path_factory), DONE)
    assert counts["console"] + counts["pycon"] > 0


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_all_code_is_run(page: Path) -> None:
    """A block is of a kind that is run, or it is no code; of commands that cannot be run here, the form is right."""
    text = page.read_text("utf8")
    for kind, content in re.findall(r"^ *```([^\n]*)\n(.*?)^ *```", text, re.M | re.S):
        if kind in SHOWN:
            assert not re.search(r"^ *(\$|>>>|python|pip) ", content, re.M), content
            for command, options in re.findall(r"^crossbow (\w+)(.*)$", content, re.M):
                listed = reference_pages.command_page().partition(f"## crossbow {command}\n")[2].partition("\n## ")[0]
                assert listed, command
                assert [one for one in re.findall(r"--[\w-]+", options) if one not in listed] == []
        else:
            assert BLOCK.match(f"```{kind}\n{content}```"), kind


def test_the_reference_is_what_the_program_says() -> None:
    """`python tools/reference_pages.py` writes it anew."""
    assert (DOCS / "reference" / "cli.md").read_text("utf8") == reference_pages.command_page()
    assert (DOCS / "reference" / "api.md").read_text("utf8") == reference_pages.python_page()


def test_the_reference_has_everything_public() -> None:
    page = reference_pages.python_page()
    for name in ("Searcher.search", "Model.translate", "SearchConfig", "train", "bowfd", "Hits.counts", "run_frame",
                 "CrossbowIndex.retriever"):
        assert re.search(rf"^(#+ |- `){re.escape(name)}\b", page, re.M), name


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_pictures_are_what_their_script_draws(name: str) -> None:
    """`python tools/pictures.py` draws them anew."""
    assert (DOCS / "pictures" / f"{name}.svg").read_text("utf8") == pictures.PICTURES[name]()


def test_pictures_show_what_the_program_computes(tmp_path: Path) -> None:
    lists = "".join(f"q1\t{' '.join(words)}\t{score}\n" for words, score in pictures.TRANSLATIONS.items())
    (tmp_path / "list.tsv").write_text(lists)
    (forest,) = Forest.read_nbest(tmp_path / "list.tsv")
    index = build_index(pictures.DOCUMENTS.items(), tmp_path / "index", lang="en")
    searcher = Searcher(None, index, {"method": "bowfd", "bowfd.unmatched": True})
    hits = {hit.doc: hit.score for hit in searcher.search(forest)}
    threshold = sorted(hits.values())[-2]
    for name in pictures.MATCHING:
        worth = pictures.gains()[name]
        words, score = pictures.choice(worth)
        assert searcher.explain(forest, name).sentences[0].target == [*words]
        assert hits[name] == pytest.approx(score, abs=1e-6)
        assert pictures.bound(worth) >= score
    assert {name for name in pictures.MATCHING if pictures.bound(pictures.gains()[name]) >= threshold} == {
        "account", "garden", "mural"}  # as the page says: three are valued
    likely = {word: share for place in pictures.expected() for word, share in place.items()}
    counted = counted_terms([forest], index, power=1.0)
    assert {word: counted[index.analyzer.terms(word)[0]] for word in likely} == pytest.approx(likely)
