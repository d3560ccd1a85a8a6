"""A task in one language out of Debian: find the package, and what is related to it, by what its synopsis says.

    collection = build(Path("debian-en"))                    # or `crossbow data debian --source en -o debian-en`

Queries are English synopses of five words or more without the package's name; documents are all descriptions without
their synopses. Relevant documents are the package itself (3), its siblings and mutual links (2), and packages linked
one way (1). Every source package has at most one query, so nothing of a test query's package is trained on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from crossbow.datasets import debian_lists
from crossbow.datasets.collection import SPLITS, Collection, write_manifest, writing
from crossbow.datasets.debian_lists import Package
from crossbow.datasets.debian_queries import (
    BROAD,
    FAMILY,
    HUB,
    Candidate,
    Judge,
    distinct,
    name_pattern,
    shuffled,
    spread,
    without_name,
)
from crossbow.datasets.debian_text import Description, flow, parse
from crossbow.errors import CrossbowError
from crossbow.records import Doc, Qrel, Query, write_docs, write_lines, write_qrels, write_queries
from crossbow.text.analyzer import Analyzer, Settings

LEAST_WORDS = 5
TEST, DEV, TRAIN = 3000, 3000, 20_000  # queries
SHARES = 6, 6  # a small archive gives one in this many of its queries to test, and to dev
Progress = Callable[[str], None]


def build(out: Path, *, mirror: str | None = None, lists: Path | None = None, seed: int = 1,
          progress: Progress = lambda message: None) -> Collection:
    """Build the collection; its manifest says the counts, the settings and the digest."""
    progress("reading package lists")
    archive = debian_lists.read("en", lists or debian_lists.fetch("en", mirror))
    packages = [package for package in archive.packages if package.description in archive.english]
    english = {p.name: parse(archive.english[p.description]) for p in packages}

    progress("choosing queries")
    order = shuffled({p.name: p.source for p in packages}, seed)
    queries = distinct(sorted(candidates(packages, english), key=lambda query: order[query.package]))
    splits = _split(queries)

    progress("writing")
    counts = {"documents": len(english), **{f"queries.{split}": len(splits[split]) for split in SPLITS}}
    settings = {"seed": seed, "hub": HUB, "broad": BROAD, "family": FAMILY, "words": LEAST_WORDS}
    judge = Judge(packages)
    with writing(out) as folder:
        write_docs(folder / "docs.tsv", (Doc(name, flow(text.units)) for name, text in english.items()))
        for split in SPLITS:
            chosen = splits[split]
            write_queries(folder / f"queries.{split}.tsv", (Query(q.package, q.text) for q in chosen))
            write_lines(folder / f"queries.{split}.groups", (query.group for query in chosen))
            write_qrels(folder / f"qrels.{split}.txt", (Qrel(query.package, doc, level) for query in chosen
                                                        for doc, level in judge.levels(query.package).items()))
        write_manifest(folder, {"name": "debian-en", "source": "en", "target": "en", "counts": counts,
                                "settings": settings})
    return Collection.open(out)


def candidates(packages: Sequence[Package], english: Mapping[str, Description]) -> Iterator[Candidate]:
    """A query for every package whose synopsis is long enough and which says more than that."""
    analyzer, frequent = Analyzer(Settings("en")), spread(packages, english)
    for package in packages:
        description = english[package.name]
        if not description.units or re.search(r"transitional|dummy package", description.text):
            continue
        text = without_name(description.synopsis, name_pattern(package, frequent))
        if sum(any(map(str.isalnum, token)) for token in analyzer.tokens(text)) >= LEAST_WORDS:
            yield Candidate(package.name, package.source, text, text)


def _split(queries: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    test, dev = (min(most, len(queries) // share) for most, share in zip((TEST, DEV), SHARES))
    if not dev:
        raise CrossbowError(f"only {len(queries)} synopses can be queries, which is too few; give the lists of a "
                            "whole suite")
    return {"test": list(queries[:test]), "dev": list(queries[test:test + dev]),
            "train": list(queries[test + dev:])[:TRAIN]}
