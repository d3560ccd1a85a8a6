"""TREC runs and judgments.

    qrels = load_qrels("qrels.test.txt")                     # {query: {document: level}}
    write_run("run.txt", {"q1": rank({"d7": 1.5, "d2": .3})}, tag="crossbow")
    run = read_run("run.txt")                                # {query: [Hit, …]}, best first

Rankings are ordered as trec_eval orders them: by score, and equal scores by descending document id. Scores are written
with all their digits, so sorting the file again gives the same order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from crossbow.errors import InputError
from crossbow.records import irds
from crossbow.records.lines import PathLike, open_lines, write_lines
from crossbow.records.types import Hit, Qrel

Run = dict[str, list[Hit]]


def rank(scores: Mapping[str, float], limit: int | None = None) -> list[Hit]:
    """Hits in trec_eval's order; at most `limit` of them."""
    by_id = sorted(scores.items(), reverse=True)
    by_id.sort(key=lambda item: -item[1])  # stable, so equal scores stay in descending order of id
    return [Hit(doc, score, place) for place, (doc, score) in enumerate(by_id[:limit], 1)]


def read_run(path: PathLike) -> Run:
    """Read a run, `query Q0 document rank score tag` per line, and sort it; like trec_eval, ignore the rank column."""
    scores: dict[str, dict[str, float]] = {}
    for number, line in open_lines(path):
        if not line.strip():
            continue
        columns = line.split()
        if len(columns) != 6:
            raise InputError(path, number, f"{len(columns)} columns", "expected 6: query Q0 document rank score tag")
        query, _, doc, _, text, _ = columns
        try:
            score = float(text)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise InputError(path, number, f"the score {text!r} is not a finite number", "correct or remove the line")
        ranking = scores.setdefault(query, {})
        if doc in ranking:
            raise InputError(path, number, f"document {doc!r} was already listed for query {query!r}",
                             "a run lists a document only once per query")
        ranking[doc] = score
    return {query: rank(ranking) for query, ranking in scores.items()}


def write_run(
    path: PathLike, run: Mapping[str, Sequence[Hit]] | Iterable[tuple[str, Sequence[Hit]]], tag: str = "crossbow"
) -> None:
    """Write a run in the order given, with scores that read back as the same numbers."""
    write_lines(path, run_lines(path, run.items() if isinstance(run, Mapping) else run, tag))


def run_lines(path: PathLike, run: Iterable[tuple[str, Sequence[Hit]]], tag: str) -> Iterator[str]:
    """The lines of a run, for the file of this name."""
    _check_word(path, tag)
    for query, hits in run:
        _check_word(path, query)
        for hit in hits:
            _check_word(path, hit.doc)
            if not math.isfinite(hit.score):
                raise InputError(path, None, f"query {query!r}, document {hit.doc!r}: the score is {hit.score}")
            yield f"{query} Q0 {hit.doc} {hit.rank} {float(hit.score)!r} {tag}"


def read_qrels(source: PathLike) -> Iterator[Qrel]:
    """Stream judgments: TREC's four columns, or three (query, document, level), or `irds:<id>`.

    A line that repeats an earlier one is passed over; one that contradicts it is an error.
    """
    if irds.is_irds(source):
        yield from irds.qrels(str(source))
        return
    seen: dict[tuple[str, str], int] = {}
    for number, line in open_lines(source):
        columns = line.split()
        if not columns:
            continue
        if len(columns) not in (3, 4):
            raise InputError(source, number, f"{len(columns)} columns", "expected `query 0 document level`")
        query, doc = columns[0], columns[-2]
        try:
            level = int(columns[-1])
        except ValueError:
            raise InputError(source, number, f"the level {columns[-1]!r} is not a whole number",
                             "levels are 0, 1, 2, …; higher means more relevant") from None
        known = seen.get((query, doc))
        if known is None:
            seen[query, doc] = level
            yield Qrel(query, doc, level)
        elif known != level:
            raise InputError(source, number, f"document {doc!r} has level {level} for query {query!r}, earlier {known}",
                             "keep one of the two lines")
    if not seen:
        raise InputError(source, None, "the file is empty", "expected judgments, `query 0 document level` per line")


def load_qrels(source: PathLike) -> dict[str, dict[str, int]]:
    """All judgments as {query: {document: level}}."""
    levels: dict[str, dict[str, int]] = {}
    for query, doc, level in read_qrels(source):
        levels.setdefault(query, {})[doc] = level
    return levels


def write_qrels(path: PathLike, qrels: Iterable[Qrel]) -> None:
    """Write judgments in TREC's four columns."""
    write_lines(path, (f"{_check_word(path, q.query)} 0 {_check_word(path, q.doc)} {q.level}" for q in qrels))


def _check_word(path: PathLike, word: str) -> str:
    if not word or any(map(str.isspace, word)):
        raise InputError(path, None, f"{word!r} cannot be written: it is empty or has white space in it", "rename it")
    return word
