"""n-best lists of any other translation system as forests: exactly the listed translations with exactly their scores.

    for forest in read_nbest("translations.nbest"): ...
    forest = nbest_forest("q1", [(["the", "house"], -0.3), (["the", "home"], -1.2)])

Files are recognized by their first line:

    0 ||| the house ||| LM= -4.1 ||| -0.3                   Moses, Marian, cdec, Joshua; also without features. Moses'
                                                            escapes (&apos;) and segments (|0-1|) are understood
    q1 TAB the house TAB -0.3                               TSV; the score may be missing
    {"id": "q1", "hypotheses": [{"text": "the house", "score": -0.3}, "the home"], "source": "das Haus"}
    the house                                               plain: best first, an empty line between two sentences

Lines of a list stand together. In JSON every line is a sentence; lines with the same id are sentences of one query.
Scores are natural logarithms. Where a list has none, its k-th translation gets -log(k), so that its probability falls
as 1/k. A translation that is listed twice counts once, with its best score. Words are what white space separates; put
subwords together first.

Prefixes that translations share are one path, and so are suffixes. Everything between belongs to one translation only
and carries its score, so nothing is added up and rounded. With scores in general, no deterministic lattice is smaller.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from crossbow.errors import InputError
from crossbow.forest.hypergraph import Forest
from crossbow.forest.lattice import START, Arc, Link, forest_of_arcs
from crossbow.records.lines import PathLike, open_lines

Words = Sequence[str]
_JSON = re.compile(r"\s*(?:\{|\[\s*(?:\{|$))")
_SEGMENT = re.compile(r"(?:^|\s)\|\d+-\d+\|(?=\s|$)")  # what Moses adds with -report-segmentation
_SCORES = "give all translations of a sentence a score, a natural logarithm, or none"


class Hypothesis(NamedTuple):
    """A translation of a sentence, and which source positions its words are linked with, if that is known."""

    words: Words
    score: float
    links: Sequence[Link] = ()


class Listed(NamedTuple):
    """A translation of the sentence `place`, as a line lists it."""

    place: tuple[int, str]  # a number that tells neighbors apart, and the id
    line: int
    text: str
    score: float | None
    source: str = ""


class _Trie:
    """Sequences from their beginning, and how many go through each node; a node's number is above its parent's."""

    def __init__(self, rows: Iterable[Words]):
        self.child: dict[tuple[int, str], int] = {}
        self.count = [0]
        for row in rows:
            node = 0
            for word in row:
                node = self.child.setdefault((node, word), len(self.count))
                if node == len(self.count):
                    self.count.append(0)
                self.count[node] += 1

    def shared(self, row: Words) -> list[int]:
        """The nodes that a sequence shares with others, without the root."""
        nodes, node = [], 0
        for word in row:
            node = self.child[node, word]
            if self.count[node] < 2:
                break
            nodes.append(node)
        return nodes


def nbest_forest(
    name: str, hypotheses: Iterable[tuple[Words, float] | Hypothesis], source: Sequence[str] = ()
) -> Forest:
    """A forest with one derivation for each distinct translation, of which there must be one.

    Words that translations share have the links of the one that is listed first.
    """
    best: dict[tuple[str, ...], Hypothesis] = {}
    for one in (Hypothesis(*listed) for listed in hypotheses):
        key = tuple(one.words)
        if key not in best or one.score > best[key].score:
            best[key] = one
    prefixes = _Trie(best)
    fronts = [prefixes.shared(words) for words in best]
    rests = [words[len(front) :] for words, front in zip(best, fronts)]
    suffixes = _Trie(rest[::-1] for rest in rests)
    backs = [suffixes.shared(rest[::-1]) for rest in rests]
    before = sorted({node for front in fronts for node in front})
    after = sorted({0, *(node for back in backs for node in back)}, reverse=True)  # the root, last, is the goal
    front_number = {node: number for number, node in enumerate(before)}
    back_number = {node: len(before) + number for number, node in enumerate(after)}
    arcs: dict[tuple[int, int], Arc] = {}  # those that are shared, by their nodes
    own = []
    for words, one, front, back in zip(best, best.values(), fronts, backs):
        def arc(tail: int, head: int, begin: int, end: int, score: float = 0.0, one: Hypothesis = one) -> Arc:
            links = [(position, word - begin) for position, word in one.links if begin <= word < end]
            return Arc(tail, head, one.words[begin:end], score, links)

        tails = [START, *map(front_number.__getitem__, front)]
        for at, (tail, head) in enumerate(pairwise(tails)):
            arcs.setdefault((tail, head), arc(tail, head, at, at + 1))
        heads = [back_number[node] for node in (0, *back)]
        for at, (head, tail) in enumerate(pairwise(heads), 1):
            arcs.setdefault((tail, head), arc(tail, head, len(words) - at, len(words) - at + 1))
        own.append(arc(tails[-1], heads[-1], len(front), len(words) - len(back), one.score))
    return forest_of_arcs(name, list(source), len(before) + len(after), [*own, *arcs.values()])


def read_nbest(path: PathLike) -> Iterator[Forest]:
    """The n-best lists of a file (plain, .gz or .xz) as forests, checked one by one."""
    place = None
    for place, group in groupby(_listed(path), lambda one: one.place):
        rows = list(group)
        scored = [row.score is not None for row in rows]
        if len(set(scored)) > 1:
            raise InputError(path, rows[scored.index(not scored[0])].line,
                             f"only some translations of {place[1]!r} have a score", _SCORES)
        scores = [row.score if row.score is not None else -math.log(k) for k, row in enumerate(rows, 1)]
        yield nbest_forest(place[1], zip([row.text.split() for row in rows], scores), rows[0].source.split())
    if place is None:
        raise InputError(path, None, "the file is empty", "expected translations")


def _listed(path: PathLike) -> Iterator[Listed]:
    """All translations of a file."""
    parse: Callable[[PathLike, int, str, int], Iterable[Listed]] | None = None
    sentence, open_list = 0, False
    for number, line in open_lines(path):
        if not line.strip():
            sentence += open_list
            open_list = False
            continue
        if parse is None:
            parse = _format(line)
        yield from parse(path, number, line, sentence)
        open_list = True


def _format(line: str) -> Callable[[PathLike, int, str, int], Iterable[Listed]]:
    """The format that a line has."""
    if _JSON.match(line):  # a list of lists is not what we read, but neither is it a translation
        return _json
    return _moses if "|||" in line else _tsv if "\t" in line else _plain


def _plain(path: PathLike, number: int, line: str, sentence: int) -> Iterator[Listed]:
    yield Listed((sentence, str(sentence + 1)), number, line, None)


def _moses(path: PathLike, number: int, line: str, sentence: int) -> Iterator[Listed]:
    """id ||| translation ||| features ||| score; more fields (alignments) do not count, three end with the score."""
    fields = [field.strip() for field in line.split("|||")]
    if len(fields) < 2 or not fields[0]:
        raise InputError(path, number, f"no {'id' if len(fields) > 1 else '|||'} in this line",
                         "expected `id ||| translation ||| features ||| score`")
    score = None if len(fields) == 2 else _score(path, number, fields[2 if len(fields) == 3 else 3])
    yield Listed((0, fields[0]), number, html.unescape(_SEGMENT.sub(" ", fields[1])), score)


def _tsv(path: PathLike, number: int, line: str, sentence: int) -> Iterator[Listed]:
    fields = line.split("\t")
    if not 2 <= len(fields) <= 3 or not fields[0].strip():
        raise InputError(path, number, f"{len(fields)} columns or no id",
                         "expected `id TAB translation` or `id TAB translation TAB score`")
    yield Listed((0, fields[0].strip()), number, fields[1],
                 _score(path, number, fields[2]) if len(fields) == 3 else None)


def _json(path: PathLike, number: int, line: str, sentence: int) -> Iterator[Listed]:
    form = 'expected {"id": …, "hypotheses": [{"text": …, "score": …}, …]}, a line for each sentence'
    try:
        record = json.loads(line)
        name, hypotheses, source = record["id"], record["hypotheses"], record.get("source", "")
        rows = [(one, None) if isinstance(one, str) else (one["text"], one.get("score")) for one in hypotheses]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(path, number, f"not an n-best list ({type(error).__name__} {error})", form) from None
    if not rows or not all(isinstance(text, str) for text in (source, *(text for text, _ in rows))) \
            or type(name) not in (int, str):
        raise InputError(path, number, "the id, the source or a text is not a string, or there are no hypotheses", form)
    for text, score in rows:
        yield Listed((number, str(name)), number, text, None if score is None else _score(path, number, score), source)


def _score(path: PathLike, number: int, value: Any) -> float:
    try:
        score = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        score = math.nan
    if not math.isfinite(score):
        raise InputError(path, number, f"the score {str(value)[:20]!r} is not a finite number", _SCORES)
    return score
