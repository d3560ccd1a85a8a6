"""Queries and graded judgments out of Debian packages.

    queries = candidates(archive.packages, english, translated, "de", target="en")
    levels = Judge(archive.packages).levels("mutt")     # {"mutt": 3, "neomutt": 1, …}
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from crossbow.datasets.debian_lists import Package
from crossbow.datasets.debian_text import Description, flow, untranslated, words
from crossbow.text.sentences import split_sentences

HUB = 20  # a package that more packages than this link to says nothing about relevance, like libc6
BROAD = 100  # neither does a link from a package with more links than this, like a metapackage
FAMILY = 50  # nor a source package with more binary packages than this, like that of all TeX fonts
CONTENT_WORDS = 5
NEARLY = 0.8  # Jaccard coefficient of word sets from which two queries are the same
COMMON_NAME = 20  # a part of a name that more source packages' texts use is a word, and stays
PREFIX = re.compile(r"^(?:lib(?:js-)?|python3?-|ruby-|golang-|node-|php-|fonts?-|r-(?:cran|bioc)-|gir1\.2-)")
SUFFIX = re.compile(r"(?:-(?:dev|docs?|data|common|bin|utils|tools|perl|java|cil|dkms|el)|[-.]?\d[\d.]*)$")
GAP = "\0"  # where a name was
EDGE = r"[A-Za-z0-9À-ɏͰ-ӿ]"  # a letter or digit that would make a name part of a longer word; no Japanese


class Candidate(NamedTuple):
    package: str
    group: str
    text: str
    long: str
    original: str = ""  # the same in the language of the documents


class Judge:
    """Relevance from the package graph: 3 the package itself, 2 its siblings and mutual links, 1 links one way."""

    def __init__(self, packages: Iterable[Package]):
        known = {package.name: package for package in packages}
        linked = Counter(name for package in known.values() for name in set(package.links)
                         if name in known and known[name].source != package.source)
        self._source = {name: package.source for name, package in known.items()}
        self._family = defaultdict(list)
        self._out: dict[str, set[str]] = {}
        self._in = defaultdict(set)
        for package in known.values():
            self._family[package.source].append(package.name)
            names = {name for name in package.links if name in known and linked[name] <= HUB}
            self._out[package.name] = names if len(names) <= BROAD else set()
            for name in self._out[package.name]:
                self._in[name].add(package.name)

    def levels(self, package: str) -> dict[str, int]:
        """Documents relevant to a query made of this package, best first, then by name."""
        out, into = self._out[package], self._in[package]
        family = self._family[self._source[package]]
        levels = dict.fromkeys(sorted(out | into), 1)
        levels |= dict.fromkeys(sorted(out & into), 2)
        if len(family) <= FAMILY:
            levels |= dict.fromkeys(family, 2)
        levels[package] = 3
        return dict(sorted(levels.items(), key=lambda item: (-item[1], item[0])))


def candidates(packages: Sequence[Package], english: Mapping[str, Description], translated: Mapping[str, Description],
               language: str, target: str) -> list[Candidate]:
    """A query for every package whose translation is good for one, in the language that is not the target's."""
    frequent = spread(packages, english)
    found = []
    for package in packages:
        ours, theirs = translated.get(package.name), english[package.name]
        if ours is None or re.search(r"transitional|dummy package", theirs.text):
            continue
        if untranslated(ours.text, theirs.text):
            continue
        first = ours.units[0] if ours.units else ""
        if first and untranslated(first, theirs.units[0] if theirs.units else ""):
            continue
        name = name_pattern(package, frequent)
        sides = [(ours, language), (theirs, "en")] if target == "en" else [(theirs, "en"), (ours, language)]
        text, original = (without_name(flow([one.synopsis, *_opening(one, lang)]), name) for one, lang in sides)
        if content_words(text) >= CONTENT_WORDS:
            asked = sides[0][0]
            long = without_name(flow([asked.synopsis, *asked.units]), name)
            found.append(Candidate(package.name, package.source, text, long, original))
    return found


def _opening(description: Description, language: str) -> list[str]:
    """The first sentence of a description's text, if it has any."""
    return split_sentences(description.units[0], language)[:1] if description.units else []


def name_pattern(package: Package, frequent: Mapping[str, int]) -> re.Pattern[str]:
    """Matches a package's name, its source's, and what of `libfoo-bar2-dev` is no common word: foo-bar2, foo, bar, …"""
    names = {package.name, package.source}
    todo = list(names)
    while todo:
        name = todo.pop()
        for part in (PREFIX.sub("", name), SUFFIX.sub("", name), *re.split(r"[-_.+]", name)):
            if len(part) >= 3 and part not in names and frequent.get(part, 0) <= COMMON_NAME:
                names.add(part)
                todo.append(part)
    loose = ("[-_.+: ]*".join(map(re.escape, filter(None, re.split(r"[-_.+]+", name))))
             for name in sorted(names, key=lambda name: (-len(name), name)))
    return re.compile(rf"(?<!{EDGE})(?i:{'|'.join(filter(None, loose))})(?:['’]?s)?(?!{EDGE})")


def without_name(text: str, name: re.Pattern[str]) -> str:
    """The text without the name, and without the brackets, quotes, dashes and commas that held it."""
    text = name.sub(GAP, text)
    text = re.sub(rf"[(\[{{«»„“”\"'‚‘’`「『]\s*{GAP}\s*[)\]}}«»“”\"'‘’`」』]", GAP, text)
    text = re.sub(rf"(?<!\w)[-–—./]*{GAP}(?:[-–—/:,;]+\s*|\s+[-–—]+\s+)?|[-–—/]+{GAP}", " ", text)
    text = re.sub(r"\s+([.,;:!?)\]])(?!\w)", r"\1", text.replace(GAP, " "))
    text = " ".join(re.sub(r"^[\s\-–—:,;.]+", "", text).split())
    return re.sub(r"(?:^|(?<=[.!?] ))[a-zà-ÿ](?=\w* )", lambda start: start[0].upper(), text)


def content_words(text: str) -> int:
    """Distinct words of four letters or more; three characters of a script without spaces count as one."""
    found = set(words(text))
    return sum(len(word) >= 4 for word in found) + sum(len(w) == 1 and w >= "\u3040" for w in found) // 3


def distinct(queries: Iterable[Candidate]) -> list[Candidate]:
    """One query a group, and none whose words are nearly those of an earlier one.

    Two sets that share most of their words share one of their rarest, so only those few are looked up.
    """
    queries = list(queries)
    bags = [frozenset(words(query.text)) for query in queries]
    rarity = Counter(word for bag in bags for word in bag)
    kept: list[Candidate] = []
    groups: set[str] = set()
    by_word: dict[str, list[frozenset[str]]] = defaultdict(list)
    for query, bag in zip(queries, bags):
        rarest = sorted(bag, key=lambda word: (rarity[word], word))[:len(bag) - int(NEARLY * len(bag) - 1e-9)]
        if query.group in groups or any(len(bag & other) >= NEARLY * len(bag | other)
                                        for word in rarest for other in by_word[word]):
            continue
        kept.append(query)
        groups.add(query.group)
        for word in rarest:
            by_word[word].append(bag)
    return kept


def spread(packages: Iterable[Package], english: Mapping[str, Description]) -> Counter[str]:
    """How many source packages' descriptions use each word."""
    pairs = {(word, package.source) for package in packages
             for word in re.findall(r"\w+", english[package.name].text.lower())}
    return Counter(word for word, _ in pairs)


def shuffled(groups: Mapping[str, str], seed: int) -> dict[str, tuple[bytes, bytes]]:
    """A key to sort packages by: source packages, and packages within each, in orders drawn from the seed."""
    def draw(name: str) -> bytes:
        return hashlib.sha256(f"{seed} {name}".encode()).digest()

    return {name: (draw(group), draw(name)) for name, group in groups.items()}
