"""A real test collection out of Debian: package descriptions, their translations, and the package graph.

    collection = build("de", Path("debian-de"))                     # German queries, English documents
    collection = build("en", Path("debian-en-ru"), target="ru")     # English queries, Russian documents
    collection.manifest["counts"]

Documents are all English descriptions, or all that are translated into the target language. Queries are synopses and
opening sentences of translated descriptions without the package's name, in the other language. Relevant documents are
the package itself (3), its siblings and mutual links (2), and packages linked one way (1). The parallel text is made of
the descriptions that are translated. Everything of one source package falls on one side of the split, and sentences
that a held-out description repeats are taken out of the training text. Same lists + seed = same bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from crossbow.datasets import debian_english, debian_lists
from crossbow.datasets.collection import SPLITS, Collection, write_manifest, writing
from crossbow.datasets.debian_queries import BROAD, FAMILY, HUB, Candidate, Judge, candidates, distinct, shuffled
from crossbow.datasets.debian_text import Description, flow, parse, untranslated, words
from crossbow.datasets.heldout import Copies, check_no_leak
from crossbow.datasets.pairing import length_ratio, pair_sentences, plausible
from crossbow.datasets.registry import DATASETS, Dataset
from crossbow.errors import CrossbowError
from crossbow.records import Doc, Qrel, Query, write_docs, write_lines, write_qrels, write_queries
from crossbow.text.language import language_code
from crossbow.text.sentences import split_sentences

EVALUATION, TRAINING, TUNING = 1000, 5000, 700  # queries for dev and for test, queries for training, pairs for tuning
SHARE = 6  # a small language gives one in this many of its queries to dev, and as many to test
LONGEST = 100  # words of a sentence pair
Progress = Callable[[str], None]


class Row(NamedTuple):
    group: str
    translated: str
    english: str


def build(source: str, out: Path, *, target: str = "en", mirror: str | None = None, lists: Path | None = None,
          seed: int = 1, progress: Progress = lambda message: None) -> Collection:
    """Build the collection for a pair of languages; its manifest says the counts, the settings and the digest.

    One of the two is English. If both are, the task is the one of debian_english.
    The package lists come from the folder `lists`, else from `mirror`, else through apt (see debian_lists).
    """
    asked, answered = language_code(source), language_code(target)
    if asked == answered == "en":
        return debian_english.build(out, mirror=mirror, lists=lists, seed=seed, progress=progress)
    if "en" not in (asked, answered):
        raise CrossbowError(f"descriptions are translated from English, so there are none from {asked!r} to "
                            f"{answered!r}; the source or the target must be 'en'")
    language = asked if answered == "en" else answered  # that of the translations
    spelled = language.replace("-", "_")  # as Debian does
    if not re.fullmatch(r"[a-z]{2,3}(_[A-Z]{2})?", spelled):
        raise CrossbowError(f"descriptions are not translated into {spelled!r}; try de, fr or pt_BR")
    progress("reading package lists")
    archive = debian_lists.read(spelled, lists or debian_lists.fetch(spelled, mirror))
    packages = [package for package in archive.packages if package.description in archive.english]
    groups = {p.name: p.source for p in packages}
    english = {p.name: parse(archive.english[p.description]) for p in packages}
    translated = {p.name: parse(archive.translated[p.description]) for p in packages
                  if p.description in archive.translated}

    progress("choosing queries")
    order = shuffled(groups, seed)
    possible = candidates(packages, english, translated, language, answered)
    queries = distinct(sorted(possible, key=lambda query: order[query.package]))
    splits = _split(queries)

    progress("pairing sentences")
    evaluation = splits["dev"] + splits["test"]
    held = {query.group for query in evaluation}
    copies = _copies((name for name in english if groups[name] in held), english, translated, language)
    for query in evaluation:
        for text in (query.text, query.long):  # without the name a sentence may equal one of another package
            for sentence in split_sentences(text, asked):
                copies[asked == "en"].add(sentence)
    rows = _rows(sorted(translated, key=lambda name: order[name]), groups, english, translated, language)
    outside = _unique(row for row in rows if row.group not in held)
    clean = [row for row in outside if not _copied(row, copies, language)]
    tune, train, splits["train"] = _hold_tuning(clean, splits["train"], language)

    progress("writing")
    documents = english if answered == "en" else translated
    counts = {"documents": len(documents), "translated": len(translated), "train": len(train), "tune": len(tune),
              "train.words.en": sum(len(row.english.split()) for row in train),
              "copies_dropped": len(outside) - len(clean),
              **{f"queries.{split}": len(splits[split]) for split in SPLITS}}
    settings = {"seed": seed, "hub": HUB, "broad": BROAD, "family": FAMILY,
                "evaluation": "full size" if len(splits["test"]) == EVALUATION else f"one in {SHARE} of few queries"}
    with writing(out) as folder:
        _write(folder, asked, answered, documents, splits, train, tune, Judge(packages))
        write_manifest(folder, {"name": f"debian-{spelled if answered == 'en' else f'en-{spelled}'}", "source": asked,
                                "target": answered, "counts": counts, "settings": settings})
        progress("checking that nothing held out is trained on")
        check_no_leak(Collection.open(folder))
    return Collection.open(out)


def _split(queries: Sequence[Candidate]) -> dict[str, list[Candidate]]:
    size = min(EVALUATION, len(queries) // SHARE)
    if not size:
        raise CrossbowError(f"only {len(queries)} translations can be queries, which is too few; try another language")
    return {"test": list(queries[:size]), "dev": list(queries[size:2 * size]), "train": list(queries[2 * size:])}


def _copies(held: Iterable[str], english: Mapping[str, Description], translated: Mapping[str, Description],
            language: str) -> tuple[Copies, Copies]:
    """The held-out descriptions by language: each as a whole, unit by unit, and sentence by sentence."""
    both = Copies(), Copies()
    for name in held:
        for copies, descriptions, code in zip(both, (translated, english), (language, "en")):
            description = descriptions.get(name)
            for passage in [description.text, description.synopsis, *description.units] if description else []:
                for text in (passage, *split_sentences(passage, code)):
                    copies.add(text)
    return both


def _copied(row: Row, copies: tuple[Copies, Copies], language: str) -> bool:
    return any(side.cover_any([text, *split_sentences(text, code)])
               for side, text, code in zip(copies, row[1:], (language, "en")))


def _rows(names: Iterable[str], groups: Mapping[str, str], english: Mapping[str, Description],
          translated: Mapping[str, Description], language: str) -> Iterator[Row]:
    """Sentence pairs of all translated descriptions, unit by unit."""
    aligned = [(name, list(_units(translated[name], english[name]))) for name in names]
    ratio = length_ratio(pair for _, pairs in aligned for pair in pairs)
    for name, units in aligned:
        for ours, theirs in units:
            if untranslated(ours, theirs):
                continue
            for left, right in pair_sentences(split_sentences(ours, language), split_sentences(theirs, "en"), ratio):
                size = max(len(left.split()), len(right.split()))
                if not untranslated(left, right) and size <= LONGEST and plausible(left, right, ratio):
                    yield Row(groups[name], left, right)


def _units(ours: Description, theirs: Description) -> Iterator[tuple[str, str]]:
    """The passages that translate each other: the synopses, then the paragraphs if there are equally many."""
    yield ours.synopsis, theirs.synopsis
    if len(ours.paragraphs) == len(theirs.paragraphs):
        for left, right in zip(ours.paragraphs, theirs.paragraphs):
            if len(left) == len(right):
                yield from zip(left, right)
            else:
                yield flow(list(left)), flow(list(right))


def _unique(rows: Iterable[Row]) -> list[Row]:
    """Rows whose words, on both sides, were not seen before."""
    seen: dict[tuple[tuple[str, ...], tuple[str, ...]], Row] = {}
    for row in rows:
        seen.setdefault((tuple(words(row.translated)), tuple(words(row.english))), row)
    return list(seen.values())


def _hold_tuning(rows: Sequence[Row], queries: Sequence[Candidate],
                 language: str) -> tuple[list[Row], list[Row], list[Candidate]]:
    """Tuning pairs (whole groups off the end), the training pairs without them, and the training queries left."""
    goal = min(TUNING, len(rows) // 20)
    sizes = Counter(row.group for row in rows if _tunable(row))
    held: set[str] = set()
    total = 0
    for group in dict.fromkeys(row.group for row in reversed(rows)):
        if total >= goal:
            break
        held.add(group)
        total += sizes[group]
    tune = [row for row in rows if row.group in held and _tunable(row)][:goal]
    copies = Copies(), Copies()
    for row in tune:
        for side, text in zip(copies, row[1:]):
            side.add(text)
    train = [row for row in rows if row.group not in held and not _copied(row, copies, language)]
    return tune, train, [query for query in queries if query.group not in held][:TRAINING]


def _tunable(row: Row) -> bool:
    return len(words(row.translated)) >= 5 and 5 <= len(words(row.english)) <= 50


def _write(folder: Path, asked: str, answered: str, documents: Mapping[str, Description],
           splits: Mapping[str, Sequence[Candidate]], train: Sequence[Row], tune: Sequence[Row], judge: Judge) -> None:
    language = asked if answered == "en" else answered
    for part, rows in (("train", train), ("tune", tune)):
        write_lines(folder / f"{part}.{language}", (row.translated for row in rows))
        write_lines(folder / f"{part}.en", (row.english for row in rows))
    write_lines(folder / "train.groups", (row.group for row in train))
    write_docs(folder / "docs.tsv", (Doc(name, description.text) for name, description in documents.items()))
    for split in SPLITS:
        queries = splits[split]
        write_queries(folder / f"queries.{split}.tsv", (Query(q.package, q.text) for q in queries))
        write_queries(folder / f"queries-long.{split}.tsv", (Query(q.package, q.long) for q in queries))
        write_queries(folder / f"queries-original.{split}.tsv", (Query(q.package, q.original) for q in queries))
        write_lines(folder / f"queries.{split}.groups", (query.group for query in queries))
        write_qrels(folder / f"qrels.{split}.txt", (Qrel(query.package, doc, level) for query in queries
                                                    for doc, level in judge.levels(query.package).items()
                                                    if doc in documents))


def _by_id(argument: str, out: Path, say: Progress) -> Collection:
    """debian:de has German queries, debian:en-ru Russian documents."""
    ahead, dash, target = argument.partition("-")
    if dash and language_code(ahead) == "en":
        return build("en", out, target=target, progress=say)
    return build(argument or "de", out, progress=say)


DATASETS.add("debian", Dataset("Package descriptions of Debian and their translations: debian:de has German queries, "
                               "debian:en-ru Russian documents.", _by_id))
